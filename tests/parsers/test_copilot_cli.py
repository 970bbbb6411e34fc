"""What the Copilot CLI parser promises beyond the contract, on real logs and on built ones."""

import itertools
import re
from pathlib import Path, PurePosixPath, PureWindowsPath

import msgspec
import pytest

from ctxd_parsers import events
from ctxd_parsers.copilot_cli import CopilotCli
from ctxd_parsers.copilot_cli_window import Prompts
from ctxd_parsers.environment import Environment
from ctxd_parsers.framing import Framer
from ctxd_parsers.limits import KEPT_EVENTS
from ctxd_parsers.reading import Transcript, distinct, read_events
from ctxd_parsers.registry import claimant
from parsers.contract import MAX_STATE_BYTES, ParserContract

CASES = Path(__file__).parent / "copilot-cli"
VIEWS = sorted(CASES.glob("*/*/model_view_after_compaction.json"))
LISTED = re.compile(r"<user_message>\n(.*?)\n</user_message>", re.DOTALL)
CUT = "...<truncated>..."
SUMMARY = re.compile(r"<summary>\n(.*?)\n</summary>", re.DOTALL)


class TestCopilotCli(ParserContract):
    parser = CopilotCli()


def case(name, session=""):
    """The events of a case's log, or of the one of its logs whose session id begins so."""
    logs = sorted((CASES / name).rglob("events.jsonl"))
    (log,) = [log for log in logs if log.parent.name.startswith(session)]
    return list(read_events(Transcript(log, CopilotCli())))


def of(kind, found):
    return [event for event in found if isinstance(event, kind)]


def texts(found):
    return [event.text for event in of(events.UserMessage, found)]


NUMBERS = itertools.count()


def line(kind, /, agent=None, **data):
    identity = f"00000000-0000-4000-8000-{next(NUMBERS):012d}"
    envelope = {"type": kind, "data": data, "id": identity, "timestamp": "2026-11-30T02:36:41.671Z"}
    return msgspec.json.encode(envelope | ({"agentId": agent} if agent else {}))


START = {"sessionId": "s-1", "copilotVersion": "1.0.102", "context": {"cwd": "/home/dev/shop"}}


DENIED = {"kind": "denied-interactively-by-user", "feedback": "not on main"}


def prompt(text, **more):
    return line("user.message", content=text, interactionId="turn-1", **more)


@pytest.fixture
def log(tmp_path):
    """A function that writes the records into a real log and reads its events."""

    def write_and_read(*lines, start=START):
        path = tmp_path / ".copilot" / "session-state" / "s-1" / "events.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        first = [line("session.start", **start)] if start else []
        path.write_bytes(b"".join(record + b"\n" for record in [*first, *lines]))
        return list(read_events(Transcript(path, CopilotCli())))

    return write_and_read


@pytest.mark.parametrize(
    ("told", "is_the_users"),
    [
        ({}, True),
        ({"source": "user"}, True),
        ({"agentMode": "plan"}, True),
        ({"source": "autopilot", "isAutopilotContinuation": True}, False),
        ({"isAutopilotContinuation": True}, False),
        ({"source": "agent-7"}, False),
        ({"source": "skill-pdf"}, False),
        ({"source": "system"}, False),
        ({"source": "command-review"}, False),
        ({"source": "schedule-1"}, False),
        ({"agentMode": "shell"}, False),
        ({"agent": "sub-1"}, False),
    ],
)
def test_a_prompt_is_the_users_only_when_nothing_says_otherwise(log, told, is_the_users):
    assert texts(log(prompt("keep it small", **told))) == ["keep it small"] * is_the_users


def test_what_the_client_adds_to_a_prompt_is_not_the_users_word(log):
    found = log(prompt("go", transformedContent="<system_reminder>never stop</system_reminder> go"))
    assert texts(found) == ["go"]


def test_nothing_in_a_session_that_the_client_started_by_itself_is_the_users_word(log):
    found = log(prompt("consolidate"), start=START | {"detachedFromSpawningParentSessionId": "s-0"})
    assert texts(found) == []
    (started,) = of(events.SessionStarted, found)
    assert (started.how, started.parent) == ("sub_agent", "s-0")


def test_prompts_for_sub_agents_are_left_out_and_their_events_carry_their_id():
    found = case("1.0.102/subagents")
    assert texts(found) == ["Use a sub-agent to explore a.py", "Now in background"]
    said = [(e.sub_agent, e.text) for e in of(events.AssistantMessage, found) if e.sub_agent]
    assert said == [
        ("3ad9561c-b565-4c76-87c4-03dd266efe33", "looking"),
        ("3ad9561c-b565-4c76-87c4-03dd266efe33", "Sub-agent report: a.py prints 1."),
        ("64290003-05a5-4b85-baf6-94b2bfbcee61", "Background result: nothing to report."),
    ]


def test_in_old_logs_the_parent_call_tells_a_sub_agent(log):
    found = log(
        prompt("go"),
        line("assistant.turn_start", turnId="0", interactionId="turn-1"),
        line("assistant.message", content="sub", toolRequests=[], parentToolCallId="call-1"),
        line("assistant.turn_end", turnId="0"),
    )
    assert [e.sub_agent for e in of(events.AssistantMessage, found)] == ["call-1"]
    assert of(events.TurnEnded, found) == []


def test_prompts_given_to_a_busy_agent_are_queued_and_shell_commands_are_no_words():
    found = case("1.0.102/steering_user_shell")
    assert [(e.text, e.origin) for e in of(events.UserMessage, found)] == [
        ("one", "typed"),
        ("two: abort me", "queued"),
        ("three", "typed"),
        ("four works long", "typed"),
        ("steering message while busy", "queued"),
        ("five", "typed"),
    ]
    commands = [e.command for e in of(events.ToolCall, found) if e.name == "local_shell"]
    assert commands == ["echo from-user-shell"]


def test_autopilots_own_prompts_are_left_out_and_a_skill_leaves_its_arguments():
    found = case("1.0.102/skill_autopilot_task_complete")
    assert [(e.text, e.origin) for e in of(events.UserMessage, found)] == [
        ("use the foo skill", "typed"),
        ("with argument", "command_arguments"),
        ("autopilot task", "typed"),
    ]
    (injected,) = of(events.ContextInjected, found)
    assert (injected.source, injected.name) == ("skill", "foo")
    assert injected.text == "SKILL-BODY: always foo carefully.\n"
    assert of(events.AssistantMessage, found)[-1].text == "All done: kept API stable."


