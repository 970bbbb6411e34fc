"""Rollouts for the tests of Codex: lines made in place, and the recorded cases."""

import json
from pathlib import PurePosixPath

from ctxd_parsers.codex import Codex
from ctxd_parsers.discovery import transcripts_under
from ctxd_parsers.framing import Framer
from ctxd_parsers.reading import read_events
from golden import CASES

PARSER = Codex()
THREAD = "01a22a71-ba6c-7be0-ba03-28516c894fdb"
SEGMENT = "01a22a72-e62e-71f3-8d6f-e95efe16fefb"
TURN = "01a22a71-baac-7e52-9a35-041b9fadc735"
TIME = "2026-11-30T03:13:46.176Z"
DAY = PurePosixPath("/home/dev/.codex/sessions/2026/11/30")
PATH = DAY / f"rollout-2026-11-30T03-13-46-{THREAD}.jsonl"
PREFIX = (
    "Another language model started to solve this problem and produced a summary of its thinking "
    "process. Use this to build on the work that has already been done and avoid duplicating work. "
    "Here is the summary produced by the other language model, use the information in this summary "
    "to assist with your own analysis:\n"
)


def line(kind, payload, ordinal=None):
    numbered = {} if ordinal is None else {"ordinal": ordinal}
    return {"timestamp": TIME, **numbered, "type": kind, "payload": payload}


def meta(**fields):
    given = {"id": THREAD, "cwd": "/home/dev/app", "cli_version": "0.144.0", "source": "cli"}
    return line("session_meta", given | fields)


def happened(what, /, **fields):
    return line("event_msg", {"type": what, **fields})


def user(text, **fields):
    return happened("user_message", message=text, **fields)


def agent(text):
    return happened("agent_message", message=text)


def item(kind, **fields):
    return happened("item_completed", item={"type": kind, "id": "x", **fields})


def model(kind, **fields):
    return line("response_item", {"type": kind, **fields})


def message(role, *texts, kinds=None):
    content = [{"type": "input_text", "text": text} for text in texts]
    labels = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": kinds}}
    given = {"type": "message", "role": role, "content": content}
    return given | (labels if kinds else {})


def said(role, *texts, kinds=None):
    return line("response_item", message(role, *texts, kinds=kinds))


def compacted(text, history=None):
    given = {} if history is None else {"replacement_history": history}
    return line("compacted", {"message": text, **given})


def lines(*rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def parse(data, path=PATH, companions=None):
    return list(PARSER.parse(Framer().feed(data), PARSER.begin(path, companions or {})))


def parsed(*rows, path=PATH, companions=None):
    return parse(lines(*rows), path, companions)


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


def recorded(case):
    """The events of each file of a case, in the order in which the client began them."""
    found = sorted(transcripts_under(CASES / "codex" / case / "log"), key=lambda one: one.path)
    return [list(read_events(one)) for one in found]
