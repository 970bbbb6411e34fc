"""Chats that VS Code stores: whose words, answers, what the agent did, compactions, places."""

import json
from pathlib import PurePosixPath, PureWindowsPath

import msgspec
import pytest

from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Compaction,
    CompactionFailed,
    ContextFileLoaded,
    Interrupted,
    Option,
    PlanDecided,
    QuestionAnswered,
    SessionStarted,
    SessionTitled,
    ToolCall,
    ToolResult,
    TurnEnded,
    Usage,
    UserMessage,
    Withdrawn,
)
from ctxd_parsers.registry import claimant
from parsers.contract import ParserContract
from parsers.vscode_chats import (
    BEGIN,
    ENGINE,
    FLAT,
    LOG,
    answered,
    carousel,
    fixture_events,
    model_response,
    of,
    push,
    put,
    request,
    result,
    texts,
    told,
    told_flat,
    tool_call,
    whole,
)


class TestCopilotVscode(ParserContract):
    parser = LOG


class TestCopilotVscodeJson(ParserContract):
    parser = FLAT


# Whose words


def test_the_fixture_holds_these_words_of_the_user_and_no_others():
    found = of(UserMessage, fixture_events())
    assert [(event.text, event.origin) for event in found] == [
        (
            (
                "Look at src/db.py. We must keep Postgres 14 compatible SQL; don't use MERGE. "
                "Also never touch migrations/ by hand."
            ),
            "typed",
        ),
        ("Should we use an ORM here?", "typed"),
        ("keep the database decisions", "command_arguments"),
        ("Add a function get_order to src/db.py", "typed"),
        ("rename everything", "typed"),
        (
            "Only rename get_order to fetch_order; callers outside src/ are out of scope.",
            "typed",
        ),
    ]
    assert [event.turn for event in found][:2] == ["request_0", "request_1"]


@pytest.mark.parametrize(
    "facts",
    [
        {"isSystemInitiated": True, "systemInitiatedLabel": "`npm test` completed"},
        {"hiddenFromTranscript": True},
        {"requestHiddenFromTranscript": True},
        {"isHidden": True},
    ],
)
def test_what_the_client_sent_by_itself_is_nobodys_word_but_its_answer_is_told(facts):
    found = told(whole(answered(0, "go on", "Going on.", **facts)))
    assert texts(UserMessage, found) == []
    assert texts(AssistantMessage, found) == ["Going on."]
    assert len(of(SessionStarted, found)) == 1


def test_a_terminal_notification_in_a_chat_without_marks_is_not_the_users_word():
    text = "[Terminal 484d26e6 notification: command completed with exit code 1.]\nTerminal output:"
    assert texts(UserMessage, told(whole(answered(0, text, "It failed.")))) == []


@pytest.mark.parametrize(
    "message",
    [
        "never touch migrations",
        {"text": "never touch migrations"},
        {"text": {"value": "never touch migrations"}},
        {"parts": [{"kind": "text", "text": "never touch "}, {"text": "migrations"}, 7]},
    ],
)
def test_a_message_is_read_however_it_is_written(message):
    turn = {**answered(0, "", "ok"), "message": message}
    assert texts(UserMessage, told(whole(turn))) == ["never touch migrations"]


def test_compact_without_arguments_is_no_word_and_nothing_the_agent_said():
    compacting = answered(0, "/compact", "", slashCommand={"name": "compact"})
    compacting["response"] = [{"value": "Compacted conversation."}]
    found = told(whole(compacting))
    assert texts(UserMessage, found) == []
    assert texts(AssistantMessage, found) == []
    assert [event.reason for event in of(TurnEnded, found)] == ["completed"]


def test_another_slash_command_is_told_as_it_was_typed():
    asked = request(
        0,
        "@workspace /explain the queue",
        slashCommand={"name": "explain"},
        message={
            "text": "@workspace /explain the queue",
            "parts": [
                {"kind": "agent", "text": "@workspace"},
                {"kind": "text", "text": " "},
                {"kind": "subcommand", "text": "/explain"},
                {"kind": "text", "text": " the queue"},
            ],
        },
    )
    assert texts(UserMessage, told(whole(asked))) == ["@workspace /explain the queue"]