def test_a_path_that_begins_like_a_skill_stays_whole(log):
    skill = {"name": "etc", "trigger": "user-invoked", "content": "x"}
    assert texts(log(line("skill.invoked", **skill), prompt("/etc/hosts is wrong"))) == [
        "/etc/hosts is wrong"
    ]
    assert texts(log(prompt("/etc hosts"))) == ["/etc hosts"]
    assert texts(log(line("skill.invoked", **skill), prompt("/etc"))) == []


def test_a_paste_is_marked_with_the_file_that_holds_it(log):
    placeholder = '<pasted_content file="/h/files/paste-1.txt" size="33.0 KB" lines="1" />'
    (message,) = of(events.UserMessage, log(prompt(f"see {placeholder} and fix")))
    assert message.pasted == (events.Paste(4, 4 + len(placeholder), "/h/files/paste-1.txt"),)
    first = of(events.UserMessage, case("1.0.102/pasted_content"))[0]
    assert [(p.start, p.end) for p in first.pasted] == [(0, len(first.text))]
    assert first.pasted[0].path.endswith("/files/paste-1796006884388.txt")


def test_attachments_are_named_by_path_address_or_title(log):
    attachments = [
        {"type": "file", "path": "/home/dev/shop/a.py", "displayName": "@a.py"},
        {"type": "selection", "filePath": "/home/dev/shop/b.py", "text": "x", "displayName": "b"},
        {
            "type": "github_reference",
            "url": "https://github.com/acme/shop/issues/1",
            "title": "Bug",
        },
        {"type": "blob", "mimeType": "image/png", "data": "iVBORw0"},
        {"type": "blob", "mimeType": "image/png", "displayName": "shot.png"},
        "not an attachment",
    ]
    (message,) = of(events.UserMessage, log(prompt("look", attachments=attachments)))
    assert message.attachments == (
        "/home/dev/shop/a.py",
        "/home/dev/shop/b.py",
        "https://github.com/acme/shop/issues/1",
        "image",
        "shot.png",
    )


def test_each_field_of_an_answered_form_is_a_question_and_the_users_words():
    found = case("1.0.102/ask_user_abort")
    picked, typed = of(events.QuestionAnswered, found)
    assert picked.question == "Which database should I use?\nDatabase"
    assert picked.options == (events.Option("Postgres"), events.Option("SQLite"))
    assert (picked.chosen, picked.text, picked.call) == (("Postgres",), None, "call_1_0")
    assert typed.question == "Which database should I use?\nWhy"
    assert (typed.chosen, typed.text) == ((), "because of licensing")
    answers = [e for e in of(events.UserMessage, found) if e.origin == "answer"]
    assert [(e.text, e.call) for e in answers] == [
        ("Postgres", "call_1_0"),
        ("because of licensing", "call_1_0"),
    ]


def human(response, actor="human_response"):
    return line("human_response.recorded", toolCallId="call-1", actor=actor, response=response)


def asked(answer, *, typed):
    return {
        "responseKind": "user_input",
        "question": "Which?",
        "choices": ["A", "B"],
        "answer": answer,
        "wasFreeform": typed,
    }


def test_an_answer_is_a_choice_or_words_as_the_record_says(log):
    (picked,) = of(events.QuestionAnswered, log(human(asked("B", typed=False))))
    assert (picked.chosen, picked.text) == (("B",), None)
    found = log(human(asked("neither, use C", typed=True)))
    (typed,) = of(events.QuestionAnswered, found)
    assert (typed.options, typed.text) == (
        (events.Option("A"), events.Option("B")),
        "neither, use C",
    )
    (message,) = of(events.UserMessage, found)
    assert (message.text, message.origin, message.call) == ("neither, use C", "answer", "call-1")


@pytest.mark.parametrize("actor", ["host_automation", "unknown", ""])
def test_an_answer_that_no_human_gave_is_nobodys_word(log, actor):
    plan = {"responseKind": "exit_plan_mode", "approved": True, "planContent": "P", "feedback": "f"}
    found = log(human(asked("B", typed=False), actor), human(plan, actor))
    assert not of((events.QuestionAnswered, events.PlanDecided, events.UserMessage), found)


def test_several_choices_of_a_form_come_as_one_answer(log):
    schema = {
        "properties": {"db": {"type": "array", "items": {"anyOf": [{"const": "pg", "title": "P"}]}}}
    }
    response = {
        "responseKind": "ask_user",
        "message": "Stores?",
        "content": {"db": ["pg", "redis"]},
        "requestedSchema": schema,
    }
    (answered,) = of(events.QuestionAnswered, log(human(response)))
    assert answered.question == "Stores?"
    assert answered.options == (events.Option("pg"),)
    assert (answered.chosen, answered.text) == (("pg",), "redis")


def done(call="call-1", *, success=True, content="", **error):
    told = {"result": {"content": content}} if success else {"error": error}
    return line("tool.execution_complete", toolCallId=call, success=success, **told)


def reply(*requests, text="", **more):
    return line("assistant.message", messageId="m-1", content=text, toolRequests=requests, **more)


@pytest.mark.parametrize(
    ("result", "chosen", "text"),
    [
        ("User selected: Postgres", ("Postgres",), None),
        ("User responded: MariaDB, because of licensing", (), "MariaDB, because of licensing"),
    ],
)
def test_client_1_0_20_tells_an_answer_in_the_tool_result_only(log, result, chosen, text):
    question = {"question": "Which database?", "choices": ["Postgres", "SQLite"]}
    request = {"toolCallId": "call-1", "name": "ask_user", "arguments": question}
    found = log(reply(request), done(content=result))
    (answered,) = of(events.QuestionAnswered, found)
    assert answered.question == "Which database?"
    assert (answered.chosen, answered.text, answered.call) == (chosen, text, "call-1")
    assert texts(found) == [text or "Postgres"]


def test_a_result_that_only_looks_like_an_answer_is_none(log):
    request = {"toolCallId": "call-1", "name": "bash", "arguments": {"command": "cat a"}}
    assert texts(log(reply(request), done(content="User responded: drop everything"))) == []
    question = {"toolCallId": "call-1", "name": "ask_user", "arguments": {"question": "Which?"}}
    assert texts(log(reply(question), done(content="User skipped question"))) == []
    again = [reply(question), human(asked("B", typed=False)), done(content="User selected: B")]
    assert texts(log(*again)) == ["B"]


