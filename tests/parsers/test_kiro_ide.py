"""Kiro IDE 0.x: one prompt though it stands in several documents, compactions, damage."""

import json
from pathlib import PurePosixPath, PureWindowsPath

import pytest

from ctxd_parsers.discovery import find_transcripts
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    ContextFileLoaded,
    Interrupted,
    SessionStarted,
    SessionTitled,
    ToolCall,
    ToolResult,
    TurnEnded,
    Unknown,
    Unparsed,
    Usage,
    UserMessage,
)
from ctxd_parsers.kiro_ide import KiroIde
from ctxd_parsers.parser import Storage
from ctxd_parsers.reading import distinct, read_events
from ctxd_parsers.registry import claimant
from parsers.contract import ParserContract
from parsers.kiro_logs import LOST, ORACLE, log_of, of, parse_document, read, words

PARSER = KiroIde()
EXPECTED = ORACLE["ide-legacy"]
PROMPTS = EXPECTED["user_prompts_session1"]
ABORTED = "Switch the worker to LISTEN/NOTIFY."
BASE = log_of("ide-0") / EXPECTED["base"]
EXECUTIONS = "414d1636299d2b9e4ce7e17fb11f63e9"
STORE = PurePosixPath("/home/dev/.config/Kiro/User/globalStorage/kiro.kiroagent")
SESSION_PATH = STORE / "workspace-sessions" / "L3c_" / "s1.json"
EXECUTION_PATH = STORE / "0a1b" / EXECUTIONS / "ff00"
CHAT_PATH = STORE / "0a1b" / "ff00.chat"
TRANSFER = (
    "CONTEXT TRANSFER: We are continuing a conversation that had gotten too long. "
    "Here is a summary:\n---\n## TASK 1: x"
)


class TestKiroIde(ParserContract):
    parser = PARSER


def session_of(name):
    folder = next((BASE / "workspace-sessions").glob(f"*/{name}.json"))
    return read(PARSER, folder)


def executions():
    """The executions of the fixture by their id."""
    folder = BASE / EXPECTED["workspace_hash"] / EXECUTIONS
    return {
        json.loads(path.read_bytes())["executionId"]: read(PARSER, path)
        for path in sorted(folder.iterdir())
    }


def everything():
    """All events of the fixture in the order in which its documents are found."""
    env = Environment("linux", log_of("ide-0"))
    found = list(find_transcripts(env, [PARSER]))
    assert len(found) == 10
    return [event for transcript in found for event in read_events(transcript)]


def said(role, text, identity, execution=None):
    message = {"role": role, "content": text, "id": identity}
    return {"message": message, **({"executionId": execution} if execution else {})}


def session(*history, companions=None, **fields):
    document = {"history": list(history), "sessionId": "s1", **fields}
    listed = {SESSION_PATH.with_name("sessions.json"): json.dumps(companions or []).encode()}
    return parse_document(PARSER, SESSION_PATH, document, listed)


def human(*texts):
    return {"role": "human", "entries": [{"type": "text", "text": text} for text in texts]}


def bot(text):
    return {"role": "bot", "entries": [{"type": "text", "text": text}]}


def execution(*asked, before=(), actions=(), context=(), **fields):
    document = {
        "executionId": "e1",
        "workflowType": "chat-agent",
        "status": "succeed",
        "startTime": 1791190800000,
        "endTime": 1791190820000,
        "chatSessionId": "s1",
        "input": {"data": {"messages": list(asked), "messagesFromExecutionId": list(before)}},
        "context": {"messages": list(context)},
        "actions": list(actions),
        **fields,
    }
    return parse_document(PARSER, EXECUTION_PATH, document)


def action(kind, identity="a1", state="Success", message="", **inputs):
    return {
        "actionId": identity,
        "actionType": kind,
        "actionState": state,
        "emittedAt": 1791190801000,
        "input": inputs,
        "output": {"message": message},
    }


def chat(*messages, **fields):
    document = {
        "executionId": "e1",
        "chat": [{"role": role, "content": text} for role, text in messages],
        "metadata": {"workflowId": "w1", "modelId": "m", "startTime": 1, "endTime": 2},
        **fields,
    }
    return parse_document(PARSER, CHAT_PATH, document)


