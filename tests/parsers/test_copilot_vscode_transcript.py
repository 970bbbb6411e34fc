"""The transcript of VS Code's Copilot extension: whose words, repetitions, shared ids."""

import itertools
import json
from pathlib import PurePosixPath

import msgspec
import pytest

from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Option,
    QuestionAnswered,
    Reasoning,
    SessionStarted,
    ToolCall,
    ToolResult,
    TurnEnded,
    Unknown,
    Unparsed,
    Usage,
    UserMessage,
    Withdrawn,
)
from ctxd_parsers.framing import Framer
from ctxd_parsers.reading import Transcript, distinct, read_events
from golden import CASES
from parsers.contract import ParserContract
from parsers.vscode_chats import (
    LOG,
    TRANSCRIPT,
    lines,
    model_response,
    of,
    push,
    put,
    request,
    result,
    texts,
    told,
    tool_call,
    whole,
)

STORAGE = "log/User/workspaceStorage/1d2fd391af99b22094355de46cb4cc7f"
BOTH = CASES / "copilot-vscode" / "user-folder" / "both_stores_of_a_session" / STORAGE
NAME = "5f0c7a52-2d3b-4c7e-9a60-0b7d4c1f9e11.jsonl"


class TestCopilotVscodeTranscript(ParserContract):
    parser = TRANSCRIPT


class Writer:
    """The extension: each record names the one before it; time goes on by a second each."""

    def __init__(self):
        self.numbers = itertools.count()
        self.last = None

    def write(self, kind, data, time=None, *, parent=...):
        number = next(self.numbers)
        record = {
            "type": kind,
            "data": data,
            "id": f"record-{number}",
            "timestamp": time or f"2026-09-21T14:{number // 60:02}:{number % 60:02}.000Z",
            "parentId": self.last if parent is ... else parent,
        }
        self.last = record["id"]
        return record

    def start(self, **facts):
        return self.write(
            "session.start",
            {
                "sessionId": "chat-1",
                "version": 1,
                "producer": "copilot-agent",
                "copilotVersion": "0.66.0",
                "vscodeVersion": "1.138.0",
                "startTime": "2026-09-21T14:00:00.000Z",
                **facts,
            },
        )

    def user(self, text, time=None, **facts):
        return self.write("user.message", {"content": text, "attachments": []}, time, **facts)

    def says(self, text, *calls, time=None):
        """A model response: its begin, its words and calls, its end."""
        return [
            self.write("assistant.turn_start", {"turnId": "0"}, time),
            self.write(
                "assistant.message",
                {"messageId": f"m{next(self.numbers)}", "content": text, "toolRequests": calls},
                time,
            ),
            self.write("assistant.turn_end", {"turnId": "0"}, time),
        ]

    def runs(self, call, output="done", *, success=True):
        name, arguments = call["toolCallId"], json.loads(call["arguments"])
        begun = {"toolCallId": name, "toolName": call["name"], "arguments": arguments}
        ended = {"toolCallId": name, "success": success, "result": {"content": output}}
        return [
            self.write("tool.execution_start", begun),
            self.write("tool.execution_complete", ended),
        ]


def asks(name, tool, **arguments):
    return {
        "toolCallId": name,
        "name": tool,
        "arguments": json.dumps(arguments),
        "type": "function",
    }


def flat(*parts):
    return [record for part in parts for record in (part if isinstance(part, list) else [part])]


def read(*parts, companions=None):
    return told(*flat(*parts), parser=TRANSCRIPT, companions=companions)


# Two stores of one session


def test_all_that_both_stores_of_a_session_tell_is_told_once():
    chat = list(read_events(Transcript(BOTH / "chatSessions" / NAME, LOG)))
    path = BOTH / "GitHub.copilot-chat" / "transcripts" / NAME
    transcript = list(read_events(Transcript(path, TRANSCRIPT)))
    for kind in (SessionStarted, UserMessage, AssistantMessage, ToolCall, ToolResult, TurnEnded):
        ours = {event.id for event in of(kind, transcript)}
        assert ours
        assert ours <= {event.id for event in of(kind, chat)}, kind
    for order in ([*chat, *transcript], [*transcript, *chat]):
        once = list(distinct(order))
        assert len(of(UserMessage, once)) == len(of(UserMessage, chat))
        assert len(of(AssistantMessage, once)) == len(of(AssistantMessage, chat))