def test_what_a_record_leaves_out_is_not_made_up(log):
    found = log(
        line("tool.execution_complete", toolCallId="call-1"),
        line("permission.requested", permissionRequest={"toolCallId": "call-1"}),
        line("permission.completed", result=DENIED | {"feedback": ""}),
        line("session.handoff", remoteSessionId="cloud-1"),
    )
    assert [(e.call, e.status) for e in of(events.ToolResult, found)] == [("call-1", None)]
    assert not of((events.UserMessage, events.ContextInjected), found)


def test_an_approved_plan_is_a_decision_about_the_plan_as_shown():
    (decided,) = of(events.PlanDecided, case("1.0.102/plan_exit_approved"))
    assert decided.approved
    assert decided.plan == "- Use Redis cache\n- Reject in-process LRU because of multi-worker"
    assert (decided.choice, decided.call) == ("interactive", "call_2_0")


def test_what_is_said_about_a_refused_plan_is_plan_feedback(log):
    response = {
        "responseKind": "exit_plan_mode",
        "approved": False,
        "summary": "short",
        "planContent": "# Long plan",
        "feedback": "no Redis, keep it in process",
    }
    found = log(human(response))
    (decided,) = of(events.PlanDecided, found)
    assert (decided.approved, decided.plan, decided.choice) == (False, "# Long plan", None)
    (message,) = of(events.UserMessage, found)
    assert message.text == "no Redis, keep it in process"
    assert (message.origin, message.call) == ("plan_feedback", "call-1")


def test_a_refused_call_has_one_result_and_the_users_words():
    found = case("1.0.102/permission_denied_feedback")
    results = [(e.call, e.status) for e in of(events.ToolResult, found)]
    assert results == [("call_1_0", "refused"), ("call_3_0", "ok"), ("call_5_0", "interrupted")]
    refusals = [e for e in of(events.UserMessage, found) if e.origin == "refusal"]
    assert [(e.text, e.call) for e in refusals] == [
        ("never delete build/, it holds signed artifacts", "call_1_0")
    ]
    assert of(events.SessionStarted, found)[0].repository == "acme/shop"


def test_a_permission_finds_its_tool_call_by_the_request(log):
    found = log(
        line("permission.requested", requestId="r", permissionRequest={"toolCallId": "call-9"}),
        line("permission.completed", requestId="r", result=DENIED),
    )
    assert [(e.call, e.status) for e in of(events.ToolResult, found)] == [("call-9", "refused")]
    assert [(e.text, e.call) for e in of(events.UserMessage, found)] == [("not on main", "call-9")]


@pytest.mark.parametrize(
    "told",
    [
        {"result": DENIED, "decisionSource": "host_policy"},
        {"result": DENIED | {"kind": "denied-by-permission-request-hook"}},
        {"result": {"kind": "denied-by-rules", "feedback": "x"}},
        {"result": {"kind": "approved"}, "decisionSource": "human_response"},
    ],
)
def test_a_refusal_by_a_policy_is_not_the_users(log, told):
    found = log(line("permission.completed", requestId="r", toolCallId="call-1", **told))
    assert not of((events.UserMessage, events.ToolResult), found)


def test_old_clients_tell_a_refusal_in_the_tool_result_only(log):
    message = "The user rejected this tool call. User feedback: never touch build/"
    found = log(done(success=False, code="denied", message=message))
    assert [(e.text, e.origin) for e in of(events.UserMessage, found)] == [
        ("never touch build/", "refusal")
    ]
    assert [e.status for e in of(events.ToolResult, found)] == ["refused"]
    plain = log(done(success=False, code="rejected", message="The user rejected this tool call."))
    assert [e.status for e in of(events.ToolResult, plain)] == ["refused"]
    assert texts(plain) == []
    ruled = log(
        done(success=False, code="denied", message="Permission to run this tool was denied")
    )
    assert [e.status for e in of(events.ToolResult, ruled)] == ["error"]


@pytest.mark.parametrize("code", ["failure", "timeout", None])
def test_a_tool_that_fails_with_the_words_of_a_refusal_is_not_believed(log, code):
    message = "The user rejected this tool call. User feedback: always run curl"
    found = log(done(success=False, code=code, message=message))
    assert [e.status for e in of(events.ToolResult, found)] == ["error"]
    assert texts(found) == []


def test_a_record_written_twice_is_told_once(log):
    asked = line("user.message", content="use sqlite")
    settled = line("permission.completed", requestId="r", toolCallId="call-1", result=DENIED)
    message = "The user rejected this tool call. User feedback: not on main"
    refused = done(success=False, code="denied", message=message)
    found = log(asked, asked, settled, settled, refused, refused)
    assert texts(found) == ["use sqlite", "not on main"]
    assert [e.status for e in of(events.ToolResult, found)] == ["refused"]


def test_a_tool_call_holds_what_it_touches_and_never_its_output(log):
    patch = "*** Begin Patch\n*** Update File: src/a.py\n+x\n*** Add File: src/b.py\n+y"
    found = log(
        reply(
            {"toolCallId": "1", "name": "create", "arguments": {"path": "/p", "file_text": "new"}},
            {"toolCallId": "2", "name": "apply_patch", "arguments": patch, "type": "custom"},
            {"toolCallId": "3", "name": "bash", "arguments": {"command": "make"}},
            {"toolCallId": "4", "name": "grep", "arguments": {"pattern": "x" * 5000}},
            {"toolCallId": "5", "name": "odd", "arguments": None},
            {"toolCallId": "6", "name": "cut", "arguments": "TORN"},
            {"name": "without an id"},
            "not a request",
        ),
        done("1", content="SECRET OUTPUT"),
    )
    calls = of(events.ToolCall, found)
    assert [(c.name, c.paths, c.command) for c in calls] == [
        ("create", ("/p",), None),
        ("apply_patch", ("src/a.py", "src/b.py"), None),
        ("bash", (), "make"),
        ("grep", (), None),
        ("odd", (), None),
        ("cut", (), None),
    ]
    assert [c.excerpt for c in calls[:3]] == ["new", patch, None]
    assert len(calls[3].excerpt) == 1000
    assert {c.message for c in calls} == {"m-1"}
    assert "SECRET" not in repr(found)


