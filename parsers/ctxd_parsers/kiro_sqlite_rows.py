"""The conversations in the database of Kiro CLI's first engine, brought into one shape.

A history entry is `{user, assistant, request_metadata}`, or in older versions the pair `[user,
assistant]`; a summary is a text, or a text with the request that made it. Every field has a default
and bulk stays undecoded.
"""

from __future__ import annotations

import re
from datetime import datetime
from hashlib import blake2b
from typing import Literal

import msgspec

from ctxd_parsers.decoding import RowDecoder
from ctxd_parsers.kiro import NULL, Nested, items, text
from ctxd_parsers.values import from_epoch_ms, from_iso

_REPLY = re.compile(r"\n\[Tool uses: [^\]\n]*\]\Z")
TRANSCRIPT_LINES = 10_000
"""Lines of display that the client keeps; it then drops the first for each new one, and places
count no longer (MAX_CONVERSATION_STATE_HISTORY_LEN in crates/chat-cli)."""


class Conversation(msgspec.Struct):
    """A row's value."""

    conversation_id: str = ""
    history: msgspec.Raw = NULL
    transcript: msgspec.Raw = NULL
    latest_summary: msgspec.Raw = NULL
    model_info: msgspec.Raw = NULL


class ModelInfo(msgspec.Struct):
    """The conversation's model."""

    model_id: str | None = None


class ToolUse(msgspec.Struct):
    """A request for a tool."""

    id: str = ""
    name: str = ""
    args: msgspec.Raw = NULL


class ToolUseResult(msgspec.Struct):
    """What became of a tool use."""

    tool_use_id: str = ""
    status: str = ""


class Line(msgspec.Struct):
    """Something the user typed."""

    text: str
    id: str
    """Hash of all that was displayed up to the line behind it: a fork has the same lines before, a
    conversation that only begins alike has not."""


class Entry(msgspec.Struct):
    """A message of the user's role and the reply to it."""

    kind: Literal["prompt", "results", "cancelled", ""] = ""
    prompt: str = ""
    results: list[msgspec.Raw] = []
    typed: bool = False
    """Whether the message has the time at which it was typed."""
    timeless: bool = False
    """Whether this version of the client wrote no such times."""
    time: datetime | None = None
    context: str = ""
    """What hooks put beside the message."""
    cwd: str | None = None
    images: int = 0
    message_id: str = ""
    said: str = ""
    uses: list[msgspec.Raw] = []
    requested: bool = False
    """Whether a model was asked: the client makes some replies itself."""
    asked: datetime | None = None
    replied: datetime | None = None
    model: str | None = None
    context_percent: float | None = None

    @property
    def began(self) -> datetime | None:
        """When the message was sent."""
        return self.time or self.asked


class Summary(msgspec.Struct):
    """The latest compaction."""

    text: str
    id: str = ""
    time: datetime | None = None


class _Entry(msgspec.Struct):
    user: msgspec.Raw = NULL
    assistant: msgspec.Raw = NULL
    request_metadata: msgspec.Raw = NULL


class _EnvState(msgspec.Struct):
    current_working_directory: str | None = None


class _EnvContext(msgspec.Struct):
    env_state: _EnvState | None = None


class _User(msgspec.Struct):
    content: msgspec.Raw = NULL
    timestamp: str | msgspec.UnsetType | None = msgspec.UNSET
    additional_context: str = ""
    env_context: msgspec.Raw = NULL
    images: msgspec.Raw = NULL


class _Said(msgspec.Struct):
    prompt: msgspec.Raw = NULL
    tool_use_results: msgspec.Raw = NULL


class _Content(msgspec.Struct):
    Prompt: msgspec.Raw = NULL
    ToolUseResults: msgspec.Raw = NULL
    CancelledToolUses: msgspec.Raw = NULL


class _Reply(msgspec.Struct):
    message_id: str | None = None
    content: msgspec.Raw = NULL
    tool_uses: msgspec.Raw = NULL


class _Assistant(msgspec.Struct):
    Response: msgspec.Raw = NULL
    ToolUse: msgspec.Raw = NULL