def test_a_pressed_button_is_an_answer_to_its_question():
    pressed = request(0, 'Continue: "Continue to iterate?"', confirmation="Continue")
    found = told(whole(pressed))
    (question,) = of(QuestionAnswered, found)
    (word,) = of(UserMessage, found)
    assert (question.question, question.chosen) == ("Continue to iterate?", ("Continue",))
    assert (word.text, word.origin) == ("Continue", "answer")


def test_attachments_are_named_and_what_the_client_attached_is_not():
    variables = [
        {
            "kind": "file",
            "name": "db.py",
            "value": {"$mid": 1, "path": "/w/db.py", "scheme": "file"},
        },
        {
            "kind": "file",
            "name": "x",
            "value": {"external": "file:///c%3A/w/x.py", "path": "/C:/w"},
        },
        {"kind": "image", "name": "shot.png", "value": {"0": 137}},
        {"kind": "implicit", "name": "open.py", "value": {"path": "/w/open.py"}},
        {
            "kind": "promptFile",
            "name": "prompt:copilot-instructions.md",
            "value": {"path": "/w/.github/copilot-instructions.md"},
            "automaticallyAdded": True,
        },
    ]
    asked = request(0, "why", variableData={"variables": variables})
    found = told(whole(asked, request(1, "and", variableData={"variables": variables})))
    assert of(UserMessage, found)[0].attachments == ("/w/db.py", "c:/w/x.py", "shot.png")
    assert [event.path for event in of(ContextFileLoaded, found)] == [
        "/w/.github/copilot-instructions.md"
    ]


def test_a_request_whose_message_changes_is_told_with_the_new_words():
    found = told(
        whole(request(0, "use mongo")),
        put(["requests", 0, "message", "text"], "use redis"),
        put(["requests", 0, "message", "parts"], [{"kind": "text", "text": "use redis"}]),
    )
    first, second = of(UserMessage, found)
    (gone,) = of(Withdrawn, found)
    assert (first.text, second.text, gone.since) == ("use mongo", "use redis", first.id)


# Answers


ASK = tool_call(
    "toolu_9__vscode-1790000000000",
    "vscode_askQuestions",
    questions=[
        {
            "header": "Engine",
            "question": "Which engine?",
            "options": [{"label": "SQLite", "description": "one file"}, {"label": "Postgres"}],
        }
    ],
)


def tool_answer(selected, typed=None, *, skipped=False):
    answers = {"Engine": {"selected": selected, "freeText": typed, "skipped": skipped}}
    return json.dumps({"answers": answers}, separators=(",", ":"))


@pytest.mark.parametrize(
    ("given", "chosen", "typed", "words"),
    [
        ({"selectedValue": "SQLite"}, ("SQLite",), None, "SQLite"),
        ("Postgres", ("Postgres",), None, "Postgres"),
        ("neither, keep files", (), "neither, keep files", "neither, keep files"),
        (
            {"selectedValue": "SQLite", "freeformValue": "no: DuckDB"},
            (),
            "no: DuckDB",
            "no: DuckDB",
        ),
        (
            {"selectedValues": ["SQLite", "Postgres"], "freeformValue": "both"},
            ("SQLite", "Postgres"),
            "both",
            "SQLite, Postgres\nboth",
        ),
    ],
)
def test_an_answer_in_a_dialog_is_the_users_word(given, chosen, typed, words):
    asked = request(0, "set up storage", response=[carousel({"toolu_9:0": given}, ENGINE)])
    found = told(whole(asked))
    (question,) = of(QuestionAnswered, found)
    assert (question.question, question.chosen, question.text) == ("Which engine?", chosen, typed)
    assert question.options == (Option("SQLite", "one file"), Option("Postgres"))
    assert question.call == "toolu_9"
    word = of(UserMessage, found)[1]
    assert (word.text, word.origin, word.call) == (words, "answer", "toolu_9")