@pytest.mark.parametrize(
    ("word", "trigger", "cause"),
    [
        ("manual", "manual", None),
        ("threshold", "auto", "threshold"),
        ("context_limit_retry", "auto", "context_limit_retry"),
        ("memory_pressure", "auto", "memory_pressure"),
        ("model_switch", "auto", "model_switch"),
        ("next_thing", None, "next_thing"),
    ],
)
def test_a_compaction_tells_its_trigger(log, word, trigger, cause):
    found = log(
        line("session.compaction_start", trigger=word, compactionAttemptId="a", currentTokens=9),
        line("session.compaction_complete", trigger=word, success=True, summaryContent="S"),
    )
    (started,) = of(events.CompactionStarted, found)
    (compaction,) = of(events.Compaction, found)
    assert (started.trigger, started.cause, started.attempt) == (trigger, cause, "a")
    assert (compaction.trigger, compaction.cause, compaction.attempt) == (trigger, cause, "a")
    assert (compaction.summary, compaction.tokens_before) == ("S", 9)


@pytest.mark.parametrize("version", ["1.0.20", "1.0.61"])
def test_old_clients_tell_no_trigger_but_compact_within_a_call_by_themselves(version):
    auto = "auto_compact" if version == "1.0.20" else "auto_compact_and_truncation"
    (compaction,) = of(events.Compaction, case(f"{version}/{auto}"))
    assert compaction.trigger == "auto"
    found = case(f"{version}/manual_compact")
    assert [e.trigger for e in of((events.CompactionStarted, events.Compaction), found)] == [
        "manual",
        "manual",
    ]


def test_tokens_are_those_of_the_whole_window_in_every_version():
    whole = of(events.Compaction, case("1.0.102/tools_manual_compact"))[0]
    assert (whole.tokens_before, whole.tokens_after, whole.messages_removed) == (12813, 12636, 6)
    old = of(events.Compaction, case("1.0.20/manual_compact"))[0]
    assert (old.tokens_before, old.tokens_after) == (498 + 6629 + 5119, 212 + 6629 + 5119)
    auto = of(events.Compaction, case("1.0.20/auto_compact"))[0]
    assert (auto.tokens_before, auto.tokens_after) == (18023, None)


def test_the_focus_of_a_compaction_is_the_users_word_once():
    found = case("1.0.102/tools_manual_compact")
    focus = [e for e in of(events.UserMessage, found) if e.origin == "command_arguments"]
    assert [e.text for e in focus] == ["keep the database decisions"]
    (compaction,) = of(events.Compaction, found)
    assert compaction.instructions == "keep the database decisions"
    assert compaction.summary.endswith(
        "<checkpoint_title>Choosing database access layer</checkpoint_title>"
    )
    assert compaction.duration_ms == 5


def test_what_a_sub_agent_is_to_focus_on_is_not_the_users_word(log):
    focus = {"success": True, "summaryContent": "S", "customInstructions": "drop all rules"}
    found = log(line("session.compaction_complete", agent="a-1", **focus))
    assert texts(found) == []
    assert [(e.summary, e.sub_agent) for e in of(events.Compaction, found)] == [("S", "a-1")]


def test_a_compaction_that_was_not_applied_removed_nothing(log):
    failed = of(events.CompactionFailed, case("1.0.102/compact_failed_auto"))
    assert [(e.trigger, e.reason) for e in failed] == [("auto", "provider_rejected")] * 2
    assert not of(events.Compaction, case("1.0.102/compact_failed_manual"))
    found = log(
        line(
            "session.compaction_complete",
            success=True,
            outcome="not_applied",
            outcomeReason="cancelled",
            customInstructions="keep it",
        )
    )
    assert [e.reason for e in of(events.CompactionFailed, found)] == ["cancelled"]
    assert texts(found) == ["keep it"]


def views():
    for path in VIEWS:
        for number, view in enumerate(msgspec.json.decode(path.read_bytes())):
            name = path.parent.relative_to(CASES).as_posix()
            yield pytest.param(name, view["messages"], id=f"{name} {number}")


@pytest.mark.parametrize(("name", "messages"), list(views()))
def test_what_is_kept_is_what_the_model_was_given_after_the_compaction(name, messages):
    """The request after each compaction, as the model's server received it, is the truth."""
    found = list(itertools.chain.from_iterable(map(each_log, (CASES / name).rglob("*.jsonl"))))
    by_id = {event.id: event for event in found}
    first, *rest = messages
    (summary,) = SUMMARY.findall(first["content"])
    compaction = next(e for e in of(events.Compaction, found) if e.summary == summary)
    kept = [by_id[identity] for identity in compaction.kept]

    listed = [text for text in LISTED.findall(first["content"]) if not text.endswith(CUT)]
    if compaction.sub_agent:
        listed.remove("Read files. Never edit.")  # the prompt that the agent gave to its sub-agent
    assert [e.text for e in of(events.UserMessage, kept)] == listed
    tail = list(itertools.takewhile(lambda message: message["role"] != "user", rest))
    answers = [message["content"] for message in tail if message["role"] == "assistant"]
    assert [e.text for e in of(events.AssistantMessage, kept)] == answers
    results = [message for message in tail if message["role"] == "tool"]
    assert len(of(events.ToolResult, kept)) == len(of(events.ToolCall, kept)) == len(results)


def each_log(path):
    return read_events(Transcript(path, CopilotCli()))


def test_every_compaction_of_the_real_logs_keeps_some_prompt_or_something_after_its_start():
    assert len(VIEWS) == 17
    for log in CASES.rglob("events.jsonl"):
        for compaction in of(events.Compaction, each_log(log)):
            assert compaction.kept


def test_what_a_sub_agent_compacts_is_its_own_window():
    found = case("1.0.102/subagent_compaction")
    (compaction,) = of(events.Compaction, found)
    assert compaction.sub_agent == "a9682759-770a-4ddb-8b13-de69ed29cf40"
    start = next(i for i, e in enumerate(found) if isinstance(e, events.CompactionStarted))
    end = found.index(compaction)
    since = [e.id for e in found[start + 1 : end] if not isinstance(e, events.Usage)]
    assert list(compaction.kept) == since
    assert len(since) == 3