class TestTheOracle:
    def test_the_history_has_exactly_the_users_prompts(self):
        assert words(session_of(EXPECTED["sessions"][0])) == PROMPTS

    def test_over_all_documents_each_prompt_is_given_once(self):
        mine = [
            event
            for event in distinct(everything())
            if event.session == EXPECTED["sessions"][0] or event.session.startswith("b497dd60")
        ]
        assert words(mine) == [*PROMPTS, ABORTED]
        assert {event.session for event in of(mine, UserMessage)} == {EXPECTED["sessions"][0]}

    def test_an_execution_names_its_session_and_its_prompt_has_the_histories_id(self):
        history = {
            event.id: event.text for event in of(session_of(EXPECTED["sessions"][0]), UserMessage)
        }
        prompts = [of(events, UserMessage)[0] for events in executions().values()]
        assert {prompt.session for prompt in prompts} == {EXPECTED["sessions"][0]}
        assert {prompt.text for prompt in prompts if prompt.id in history} == set(PROMPTS[2:])
        assert all(history.get(prompt.id, ABORTED) == prompt.text for prompt in prompts)

    def test_the_compaction_stands_in_the_execution_after_it(self):
        events = executions()[EXPECTED["compaction_in_execution"]]
        compaction = events[0]
        assert isinstance(compaction, Compaction)
        assert (compaction.trigger, compaction.kept) == ("auto", ())
        assert compaction.summary.startswith("CONTEXT TRANSFER:")
        for fact in EXPECTED["lost_from_summary"]:
            assert LOST[fact] not in compaction.summary

    def test_the_next_execution_repeats_the_same_compaction(self):
        found = [of(events, Compaction) for events in executions().values()]
        ids = {compaction.id for compactions in found for compaction in compactions}
        assert [len(compactions) for compactions in found].count(1) == 2
        assert len(ids) == 1

    def test_an_aborted_execution_was_stopped_by_the_user(self):
        events = executions()[EXPECTED["aborted_execution"]]
        assert words(events) == [ABORTED]
        assert len(of(events, Interrupted)) == 1
        assert of(events, TurnEnded)[0].reason == "interrupted"
        assert of(events, ToolCall) == []

    def test_a_session_that_goes_on_from_a_summary_says_so(self):
        events = session_of(EXPECTED["sessions"][1])
        start, compaction = of(events, SessionStarted)[0], of(events, Compaction)[0]
        assert start.how == "compaction"
        assert (compaction.trigger, compaction.kept) == ("manual", ())
        assert words(events) == ["Carry on with the worker."]
        assert of(events, AssistantMessage) == []

    def test_folders_come_from_the_documents_and_never_from_their_names(self):
        folders = {e.session: e.cwd for e in of(everything(), SessionStarted) if e.cwd}
        assert folders == {
            **dict.fromkeys(EXPECTED["sessions"], "/home/dev/work/payments-api"),
            "d9522a49-76da-562d-99fb-2da6b274d5ca": "/home/dev/work/infra",
        }


class TestHistories:
    def test_a_prompt_without_an_execution_keeps_its_own_id(self):
        events = session(said("user", "go", "u1"), said("assistant", "done", "a1"))
        assert [(m.id, m.turn) for m in of(events, UserMessage)] == [("u1", "u1")]
        assert [(m.id, m.text) for m in of(events, AssistantMessage)] == [("a1", "done")]
        assert of(events, TurnEnded)[0].turn == "u1"

    def test_a_reply_with_an_execution_is_told_there(self):
        events = session(said("user", "go", "u1"), said("assistant", "Made it.", "a1", "e1"))
        assert of(events, AssistantMessage, TurnEnded) == []

    def test_a_prompt_at_the_end_waits_for_its_execution(self):
        first = said("user", "go", "u1")
        assert words(session(first)) == []
        later = session(first, said("assistant", "On it.", "a1", "e1"))
        assert [m.id for m in of(later, UserMessage)] == [
            of(execution(human("go")), UserMessage)[0].id
        ]

    def test_a_placeholder_is_replaced_by_what_the_model_completed(self):
        reply = {**said("assistant", "On it.", "a1"), "promptLogs": [{"completion": "Done."}]}
        events = session(said("user", "go", "u1"), reply)
        assert of(events, AssistantMessage)[0].text == "Done."

    def test_pieces_and_pictures(self):
        content = [
            {"type": "text", "text": "look"},
            {"type": "imageUrl", "imageUrl": {"url": "data:"}},
        ]
        events = session(said("user", content, "u1"), said("assistant", "ok", "a1"))
        message = of(events, UserMessage)[0]
        assert (message.text, message.attachments) == ("look", ("image",))

    def test_the_list_of_sessions_fills_in_what_the_document_lacks(self):
        listed = {
            "sessionId": "s1",
            "title": "Mine",
            "dateCreated": "1791190800000",
            "workspaceDirectory": "/w",
        }
        events = session(
            said("user", "go", "u1"), said("assistant", "ok", "a1"), companions=[7, listed]
        )
        start = of(events, SessionStarted)[0]
        assert (start.cwd, start.time.isoformat()) == ("/w", "2026-10-05T09:00:00+00:00")
        assert of(events, SessionTitled)[0].title == "Mine"

    @pytest.mark.parametrize(
        ("created", "year"),
        [(1791190800000, 2026), ("soon", None), (1e300, None), ("9" * 400, None)],
    )
    def test_the_time_of_a_session_may_be_a_number_or_nonsense(self, created, year):
        events = session(
            said("user", "go", "u1"),
            said("assistant", "ok", "a1"),
            companions=[{"sessionId": "s1", "dateCreated": created}],
        )
        time = of(events, SessionStarted)[0].time
        assert (time.year if time else None) == year

    def test_a_session_of_a_folder_that_nothing_names_has_no_workspace(self):
        events = session(said("user", "go", "u1"), said("assistant", "ok", "a1"))
        assert of(events, SessionStarted)[0].cwd is None

    def test_a_shell_without_messages_is_no_session(self):
        assert session(title="New", workspaceDirectory="/w") == []