@pytest.mark.parametrize("data", [None, {}, {"toolu_9:0": {}}, {"other": "SQLite"}, [], "SQLite"])
def test_a_dialog_that_was_skipped_or_still_waits_has_no_answer(data):
    asked = request(0, "set up storage", response=[carousel(data, ENGINE)])
    assert of(QuestionAnswered, told(whole(asked))) == []


def test_the_clients_own_answer_in_autopilot_is_not_the_users_word():
    text = (
        "The user is not available to respond and will review your work later. "
        "Work autonomously and make good decisions."
    )
    automatic = carousel({"toolu_9:0": {"freeformValue": text}}, ENGINE)
    picked = carousel({"toolu_9:0": {"selectedValue": "SQLite"}}, ENGINE)
    turns = [
        request(0, "go", response=[automatic]),
        request(1, "go on", response=[picked], modeInfo={"permissionLevel": "autopilot"}),
        request(
            2,
            "more",
            result=result(model_response("r", "", ASK), results={ASK["id"]: tool_answer([], text)}),
        ),
    ]
    found = told(whole(*turns))
    assert texts(UserMessage, found) == ["go", "go on", "more"]
    assert of(QuestionAnswered, found) == []


def test_an_answer_that_the_stored_dialog_lacks_is_found_in_the_tool_result():
    """The client stores a dialog anew only if a part before it changed."""
    found = told(
        whole(request(0, "set up storage")),
        push(["requests", 0, "response"], carousel(None, ENGINE)),
        put(
            ["requests", 0, "result"],
            result(
                model_response("r", "Asking.", ASK), results={ASK["id"]: tool_answer(["SQLite"])}
            ),
        ),
    )
    (question,) = of(QuestionAnswered, found)
    assert (question.chosen, question.call) == (("SQLite",), "toolu_9")
    assert question.options == (Option("SQLite", "one file"), Option("Postgres"))
    assert texts(UserMessage, found) == ["set up storage", "SQLite"]


def test_an_answer_stored_in_the_dialog_and_in_the_tool_result_is_told_once():
    done = result(model_response("r", "", ASK), results={ASK["id"]: tool_answer(["SQLite"])})
    shown = carousel({"toolu_9:0": {"selectedValue": "SQLite"}}, ENGINE)
    asked = request(0, "set up storage")
    early = told(
        whole(asked),
        push(["requests", 0, "response"], shown),
        put(["requests", 0, "result"], done),
        put(["requests", 0, "modelState"], {"value": 1}),
    )
    late = told(
        whole(asked),
        put(["requests", 0, "result"], done),
        put(["requests", 0, "modelState"], {"value": 1}),
        push(["requests", 0, "response"], shown),
    )
    for found in (early, late):
        assert texts(UserMessage, found) == ["set up storage", "SQLite"]
    assert {e.id for e in of(QuestionAnswered, early)} == {e.id for e in of(QuestionAnswered, late)}


def test_answers_saved_after_the_end_of_a_turn_are_still_told():
    found = told(
        whole(request(0, "set up storage")),
        push(["requests", 0, "response"], {"value": "Let me ask."}, {"kind": "thinking"}),
        put(["requests", 0, "result"], result(model_response("r", "Let me ask."))),
        put(["requests", 0, "modelState"], {"value": 1}),
        push(["requests", 0, "response"], carousel({"toolu_9:0": "SQLite"}, ENGINE), cut=2),
    )
    assert texts(UserMessage, found) == ["set up storage", "SQLite"]


def test_a_filled_in_form_is_an_answer_and_a_refused_one_is_not():
    form = {
        "kind": "elicitationSerialized",
        "title": {"value": "Deploy"},
        "message": {"value": "Which region?"},
        "state": "accepted",
        "acceptedResult": {"region": "eu-west-1"},
    }
    refused = {**form, "state": "rejected"}
    button = {**form, "acceptedResult": None}
    found = told(whole(request(0, "deploy", response=[refused, button, form])))
    (question,) = of(QuestionAnswered, found)
    assert (question.question, question.text) == ("Which region?", "eu-west-1")
    assert texts(UserMessage, found) == ["deploy", "eu-west-1"]