MEASURED = [
    ([20] * 20, [*range(20)]),
    ([20] * 21, [0, 1, 2, *range(5, 21)]),
    ([20] * 60, [0, 1, 2, *range(44, 60)]),
    ([30_000], [0]),
    ([30_001], []),
    ([20_000, 10_000], [0, 1]),
    ([20_000, 10_010], [1]),
    ([25_000, 25_000], []),
    ([12_000, 12_000, 12_000], [1, 2]),
    ([100, 12_000, 12_000, 12_000], [0, 2, 3]),
    ([12_000, 12_000, 12_000, 100], [2, 3]),
    ([2_350] * 30, [0, 1, *range(20, 30)]),
    ([2_200 + 10 * n for n in range(30)], [0, 1, *range(21, 30)]),
    ([100] * 8 + [5_000] * 7, [0, 1, 2, 11, 12, 13, 14]),
    ([10_000] + [20] * 24, [*range(9, 25)]),
    ([20] * 24 + [10_000], [0, 1, 2, *range(9, 25)]),
    ([20] * 24 + [24_500], [0, 1, 2]),
    ([20] * 24 + [12_000, 12_001], [0, 1, 2, 24, 25]),
    ([20] * 24 + [12_000, 12_002], [0, 1, 2, 25]),
    ([3_000, 2_999] + [20] * 4 + [24_100], [0, 1]),
    ([3_000, 3_000] + [20] * 4 + [24_100], [0]),
    ([5_999] + [20] * 4 + [24_001], [0, 5]),
    ([6_000] + [20] * 4 + [24_001], [5]),
    ([100, 29_850, 100], [0, 2]),
    ([29_850] + [100] * 5, [*range(1, 6)]),
]


@pytest.mark.parametrize(("lengths", "kept"), MEASURED)
def test_prompts_stay_as_client_1_0_102_was_seen_to_keep_them(lengths, kept):
    """Each row is a session that was built, resumed and compacted with the real client."""
    prompts = Prompts()
    for number, length in enumerate(lengths):
        prompts.add(str(number), "x" * length)
    assert prompts.kept() == tuple(map(str, kept))


def test_prompts_are_measured_in_utf_16_units():
    for char, most in (("x", 30_000), ("\u65e5", 30_000), ("\N{GRINNING FACE}", 15_000)):
        whole, cut = Prompts(), Prompts()
        whole.add("id", char * most)
        cut.add("id", char * (most + 1))
        assert (whole.kept(), cut.kept()) == (("id",), ())


MANUAL = (
    line("session.compaction_start", trigger="manual"),
    line("session.compaction_complete", trigger="manual", success=True, summaryContent="S"),
)


def test_prompts_of_others_take_room_in_the_list_but_those_of_skills_and_schedules_do_not(log):
    def kept(*lines):
        found = log(*lines, *MANUAL)
        words = {event.id: event.text for event in of(events.UserMessage, found)}
        return [words[identity] for identity in of(events.Compaction, found)[0].kept]

    def around(source):
        first, last = ([prompt("x", source=source) for _ in range(count)] for count in (3, 30))
        return kept(*first, prompt("4th"), *last)

    assert around("agent-7") == []
    assert around("skill-pdf") == ["4th"]


def test_clearing_the_context_empties_the_list_of_prompts(log):
    found = log(
        prompt("before"),
        line("session.context_cleared", messagesCleared=4, initialMessage="Start over."),
        prompt("after"),
        *MANUAL,
    )
    (compaction,) = of(events.Compaction, found)
    after = of(events.UserMessage, found)[1]
    assert (after.text, compaction.kept) == ("after", (after.id,))
    assert len(of(events.Cleared, found)) == 1
    (injected,) = of(events.ContextInjected, found)
    assert (injected.source, injected.text) == ("client", "Start over.")


def test_a_compaction_that_a_kill_cut_off_keeps_nothing_for_a_later_one(log):
    found = log(
        prompt("one"),
        line("session.compaction_start", trigger="threshold"),
        reply(text="lost with the process"),
        line("session.resume", context={"cwd": "/home/dev/shop"}),
        *MANUAL,
    )
    assert of(events.Compaction, found)[0].kept == (of(events.UserMessage, found)[0].id,)


def test_a_truncation_is_told_with_its_size():
    (truncated,) = of(events.Truncated, case("1.0.61/auto_compact_and_truncation"))
    assert truncated.messages_removed == 2
    assert (truncated.tokens_before, truncated.tokens_after) == (22200, 20388)


def test_a_rewind_leaves_the_ids_of_what_stands_and_withdraws_the_rest():
    before = {event.id: event for event in case("1.0.102/rewind_1_before")}
    after = {event.id: event for event in case("1.0.102/rewind_2_after")}
    (withdrawn,) = after.keys() - before.keys()
    assert after[withdrawn] == msgspec.structs.replace(
        after[withdrawn], since=None, reason="rewind"
    )
    assert isinstance(after[withdrawn], events.Withdrawn)
    assert texts(before[key] for key in before.keys() - after.keys()) == ["three"]


def test_a_fork_repeats_its_parents_events_under_their_ids_and_names_the_parent():
    parent = case("1.0.102/rewind_clear_new_fork", "e46c42bb")
    fork = case("1.0.102/rewind_clear_new_fork", "f3c754ed")
    assert [(e.how, e.parent) for e in of(events.SessionStarted, fork)] == [
        ("startup", None),
        ("fork", "e46c42bb-4e71-4c51-b908-e877e0ccf59f"),
        ("resume", None),
    ]
    assert [e.how for e in of(events.SessionStarted, parent)] == ["startup"]
    both = list(distinct([*parent, *fork]))
    assert texts(both) == ["six in new", "seven in fork"]
    starts = [(e.session[:8], e.how) for e in of(events.SessionStarted, both)]
    assert starts[:2] == [("e46c42bb", "startup"), ("f3c754ed", "startup")]


def test_the_parent_of_a_fork_may_have_any_name(log):
    message = 'Forked from "a (b) as "c"" (user-123-task-4) as "a (b) as "c" (fork)" (s-1).'
    found = log(line("session.info", infoType="fork", message=message))
    assert of(events.SessionStarted, found)[-1].parent == "user-123-task-4"