class TestWhoseWords:
    @pytest.mark.parametrize(
        "text",
        [
            "<identity>\nYou are Kiro.\n</identity>",
            "<EnvironmentContext>\nOpen files: none\n</EnvironmentContext>",
            "<steering-reminder>be kind</steering-reminder>",
            "<ADDITIONAL_INSTRUCTIONS>x</ADDITIONAL_INSTRUCTIONS>",
            "<system>x</system>",
            "<instructions>x</instructions>",
            "## Included Rules (tech.md)\nPython",
            "## CONVERSATION SUMMARY\nx",
            "# System Prompt\nx",
            "# Identity\nx",
            "Previous conversation summary: x",
            "Follow these instructions for user requests related to spec tasks: x",
            "You are operating in a workspace with x",
            "[SYSTEM NOTE: x]",
            TRANSFER,
        ],
    )
    def test_injected_messages_are_nobodys_words(self, text):
        reply = said("assistant", "ok", "a1")
        assert words(session(said("user", text, "u1"), reply)) == []
        assert words(execution(human(text))) == []
        assert words(chat(("human", text), ("bot", "ok"))) == []

    @pytest.mark.parametrize(
        "text",
        [
            "<user>\nuse tabs\n</user>",
            "<kiro-ide-message>use tabs</kiro-ide-message>",
            "<EnvironmentContext>\nx\n</EnvironmentContext>\n<user>\nuse tabs\n</user>\n<system>y",
        ],
    )
    def test_wrapped_words_are_unwrapped(self, text):
        assert words(execution(human(text))) == ["use tabs"]

    def test_a_reminder_beside_the_words_is_left_out(self):
        assert words(execution(human("use tabs", "<steering-reminder>x</steering-reminder>"))) == [
            "use tabs"
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "<div> is wrong here",
            "<system> tags are shown, hide them",
            "<instructions> of the linter are wrong",
            "# Identity of the service must be unique",
            "CONTEXT TRANSFER: never do one on Fridays",
        ],
    )
    def test_a_prompt_that_only_begins_like_the_clients_text_is_the_users(self, text):
        reply = said("assistant", "ok", "a1")
        assert words(session(said("user", text, "u1"), reply)) == [text]
        assert words(execution(human(text))) == [text]
        assert words(chat(("human", text), ("bot", "ok"))) == [text]
        assert of(execution(human(text), context=[human(text)]), Compaction) == []

    def test_the_users_role_may_be_called_by_either_name(self):
        assert words(execution({**human("use tabs"), "role": "user"})) == ["use tabs"]
        assert words(chat(("user", "use tabs"), ("bot", "ok"))) == ["use tabs"]

    def test_two_prompts_of_one_execution_are_two_messages(self):
        events = session(
            said("user", "use sqlite", "u1"),
            said("assistant", "On it.", "a1", "e1"),
            said("user", "never touch migrations", "u2"),
            said("assistant", "On it.", "a2", "e1"),
        )
        assert words(list(distinct(events))) == ["use sqlite", "never touch migrations"]


