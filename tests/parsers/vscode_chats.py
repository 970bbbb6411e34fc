"""Chats of VS Code for tests, built as its sources build them, and what is told of them."""

import json
from pathlib import PurePosixPath

from ctxd_parsers.copilot_vscode import CopilotVscode, CopilotVscodeJson
from ctxd_parsers.copilot_vscode_transcript import CopilotVscodeTranscript
from ctxd_parsers.framing import Framer
from ctxd_parsers.parser import Record
from ctxd_parsers.reading import Transcript, read_events
from golden import CASES

LOG = CopilotVscode()
FLAT = CopilotVscodeJson()
TRANSCRIPT = CopilotVscodeTranscript()
SESSION = "chat-1"
BEGIN = 1_790_000_000_000

STORAGE = "log/User/workspaceStorage/1d2fd391af99b22094355de46cb4cc7f/chatSessions"
CASE = CASES / "copilot-vscode" / "operation-log" / "compactions_and_rewind"
FIXTURE = CASE / STORAGE / "5f0c7a52-2d3b-4c7e-9a60-0b7d4c1f9e11.jsonl"


def fixture_events():
    return list(read_events(Transcript(FIXTURE, LOG)))


def request(number, text, **facts):
    """A request as it is stored when it was just sent."""
    return {
        "requestId": f"request_{number}",
        "timestamp": BEGIN + number * 60_000,
        "message": {"text": text, "parts": [{"kind": "text", "text": text}]},
        "variableData": {"variables": []},
        "response": [],
        "modelState": {"value": 0},
        "modelId": "copilot/gpt-5",
        **facts,
    }


def answered(number, text, reply, **facts):
    """A request that the agent has answered."""
    return request(
        number,
        text,
        response=[{"value": reply}],
        modelState={"value": 1, "completedAt": BEGIN + number * 60_000 + 9_000},
        result=result(model_response(f"round-{number}", reply)),
        **facts,
    )


def model_response(name, text, *calls, **facts):
    return {"id": name, "response": text, "toolCalls": list(calls), "timestamp": BEGIN, **facts}


def tool_call(name, tool, **arguments):
    return {"id": name, "name": tool, "arguments": json.dumps(arguments)}


def result(*rounds, results=None, **metadata):
    outputs = {
        call: {"$mid": 20, "content": [{"$mid": 21, "value": text}]}
        for call, text in (results or {}).items()
    }
    rest = {"toolCallRounds": list(rounds), "toolCallResults": outputs, **metadata}
    return {"metadata": rest}


def chat(*requests, **facts):
    return {
        "version": 3,
        "creationDate": BEGIN,
        "sessionId": SESSION,
        "requests": list(requests),
        **facts,
    }


def whole(*requests, **facts):
    return {"kind": 0, "v": chat(*requests, **facts)}


def put(path, value):
    return {"kind": 1, "k": path, "v": value}


def push(path, *values, cut=None):
    operation = {"kind": 2, "k": path, "v": list(values)}
    return operation if cut is None else {**operation, "i": cut}


def cut(path, length):
    return {"kind": 2, "k": path, "i": length}


def lines(*operations):
    """The bytes of a log; an operation may be given as bytes."""
    rows = [op if isinstance(op, bytes) else json.dumps(op).encode() for op in operations]
    return b"".join(row + b"\n" for row in rows)


def told(*operations, parser=LOG, companions=None):
    """The events of a log of operations or records."""
    state = parser.begin(PurePosixPath("/logs/chatSessions/chat-1.jsonl"), companions or {})
    return list(parser.parse(Framer().feed(lines(*operations)), state))


def told_flat(document, companions=None):
    """The events of a flat JSON chat."""
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    state = FLAT.begin(PurePosixPath("/logs/chatSessions/chat-1.json"), companions or {})
    return list(FLAT.parse([Record(data, 0, len(data))], state))


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


def texts(kind, events):
    return [event.text for event in of(kind, events)]


def carousel(data, *questions, **facts):
    return {
        "kind": "questionCarousel",
        "questions": list(questions),
        "allowSkip": True,
        "resolveId": "toolu_9__vscode-1790000000000",
        "isUsed": data is not None,
        **({} if data is None else {"data": data}),
        **facts,
    }


ENGINE = {
    "id": "toolu_9:0",
    "type": "singleSelect",
    "title": "Engine",
    "message": "Which engine?",
    "options": [
        {"id": "SQLite", "label": "SQLite - one file", "value": "SQLite"},
        {"id": "Postgres", "label": "Postgres", "value": "Postgres"},
    ],
}