def test_what_both_stores_tell_under_one_id_has_the_same_words():
    chat = {e.id: e for e in read_events(Transcript(BOTH / "chatSessions" / NAME, LOG))}
    path = BOTH / "GitHub.copilot-chat" / "transcripts" / NAME
    shared = [e for e in read_events(Transcript(path, TRANSCRIPT)) if e.id in chat]
    assert len(shared) == 13
    for event in of(UserMessage, shared) + of(AssistantMessage, shared):
        assert event.text == chat[event.id].text
    for event in of(ToolCall, shared):
        other = chat[event.id]
        assert (event.call, event.name, event.paths) == (other.call, other.name, other.paths)


def both(turns):
    """The same turns as a chat and as a transcript: (prompt, replies, facts of the request)."""
    writer = Writer()
    requests, records = [], [writer.start()]
    for number, (prompt, replies, facts) in enumerate(turns):
        rounds = [model_response(f"r{number}.{n}", reply) for n, reply in enumerate(replies)]
        requests.append(
            request(number, prompt, result=result(*rounds), modelState={"value": 1}, **facts)
        )
        if facts.get("slashCommand", {}).get("name") != "compact":
            records.append(writer.user(prompt))
            records += [record for reply in replies for record in writer.says(reply)]
    return told(whole(*requests)), read(records)


def test_short_answers_and_repeated_replies_have_one_id_in_both_stores():
    chat, transcript = both(
        [
            ("plan it", ["A or B?"], {}),
            ("yes", ["Done.", "Done."], {}),
            ("/compact keep it", ["Compacted."], {"slashCommand": {"name": "compact"}}),
            ("now the docs", ["A or B?"], {}),
            ("yes", ["Done."], {}),
        ]
    )
    ours = [event.id for event in of(UserMessage, transcript)]
    assert ours == [e.id for e in of(UserMessage, chat) if e.origin == "typed"]
    assert len(set(ours)) == 4
    said = [event.id for event in of(AssistantMessage, transcript)]
    assert len(set(said)) == len(said) == 5
    assert set(said) <= {event.id for event in of(AssistantMessage, chat)}


def test_what_the_client_sent_by_itself_is_no_word_in_either_store():
    notice = "[Terminal 484d notification: command completed with exit code 0.]\nTerminal output:"
    chat, transcript = both(
        [
            ("run the tests", ["Running."], {}),
            (notice, ["They passed."], {"isSystemInitiated": True}),
            ("commit it", ["Committed."], {}),
        ]
    )
    for found in (chat, transcript):
        assert texts(UserMessage, found) == ["run the tests", "commit it"]
    assert {e.id for e in of(AssistantMessage, chat)} == {
        e.id for e in of(AssistantMessage, transcript)
    }


def test_a_prompt_to_a_participant_has_one_id_though_only_the_chat_has_its_address():
    parts = [
        {"kind": "agent", "text": "@workspace"},
        {"kind": "text", "text": " where is the queue?"},
    ]
    text = "@workspace where is the queue?"
    chat = told(whole(request(0, text, message={"text": text, "parts": parts})))
    writer = Writer()
    transcript = read(writer.start(), writer.user("where is the queue?"))
    assert of(UserMessage, chat)[0].id == of(UserMessage, transcript)[0].id


def test_a_pressed_button_is_an_answer_in_both_stores():
    text = 'Continue: "Continue to iterate?"'
    chat = told(whole(request(0, text, confirmation="Continue")))
    writer = Writer()
    transcript = read(writer.start(), writer.user(text))
    for found in (chat, transcript):
        assert [(e.text, e.origin) for e in of(UserMessage, found)] == [("Continue", "answer")]
    assert [e.id for e in chat] == [e.id for e in transcript]


def test_a_withdrawn_message_is_the_one_that_the_transcript_told():
    chat = told(
        whole(request(0, "a"), request(1, "b", modelState={"value": 2})),
        push(["requests"], request(2, "c"), cut=1),
    )
    writer = Writer()
    transcript = read(writer.start(), writer.user("a"), writer.user("b"), writer.user("c"))
    (gone,) = of(Withdrawn, chat)
    assert gone.since == of(UserMessage, transcript)[1].id


