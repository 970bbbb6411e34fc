"""The files of Kiro's third engine: whose words, whose compaction, what was answered, damage."""

import json
from pathlib import PurePosixPath, PureWindowsPath

import pytest

from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    ContextFileLoaded,
    ContextInjected,
    Interrupted,
    Option,
    QuestionAnswered,
    SessionStarted,
    SessionTitled,
    ToolCall,
    ToolResult,
    Truncated,
    TurnEnded,
    Unknown,
    Unparsed,
    Usage,
    UserMessage,
    Withdrawn,
)
from ctxd_parsers.framing import Framer
from ctxd_parsers.kiro_v3 import KiroV3
from ctxd_parsers.limits import PENDING_CALLS
from ctxd_parsers.registry import claimant
from parsers.contract import ParserContract
from parsers.kiro_logs import LOST, ORACLE, hostile, lines, log_of, of, parse, read, words

PARSER = KiroV3()
SESSIONS = ORACLE["v3"]["sessions"]
BUCKETS = log_of("v3") / ".kiro" / "sessions"
MAIN, SYNTHETIC, FORK, GLOBAL = SESSIONS
FOLDER = PurePosixPath("/home/dev/.kiro/sessions/0123456789abcdef/sess_1")
PATH = FOLDER / "messages.jsonl"
TIME = "2026-10-05T09:00:00.000Z"


class TestKiroV3(ParserContract):
    parser = PARSER


def session(name):
    bucket = SESSIONS[name].get("bucket", "568b46c4e468a5d1")
    return read(PARSER, BUCKETS / bucket / name / "messages.jsonl")


def row(identity, what, /, **fields):
    return {"id": identity, "timestamp": TIME, "payload": {"type": what, **fields}}


def user(identity, content, **fields):
    return row(identity, "user", content=content, **fields)


def summary(name, **fields):
    tombstone = row(
        f"tombstone_summarize_{name}",
        "tombstone",
        kind="summarization",
        effectiveFromMessageId="u1",
        metadata={"truncatedMessageCount": 5},
    )
    said = row(f"summary_{name}", "assistant", content="S", operationType="Summary", **fields)
    return [tombstone, said]


def parsed(*rows, path=PATH, **session_json):
    companions = {FOLDER / "session.json": json.dumps(session_json).encode()}
    return parse(PARSER, path, lines(*rows), companions)


class TestTheOracle:
    def test_the_users_prompts_are_exactly_those_it_lists(self):
        assert words(session(MAIN)) == SESSIONS[MAIN]["user_prompts"]
        assert words(session(SYNTHETIC)) == SESSIONS[SYNTHETIC]["user_prompts"]

    def test_what_a_checkpoint_took_back_is_told_by_its_id(self):
        events = session(MAIN)
        withdrawn = of(events, Withdrawn)
        gone = [event.text for event in events if event.id in {w.since for w in withdrawn}]
        assert gone == SESSIONS[MAIN]["withdrawn"]
        assert withdrawn[0].reason == "reverted"

    def test_summarizations_are_counted_and_the_third_is_the_sub_agents(self):
        compactions = of(session(MAIN), Compaction)
        assert len(compactions) == SESSIONS[MAIN]["summarizations"] == 3
        assert SESSIONS[MAIN]["third_summarization_is_a_subagents"]
        assert [(c.trigger, c.sub_agent, c.messages_removed) for c in compactions] == [
            ("auto", None, 41),
            ("manual", None, 9),
            ("auto", "08a76c1a-d898-5626-9ef0-6021efc372b1", 4),
        ]
        assert {c.kept for c in compactions} == {None}

    def test_lost_facts_are_not_in_the_first_summary(self):
        summary = of(session(MAIN), Compaction)[0].summary
        for fact in SESSIONS[MAIN]["lost_from_first_summary"]:
            assert LOST[fact] not in summary

    def test_a_turn_closed_at_the_next_load_was_not_stopped_by_the_user(self):
        events = session(SYNTHETIC)
        assert SESSIONS[SYNTHETIC]["synthetic_turn_end"]
        assert [end.reason for end in of(events, TurnEnded)] == ["interrupted"]
        assert of(events, Interrupted) == []
        assert [start.how for start in of(events, SessionStarted)] == ["startup", "resume"]

    def test_a_fork_names_its_parent_and_starts_with_the_summary(self):
        events = session(FORK)
        start = of(events, SessionStarted)[0]
        assert (start.how, start.parent) == ("fork", SESSIONS[FORK]["parent"])
        assert SESSIONS[FORK]["starts_with_summary"]
        compaction = of(events, Compaction)[0]
        assert (compaction.trigger, compaction.messages_removed) == (None, None)
        assert events.index(compaction) < events.index(of(events, UserMessage)[0])

    def test_a_session_without_a_folder_has_no_workspace(self):
        start = of(session(GLOBAL), SessionStarted)[0]
        assert start.cwd is None
        assert of(session(MAIN), SessionStarted)[0].cwd == ORACLE["v3"]["bucket_of"]

    def test_a_sub_agents_rows_belong_to_the_session_whose_folder_they_lie_in(self):
        name = "f88c9d50-6470-55f6-8895-ad5f6cd9c450"
        folder = BUCKETS / "568b46c4e468a5d1" / MAIN / "sub-executions"
        events = read(PARSER, folder / f"{name}.jsonl")
        assert {(event.session, event.sub_agent) for event in events} == {(MAIN, name)}
        start = of(events, SessionStarted)[0]
        assert (start.how, start.parent) == ("sub_agent", MAIN)
        assert of(session(MAIN), ToolCall)[2].call == name


