"""Kiro CLI's session files: whose words, what a compaction keeps, what was taken back, damage."""

import json
from pathlib import PurePosixPath, PureWindowsPath

import pytest

from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Cleared,
    Compaction,
    ContextInjected,
    Interrupted,
    Reasoning,
    SessionStarted,
    SessionTitled,
    ToolCall,
    ToolResult,
    TurnEnded,
    Unknown,
    Unparsed,
    UserMessage,
    Withdrawn,
)
from ctxd_parsers.kiro_cli import KiroCli
from ctxd_parsers.registry import claimant
from parsers.contract import ParserContract
from parsers.kiro_logs import LOST, ORACLE, hostile, lines, log_of, of, parse, read, words

PARSER = KiroCli()
SESSIONS = ORACLE["cli-v2"]["sessions"]
FOLDER = log_of("cli-v2") / ".kiro" / "sessions" / "cli"
MAIN, OPEN, REWOUND, SUB = SESSIONS
PATH = PurePosixPath("/home/dev/.kiro/sessions/cli/s1.jsonl")


class TestKiroCli(ParserContract):
    parser = PARSER


def session(name):
    return read(PARSER, FOLDER / f"{name}.jsonl")


def entry(kind, **data):
    return {"version": "v1", "kind": kind, "data": data}


def prompt(identity, *texts, **meta):
    content = [{"kind": "text", "data": text} for text in texts]
    return entry("Prompt", message_id=identity, content=content, meta=meta)


def reply(identity, *blocks):
    content = [
        {"kind": "text", "data": block} if isinstance(block, str) else block for block in blocks
    ]
    return entry("AssistantMessage", message_id=identity, content=content)


def use(call, name="shell", **arguments):
    return {"kind": "toolUse", "data": {"toolUseId": call, "name": name, "input": arguments}}


def results(identity, *outcomes):
    content = [
        {
            "kind": "toolResult",
            "data": {
                "toolUseId": call,
                "content": [{"kind": "text", "data": said}],
                "status": status,
            },
        }
        for call, said, status in outcomes
    ]
    return entry("ToolResults", message_id=identity, content=content, results={})


def parsed(*rows, **session_file):
    companions = {PATH.with_suffix(".json"): json.dumps(session_file).encode()}
    return parse(PARSER, PATH, lines(*rows), companions)