@pytest.mark.parametrize("rejected", [True, False])
def test_a_decision_about_a_plan_and_the_words_given_with_it(rejected):
    review = {
        "kind": "planReview",
        "title": "Plan",
        "content": "1. add a queue",
        "resolveId": "toolu_4",
        "data": {"rejected": rejected, "action": "Implement", "feedback": "but no new service"},
        "isUsed": True,
    }
    found = told(whole(request(0, "plan it", response=[review])))
    (plan,) = of(PlanDecided, found)
    assert (plan.approved, plan.plan, plan.choice) == (not rejected, "1. add a queue", "Implement")
    word = of(UserMessage, found)[1]
    assert (word.text, word.origin, word.call) == ("but no new service", "plan_feedback", "toolu_4")


# What the agent said


def test_a_turn_is_told_when_its_result_comes_though_its_response_is_saved_last():
    """The order of a real save: primitives (result, modelState) before arrays (response)."""
    found = told(
        whole(request(0, "go")),
        push(["requests", 0, "response"], {"value": "First."}),
        put(["requests", 0, "result"], result(model_response("r1", "First. Second."))),
        put(["requests", 0, "modelState"], {"value": 1, "completedAt": BEGIN}),
        push(["requests", 0, "response"], {"value": "First. Second."}, cut=0),
    )
    assert texts(AssistantMessage, found) == ["First. Second."]
    assert [event.reason for event in of(TurnEnded, found)] == ["completed"]


def test_text_without_model_responses_is_told_whole_with_the_record_after_the_end():
    """Cancelled turns, and participants of other extensions."""
    operations = [
        whole(request(0, "go")),
        push(["requests", 0, "response"], {"value": "I will "}),
        put(["requests", 0, "result"], {"errorDetails": {"message": "Canceled"}, "metadata": {}}),
        put(["requests", 0, "modelState"], {"value": 2, "completedAt": BEGIN}),
        push(["requests", 0, "response"], {"value": "I will use tabs"}, cut=0),
    ]
    assert texts(AssistantMessage, told(*operations[:-1])) == []
    found = told(*operations)
    assert texts(AssistantMessage, found) == ["I will use tabs"]
    assert [type(event) for event in found[-2:]] == [Interrupted, TurnEnded]
    without_more = told(*operations[:-1], put(["inputState", "inputText"], "no"))
    assert texts(AssistantMessage, without_more) == ["I will "]
    assert texts(AssistantMessage, told(*operations, whole(answered(0, "go", "x")))) == [
        "I will use tabs"
    ]


def test_text_between_two_tool_calls_is_one_message():
    parts = [
        {"value": "See "},
        {"kind": "inlineReference", "inlineReference": {"path": "/w/src/db.py", "scheme": "file"}},
        {"value": " first."},
        {"kind": "thinking", "value": "hm"},
        {
            "kind": "toolInvocationSerialized",
            "toolId": "run_in_terminal",
            "toolCallId": "ui-1",
            "isConfirmed": {"type": 0},
            "isComplete": True,
            "toolSpecificData": {"kind": "terminal", "commandLine": {"original": "rm -rf build"}},
        },
        {"kind": "markdownContent", "content": {"value": "Then "}},
        {"kind": "markdownContent", "value": {"value": "this."}},
    ]
    found = told(whole(request(0, "go", response=parts, modelState={"value": 2})))
    assert texts(AssistantMessage, found) == ["See db.py first.", "Then this."]
    (call,) = of(ToolCall, found)
    assert (call.name, call.command) == ("run_in_terminal", "rm -rf build")
    assert [event.status for event in of(ToolResult, found)] == ["refused"]