def test_an_answer_to_a_question_has_one_id_in_both_stores():
    questions = [
        {
            "header": "Engine",
            "question": "Which engine?",
            "options": [{"label": "SQLite", "description": "one file"}, {"label": "Postgres"}],
        }
    ]
    output = '{"answers":{"Engine":{"selected":["SQLite"],"freeText":null,"skipped":false}}}'
    call = tool_call("toolu_1__vscode-17", "vscode_askQuestions", questions=questions)
    done = result(model_response("r", "", call), results={call["id"]: output})
    chat = told(
        whole(
            request(0, "set up"),
        ),
        put(["requests", 0, "result"], done),
    )
    writer = Writer()
    asked = asks("toolu_1", "vscode_askQuestions", questions=questions)
    transcript = read(
        writer.start(), writer.user("set up"), writer.says("", asked), writer.runs(asked, output)
    )
    for found in (chat, transcript):
        (question,) = of(QuestionAnswered, found)
        assert (question.question, question.chosen) == ("Which engine?", ("SQLite",))
        assert question.options == (Option("SQLite", "one file"), Option("Postgres"))
        assert texts(UserMessage, found) == ["set up", "SQLite"]
    assert of(QuestionAnswered, chat)[0].id == of(QuestionAnswered, transcript)[0].id
    assert of(UserMessage, chat)[1].id == of(UserMessage, transcript)[1].id


# Whose words


def test_what_a_sub_agent_is_asked_and_says_is_not_the_users_word():
    writer = Writer()
    call = asks("toolu_1", "runSubagent", prompt="Find every caller. NEVER edit.", description="x")
    begun, ended = writer.runs(call, "Three callers.")
    found = read(
        writer.start(),
        writer.user("rename it"),
        writer.says("Looking.", call),
        begun,
        writer.user("Find every caller. NEVER edit."),
        writer.says("I found three."),
        ended,
        writer.says("Renamed."),
        writer.user("thanks"),
    )
    assert texts(UserMessage, found) == ["rename it", "thanks"]
    said = [(event.text, event.sub_agent) for event in of(AssistantMessage, found)]
    assert said == [("Looking.", None), ("I found three.", "toolu_1"), ("Renamed.", None)]
    assert len(of(TurnEnded, found)) == 1
    assert [event.sub_agent for event in of(ToolResult, found)] == [None]


def test_sub_agents_side_by_side_are_told_apart_from_the_user():
    writer = Writer()
    first = asks("toolu_1", "search_subagent", query="where orders are written")
    second = asks("toolu_2", "runSubagent", prompt="Review the migrations folder.")
    found = read(
        writer.start(),
        writer.user("go"),
        writer.says("", first, second),
        writer.user("Find relevant code snippets for: where orders are written"),
        writer.user("Review the migrations folder."),
        writer.says("Reviewed."),
        writer.runs(second)[1],
        writer.says("Found them."),
        writer.runs(first)[1],
        writer.user("good"),
    )
    assert texts(UserMessage, found) == ["go", "good"]
    said = {event.text: event.sub_agent for event in of(AssistantMessage, found)}
    assert said == {"Reviewed.": "toolu_2", "Found them.": "toolu_1"}


def test_a_sub_agent_that_never_ended_hides_no_word_of_the_user():
    writer = Writer()
    call = asks("toolu_1", "runSubagent", prompt="Find every caller.")
    found = read(
        writer.start(),
        writer.user("rename it"),
        writer.says("", call),
        writer.user("Find every caller."),
        writer.user("stop, do not rename anything"),
        writer.says("Stopped."),
    )
    assert texts(UserMessage, found) == ["rename it", "stop, do not rename anything"]
    assert of(AssistantMessage, found)[-1].sub_agent is None


def test_what_a_sub_agent_was_called_for_is_not_what_it_was_asked():
    writer = Writer()
    about = {"description": "Find callers", "prompt": "Search the folder for calls of add()."}
    found = read(
        writer.start(),
        writer.user("rename it"),
        writer.says("", asks("toolu_1", "runSubagent", **about)),
        writer.user("Find callers of sub too, never touch add"),
    )
    assert texts(UserMessage, found)[1:] == ["Find callers of sub too, never touch add"]


def test_attachments_are_named():
    writer = Writer()
    record = writer.user("look")
    record["data"]["attachments"] = [{"path": "/w/a.py"}, {"displayName": "shot.png"}, {}, 7]
    assert of(UserMessage, read(writer.start(), record))[0].attachments == ("/w/a.py", "shot.png")


# One session, however often it starts


def test_a_repeated_start_neither_resets_nor_repeats_the_session():
    writer = Writer()
    earlier = "2026-09-21T13:00:00.000Z"
    first = [writer.start(), writer.user("a"), writer.says("A"), writer.user("b")]
    again = [
        writer.start(),
        writer.user("a", earlier),
        writer.says("A", time=earlier),
        writer.user("b", earlier),
    ]
    found = read(*first, *again, *again, writer.user("c"))
    assert len(of(SessionStarted, found)) == 1
    once = list(distinct(found))
    assert texts(UserMessage, once) == ["a", "b", "c"]
    assert texts(AssistantMessage, once) == ["A"]