class TestTheOracle:
    def test_the_users_prompts_are_exactly_those_it_lists(self):
        assert words(session(MAIN)) == SESSIONS[MAIN]["user_prompts"]

    def test_compactions_are_as_many_and_the_first_stands_at_its_line(self):
        compactions = of(session(MAIN), Compaction)
        assert len(compactions) == SESSIONS[MAIN]["compactions"]
        data = (FOLDER / f"{MAIN}.jsonl").read_bytes()
        before = data[: compactions[0].span[0]].count(b"\n")
        assert before == SESSIONS[MAIN]["first_compaction_line_index"]
        assert [compaction.trigger for compaction in compactions] == [None, None]

    def test_lost_facts_are_neither_in_the_summary_nor_in_what_is_kept(self):
        events = session(MAIN)
        compaction = of(events, Compaction)[0]
        kept = [e.text for e in of(events, UserMessage) if e.id in compaction.kept]
        for fact in SESSIONS[MAIN]["lost_from_first_summary_and_snapshot"]:
            assert not any(LOST[fact] in text for text in [compaction.summary, *kept])

    def test_facts_of_the_last_two_pairs_are_kept_word_for_word(self):
        events = session(MAIN)
        kept = of(events, Compaction)[0].kept
        assert kept == (
            "a1d155c3-3034-515b-b6a5-e5c020837566",
            "aa8e18a1-33d2-5f10-90e9-5febfe6fa835",
            "916b9f7d-ad50-564d-afe3-615642b3d08b",
            "ddd95e78-d14e-5c6f-a19b-304fb3648796",
        )
        text = next(event.text for event in events if event.id == kept[0])
        assert text.startswith("Out of scope for this change")
        assert "410 Gone" in text

    def test_the_second_compaction_keeps_what_its_own_snapshot_lists(self):
        kept = of(session(MAIN), Compaction)[1].kept
        assert len(kept) == 6
        assert kept[0] == "916b9f7d-ad50-564d-afe3-615642b3d08b"
        assert kept[-1] == "2d40ffec-659f-55a7-98d6-47b596ffd436"

    def test_a_clear_empties_the_window_and_loses_what_was_said(self):
        events = session(OPEN)
        cleared = of(events, Cleared)[0]
        data = (FOLDER / f"{OPEN}.jsonl").read_bytes()
        assert data[: cleared.span[0]].count(b"\n") == SESSIONS[OPEN]["clear_line_index"]
        before = words(events[: events.index(cleared)])
        assert before == [
            (
                "Rename the metric webhook_fail to webhook_delivery_failed. "
                "Keep the old name as an alias until January."
            )
        ]

    def test_a_withdrawn_prompt_is_told_by_its_id(self):
        events = session(OPEN)
        withdrawn = of(events, Withdrawn)
        gone = [event.text for event in events if event.id in {w.since for w in withdrawn}]
        assert gone == SESSIONS[OPEN]["withdrawn"]
        assert withdrawn[0].reason == "cancelled"

    def test_a_half_written_last_line_waits(self):
        assert SESSIONS[OPEN]["partial_last_line"]
        assert not any("half a li" in text for text in words(session(OPEN)))
        assert not of(session(OPEN), Unparsed)

    def test_a_rewound_session_names_its_parent_and_copies_ids(self):
        events, expected = session(REWOUND), SESSIONS[REWOUND]
        start = of(events, SessionStarted)[0]
        assert (start.parent, start.how) == (expected["parent"], expected["reason"])
        parent_ids = {event.id for event in session(MAIN)}
        copied = {event.id.partition("#")[0] for event in events if event.id in parent_ids}
        assert copied == set(expected["copied_message_ids"])

    def test_a_sub_agents_file_belongs_to_its_parent_and_has_no_words_of_the_user(self):
        events, expected = session(SUB), SESSIONS[SUB]
        assert words(events) == expected["user_prompts"] == []
        assert {event.session for event in events} == {expected["parent"]}
        assert {event.sub_agent for event in events} == {SUB}
        start = of(events, SessionStarted)[0]
        assert (start.how, start.parent) == ("sub_agent", expected["parent"])
        assert of(events, AssistantMessage)[0].text.startswith("src/webhooks/service.py:88")


class TestWhoseWords:
    def test_what_a_hook_added_to_a_prompt_is_injected(self):
        events = parsed(
            prompt("p1", "use tabs", timestamp=1791190800, additionalContext="branch x")
        )
        assert words(events) == ["use tabs"]
        injected = of(events, ContextInjected)[0]
        assert (injected.source, injected.text, injected.id) == ("hook", "branch x", "p1#1")
        assert of(events, UserMessage)[0].time.isoformat() == "2026-10-05T09:00:00+00:00"

    def test_the_old_summary_beside_an_exported_prompt_is_the_clients(self):
        events = parsed(
            prompt("p1", "go on", additionalContext="## SUMMARY"), exported_from_v1=True
        )
        assert of(events, ContextInjected)[0].source == "client"
        assert of(events, SessionStarted)[0].how == "import"

    @pytest.mark.parametrize(
        "text",
        [
            "You took too long to respond - try to split up the work into smaller steps.",
            (
                "The generated tool was too large, try again but this time split up the work "
                "between multiple tool uses"
            ),
            "[SYSTEM NOTE: This is an automated checkpoint creation request, not from the user]",
            "  ",
        ],
    )
    def test_prompts_of_the_client_are_nobodys_words(self, text):
        assert of(parsed(prompt("p1", text)), UserMessage) == []

    def test_a_linked_resource_is_an_attachment_not_words(self):
        link = json.dumps({"type": "resource_link", "name": "a.py", "uri": "file:///w/a.py"})
        image = {"kind": "image", "data": {"format": "png", "source": {"bytes": [1]}}}
        row = prompt("p1", "look at this", link)
        row["data"]["content"].append(image)
        message = of(parsed(row), UserMessage)[0]
        assert message.text == "look at this"
        assert message.attachments == ("file:///w/a.py", "image")

    @pytest.mark.parametrize(
        "text",
        [
            '{"port": 8080}',
            '{"name": "db", "uri": "sqlite:///x"} is the config',
            "[SYSTEM NOTE: this banner is shown too often, hide it",
            "CONTEXT TRANSFER: We are continuing a conversation that had gotten too long.",
            "<conversation-summary>we use sqlite</conversation-summary>",
        ],
    )
    def test_what_the_user_typed_is_words_whatever_it_looks_like(self, text):
        assert words(parsed(prompt("p1", text))) == [text]

    def test_tool_results_are_nobodys_words(self):
        events = parsed(
            prompt("p1", "run it"),
            reply("a1", use("t1", command="make")),
            results("r1", ("t1", "never deploy on Fridays", "success")),
        )
        assert words(events) == ["run it"]
        assert of(events, ToolResult)[0] == ToolResult(
            agent="kiro-cli",
            session="s1",
            id="r1",
            span=of(events, ToolResult)[0].span,
            call="t1",
            status="ok",
        )