class TestWhoseWords:
    @pytest.mark.parametrize(
        ("fields", "source"),
        [
            ({"source": "hook"}, "hook"),
            ({"source": "api"}, "client"),
            ({"source": "steer", "_meta": {"kiro": {"notification": {"kind": "x"}}}}, "client"),
            ({"_meta": {"kiro": {"workflow": {"workflowId": "w", "type": "step"}}}}, "client"),
            ({"kind": "system-notification"}, "client"),
        ],
    )
    def test_what_a_program_wrote_under_the_users_role_is_injected(self, fields, source):
        events = parsed(user("u1", "always deploy", **fields))
        assert words(events) == []
        injected = of(events, ContextInjected)[0]
        assert (injected.source, injected.text, injected.id) == (source, "always deploy", "u1")

    def test_progress_of_a_workflow_is_told_by_its_id_alone(self):
        events = parsed(user("wf-progress-1", "step 1 done", source="steer"))
        assert words(events) == []

    def test_what_is_typed_during_a_turn_is_queued_and_of_that_turn(self):
        events = parsed(user("u1", "go"), user("u2", "and log it", source="steer"))
        assert [(m.text, m.origin, m.turn) for m in of(events, UserMessage)] == [
            ("go", "typed", "u1"),
            ("and log it", "queued", "u1"),
        ]

    def test_a_chat_row_may_name_its_source(self):
        assert words(parsed(user("u1", "go", source="chat"))) == ["go"]

    def test_what_a_hook_added_to_the_prompt_is_cut_out(self):
        content = "go\n<HOOK_INSTRUCTION>never mind</HOOK_INSTRUCTION>"
        events = parsed(user("u1", content))
        assert words(events) == ["go"]
        assert of(events, ContextInjected)[0].text == "never mind"

    def test_a_prompt_that_a_hook_wrote_alone_is_nobodys_word(self):
        events = parsed(user("u1", "<HOOK_INSTRUCTION>never mind</HOOK_INSTRUCTION>"))
        assert of(events, UserMessage) == []
        injected = of(events, ContextInjected)[0]
        assert (injected.id, injected.text) == ("u1", "never mind")

    @pytest.mark.parametrize(
        "text", ["<HOOK_INSTRUCTION> tags are shown, hide them", "[SYSTEM NOTE: is shown, hide it"]
    )
    def test_a_prompt_that_only_begins_like_the_clients_text_is_the_users(self, text):
        assert words(parsed(user("u1", text))) == [text]

    def test_context_documents_and_images_are_attachments(self):
        events = parsed(
            user(
                "u1",
                "look",
                contextItems=[{"name": "a.py", "content": "x", "uri": "file:///w/a.py"}],
                documents=[{"name": "spec.pdf", "data": ""}],
                images=[{"data": "", "mimeType": "image/png"}],
            )
        )
        attachments = of(events, UserMessage)[0].attachments
        assert attachments == ("file:///w/a.py", "spec.pdf", "image")

    def test_a_sub_agents_prompts_are_the_models(self):
        path = FOLDER / "sub-executions" / "x1.jsonl"
        events = parsed(user("u1", "search"), path=path, id="sess_1")
        assert words(events) == []
        session = of(parsed(user("u1", "search"), id="sess_2", parentSessionId="sess_1",
                            createdReason="subagent"), SessionStarted)[0]  # fmt: skip
        assert (session.session, session.sub_agent, session.how) == (
            "sess_1",
            "sess_2",
            "sub_agent",
        )

    def test_bootstrap_and_summaries_are_nobodys_words(self):
        events = parsed(
            row("s", "session_start", agentType="vibe", content="rules", messageId="m"),
            *summary("x"),
            row("n", "agent_note", content="x"),
        )
        assert words(events) == []
        assert of(events, AssistantMessage) == []