class _Request(msgspec.Struct):
    message_id: str | None = None
    request_start_timestamp_ms: float | None = None
    stream_end_timestamp_ms: float | None = None
    model_id: str | None = None
    context_usage_percentage: float | None = None


ROWS = RowDecoder(Conversation, marks=("conversation_id", "history"))
as_model_info = Nested(ModelInfo)
as_tool_use = Nested(ToolUse)
as_tool_result = Nested(ToolUseResult)
_entry = Nested(_Entry)
_env_context = Nested(_EnvContext)
_user = Nested(_User)
_said = Nested(_Said)
_content = Nested(_Content)
_reply = Nested(_Reply)
_assistant = Nested(_Assistant)
_request = Nested(_Request)


def entries_of(row: Conversation) -> list[Entry]:
    """Return the conversation's history."""
    return [_as_entry(raw) for raw in items(row.history)]


def summary_of(row: Conversation) -> Summary | None:
    """Return the latest summary, if the conversation was ever compacted."""
    if said := text(row.latest_summary):
        return Summary(said)
    pair = [*items(row.latest_summary), NULL, NULL]
    if not (said := text(pair[0])):
        return None
    request = _request(pair[1])
    return Summary(said, request.message_id or "", from_epoch_ms(request.stream_end_timestamp_ms))


def typed_lines(row: Conversation) -> list[Line]:
    """Return what the user typed, as it was displayed: prompts, commands, answers to dialogs.

    Nothing when the client has begun to drop lines. A line that nothing follows yet is left out: it
    has no id before.
    """
    shown = [text(raw) for raw in items(row.transcript)]
    if len(shown) >= TRANSCRIPT_LINES:
        return []
    lines: list[Line] = []
    digest, words = blake2b(digest_size=8), None
    for line in shown:
        data = line.encode("utf-8", "replace")
        digest.update(len(data).to_bytes(8, "little") + data)
        if words is not None:
            lines.append(Line(words, digest.hexdigest()))
        typed = line.startswith("> ") and not _REPLY.search(line)
        words = line[2:].replace("> \n", "\n") if typed else None
    return lines


def _as_entry(raw: msgspec.Raw) -> Entry:
    pair = items(raw)
    found = _Entry(*pair[:2]) if pair else _entry(raw)
    entry = Entry()
    _read_user(_user(found.user), entry)
    entry.timeless = entry.timeless or bool(pair)
    _read_reply(_assistant(found.assistant), entry)
    request = _request(found.request_metadata)
    entry.requested = bytes(found.request_metadata) != b"null"
    entry.asked = from_epoch_ms(request.request_start_timestamp_ms)
    entry.replied = from_epoch_ms(request.stream_end_timestamp_ms)
    entry.model, entry.context_percent = request.model_id, request.context_usage_percentage
    return entry


def _read_user(user: _User, entry: Entry) -> None:
    content, env = _content(user.content), _env_context(user.env_context).env_state
    if isinstance(user.timestamp, msgspec.UnsetType):
        entry.timeless = True
    else:
        entry.typed, entry.time = bool(user.timestamp), from_iso(user.timestamp)
    entry.context = user.additional_context
    entry.cwd = env.current_working_directory if env else None
    entry.images = len(items(user.images))
    if bytes(content.Prompt) != b"null":
        entry.kind, said = "prompt", _said(content.Prompt)
    elif bytes(content.CancelledToolUses) != b"null":
        entry.kind, said = "cancelled", _said(content.CancelledToolUses)
    else:
        entry.kind, said = "results", _said(content.ToolUseResults)
    entry.prompt, entry.results = text(said.prompt), items(said.tool_use_results)


def _read_reply(assistant: _Assistant, entry: Entry) -> None:
    with_tools = bytes(assistant.ToolUse) != b"null"
    reply = _reply(assistant.ToolUse if with_tools else assistant.Response)
    entry.message_id, entry.said = reply.message_id or "", text(reply.content)
    entry.uses = items(reply.tool_uses)