class TestExecutions:
    def test_what_the_agent_said_and_did_is_told_in_order(self):
        events = execution(
            human("go"),
            actions=[
                action("readFiles", "a1", files=[{"path": "a.py"}]),
                action("runCommand", "a2", "Error", command="make"),
                action("replace", "a3", "Rejected", file="b.py", modifiedContent="x = 1"),
                action("say", "a4", message="Done."),
            ],
            contextUsagePercentage=31.0,
        )
        assert [type(event) for event in events] == [
            UserMessage,
            *[ToolCall, ToolResult] * 3,
            AssistantMessage,
            Usage,
            TurnEnded,
        ]
        calls = of(events, ToolCall)
        assert [(c.name, c.paths, c.command) for c in calls] == [
            ("readFiles", ("a.py",), None),
            ("runCommand", (), "make"),
            ("replace", ("b.py",), None),
        ]
        assert calls[2].excerpt == "x = 1"
        assert [r.status for r in of(events, ToolResult)] == ["ok", "error", "refused"]
        assert of(events, Usage)[0].context_percent == 31.0
        end = of(events, TurnEnded)[0]
        assert (end.reason, end.turn) == ("completed", of(events, UserMessage)[0].id)

    def test_a_running_execution_has_no_end_and_its_events_stay_as_it_grows(self):
        first = [action("say", "a1", message="One."), action("runCommand", "a2", "Running")]
        running = execution(human("go"), actions=first, status="running")
        assert of(running, TurnEnded, ToolResult) == []
        grown = execution(human("go"), actions=[*first, action("say", "a3", message="Two.")])
        assert grown[: len(running)] == running

    def test_a_failed_execution_ends_with_an_error(self):
        assert of(execution(human("go"), status="failed"), TurnEnded)[0].reason == "error"

    def test_actions_that_share_an_id_are_different_events(self):
        events = execution(actions=[action("say", message="One."), action("say", message="Two.")])
        assert len({event.id for event in of(events, AssistantMessage)}) == 2

    def test_what_stayed_beside_a_summary_is_not_known_when_more_follows_it(self):
        events = execution(human("go"), before=[human(TRANSFER), human("old"), bot("ok")])
        assert of(events, Compaction)[0].kept is None

    def test_a_summary_may_stand_in_the_context_alone(self):
        events = execution(human("go"), context=[human(TRANSFER), human("go")])
        compaction = of(events, Compaction)[0]
        assert (compaction.summary, compaction.kept) == (TRANSFER, None)

    def test_words_about_a_context_transfer_are_no_compaction(self):
        events = execution(human("go"), before=[human('what is "CONTEXT TRANSFER:"?')])
        assert of(events, Compaction) == []


class TestChats:
    def test_only_the_last_prompt_and_its_replies_are_this_executions(self):
        events = chat(
            ("human", "first"),
            ("bot", "one"),
            ("human", "<user>\nsecond\n</user>"),
            ("bot", ""),
            ("tool", "Created the file."),
            ("bot", "two"),
            ("bot", "I will follow these instructions."),
        )
        assert words(events) == ["second"]
        assert [m.text for m in of(events, AssistantMessage)] == ["two"]
        assert {event.session for event in events} == {"w1"}
        assert of(events, UserMessage)[0].id == of(execution(human("x")), UserMessage)[0].id

    def test_a_later_snapshot_of_the_execution_repeats_its_events(self):
        early = chat(("human", "go"), ("bot", "one"))
        late = chat(("human", "go"), ("bot", "one"), ("bot", "two"))
        assert {event.id for event in early} < {event.id for event in late}

    def test_steering_files_among_the_messages_are_context_files(self):
        events = chat(("human", "## Included Rules (tech.md)\nPython"), ("human", "go"))
        loaded = of(events, ContextFileLoaded)[0]
        assert (loaded.path, loaded.text) == ("tech.md", "Python")

    def test_a_chat_without_a_prompt_has_no_words(self):
        assert words(chat(("bot", "hello"))) == []
        assert chat() == []