QUESTION = {
    "interactionType": "user_input",
    "toolCallId": "q1",
    "question": "Which database?",
    "options": [
        {"title": "Postgres", "description": "has SKIP LOCKED", "recommended": True},
        {"title": "MySQL"},
    ],
}

APPROVAL = [
    {"optionId": "accept", "name": "Accept", "kind": "allow_once"},
    {"optionId": "always-reject", "name": "Never", "kind": "reject_always"},
]


class TestDialogs:
    def ask(self, *rows, **changes):
        return parsed(row("q1-pending", "pending_interaction", **{**QUESTION, **changes}), *rows)

    def answer(self, **fields):
        return row("q1-resolved", "interaction_resolved", toolCallId="q1", **fields)

    def test_a_picked_option_is_an_answer_and_the_users_word(self):
        events = self.ask(self.answer(outcome="selected", selectedOption="Postgres"))
        answered, message = of(events, QuestionAnswered)[0], of(events, UserMessage)[0]
        assert answered.question == "Which database?"
        assert answered.options == (
            Option("Postgres", "has SKIP LOCKED"),
            Option("MySQL"),
        )
        assert (answered.chosen, answered.text, answered.call) == (("Postgres",), None, "q1")
        assert (message.text, message.origin, message.call) == ("Postgres", "answer", "q1")
        assert (answered.id, message.id) == ("q1-resolved", "q1-resolved#1")

    def test_an_option_picked_by_its_key_is_told_by_its_label(self):
        events = self.ask(
            self.answer(outcome="selected", selectedOption="pg"),
            options=[{"optionId": "pg", "name": "Postgres", "kind": "x"}],
        )
        assert of(events, QuestionAnswered)[0].chosen == ("Postgres",)
        assert words(events) == ["Postgres"]

    def test_an_answer_in_own_words_is_text(self):
        events = self.ask(self.answer(outcome="selected", selectedOption="neither, use SQLite"))
        answered = of(events, QuestionAnswered)[0]
        assert (answered.chosen, answered.text) == ((), "neither, use SQLite")
        assert words(events) == ["neither, use SQLite"]

    def test_an_answer_may_come_as_the_tools_result(self):
        result = row("q1-result", "tool_result", toolCallId="q1", content="SQLite", success=True)
        events = self.ask(self.answer(outcome="answered"), result, options=[])
        assert of(events, QuestionAnswered)[0].text == "SQLite"
        assert words(events) == ["SQLite"]
        assert of(events, ToolResult)[0].status == "ok"

    def test_a_structured_result_is_not_taken_for_words(self):
        result = row("q1-result", "tool_result", toolCallId="q1", content='{"a":1}', success=True)
        assert words(self.ask(self.answer(outcome="answered"), result)) == []

    def test_a_question_turned_away_is_no_answer(self):
        assert words(self.ask(self.answer(outcome="cancelled"))) == []

    def test_only_so_many_questions_wait_at_a_time(self):
        rows = [
            row(f"p{n}", "pending_interaction", **{**QUESTION, "toolCallId": f"q{n}"})
            for n in range(PENDING_CALLS + 1)
        ]
        state = PARSER.begin(PATH, {})
        list(PARSER.parse(Framer().feed(lines(*rows)), state))
        assert list(state.dialogs) == [f"q{n}" for n in range(1, PENDING_CALLS + 1)]

    def test_a_question_dies_with_its_turn(self):
        events = self.ask(
            row("e", "turn_end", stopReason="cancelled"),
            self.answer(outcome="selected", selectedOption="Postgres"),
        )
        assert of(events, QuestionAnswered) == []

    def approve(self, selected):
        return self.ask(
            self.answer(outcome="selected", selectedOption=selected),
            row("c", "tool_call", toolCallId="q1", toolName="fs_write", args={"path": "a"}),
            row("r", "tool_result", toolCallId="q1", content="no", success=False),
            interactionType="tool_approval",
            options=APPROVAL,
        )

    def test_approving_a_tool_is_no_word_of_the_users(self):
        events = self.approve("accept")
        assert of(events, UserMessage, QuestionAnswered) == []
        assert [result.status for result in of(events, ToolResult)] == ["error"]

    def test_refusing_a_tool_is_told_once(self):
        events = self.approve("always-reject")
        assert [(r.call, r.status) for r in of(events, ToolResult)] == [("q1", "refused")]
        assert words(events) == []

    def test_a_call_that_was_denied_is_refused(self):
        events = parsed(
            row("c", "tool_call", toolCallId="t", toolName="x", args={}, status="denied"),
            row("r", "tool_result", toolCallId="t", content="", success=False),
        )
        assert [(r.id, r.status) for r in of(events, ToolResult)] == [("c#1", "refused")]