class TestTurns:
    def test_a_reply_without_tools_ends_the_turn(self):
        events = parsed(
            prompt("p1", "do it"),
            reply("a1", "", use("t1", command="make")),
            results("r1", ("t1", "ok", "success")),
            reply("a2", "done"),
        )
        ends = of(events, TurnEnded)
        assert [(end.id, end.turn, end.reason) for end in ends] == [("a2#1", "p1", "completed")]

    def test_a_denied_tool_is_refused_and_a_stopped_one_interrupted(self):
        events = parsed(
            reply("a1", use("t1"), use("t2"), use("t3")),
            results(
                "r1",
                ("t1", "Tool use was denied by the user.", "error"),
                ("t2", "Tool use was cancelled by the user", "error"),
                ("t3", "No such file", "error"),
            ),
        )
        outcomes = [(result.id, result.call, result.status) for result in of(events, ToolResult)]
        assert outcomes == [
            ("r1", "t1", "refused"),
            ("r1#1", "t2", "interrupted"),
            ("r1#2", "t3", "error"),
        ]

    def test_stopping_while_tools_wait_interrupts_without_words_of_the_agent(self):
        events = parsed(
            prompt("p1", "go"),
            reply("a1", "Tool uses were interrupted, waiting for the next user prompt"),
        )
        assert of(events, AssistantMessage) == []
        assert of(events, Interrupted)[0].id == "a1"
        assert of(events, TurnEnded)[0].reason == "interrupted"

    def test_a_timed_out_reply_is_the_clients_and_the_turn_goes_on(self):
        events = parsed(
            prompt("p1", "go"),
            reply("a1", "Response timed out - message took too long to generate"),
            prompt("p2", "You took too long to respond - try to split up the work into "
                         "smaller steps."),
            reply("a2", "smaller"),
        )  # fmt: skip
        said = of(events, AssistantMessage)
        assert [(message.text, message.failed) for message in said][1] == ("smaller", False)
        assert said[0].failed
        assert [end.turn for end in of(events, TurnEnded)] == ["p1"]

    def test_the_models_readable_thinking_comes_before_what_it_says(self):
        thinking = {"kind": "thinking", "data": {"text": "hm", "redactedContent": []}}
        events = parsed(reply("a1", thinking, "yes"))
        assert [type(event) for event in events[1:]] == [Reasoning, AssistantMessage, TurnEnded]
        assert [event.id for event in events[1:]] == ["a1", "a1#1", "a1#2"]


class TestTakenBack:
    def test_cancelling_after_tool_results_takes_back_those_only(self):
        events = parsed(
            prompt("p1", "go"),
            reply("a1", use("t1")),
            results("r1", ("t1", "ok", "success")),
            {"version": "v1", "kind": "CancelledPrompt"},
        )
        assert [w.since for w in of(events, Withdrawn)] == ["r1"]

    def test_cancelling_when_the_agent_spoke_last_takes_back_nothing(self):
        events = parsed(
            prompt("p1", "go"), reply("a1", "ok"), {"version": "v1", "kind": "CancelledPrompt"}
        )
        assert of(events, Withdrawn) == []
        assert len(of(events, Interrupted)) == 1

    def test_two_cancelled_prompts_are_two_withdrawals(self):
        cancelled = {"version": "v1", "kind": "CancelledPrompt"}
        events = parsed(prompt("p1", "a"), cancelled, prompt("p2", "b"), cancelled)
        assert [w.since for w in of(events, Withdrawn)] == ["p1", "p2"]
        assert len({w.id for w in of(events, Withdrawn)}) == 2

    def test_a_reset_takes_back_the_prompts_from_its_entry_on(self):
        events = parsed(
            prompt("p1", "a"),
            reply("a1", "x"),
            prompt("p2", "b"),
            reply("a2", "y"),
            prompt("p3", "c"),
            reply("a3", "z"),
            entry("ResetTo", target_index=2),
            prompt("p4", "d"),
            entry("ResetTo", target_index=7),
        )
        assert [(w.since, w.reason) for w in of(events, Withdrawn)] == [
            ("p2", "rewind"),
            ("p4", "rewind"),
        ]

    def test_a_reset_to_nowhere_takes_back_nothing(self):
        events = parsed(prompt("p1", "a"), entry("ResetTo"), entry("ResetTo", target_index=9))
        assert of(events, Withdrawn) == []