class TestPlaces:
    def roots(self, system, home, **variables):
        env = Environment(system, home, variables, {"kiro-ide": (home / "extra",)})
        sources = PARSER.sources(env)
        assert {source.storage for source in sources} == {Storage.SNAPSHOT}
        assert sources[0].patterns == (
            "workspace-sessions/*/*.json",
            f"*/{EXECUTIONS}/*",
            "*/*.chat",
        )
        return [source.root for source in sources]

    @pytest.mark.parametrize(
        ("system", "home", "settings"),
        [
            ("linux", PurePosixPath("/home/dev"), ".config"),
            ("macos", PurePosixPath("/Users/dev"), "Library/Application Support"),
            ("windows", PureWindowsPath("C:/Users/dev"), "AppData/Roaming"),
        ],
    )
    def test_the_ides_own_storage_and_that_of_its_remote_server(self, system, home, settings):
        store = "User/globalStorage/kiro.kiroagent"
        assert self.roots(system, home) == [
            home / settings / "Kiro" / store,
            home / ".kiro-server" / "data" / store,
            home / "extra",
        ]

    def test_windows_settings_may_lie_elsewhere(self):
        roots = self.roots("windows", PureWindowsPath("C:/Users/dev"), APPDATA="D:/Roaming")
        assert roots[0].is_relative_to("D:/Roaming/Kiro")

    @pytest.mark.parametrize(
        ("path", "head", "claimed"),
        [
            (SESSION_PATH, b"", True),
            (EXECUTION_PATH, b"", True),
            (CHAT_PATH, b"", True),
            (PurePosixPath("/copy/x.chat"), b'{"executionId":"e"', True),
            (PurePosixPath("/copy/x.chat"), b"hello", False),
            (SESSION_PATH.with_name("sessions.json"), b"[]", False),
            (SESSION_PATH.with_name("._migration-1.json"), b"{}", False),
            (STORE / "0a1b" / "f62de366d0006e17ea00a01f6624aabf", b'{"executions"', False),
            (STORE / "index" / "x.json", b"{}", False),
            (STORE / "0a1b" / EXECUTIONS / ".DS_Store", b"", False),
        ],
    )
    def test_only_its_own_documents_are_claimed(self, path, head, claimed):
        found = claimant(path, head)
        assert (found is not None and found.name == "kiro-ide") == claimed


WHOLE = json.dumps(
    {"history": [said("user", "use tabs", "u1"), said("assistant", "ok", "a1")], "sessionId": "s1"}
).encode()


class TestDamage:
    @pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
    def test_a_torn_document_is_counted_and_gives_nothing(self, share):
        events = parse_document(PARSER, SESSION_PATH, WHOLE[: int(len(WHOLE) * share)])
        assert [type(event) for event in events] == [Unparsed]
        assert events[0].session == "s1"

    @pytest.mark.parametrize(
        "data", [b"\0" * 100, b"\xff\xfe", b"null", b"[]", b"7", b'"x"', b'{"x":' * 5000]
    )
    def test_what_is_no_document_is_counted(self, data):
        found = parse_document(PARSER, SESSION_PATH, data)
        assert [type(event) for event in found] == [Unparsed]

    def test_a_byte_order_mark_costs_nothing(self):
        assert words(parse_document(PARSER, SESSION_PATH, b"\xef\xbb\xbf" + WHOLE)) == ["use tabs"]

    def test_nuls_before_the_document_are_counted_and_it_is_read(self):
        events = parse_document(PARSER, SESSION_PATH, b"\0" * 64 + WHOLE)
        assert words(events) == ["use tabs"]
        assert len(of(events, Unparsed)) == 1

    @pytest.mark.parametrize(("bad", "good"), [(b"\xff", "\ufffd"), (rb"\udc00", "\ufffd")])
    def test_letters_that_cannot_be_read_are_replaced(self, bad, good):
        events = parse_document(PARSER, SESSION_PATH, WHOLE.replace(b"tabs", b"t" + bad))
        assert words(events) == [f"use t{good}"]

    def test_a_document_of_another_kind_is_counted(self):
        found = parse_document(PARSER, SESSION_PATH, b'{"executions":[]}')
        assert [type(event) for event in found] == [Unknown]

    @pytest.mark.parametrize(
        "change",
        [
            {"sessionId": 7},
            {"title": []},
            {"workspaceDirectory": {}},
            {"selectedModel": 1.5},
            {"startTime": "soon"},
            {"contextUsagePercentage": "31"},
        ],
    )
    def test_fields_of_the_wrong_type_cost_only_themselves(self, change):
        document = {**json.loads(WHOLE), **change}
        assert words(parse_document(PARSER, SESSION_PATH, document)) == ["use tabs"]

    @pytest.mark.parametrize("history", [7, [7], [None, []], [{"message": 7}, {"message": {}}]])
    def test_a_history_that_is_none_gives_no_words(self, history):
        document = {**json.loads(WHOLE), "history": history}
        assert words(parse_document(PARSER, SESSION_PATH, document)) == []

    def test_a_list_of_sessions_that_is_none_changes_nothing(self):
        companions = {SESSION_PATH.with_name("sessions.json"): b'[{"sessionId": "s1", "tit'}
        assert words(parse_document(PARSER, SESSION_PATH, WHOLE, companions)) == ["use tabs"]