@pytest.mark.parametrize(
    ("confirmed", "complete", "status"),
    [
        (True, True, "ok"),
        (False, True, "refused"),
        ({"type": 5}, True, "refused"),
        ({"type": 4}, True, "ok"),
        ({"type": 1}, False, None),
        (None, True, "ok"),
    ],
)
def test_the_verdict_on_a_tool_call_that_only_the_response_shows(confirmed, complete, status):
    part = {
        "kind": "toolInvocationSerialized",
        "toolId": "t",
        "toolCallId": "c",
        "isConfirmed": confirmed,
        "isComplete": complete,
    }
    found = told(whole(request(0, "go", response=[part], modelState={"value": 1})))
    assert [event.status for event in of(ToolResult, found)] == ([status] if status else [])


def test_tool_calls_are_told_once_though_they_stand_in_two_places_with_two_ids():
    found = fixture_events()
    assert [(e.call, e.name) for e in of(ToolCall, found)] == [
        ("toolu_1", "read_file"),
        ("toolu_2", "replace_string_in_file"),
    ]
    assert of(ToolCall, found)[0].paths == ("/home/dev/shop/src/db.py",)


@pytest.mark.parametrize(
    ("output", "ended_with", "status"),
    [
        ("done", None, "ok"),
        ("The user chose to skip the tool call, they want to proceed without it", None, "refused"),
        ("The user cancelled the tool call.", None, "refused"),
        ("The user cancelled the tool call.", "Canceled", "interrupted"),
        ("ERROR while calling tool: no such file", None, "error"),
        ('grep: "The user cancelled" is in x.py', None, "ok"),
    ],
)
def test_the_verdict_on_a_tool_call_is_read_from_its_result_and_the_output_is_not(
    output, ended_with, status
):
    call = tool_call("toolu_1__vscode-17", "run_in_terminal", command="make")
    done = result(model_response("r", "", call), results={call["id"]: output})
    if ended_with:
        done["errorDetails"] = {"message": ended_with}
    found = told(whole(request(0, "go", result=done, modelState={"value": 1})))
    assert [(e.call, e.command) for e in of(ToolCall, found)] == [("toolu_1", "make")]
    assert [(e.call, e.status) for e in of(ToolResult, found)] == [("toolu_1", status)]
    assert output not in msgspec.json.encode(found).decode()


def test_a_failed_turn_ends_with_the_clients_message():
    done = {"errorDetails": {"message": "You have exceeded your quota."}, "metadata": {}}
    failed = request(0, "go", result=done, modelState={"value": 3})
    message, end = told(whole(failed))[-2:]
    assert (message.text, message.failed) == ("You have exceeded your quota.", True)
    assert end.reason == "error"


def test_a_turn_that_another_followed_is_over_whatever_its_state_says():
    found = told(
        whole(request(0, "a", response=[{"value": "half an ans"}])),
        push(["requests"], request(1, "b")),
    )
    assert texts(AssistantMessage, found) == ["half an ans"]
    assert [event.reason for event in of(TurnEnded, found)] == [None]


def test_text_of_a_sub_agent_in_the_state_is_nobodys_word():
    part = {
        "kind": "toolInvocationSerialized",
        "toolId": "runSubagent",
        "toolCallId": "ui-2",
        "isComplete": True,
        "toolSpecificData": {
            "kind": "subagent",
            "prompt": "NEVER USE MONGO",
            "result": "DECISION: MONGO",
        },
    }
    inner = {**part, "toolId": "readFile", "toolCallId": "ui-3", "subAgentInvocationId": "ui-2"}
    found = told(whole(request(0, "go", response=[part, inner], modelState={"value": 1})))
    assert b"MONGO" not in msgspec.json.encode(found)
    assert [event.sub_agent for event in of(ToolCall, found)] == [None, "ui-2"]
    assert texts(UserMessage, found) == ["go"]


def test_usage_is_that_of_the_last_model_response():
    (usage, *_) = of(Usage, fixture_events())
    assert (usage.message, usage.model) == ("round-2", "claude-sonnet-4.6")
    assert (usage.context_tokens, usage.output_tokens, usage.input_tokens) == (21300, 300, None)


# Compaction