class TestCompaction:
    def snapshot(self, *messages):
        return entry("Compaction", summary="S", strategy={}, messages_snapshot=list(messages))

    def kept_message(self, row, role):
        data = row["data"]
        return {"id": data["message_id"], "role": role, "content": data["content"]}

    def test_all_events_of_a_kept_message_are_kept(self):
        said = reply("a1", {"kind": "thinking", "data": {"text": "hm"}}, "yes", use("t1"))
        got = results("r1", ("t1", "ok", "success"))
        events = parsed(
            prompt("p1", "go"),
            said,
            got,
            self.snapshot(self.kept_message(said, "assistant"), self.kept_message(got, "user")),
        )
        assert of(events, Compaction)[0].kept == ("a1", "a1#1", "a1#2", "r1")
        assert {type(e) for e in events if e.id in ("a1", "a1#1", "a1#2", "r1")} == {
            Reasoning,
            AssistantMessage,
            ToolCall,
            ToolResult,
        }

    def test_a_compaction_that_keeps_nothing_says_so(self):
        assert of(parsed(prompt("p1", "go"), self.snapshot()), Compaction)[0].kept == ()

    def test_a_prompt_that_overflowed_the_window_can_still_be_cancelled(self):
        row = prompt("p1", "go")
        events = parsed(
            row,
            self.snapshot(self.kept_message(row, "user")),
            {"version": "v1", "kind": "CancelledPrompt"},
        )
        assert of(events, Withdrawn)[0].since == "p1"

    def test_a_compaction_keeps_its_id_when_rows_before_it_are_lost_or_it_comes_twice(self):
        first, said = prompt("p1", "go"), reply("a1", "yes")
        cut = self.snapshot(self.kept_message(said, "assistant"))
        found = [
            {event.id for event in of(parsed(*rows), Compaction)}
            for rows in ([first, said, cut], [said, cut], [cut], [first, said, cut, cut])
        ]
        assert found == [found[0]] * 4
        assert len(found[0]) == 1

    def test_compactions_in_a_row_are_as_many_events(self):
        events = parsed(prompt("p1", "go"), self.snapshot(), self.snapshot())
        assert len({event.id for event in of(events, Compaction)}) == 2


class TestSessions:
    def test_the_session_file_tells_where_it_ran(self):
        events = parsed(
            prompt("p1", "go"),
            cwd="/w",
            title="go",
            created_at="2026-10-05T09:00:00.000000Z",
            session_created_reason="subagent",
            session_state={"rts_model_state": {"model_info": {"model_id": "opus"}}},
        )
        start = of(events, SessionStarted)[0]
        assert (start.how, start.cwd, start.model, start.parent) == ("startup", "/w", "opus", None)
        assert of(events, SessionTitled)[0].title == "go"

    def test_a_copy_for_another_reason_than_a_rewind_is_a_fork(self):
        start = of(parsed(prompt("p1", "go"), parent_session_id="s0"), SessionStarted)[0]
        assert (start.how, start.parent) == ("fork", "s0")

    def test_a_sub_agent_gives_its_parent_no_title(self):
        events = parsed(
            prompt("p1", "go"),
            title="go",
            parent_session_id="s0",
            session_created_reason="subagent",
        )
        assert of(events, SessionTitled) == []

    def test_without_its_session_file_a_log_is_named_by_its_own_name(self):
        assert parse(PARSER, PATH, lines(prompt("p1", "go")))[0].session == "s1"

    def test_a_kind_never_seen_is_counted_with_the_logs_version(self):
        unknown = of(parsed(entry("Teleport")), Unknown)[0]
        assert (unknown.record_kind, unknown.client_version) == ("Teleport", "v1")


