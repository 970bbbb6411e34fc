"""The rows of the command line's database: a message each, and what else a row of it tells."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from ctxd_parsers.decoding import Part, RowDecoder
from ctxd_parsers.parser import Record, Table
from ctxd_parsers.values import Count, from_epoch, from_iso
from ctxd_parsers.windsurf import NULL, decoded, plain

SESSIONS, MESSAGES, TIPS = "sessions", "messages", "tips"
_FACTS = ("title", "model", "created_at", "main_chain_id", "hidden")
TABLES = (
    Table(SESSIONS, ("id",), "working_directory", "last_activity_at", beside=_FACTS),
    Table(
        "message_nodes",
        ("session_id", "node_id"),
        "chat_message",
        "rowid",
        beside=("parent_node_id", "created_at", "metadata"),
        label=MESSAGES,
    ),
    Table(SESSIONS, ("id",), "working_directory", "last_activity_at", beside=_FACTS, label=TIPS),
)
NONE = -1
"""In the place of a node's number: there is none."""
_SUMMARY = "devin-rs/summary"
_SUMMARISER = "compactor"
"""What the model that makes summaries is called."""
_PRIOR = "compact/prior_node_ids"
_RESULT = "chisel/tool_result_meta"


class Session(msgspec.Struct, frozen=True):
    """A row of the sessions."""

    id: str
    cwd: str
    title: str
    model: str
    created: datetime | None
    tip: int
    """The last message of the conversation as it is now."""
    hidden: bool


class _Metrics(msgspec.Struct):
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_tokens: Count | None = None
    cache_creation_tokens: Count | None = None


class _Metadata(msgspec.Struct):
    is_user_input: bool | msgspec.UnsetType | None = msgspec.UNSET
    created_at: str | None = None
    generation_model: str | None = None
    finish_reason: str | None = None
    metrics: _Metrics | None = None
    extensions: dict[str, msgspec.Raw] = {}


class _Function(msgspec.Struct):
    name: str = ""
    arguments: msgspec.Raw = NULL


class ToolUse(msgspec.Struct):
    """A tool call, in either of two forms."""

    id: str = ""
    name: str = ""
    arguments: msgspec.Raw = NULL
    function: _Function | None = None

    @property
    def called(self) -> str:
        """The tool's name."""
        return self.name or (self.function.name if self.function else "")

    @property
    def given(self) -> Any:
        """Its arguments."""
        return decoded(self.function.arguments if self.function else self.arguments)


class _Row(msgspec.Struct):
    message_id: str = ""
    role: str = ""
    content: msgspec.Raw = NULL
    thinking: msgspec.Raw = NULL
    tool_calls: list[ToolUse] | None = None
    tool_call_id: str = ""
    metadata: _Metadata | None = None


class _Extensions(msgspec.Struct, rename={"prior": _PRIOR}):
    prior: list[Count] = []


class _Column(msgspec.Struct):
    summarized_from: Count | None = None
    num_tokens_preceding: Count | None = None
    extensions: _Extensions | None = None


class _Result(msgspec.Struct):
    success: bool | None = None


class _Thought(msgspec.Struct):
    thinking: str = ""


ROWS = RowDecoder(_Row, marks=("\0",))  # a torn value holds no whole one
_column = Part(_Column)
_result = Part(_Result)
_thought = Part(_Thought)


class Node:
    """A message as it stands in the tree."""

    def __init__(self, record: Record, row: _Row) -> None:
        _, session, node, parent, created, column = (*record.key, *[""] * 6)[:6]
        about, self._row = row.metadata or _Metadata(), row
        self._about = about
        self._column = _column(column.encode()) if column else _Column()
        self.session = session
        self.number = number(node)
        self.parent = number(parent)
        self.role = row.role
        self.calls = row.tool_calls or []
        self.call = row.tool_call_id
        self.content = decoded(row.content)
        self.text = plain(self.content)
        self.model = about.generation_model
        self.mark = row.message_id or f"node {self.number}"
        self.time = from_iso(about.created_at) or from_epoch(_float(created))
        self.prior = self._column.extensions.prior if self._column.extensions else []
        source = self._column.summarized_from
        self.source = NONE if source is None else source
        """The last message that a summary is of."""

    @property
    def is_summary(self) -> bool:
        """Whether it takes the place of what was said before."""
        is_one = self.source != NONE or _SUMMARY in self._about.extensions
        return self.role == "system" and is_one

    @property
    def is_of_the_client(self) -> bool:
        """Whether a user's message was not typed, or an agent's is the summary being made."""
        if self.role == "user":
            return self._about.is_user_input not in (True, msgspec.UNSET)
        return self.source != NONE or self.model == _SUMMARISER

    @property
    def injected_by(self) -> str | None:
        """What put a message of the system there, beyond the system prompt; None for that."""
        names = sorted(name for name in self._about.extensions if name != _SUMMARY)
        return names[0] if names and self.role == "system" else None

    @property
    def cause(self) -> str | None:
        """What made a summary."""
        found = decoded(self._about.extensions.get(_SUMMARY, NULL))
        source = found.get("source") if isinstance(found, dict) else None
        return source if isinstance(source, str) else None

    @property
    def thought(self) -> str:
        """The model's thinking."""
        found = decoded(self._row.thinking)
        return found if isinstance(found, str) else _thought(self._row.thinking).thinking

    @property
    def outcome(self) -> Literal["ok", "error"] | None:
        """How a tool ended."""
        success = _result(self._about.extensions.get(_RESULT, NULL)).success
        return None if success is None else "ok" if success else "error"

    @property
    def is_last(self) -> bool:
        """Whether the agent was done with its turn."""
        return self._about.finish_reason == "stop"

    @property
    def metrics(self) -> _Metrics | None:
        """The tokens of a response."""
        return self._about.metrics

    @property
    def preceding(self) -> int | None:
        """The tokens in the window before it."""
        return self._column.num_tokens_preceding


def session_of(record: Record) -> Session:
    """The session that a row tells."""
    _, name, title, model, created, tip, hidden = (*record.key, *[""] * 7)[:7]
    return Session(
        name,
        record.data.decode("utf-8", "replace"),
        title,
        model,
        from_epoch(_float(created)),
        number(tip),
        hidden not in ("", "0"),
    )


def number(text: str) -> int:
    """The number of a node; NONE for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else NONE  # noqa: PLR2004 - as many digits as JSON writers of all languages can mean


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