def test_a_compaction_by_command_has_its_summary_without_the_clients_hint():
    manual, _ = of(Compaction, fixture_events())
    assert (manual.trigger, manual.instructions) == ("manual", "keep the database decisions")
    assert manual.summary.startswith("1. Conversation Overview:")
    assert manual.summary.endswith("8. Continuation Plan:\n   - add get_order")


def test_an_automatic_compaction_leaves_what_followed_the_response_it_names():
    found = fixture_events()
    _, automatic = of(Compaction, found)
    after = next(e for e in of(AssistantMessage, found) if e.text == "Added get_order.")
    assert (automatic.trigger, automatic.cause) == ("auto", "background")
    assert (automatic.tokens_before, automatic.duration_ms) == (98000, 11000)
    assert automatic.summary.endswith("8. Continuation Plan:\n   - none")
    assert automatic.kept == (after.id,)


def test_a_compaction_up_to_an_earlier_turn_keeps_the_prompt_of_this_one():
    call = tool_call("c1", "read_file", filePath="/w/a.py")
    done = result(
        model_response("r3", "On it.", call),
        summaries=[{"toolCallRoundId": "r1", "text": "Summary.", "outcome": "success"}],
    )
    turns = [
        request(0, "a", result=result(model_response("r1", "A")), modelState={"value": 1}),
        request(1, "b", result=result(model_response("r2", "B")), modelState={"value": 1}),
        request(2, "c", result=done, modelState={"value": 1}),
    ]
    found = told(whole(*turns))
    (compaction,) = of(Compaction, found)
    names = {event.id: event for event in found}
    assert [getattr(names[n], "text", "call") for n in compaction.kept] == [
        "b",
        "B",
        "c",
        "On it.",
        "call",
    ]


def test_what_a_compaction_kept_is_unknown_if_the_response_it_names_is():
    old = told_flat(
        {
            "version": 2,
            "sessionId": "s",
            "requests": [
                {
                    "requestId": "r",
                    "message": {"text": "must stay on Node 16", "parts": []},
                    "response": [{"value": "ok"}],
                    "isCanceled": False,
                    "result": {"metadata": {"summary": {"toolCallRoundId": "x", "text": "old"}}},
                }
            ],
        }
    )
    (compaction,) = of(Compaction, old)
    assert (compaction.trigger, compaction.summary, compaction.kept) == ("auto", "old", None)


def test_every_way_to_store_a_summary_tells_it_once():
    one = {"toolCallRoundId": "r1", "text": "S1", "outcome": "success"}
    done = result(
        model_response("r1", "x", summary="S1"),
        model_response("r2", "y", summary="S2"),
        summary=one,
        summaries=[{**one, "text": "first try"}, one],
    )
    found = told(whole(request(0, "go", result=done, modelState={"value": 1})))
    assert [event.summary for event in of(Compaction, found)] == ["S1", "S2"]


@pytest.mark.parametrize(
    ("summary", "reason"),
    [
        ({"toolCallRoundId": "r", "text": "", "outcome": "budget_exceeded"}, "budget_exceeded"),
        ({"toolCallRoundId": "r", "text": "partial", "outcome": "canceled"}, "canceled"),
        ({"toolCallRoundId": "r", "text": "", "outcome": "success"}, "success"),
        ({"toolCallRoundId": "r", "text": " "}, "no summary"),
    ],
)
def test_a_compaction_that_failed_is_told_as_that(summary, reason):
    done = result(model_response("r", "x"), summaries=[summary])
    found = told(whole(request(0, "go", result=done, modelState={"value": 1})))
    assert of(Compaction, found) == []
    assert [event.reason for event in of(CompactionFailed, found)] == [reason]


def test_a_summary_that_only_speaks_of_a_transcript_is_left_alone():
    text = "The user asked:\nIf you need specific details from before compaction, ask me."
    done = result(model_response("r", "x"), summaries=[{"toolCallRoundId": "r", "text": text}])
    found = told(whole(request(0, "go", result=done, modelState={"value": 1})))
    assert of(Compaction, found)[0].summary == text