class TestCompaction:
    def test_a_summary_of_the_running_turn_is_automatic_and_the_sessions_own(self):
        events = parsed(
            user("u1", "go"),
            row("t", "turn_start", executionId="e1"),
            *summary("x", executionId="e1"),
        )
        compaction = of(events, Compaction)[0]
        assert (compaction.trigger, compaction.sub_agent) == ("auto", None)
        assert (compaction.id, compaction.messages_removed) == ("summary_x", 5)

    def test_a_summary_of_a_sub_agents_own_sub_agent_is_not_the_sessions(self):
        start = row("s", "sub_agent_start", subSessionId="sub1", subAgentName="r", prompt="p")
        events = parsed(
            row("t", "turn_start", executionId="e1"), start, *summary("x", executionId="sub2")
        )
        assert of(events, Compaction)[0].sub_agent == "sub2"

    def test_with_no_sub_agent_running_a_strange_execution_is_the_sessions(self):
        events = parsed(row("t", "turn_start", executionId="e1"), *summary("x", executionId="e9"))
        assert of(events, Compaction)[0].sub_agent is None

    def test_a_summary_copied_from_the_older_engine_tells_no_trigger(self):
        tombstone, said = summary("x")
        events = parsed(tombstone, {**said, "id": "compact_17_x"})
        assert of(events, Compaction)[0].trigger is None

    def test_a_tombstone_whose_summary_never_came_cut_the_window(self):
        events = parsed(user("u1", "go"), summary("x")[0], row("t", "turn_start", executionId="e2"))
        cut = of(events, Truncated)[0]
        assert (cut.id, cut.messages_removed) == ("tombstone_summarize_x", 5)
        assert of(events, Compaction) == []

    def test_a_summary_that_is_not_called_one_is_known_by_its_tombstone(self):
        tombstone, said = summary("x")
        said["payload"]["operationType"] = "Say"
        events = parsed(user("u1", "go"), tombstone, said)
        assert [compaction.id for compaction in of(events, Compaction)] == ["summary_x"]
        assert of(events, AssistantMessage) == []
        assert len(of(parsed(user("u1", "go"), said), AssistantMessage)) == 1

    def test_a_tombstone_that_comes_twice_or_behind_its_summary_cut_nothing_more(self):
        tombstone, said = summary("x")
        end = row("t", "turn_start", executionId="e2")
        for rows in (
            [tombstone, tombstone, said],
            [tombstone, said, tombstone],
            [said, tombstone],
        ):
            events = parsed(user("u1", "go"), *rows, end)
            assert [compaction.id for compaction in of(events, Compaction)] == ["summary_x"]
            assert of(events, Truncated) == []

    def test_a_tombstone_of_another_kind_is_counted(self):
        unknown = of(parsed(row("t", "tombstone", kind="eviction")), Unknown)[0]
        assert unknown.record_kind == "tombstone eviction"