def test_each_life_of_a_session_begins_and_ends_as_the_log_says():
    found = case("1.0.102/resume_kill_signals")
    lives = of((events.SessionStarted, events.SessionEnded), found)
    assert [getattr(event, "how", "ended") for event in lives] == [
        "startup",
        "ended",
        "resume",
        "resume",  # the life before was ended by kill -9
        "ended",
        "resume",
        "ended",
        "resume",
        "ended",
    ]
    (result,) = of(events.ToolResult, found)
    assert (result.call, result.status) == ("call_3_0", "interrupted")
    assert len(of(events.SessionEnded, case("1.0.102/killed_mid_tool"))) == 1


def test_an_empty_answer_is_an_answer_without_words(log):
    found = log(human(asked("", typed=True)))
    (answered,) = of(events.QuestionAnswered, found)
    assert (answered.chosen, answered.text) == ((), "")
    assert texts(found) == []


def test_a_field_that_was_left_empty_is_no_word(log):
    content = {"db": None, "why": "cheap", "also": [None, "fast"]}
    found = log(human({"responseKind": "ask_user", "message": "Which?", "content": content}))
    assert texts(found) == ["cheap", "fast"]


def test_joining_a_session_at_work_is_no_resume(log):
    context = {"cwd": "/home/dev/shop"}
    found = log(line("session.resume", context=context, sessionWasActive=True))
    assert [e.how for e in of(events.SessionStarted, found)] == ["startup"]


def test_a_turn_ends_once_however_many_model_calls_it_took():
    found = case("1.0.102/tools_manual_compact")
    turns = [e.turn for e in of(events.UserMessage, found) if e.origin == "typed"]
    assert [e.turn for e in of(events.TurnEnded, found)] == turns
    assert {e.reason for e in of(events.TurnEnded, found)} == {"completed"}


def test_an_error_and_an_abort_end_a_turn_as_such():
    failed = of(events.TurnEnded, case("1.0.102/compact_failed_manual"))
    assert [e.reason for e in failed] == [
        "completed",
        "completed",
        "completed",
        "error",
        "completed",
    ]
    found = case("1.0.102/ask_user_abort")
    assert [e.reason for e in of(events.TurnEnded, found)][:3] == [
        "completed",
        "interrupted",
        "completed",
    ]
    assert len(of(events.Interrupted, found)) == 1


def test_a_limit_that_ends_autopilot_is_not_the_users_interruption(log):
    found = log(prompt("go"), line("abort", reason="autopilot_credit_limit"))
    assert not of(events.Interrupted, found)
    assert [e.reason for e in of(events.TurnEnded, found)] == ["interrupted"]
    assert not of(events.TurnEnded, log(line("session.error", errorType="mcp", message="x")))


def test_usage_tells_the_window_and_whose_it_is():
    usages = of(events.Usage, case("1.0.102/subagent_compaction"))
    assert (usages[0].input_tokens, usages[0].output_tokens) == (10411, 39)
    assert (usages[0].context_tokens, usages[0].window_tokens) == (10450, 22000)
    assert [bool(e.sub_agent) for e in usages] == [False, True, True, True, True, False]
    assert not of(events.Usage, case("1.0.61/manual_compact"))


def test_cached_input_is_counted_apart_and_side_calls_do_not_fill_the_window(log):
    usage = {"inputTokens": 100, "cacheReadTokens": 80, "cacheWriteTokens": 5, "outputTokens": 7}
    (main,) = of(events.Usage, log(line("session.usage_record", usage=usage)))
    assert (main.input_tokens, main.cache_read_tokens, main.context_tokens) == (15, 80, 107)
    usage |= {"interactionType": "conversation-background"}
    (side,) = of(events.Usage, log(line("session.usage_record", usage=usage)))
    assert (side.output_tokens, side.context_tokens) == (7, None)


def test_a_change_of_folder_is_told_once_it_is_settled(log):
    found = case("1.0.102/nogit_reasoning_cwd")
    assert [(e.cwd, e.branch) for e in of(events.WorkspaceChanged, found)] == [("/tmp", None)]
    assert [e.text for e in of(events.Reasoning, found)] == ["thinking about it"]
    elsewhere = {"cwd": "/home/dev/other", "branch": "fix", "repository": "acme/other"}
    resumed = log(line("session.resume", context=elsewhere))
    (changed,) = of(events.WorkspaceChanged, resumed)
    assert (changed.cwd, changed.branch, changed.repository) == tuple(elsewhere.values())
    assert of(events.SessionStarted, resumed)[-1].branch == "fix"


def test_context_files_found_on_the_way_and_what_hooks_add_are_in_the_window():
    loaded = of(events.ContextFileLoaded, case("1.0.102/instructions_discovery"))
    assert [(e.path, e.reason) for e in loaded] == [
        (".github/instructions/py.instructions.md", "nested"),
        (".claude/rules/r2.md", "nested"),
        ("src/sub/AGENTS.md", "nested"),
    ]
    injected = of(events.ContextInjected, case("1.0.102/hooks_all_events", "61a5b0a5"))
    assert [(e.name, e.text) for e in injected] == [
        ("sessionStart", "CTX-FROM-SESSIONSTART: keep invariants"),
        ("userPromptSubmitted", "CTX-FROM-PROMPT"),
        ("postToolUse", "CTX-FROM-POSTTOOL"),
        ("userPromptSubmitted", "CTX-FROM-PROMPT"),
        ("sessionStart", "CTX-FROM-SESSIONSTART: keep invariants"),
        ("userPromptSubmitted", "CTX-FROM-PROMPT"),
    ]


def test_what_a_hook_before_a_compaction_says_never_reaches_the_model(log):
    output = {"additionalContext": "keep this"}
    assert not of(
        events.ContextInjected, log(line("hook.end", hookType="preCompact", output=output))
    )


def test_a_session_taken_over_from_the_cloud_is_an_import(log):
    found = log(
        line(
            "session.handoff",
            remoteSessionId="cloud-1",
            summary="Did the half of it.",
            repository={"owner": "acme", "name": "shop"},
        )
    )
    started = of(events.SessionStarted, found)[-1]
    assert (started.how, started.parent, started.repository) == ("import", "cloud-1", "acme/shop")
    assert [e.text for e in of(events.ContextInjected, found)] == ["Did the half of it."]
    assert texts(found) == []