# Sessions


def test_a_chat_without_a_request_gives_no_event_until_it_has_one():
    empty = [whole(), put(["inputState", "inputText"], "draft"), put(["customTitle"], "T")]
    assert told(*empty) == []
    found = told(*empty, push(["requests"], request(0, "now")))
    assert [type(event) for event in found] == [SessionStarted, SessionTitled, UserMessage]


def test_the_session_is_the_one_the_chat_names_or_else_the_file():
    assert {event.session for event in told(whole(request(0, "a"), sessionId="other"))} == {"other"}
    nameless = {"kind": 0, "v": {"requests": [request(0, "a")]}}
    assert {event.session for event in told(nameless)} == {"chat-1"}


def test_the_start_tells_model_and_repository():
    data = {"remoteUrl": "git@github.com:acme/shop.git", "localBranch": "main", "diffs": ["x"]}
    (start,) = of(SessionStarted, told(whole(request(0, "a"), repoData=data)))
    assert (start.repository, start.branch, start.model) == ("acme/shop", "main", "gpt-5")
    assert start.client == "vscode"


@pytest.mark.parametrize(
    ("workspace", "cwd"),
    [
        (b'{"folder":"file:///home/dev/shop"}', "/home/dev/shop"),
        (b'{\n  "folder": "file:///c%3A/Users/dev/my%20shop"\n}', "c:/Users/dev/my shop"),
        (
            b'{"folder":"vscode-remote://ssh-remote%2Bbuild1/srv/shop"}',
            "vscode-remote://ssh-remote%2Bbuild1/srv/shop",
        ),
        (
            b'{"workspace":"file:///home/dev/mono/mono.code-workspace"}',
            "/home/dev/mono/mono.code-workspace",
        ),
        (b'\xef\xbb\xbf{"folder":"file:///a"}', "/a"),
        (b"{}", None),
        (b'{"folder":7}', None),
        (b"\0\0", None),
        (b"[" * 100_000, None),
    ],
)
def test_the_folder_of_a_chat_is_read_from_its_workspace(workspace, cwd):
    path = PurePosixPath("/u/workspaceStorage/h/chatSessions/chat-1.jsonl")
    (companion,) = LOG.companions(path)
    assert companion == PurePosixPath("/u/workspaceStorage/h/workspace.json")
    found = told(whole(request(0, "a")), companions={companion: workspace})
    assert of(SessionStarted, found)[0].cwd == cwd


def test_a_window_without_a_folder_has_no_workspace_to_ask():
    path = PurePosixPath("/u/globalStorage/emptyWindowChatSessions/x.jsonl")
    assert LOG.companions(path) == ()


@pytest.mark.parametrize(
    ("document", "text", "reply"),
    [
        ({"requests": [{"message": "hi", "response": ["yo"], "isCanceled": False}]}, "hi", "yo"),
        ({"requests": [{"message": "hi", "response": "yo", "isCanceled": False}]}, "hi", "yo"),
        (
            {
                "requests": [
                    {"message": {"text": "hi"}, "response": [{"value": "yo"}], "isCanceled": False}
                ]
            },
            "hi",
            "yo",
        ),
    ],
)
def test_chats_of_the_first_version_are_read(document, text, reply):
    found = told_flat({"sessionId": "old", "creationDate": BEGIN, **document})
    assert texts(UserMessage, found) == [text]
    assert texts(AssistantMessage, found) == [reply]
    assert [event.reason for event in of(TurnEnded, found)] == ["completed"]


def test_repeated_words_in_a_chat_without_request_ids_are_different_messages():
    turn = {"message": "again", "response": ["ok"], "isCanceled": False}
    found = told_flat({"sessionId": "old", "requests": [turn, turn, turn]})
    assert len({event.id for event in of(UserMessage, found)}) == 3


def test_a_request_of_an_old_chat_that_was_stopped_was_interrupted():
    found = told_flat({"requests": [{"message": "hi", "response": ["y"], "isCanceled": True}]})
    assert [event.reason for event in of(TurnEnded, found)] == ["interrupted"]