class TestPlaces:
    def test_kiro_home_adds_to_the_default_folder_and_tests_may_set_their_own(self):
        env = Environment(
            "linux",
            PurePosixPath("/home/dev"),
            {"KIRO_HOME": "/opt/kiro", "KIRO_TEST_SESSIONS_DIR": "/tmp/t"},
            {"kiro-cli": (PurePosixPath("/mnt/s"),)},
        )
        assert [(str(s.root), s.patterns) for s in PARSER.sources(env)] == [
            ("/home/dev/.kiro/sessions", ("cli/*.jsonl",)),
            ("/opt/kiro/sessions", ("cli/*.jsonl",)),
            ("/mnt/s", ("cli/*.jsonl",)),
            ("/tmp/t", ("*.jsonl",)),
        ]

    def test_windows_keeps_it_in_the_home_folder_too(self):
        env = Environment("windows", PureWindowsPath("C:/Users/dev"))
        root = PARSER.sources(env)[0].root
        assert root == PureWindowsPath("C:/Users/dev/.kiro/sessions")

    @pytest.mark.parametrize(
        ("path", "head", "claimed"),
        [
            ("/h/.kiro/sessions/cli/a.jsonl", b"", True),
            ("/h/.kiro/sessions/cli/a.jsonl", b"\0\0\0", True),
            ("/elsewhere/a.jsonl", b'{"version":"v1","kind":"Prompt","data":{', True),
            ("/elsewhere/a.jsonl", b'{"version":"v1","kind":"header"', False),
            ("/elsewhere/a.jsonl", b"", False),
            ("/h/.kiro/sessions/cli/a.json", b"{", False),
            ("/h/.kiro/sessions/cli/a.lock", b'{"pid":1}', False),
            ("/h/.kiro/sessions/cli/a.history", b"/exit", False),
            ("/h/.kiro/sessions/cli/.a.jsonl", b"", False),
            ("/h/.kiro/sessions/0123456789abcdef/s/messages.jsonl", b"", False),
        ],
    )
    def test_only_its_own_logs_are_claimed(self, path, head, claimed):
        found = claimant(PurePosixPath(path), head)
        assert (found is not None and found.name == "kiro-cli") == claimed


DAMAGE = hostile(
    lambda text: json.dumps(prompt(text, text)).encode(), b'{"version":"v1","kind":"Prom'
)


@pytest.mark.parametrize(("data", "expected", "bad"), DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_costs_the_damaged_bytes_and_is_counted(data, expected, bad):
    events = parse(PARSER, PATH, data)
    assert words(events) == expected
    counted = len(of(events, Unparsed))
    assert counted >= bad
    assert bool(counted) == bool(bad)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (entry("Prompt", message_id=7, content=[{"kind": "text", "data": "hi"}]), ["hi"]),
        (entry("Prompt", message_id="p", content="hi"), []),
        (entry("Prompt", message_id="p", content=[{"kind": "text", "data": 7}, None, "x"]), []),
        (entry("Prompt", message_id="p", content=[{"kind": 7, "data": "hi"}], meta=[]), []),
        ({**prompt("p", "hi"), "data": 7}, []),
        ({**prompt("p", "hi", timestamp="soon", additionalContext=[]), "version": 2}, ["hi"]),
        (prompt("p", "hi", timestamp=1e300), ["hi"]),
    ],
)
def test_fields_of_the_wrong_type_cost_only_themselves(row, said):
    assert words(parsed(row)) == said


def test_a_session_file_that_is_no_session_changes_nothing():
    companions = {PATH.with_suffix(".json"): b'{"cwd": 7, "title": [], "session_state": 1'}
    events = parse(PARSER, PATH, lines(prompt("p1", "go")), companions)
    assert words(events) == ["go"]
    assert of(events, SessionStarted)[0].cwd is None


@pytest.mark.parametrize(
    ("lock", "pid"), [(b'{"pid":4194000,"started_at":"x"}', 4194000), (b"{}", None), (b"", None)]
)
def test_a_lock_beside_the_log_names_the_process_that_has_it_open(lock, pid):
    assert PARSER.sign_patterns(PATH) == [PATH.with_suffix(".lock")]
    sign = PARSER.read_sign(PATH.with_suffix(".lock"), lock)
    assert (sign.pid if sign else None) == pid