class TestTurns:
    @pytest.mark.parametrize(
        ("stop", "reason", "stopped"),
        [
            ("end_turn", "completed", 0),
            ("cancelled", "interrupted", 1),
            ("error", "error", 0),
            ("refusal", "error", 0),
            ("max_tokens", "completed", 0),
        ],
    )
    def test_a_turn_ends_as_its_row_says(self, stop, reason, stopped):
        events = parsed(user("u1", "go"), row("e", "turn_end", stopReason=stop))
        end = of(events, TurnEnded)[0]
        assert (end.reason, end.turn) == (reason, "u1")
        assert len(of(events, Interrupted)) == stopped

    def test_how_full_the_window_is_comes_as_a_share(self):
        events = parsed(
            row("m", "session_metadata", key="contextUsage", value={"usagePercentage": 79.2}),
            row("n", "session_metadata", key="recap", value={"text": "so far"}),
        )
        assert [usage.context_percent for usage in of(events, Usage)] == [79.2]

    def test_steering_files_enter_the_window(self):
        documents = [
            ".kiro/steering/tech.md",
            {"id": "personal.md", "displayName": "p", "content": "be kind", "scope": "global"},
        ]
        events = parsed(
            row("s", "steering_inclusion", documents=documents),
            row("t", "session_start", content="x", steeringDocuments=documents[:1]),
        )
        loaded = of(events, ContextFileLoaded)
        assert [(f.id, f.path, f.scope, f.text, f.reason) for f in loaded] == [
            ("s", ".kiro/steering/tech.md", None, None, None),
            ("s#1", "personal.md", "user", "be kind", None),
            ("t", ".kiro/steering/tech.md", None, None, "start"),
        ]

    def test_an_error_or_refusal_is_a_failed_reply(self):
        events = parsed(
            row("x", "error", message="ModelThrottleError"),
            row("y", "assistant", content="I cannot", operationType="Say",
                _meta={"kiro": {"refusal": {"category": "c"}}}),
        )  # fmt: skip
        assert [(m.text, m.failed) for m in of(events, AssistantMessage)] == [
            ("ModelThrottleError", True),
            ("I cannot", True),
        ]

    def test_a_system_row_is_the_clients(self):
        injected = of(parsed(row("s", "system", content="be brief")), ContextInjected)[0]
        assert (injected.source, injected.text) == ("client", "be brief")

    def test_a_hooks_output_is_injected_under_its_name(self):
        events = parsed(
            row("h", "ContextualHookInvoked", name="lint", output="2 errors", status="completed"),
            row("i", "ContextualHookInvoked", name="lint", status="running"),
        )
        assert [(i.name, i.text) for i in of(events, ContextInjected)] == [("lint", "2 errors")]

    def test_a_sub_agent_is_a_call_with_an_end(self):
        events = parsed(
            row("s", "sub_agent_start", subSessionId="x", subAgentName="rev", prompt="look"),
            row("e", "sub_agent_complete", subSessionId="x", response="ok", status="cancelled"),
        )
        call, result = of(events, ToolCall)[0], of(events, ToolResult)[0]
        assert (call.call, call.name, call.excerpt) == ("x", "rev", "look")
        assert (result.call, result.status) == ("x", "interrupted")

    def test_paths_of_a_call_come_from_arguments_and_row(self):
        events = parsed(
            row("c", "tool_call", toolCallId="t", toolName="readMultipleFiles",
                args={"paths": ["a", "b"]}, filePath="/w/c"),
        )  # fmt: skip
        assert of(events, ToolCall)[0].paths == ("a", "b", "/w/c")

    @pytest.mark.parametrize(
        "kind", ["usage_summary", "agent_note", "tool_revert", "mode_change", "sub_agent_progress"]
    )
    def test_rows_without_meaning_here_are_silent(self, kind):
        assert [type(event) for event in parsed(row("r", kind))] == [SessionStarted]

    def test_a_kind_never_seen_is_counted(self):
        assert of(parsed(row("r", "teleport")), Unknown)[0].record_kind == "teleport"