# Places


def test_every_system_has_its_folders():
    linux = {str(s.root) for s in LOG.sources(Environment("linux", PurePosixPath("/home/dev")))}
    for product in ("Code", "Code - Insiders", "Code - OSS", "VSCodium"):
        assert f"/home/dev/.config/{product}/User/workspaceStorage" in linux
        assert f"/home/dev/.config/{product}/User/globalStorage/emptyWindowChatSessions" in linux
    for server in (".vscode-server", ".vscode-server-insiders", ".vscodium-server"):
        assert f"/home/dev/{server}/data/User/workspaceStorage" in linux
    macos = {str(s.root) for s in LOG.sources(Environment("macos", PurePosixPath("/Users/dev")))}
    assert "/Users/dev/Library/Application Support/Code/User/workspaceStorage" in macos
    windows = Environment("windows", PureWindowsPath("C:/Users/dev"), {"APPDATA": "D:\\Roaming"})
    assert PureWindowsPath("D:/Roaming/Code/User/workspaceStorage") in {
        source.root for source in LOG.sources(windows)
    }
    assert not any("ursor" in root for root in linux | macos)


def test_portable_and_configured_user_folders_are_looked_in():
    env = Environment(
        "linux",
        PurePosixPath("/home/dev"),
        {"VSCODE_PORTABLE": "/opt/code/data"},
        {"copilot-vscode": (PurePosixPath("/mnt/usb/data/user-data/User"),)},
    )
    for parser in (LOG, FLAT):
        roots = {str(source.root) for source in parser.sources(env)}
        assert "/opt/code/data/user-data/User/workspaceStorage" in roots
        assert "/mnt/usb/data/user-data/User/workspaceStorage" in roots


@pytest.mark.parametrize(
    ("path", "head", "name"),
    [
        ("/h/workspaceStorage/a/chatSessions/x.jsonl", b"", "copilot-vscode"),
        ("/h/workspaceStorage/no-workspace/chatSessions/x.json", b"{", "copilot-vscode-json"),
        ("/h/globalStorage/emptyWindowChatSessions/x.jsonl", b"\0\0", "copilot-vscode"),
        ("/h/globalStorage/transferredChatSessions/x.json", b"", "copilot-vscode-json"),
        ("/tmp/given.jsonl", b'{"kind":0,"v":{"version":3,"creationDate":1', "copilot-vscode"),
        (
            "/tmp/chat.json",
            b'{\n  "responderUsername": "GitHub Copilot",\n  "requests": [',
            "copilot-vscode-json",
        ),
        ("/h/GitHub.copilot-chat/transcripts/x.jsonl", b"", "copilot-vscode-transcript"),
        (
            "/tmp/t.jsonl",
            b'{"type":"session.start","data":{"sessionId":"a","vscodeVersion":"1.138.0"}}\n',
            "copilot-vscode-transcript",
        ),
        ("/h/GitHub.copilot-chat/debug-logs/a/main.jsonl", b'{"v":1,"ts":1}\n', None),
        ("/h/workspaceStorage/a/state.vscdb", b"SQLite format 3\0", None),
        ("/h/workspaceStorage/a/workspace.json", b'{"folder":"file:///x"}', None),
        ("/h/chatSessions/x.txt", b"", None),
        ("/h/notes.json", b'{"about":"responderUsername"}', None),
    ],
)
def test_each_file_is_claimed_by_the_one_store_it_belongs_to(path, head, name):
    found = claimant(PurePosixPath(path), head)
    assert (found.name if found else None) == name


def test_the_session_of_the_cli_is_not_claimed():
    path = PurePosixPath("/home/dev/.copilot/session-state/a/events.jsonl")
    head = b'{"type":"session.start","data":{"producer":"copilot-agent"}}\n"vscodeVersion"'
    assert not any(parser.claims(path, head) for parser in (LOG, FLAT))
    found = claimant(path, head)
    assert found is None or found.name == "copilot-cli"