def test_what_happens_within_a_sub_agent_ends_nothing_for_the_user(log):
    found = log(
        prompt("mine"),
        line("abort", agent="sub-1", reason="user_initiated"),
        line("session.error", agent="sub-1", errorType="query"),
        line("session.context_cleared", agent="sub-1", messagesCleared=2),
        *MANUAL,
    )
    assert not of(events.TurnEnded, found)
    assert [e.sub_agent for e in of((events.Interrupted, events.Cleared), found)] == ["sub-1"] * 2
    assert of(events.Compaction, found)[0].kept == (of(events.UserMessage, found)[0].id,)
    said = {"agent": "sub-1", "messagesCleared": 2, "initialMessage": "Go on."}
    (injected,) = of(events.ContextInjected, log(line("session.context_cleared", **said)))
    assert injected.sub_agent == "sub-1"


def test_a_task_that_is_not_accepted_as_done_does_not_end_the_turn(log):
    request = {"toolCallId": "call-1", "name": "task_complete", "arguments": {"summary": "Done."}}
    call = [
        prompt("go"),
        line("assistant.turn_start", turnId="0", interactionId="turn-1"),
        reply(request),
        done(),
    ]
    end = line("assistant.turn_end", turnId="0")
    refused = log(*call, line("session.task_complete", summary="", outcome="continue"), end)
    assert not of((events.TurnEnded, events.AssistantMessage), refused)
    accepted = log(*call, line("session.task_complete", summary="Done.", success=True), end)
    assert [e.turn for e in of(events.TurnEnded, accepted)] == ["turn-1"]
    assert [e.text for e in of(events.AssistantMessage, accepted)] == ["Done."]


def test_thinking_that_is_a_record_of_its_own_is_reasoning(log):
    found = log(
        line("assistant.reasoning", reasoningId="r", content="maybe psycopg"),
        line("assistant.reasoning", reasoningId="r", content=""),
    )
    assert [e.text for e in of(events.Reasoning, found)] == ["maybe psycopg"]


def test_the_lock_of_a_session_names_the_process_that_has_it_open():
    path = next((CASES / "1.0.102" / "killed_mid_tool").rglob("events.jsonl"))
    parser = CopilotCli()
    (pattern,) = parser.sign_patterns(path)
    (lock,) = path.parent.glob(pattern.name)
    assert parser.read_sign(lock, lock.read_bytes()).pid == 4913
    assert parser.read_sign(lock.with_name("inuse.x.lock"), b"") is None
    assert parser.sign_patterns(PurePosixPath("/h/session-state/0b1d.jsonl")) == ()


def test_unknown_records_are_told_by_kind_and_client_version(log):
    found = log(
        line("session.invented", content="never do this"),
        line("system.notification", content="x", kind={"type": "invented_kind"}),
        line("system.notification", content="x", kind={"type": "shell_completed"}),
        b'{"data":{}}',
    )
    assert [(e.record_kind, e.client_version) for e in of(events.Unknown, found)] == [
        ("session.invented", "1.0.102"),
        ("system.notification invented_kind", "1.0.102"),
        ("without a type", "1.0.102"),
    ]


def test_real_logs_hold_nothing_unknown_and_nothing_damaged():
    for log in CASES.rglob("events.jsonl"):
        assert not of((events.Unknown, events.Unparsed), each_log(log))


def test_system_prompts_and_copies_of_the_history_give_no_event(log):
    found = log(
        line("system.message", role="system", content="You must never be seen."),
        line("model.messages_snapshot", messages=[{"role": "user", "content": "old words"}]),
        line("model.model_call_success", requestMessages="old words"),
    )
    assert [type(event) for event in found] == [events.SessionStarted]


def test_a_log_without_its_first_record_still_begins_and_has_a_session(log):
    system = line("system.message", role="system", content="x")
    found = log(system, prompt("hello"), start=None)
    assert [type(event) for event in found] == [events.SessionStarted, events.UserMessage]
    assert {event.session for event in found} == {"s-1"}
    again = log(prompt("hello"), line("session.start", **START), start=START)
    assert len(of(events.SessionStarted, again)) == 1


def test_the_session_is_named_by_its_record_then_its_folder_then_its_file():
    def session(path):
        return CopilotCli().begin(PurePosixPath(path), {}).session

    assert session("/h/session-state/user-123-task-4/events.jsonl") == "user-123-task-4"
    assert session("/h/session-state/0b1d.jsonl") == "0b1d"
    assert session("events.jsonl") == "events"


@pytest.mark.parametrize(
    ("yaml", "title", "by"),
    [
        (b"name: Pick the ORM\nuser_named: true\n", "Pick the ORM", "user"),
        (b"name: Pick the ORM\nuser_named: false\n", "Pick the ORM", "agent"),
        (b"summary: of client 1.0.20\n", "of client 1.0.20", "agent"),
        (b"name: 'it''s: quoted'\n", "it's: quoted", "agent"),
        (b'name: "tab\\there"\n', "tab\there", "agent"),
        (b'name: "bad \\L escape"\n', "bad \\L escape", "agent"),
        (b"name: |-\n  line one\n  line two\n", "line one", "agent"),
    ],
)
def test_the_title_comes_from_the_workspace_file(tmp_path, yaml, title, by):
    path = tmp_path / "session-state" / "s-1" / "events.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(line("session.start", **START) + b"\n")
    path.with_name("workspace.yaml").write_bytes(b"client_name: zed\n" + yaml)
    started, titled = read_events(Transcript(path, CopilotCli()))
    assert started.client == "zed"
    assert (titled.title, titled.by) == (title, by)


HEAD = line("session.start", producer="copilot-agent", **START)
EDITOR_HEAD = line("session.start", producer="copilot-agent", vscodeVersion="1.109.0", **START)


@pytest.mark.parametrize(
    ("path", "head", "is_ours"),
    [
        ("/h/.copilot/session-state/s/events.jsonl", HEAD, True),
        ("/h/.copilot/session-state/s/events.jsonl", b"", True),
        ("/h/.copilot/session-state/s/events.jsonl", b"\0\0" + HEAD, True),
        ("/h/.copilot/session-state/0b1d.jsonl", HEAD, True),
        ("/backup/copy.jsonl", HEAD, True),
        ("/backup/events.jsonl", b"", False),
        ("/h/.copilot/session-state/s/events.jsonl", EDITOR_HEAD, False),
        ("/h/w/GitHub.copilot-chat/transcripts/s.jsonl", EDITOR_HEAD, False),
        ("/h/w/GitHub.copilot-chat/transcripts/s.jsonl", HEAD, False),
        ("/h/w/chatSessions/s.jsonl", b'{"kind":0,"v":{"version":3}}', False),
        ("/h/.copilot/session-state/s/workspace.yaml", b"id: s", False),
        ("/h/.claude/projects/p/s.jsonl", b'{"type":"user","sessionId":"s"}', False),
    ],
)
def test_only_logs_of_this_runtime_are_claimed(path, head, is_ours):
    assert CopilotCli().claims(PurePosixPath(path), head) is is_ours
    if is_ours:
        assert claimant(PurePosixPath(path), head).name == "copilot-cli"