def test_a_repeated_start_before_a_new_prompt_does_not_change_its_id():
    plain, torn = Writer(), Writer()
    expected = read(plain.start(), plain.user("a"), plain.user("b"))
    found = read(torn.start(), torn.user("a"), torn.start(), torn.user("b"))
    assert [e.id for e in of(UserMessage, found)] == [e.id for e in of(UserMessage, expected)]


def test_another_window_that_goes_on_in_the_file_resumes_the_session():
    writer = Writer()
    found = read(writer.start(), writer.user("a"), writer.user("b", parent=None), writer.user("c"))
    assert [event.how for event in of(SessionStarted, found)] == ["startup", "resume"]
    assert texts(UserMessage, found) == ["a", "b", "c"]


def test_a_record_that_was_written_twice_is_told_once():
    writer = Writer()
    begin, word = writer.start(), writer.user("a")
    found = read(begin, word, word, begin)
    assert [type(event) for event in found] == [SessionStarted, UserMessage]


def test_the_same_words_after_the_same_prompt_are_two_messages():
    writer = Writer()
    found = read(writer.start(), *(writer.user("continue") for _ in range(4)))
    assert len({event.id for event in of(UserMessage, found)}) == 4


def test_the_start_tells_versions_and_folder():
    writer = Writer()
    path = PurePosixPath("/u/workspaceStorage/h/GitHub.copilot-chat/transcripts/chat-1.jsonl")
    (companion,) = TRANSCRIPT.companions(path)
    assert companion == PurePosixPath("/u/workspaceStorage/h/workspace.json")
    folder = {companion: b'{"folder":"file:///srv/shop"}'}
    (start,) = of(SessionStarted, read(writer.start(), companions=folder))
    assert (start.cwd, start.client, start.client_version) == ("/srv/shop", "vscode", "0.66.0")
    named = writer.start(context={"cwd": "/srv/shop/api"})
    (start,) = of(SessionStarted, read(named, companions=folder))
    assert start.cwd == "/srv/shop/api"


def test_a_transcript_without_its_first_record_is_named_after_its_file():
    writer = Writer()
    start, word = writer.start(), writer.user("a")
    assert start["type"] == "session.start"
    found = read(word)
    assert [type(event) for event in found] == [SessionStarted, UserMessage]
    assert {event.session for event in found} == {"chat-1"}


# The agent


def test_thinking_and_calls_of_a_response_are_told_with_their_results():
    writer = Writer()
    call = asks("toolu_1__vscode-17", "run_in_terminal", command="make test")
    spoken = writer.says("Testing.", call)
    spoken[1]["data"]["reasoningText"] = "They want tests."
    found = read(writer.start(), writer.user("test"), spoken, writer.runs(call))
    assert texts(Reasoning, found) == ["They want tests."]
    (command,) = of(ToolCall, found)
    assert (command.call, command.name, command.command) == (
        "toolu_1",
        "run_in_terminal",
        "make test",
    )
    assert [(e.call, e.status) for e in of(ToolResult, found)] == [("toolu_1", "ok")]
    assert of(TurnEnded, found) == []


def test_a_call_that_only_its_execution_tells_of_is_told():
    writer = Writer()
    call = asks("toolu_1", "read_file", filePath="/w/a.py")
    found = read(writer.start(), writer.user("go"), writer.runs(call))
    assert [(e.call, e.paths) for e in of(ToolCall, found)] == [("toolu_1", ("/w/a.py",))]


@pytest.mark.parametrize(
    ("output", "success", "status"),
    [
        ("done", True, "ok"),
        ("no such file", False, "error"),
        ("The user chose to skip the tool call, they want to proceed", True, "refused"),
        ("The user cancelled the tool call.", False, "refused"),
        ("ERROR while calling tool: no", True, "error"),
    ],
)
def test_the_verdict_on_a_tool_call_is_told_and_its_output_is_not(output, success, status):
    writer = Writer()
    call = asks("toolu_1", "read_file", filePath="/w/a.py")
    run = writer.runs(call, output, success=success)
    found = read(writer.start(), writer.user("go"), writer.says("", call), run)
    assert [event.status for event in of(ToolResult, found)] == [status]
    assert output not in msgspec.json.encode(found).decode()