class TestSessions:
    def test_the_session_file_tells_workspace_repository_and_title(self):
        start, title = parsed(
            user("u1", "go"),
            id="sess_1",
            title="Mine",
            titleSetByUser=True,
            workspacePaths=["/w/a", "/w/b"],
            repositories=[{"name": "me/a", "branch": "dev"}],
            createdAt=TIME,
            modelId="opus",
        )[:2]
        assert (start.cwd, start.repository, start.branch) == ("/w/a", "me/a", "dev")
        assert (start.model, start.how) == ("opus", "startup")
        assert (title.title, title.by) == ("Mine", "user")

    def test_a_repository_may_be_a_bare_name_and_a_new_session_has_no_title(self):
        events = parsed(user("u1", "go"), title="New Session", repositories=["me/a"])
        assert of(events, SessionStarted)[0].repository == "me/a"
        assert of(events, SessionTitled) == []

    @pytest.mark.parametrize(
        ("reason", "how"), [("rewind", "rewind"), ("tangent", "fork"), ("thread", "fork")]
    )
    def test_a_copy_says_why(self, reason, how):
        events = parsed(user("u1", "go"), parentSessionId="sess_0", createdReason=reason)
        start = of(events, SessionStarted)[0]
        assert (start.how, start.parent) == (how, "sess_0")

    def test_a_session_converted_from_the_older_engine_is_an_import(self):
        events = parsed(user("u1", "go"), id="cli_8527213d_ab12cd34")
        assert of(events, SessionStarted)[0].how == "import"

    def test_without_a_session_file_the_folder_names_the_session(self):
        assert parse(PARSER, PATH, lines(user("u1", "go")))[0].session == "sess_1"

    def test_an_empty_file_is_no_session_yet(self):
        assert parse(PARSER, PATH, b"") == []


class TestPlaces:
    @pytest.mark.parametrize(
        ("system", "home"),
        [
            ("linux", PurePosixPath("/home/dev")),
            ("macos", PurePosixPath("/Users/dev")),
            ("windows", PureWindowsPath("C:/Users/dev")),
        ],
    )
    def test_it_lies_in_the_home_folder_whatever_kiro_home_says(self, system, home):
        env = Environment(system, home, {"KIRO_HOME": "/opt/kiro"}, {"kiro-v3": (home / "x",)})
        assert [source.root for source in PARSER.sources(env)] == [
            home / ".kiro" / "sessions",
            home / "x",
        ]

    @pytest.mark.parametrize(
        ("path", "head", "claimed"),
        [
            ("/h/.kiro/sessions/0123456789abcdef/sess_1/messages.jsonl", b"", True),
            ("/h/.kiro/sessions/_global/bare-uuid/messages.jsonl", b"\0\0", True),
            ("/h/.kiro/sessions/0123456789abcdef/sess_1/sub-executions/x.jsonl", b"", True),
            ("/copy/messages.jsonl", b'{"id":"a","timestamp":"t","payload":{"type":"user"', True),
            ("/copy/messages.jsonl", b'{"role":"user"}', False),
            ("/copy/sub-executions/x.jsonl", b'{"role":"user"}', False),
            ("/h/.kiro/sessions/0123456789abcdef/sess_1/session.json", b"{", False),
            ("/h/.kiro/sessions/0123456789abcdef/sess_1/publish.cursor", b"1:2", False),
            ("/h/.kiro/sessions/0123456789abcdef/sess_1/publish-sub.cursor", b"{}", False),
            ("/h/.kiro/sessions/0123456789abcdef/sess_1/tool-outputs/x.jsonl", b"{}", False),
            ("/h/.kiro/sessions/cli/a.jsonl", b"", False),
        ],
    )
    def test_only_its_own_files_are_claimed(self, path, head, claimed):
        found = claimant(PurePosixPath(path), head)
        assert (found is not None and found.name == "kiro-v3") == claimed


DAMAGE = hostile(
    lambda text: json.dumps(user(text, text)).encode(), b'{"id":"x","timestamp":"2026-10-05T09:'
)


@pytest.mark.parametrize(("data", "expected", "bad"), DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_costs_the_damaged_bytes_and_is_counted(data, expected, bad):
    events = parse(PARSER, PATH, data)
    assert words(events) == expected
    counted = len(of(events, Unparsed))
    assert counted >= bad
    assert bool(counted) == bool(bad)


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        (user(7, "hi"), ["hi"]),
        ({**user("u", "hi"), "timestamp": {}}, ["hi"]),
        (user("u", ["hi"]), []),
        (user("u", "hi", images=7, contextItems={}, documents=[None], _meta=[]), ["hi"]),
        (user("u", "hi", toolCallId=[], success="yes", prompt=3), ["hi"]),
        ({**user("u", "hi"), "payload": "hi"}, []),
    ],
)
def test_fields_of_the_wrong_type_cost_only_themselves(damaged, said):
    assert words(parsed(damaged)) == said