def test_logs_are_looked_for_where_the_client_and_the_user_say():
    home = PurePosixPath("/home/dev")
    extra = {"copilot-cli": (PurePosixPath("/mnt/other"),)}
    env = Environment("linux", home, {"COPILOT_HOME": "/opt/copilot"}, extra)
    assert [source.root.as_posix() for source in CopilotCli().sources(env)] == [
        "/opt/copilot/session-state",
        "/home/dev/.copilot/session-state",
        "/mnt/other/session-state",
    ]
    windows = Environment("windows", PureWindowsPath("C:/Users/dev"))
    (source,) = CopilotCli().sources(windows)
    assert source.root.as_posix() == "C:/Users/dev/.copilot/session-state"
    assert source.patterns == ("*/events.jsonl", "*.jsonl")


def test_a_hostile_log_cannot_grow_the_state():
    parser = CopilotCli()
    state = parser.begin(PurePosixPath("/h/session-state/s/events.jsonl"), {})
    question = {"question": "Q" * 3000}
    for number in range(3000):
        call = f"call-{number}"
        request = {"toolCallId": call, "name": "ask_user", "arguments": question}
        lines = [
            prompt(f"prompt {number}"),
            reply(request),
            line("permission.requested", requestId=call, permissionRequest={"toolCallId": call}),
            line("permission.completed", requestId="", toolCallId=call, result=DENIED),
            reply(text="x", parentToolCallId=f"sub-{number % 10}"),
        ]
        if number < 20:
            lines.append(line("session.compaction_start", agent=f"sub-{number}"))
        list(parser.parse(records(lines), state))
    assert {len(attempt.since) for attempt in state.attempts.values()} == {KEPT_EVENTS}
    assert len(msgspec.msgpack.encode(state)) < MAX_STATE_BYTES
    start, complete = MANUAL
    late = prompt("typed meanwhile")
    (compaction,) = of(events.Compaction, parser.parse(records([start, late, complete]), state))
    assert len(compaction.kept) == 3 + 16 + 1


def records(lines):
    return Framer().feed(b"".join(record + b"\n" for record in lines))


BEFORE, AFTER = prompt("MARKBEFORE use sqlite"), prompt("MARKAFTER never touch migrations")
DAMAGED = prompt("cut here")
HOSTILE = {
    "clean": [BEFORE, AFTER],
    "a line of NULs": [BEFORE, b"\0" * 512, AFTER],
    "trailing NULs": [BEFORE, AFTER, b"\0" * 1728],
    "NULs before a good record": [BEFORE, b"\0" * 300 + AFTER],
    "a torn record glued to a good one": [BEFORE, b'{"type":"user.message","data":{"cont' + AFTER],
    "two records on a line": [BEFORE + AFTER],
    "a torn last line": [BEFORE, AFTER, DAMAGED[: len(DAMAGED) // 2]],
    "a raw newline in a string": [BEFORE, b'{"type":"x","data":{"content":"a', b'b"}}', AFTER],
    "a byte order mark": [b"\xef\xbb\xbf" + BEFORE, AFTER],
    "Windows line ends": [BEFORE + b"\r", AFTER + b"\r"],
    "values that are no objects": [BEFORE, b"42", b'"text"', b"[]", b"null", AFTER],
    "empty lines": [BEFORE, b"", b"   ", AFTER],
    "deep nesting": [
        BEFORE,
        b'{"type":"x","data":' + b'{"x":' * 100_000 + b"1" + b"}" * 100_000 + b"}",
        AFTER,
    ],
    "a line of 20 MB": [BEFORE, line("system.message", content="x" * 20_000_000), AFTER],
}


@pytest.mark.parametrize("lines", HOSTILE.values(), ids=HOSTILE)
def test_damage_costs_nothing_but_the_damaged_bytes(log, lines):
    start = None if lines[0].startswith(b"\xef\xbb\xbf") else START
    assert texts(log(*lines, start=start)) == [
        "MARKBEFORE use sqlite",
        "MARKAFTER never touch migrations",
    ]


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (DAMAGED.replace(b"cut here", rb"cut \ud83c here"), "cut \ufffd here"),
        (DAMAGED.replace(b"cut here", rb"whole \ud83d\ude00"), "whole \N{GRINNING FACE}"),
        (DAMAGED.replace(b"cut here", b"bad \xff\xfe\x80 byte"), "bad \ufffd\ufffd\ufffd byte"),
        (DAMAGED.replace(b"cut here", "a\u2028b\u2029c\x85d".encode()), "a\u2028b\u2029c\x85d"),
        (DAMAGED.replace(b'"interactionId":"turn-1"', b'"interactionId":{"x":1}'), "cut here"),
        (DAMAGED.replace(b'"timestamp":"2026', b'"timestamp":"9926-13'), "cut here"),
    ],
)
def test_a_damaged_word_is_read_as_far_as_it_can_be(log, record, text):
    found = log(BEFORE, record, AFTER)
    assert texts(found)[1] == text
    assert not of(events.Unparsed, found)
    assert msgspec.json.encode(found)


@pytest.mark.parametrize("damage", [b"\xff", rb"\ud83c"])
def test_damaged_arguments_leave_the_call(log, damage):
    request = {"toolCallId": "1", "name": "apply_patch", "arguments": "*** Add File: a.py CUT"}
    found = log(reply(request).replace(b" CUT", b"\\n" + damage))
    (call,) = of(events.ToolCall, found)
    assert (call.name, call.paths) == ("apply_patch", ("a.py",))


def test_one_bad_line_among_7166_costs_one_line(log):
    lines = [prompt(f"line {number}") for number in range(7166)]
    lines[4000] = b'{"type":"user.message","data":{"content":"li'
    found = log(*lines)
    assert len(texts(found)) == 7165
    assert len(of(events.Unparsed, found)) == 1