def test_usage_tells_what_came_from_the_cache():
    writer = Writer()
    data = {
        "model": "claude-sonnet-4.6",
        "inputTokens": 21_000,
        "outputTokens": 60,
        "cacheReadTokens": 20_000,
        "cacheCreationInputTokens": 500,
        "parentToolCallId": None,
    }
    plain = {"model": "m", "inputTokens": 100, "outputTokens": 5}
    found = read(
        writer.start(),
        writer.user("go"),
        writer.says("ok"),
        writer.write("assistant.usage", data),
        writer.write("assistant.usage", plain),
    )
    first, second = of(Usage, found)
    assert (first.input_tokens, first.cache_read_tokens, first.cache_write_tokens) == (
        500,
        20_000,
        500,
    )
    assert (first.context_tokens, first.output_tokens) == (21_060, 60)
    assert (second.input_tokens, second.context_tokens) == (None, 105)


# Damage


def test_an_unknown_record_is_counted_with_the_clients_version():
    writer = Writer()
    found = read(writer.start(), writer.write("session.compacted", {"x": 1}), writer.user("a"))
    (unknown,) = of(Unknown, found)
    assert (unknown.record_kind, unknown.client_version) == ("session.compacted", "0.66.0")
    assert texts(UserMessage, found) == ["a"]


@pytest.mark.parametrize(
    "damage",
    [
        b"\0" * 512,
        b'{"type":"user.message","data":{"content":"cut of',
        b'{"data":{}}',
        b'{"type":7,"data":{}}',
        b"[1]",
        b"null",
        b"not JSON",
        b'{"type":"user.message","data":' + b'{"x":' * 100_000 + b"1" + b"}" * 100_001,
    ],
)
def test_damage_between_records_costs_nothing_else_and_is_counted(damage):
    writer = Writer()
    found = read(writer.start(), writer.user("a"), damage, writer.user("b"))
    assert texts(UserMessage, found) == ["a", "b"]
    assert len(of(Unparsed, found)) == 1


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (b"cut \\ud83c emoji", "cut \ufffd emoji"),
        (b"bad \xff byte", "bad \ufffd byte"),
        ("a\u2028b".encode(), "a\u2028b"),
    ],
)
def test_damaged_text_is_mended(written, text):
    writer = Writer()
    records = [json.dumps(r).encode() for r in (writer.start(), writer.user("HERE"))]
    found = read(*(record.replace(b"HERE", written) for record in records))
    assert texts(UserMessage, found) == [text]


@pytest.mark.parametrize("junk", [7, "x", None, [], {}, [[]], {"a": 1}, -1, 1e300, True])
def test_junk_in_the_place_of_any_part_never_raises(junk):
    def records():
        writer = Writer()
        call = asks("toolu_1", "runSubagent", prompt="Find every caller.")
        usage = {"inputTokens": 1, "cacheReadTokens": 2, "parentToolCallId": "x"}
        return flat(
            writer.start(context={"cwd": "/w"}),
            writer.user("go"),
            writer.says("", call),
            writer.user("Find every caller."),
            writer.runs(call),
            writer.write("assistant.usage", usage),
        )

    for number, record in enumerate(records()):
        for path in paths_of(record):
            spoiled = records()
            holder = spoiled[number]
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = junk
            msgspec.json.encode(read(spoiled))


def paths_of(value, start=()):
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, child in pairs:
        yield (*start, key)
        yield from paths_of(child, (*start, key))


def test_a_long_transcript_is_remembered_in_little():
    state = TRANSCRIPT.begin(PurePosixPath("chat-1.jsonl"), {})
    writer = Writer()
    words = []
    for number in range(3000):
        call = asks(f"c{number}", "runSubagent", prompt="x" * 9000)
        records = flat(
            [] if number else writer.start(),
            writer.user(f"do {number}"),
            writer.says("y" * 500, call),
        )
        words += of(UserMessage, list(TRANSCRIPT.parse(Framer().feed(lines(*records)), state)))
    assert len({event.id for event in words}) == 3000
    assert len(msgspec.msgpack.encode(state)) < 100_000


def test_remote_servers_and_every_product_are_looked_in():
    env = Environment("linux", PurePosixPath("/home/dev"))
    sources = TRANSCRIPT.sources(env)
    roots = {str(source.root) for source in sources}
    assert "/home/dev/.config/Code/User/workspaceStorage" in roots
    assert "/home/dev/.vscode-server/data/User/workspaceStorage" in roots
    assert {pattern for source in sources for pattern in source.patterns} == {
        "*/[Gg]it[Hh]ub.copilot-chat/transcripts/*.jsonl"
    }
