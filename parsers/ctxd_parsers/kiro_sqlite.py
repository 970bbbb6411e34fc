"""The database of Amazon Q CLI and Kiro CLI's first engine: `data.sqlite3`, a conversation a row.

A row's value is a whole conversation, written anew after each reply, so each reading of a row gives
all its events again, with the same ids. Only the two tables of conversations are declared: the same
file holds credentials. Facts read in aws/amazon-q-developer-cli, crates/chat-cli:
- a reply has a `message_id`; a prompt has none. It is identified by what `transcript`, the list of
  what was displayed, has up to it: that only grows, outlives every compaction and is copied into
  forks, so that a prompt has one id in all of them and whichever of the rows is read first;
- what the user typed has a time; tool results that a compaction turned into a prompt, and prompts
  fetched from a server, have none. Old versions wrote no times at all;
- a compaction sets `latest_summary` and cuts `history`. Until 1.23 the row stays the same, and only
  the transcript has the older words; since 1.24 there is a new row with the same key, and the old
  one keeps the full history. Whether the user or the client wanted it is not written;
- `/clear`, `/checkpoint restore` and leaving a tangent shorten the history without a summary;
- commands and answers to permission dialogs stand in the transcript among the user's prompts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import PurePath
from typing import Any

import msgspec

from ctxd_parsers.decoding import Damage
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import (
    AssistantMessage,
    Cleared,
    Compaction,
    ContextInjected,
    Event,
    Interrupted,
    SessionStarted,
    Status,
    ToolCall,
    ToolResult,
    TurnEnded,
    Unparsed,
    Usage,
    UserMessage,
    Withdrawn,
    WorkspaceChanged,
)
from ctxd_parsers.kiro import INTERRUPTED_REPLY, TIMEOUT_REPLY, is_client_text, touched
from ctxd_parsers.kiro_sqlite_rows import (
    ROWS,
    Conversation,
    Entry,
    Line,
    Summary,
    as_model_info,
    as_tool_result,
    as_tool_use,
    entries_of,
    summary_of,
    typed_lines,
)
from ctxd_parsers.limits import CONVERSATIONS_REMEMBERED
from ctxd_parsers.parser import NoSigns, Record, Source, Storage, Table
from ctxd_parsers.values import derived_id, numbered

AGENT = "kiro-cli"
_TABLES = (
    Table("conversations", ("key",), "value"),
    Table("conversations_v2", ("key", "conversation_id"), "value", "updated_at"),
)
_MAGIC = b"SQLite format 3\0"
_FOLDERS = ("kiro-cli", "amazon-q")
_MATCHED_CHARS = 1000
"""A compaction shortens long messages that it keeps; their beginnings stay the same."""
_DIALOG_ANSWERS = frozenset({"y", "n", "t"})
_KEPT = (UserMessage, AssistantMessage, ToolCall, ToolResult, ContextInjected)


class Known(msgspec.Struct):
    """What is remembered of a conversation."""

    key: str
    opening: str = ""
    """Id of the first line typed, which forks share."""
    parent: str | None = None
    last: str = ""
    """Id of the last prompt in its history."""
    summary: str = ""
    """Id of the latest compaction."""


class State(msgspec.Struct):
    """What is remembered of a database: its latest conversations, last read last."""

    session: str
    conversations: dict[str, Known] = {}


class _Reading(msgspec.Struct):
    """One reading of one row."""

    session: str
    known: Known
    entries: list[Entry]
    lines: list[Line]
    places: dict[int, int]
    """Index of a history entry to the place of its prompt among the lines."""
    given: frozenset[int]
    """The places of prompts that the history still has."""
    summary: Summary | None
    cwd: str | None
    model: str | None
    told: int = 0
    """Lines that were given as events, or passed over."""
    turn: str | None = None

    def common(self, time: datetime | None = None) -> dict[str, Any]:
        """Fields that all events share."""
        return {"agent": AGENT, "session": self.session, "time": time}


class KiroSqlite(NoSigns):
    """The store of Amazon Q CLI and of Kiro CLI's first engine."""

    name = "kiro-sqlite"
    agent = AGENT
    state_type = State

    def sources(self, env: Environment) -> Sequence[Source]:
        """List the data folders; on Windows readers disagree which one it is."""
        bases = [env.data_home, *([env.config_home] if env.system == "windows" else [])]
        defaults = [base / folder for base in bases for folder in _FOLDERS]
        return [
            Source(root, ("data.sqlite3",), Storage.SQLITE, _TABLES)
            for root in env.roots(self.name, *defaults)
        ]

    def claims(self, path: PurePath, head: bytes) -> bool:
        """Tell by the file's name and its folder's, or elsewhere by what databases begin with."""
        placed = path.parent.name in _FOLDERS or head.startswith(_MAGIC)
        return path.name == "data.sqlite3" and placed

    def companions(self, _path: PurePath) -> Sequence[PurePath]:
        """Need nothing beside the database."""
        return ()

    def begin(self, path: PurePath, _companions: Mapping[PurePath, bytes]) -> State:
        """Make the state of a database."""
        return State(path.stem or self.name)

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """Give the events of rows."""
        for record, row in ROWS.rows(records):
            key = record.key[1] if len(record.key) > 1 else ""
            session = record.key[2] if len(record.key) > 2 else ""  # noqa: PLR2004 - table, key, id
            if isinstance(row, Damage):
                session = session or key or state.session
                identity = derived_id("damage", *record.key, row.reason)
                yield Unparsed(agent=AGENT, session=session, id=identity, reason=row.reason)
            else:
                session = session or row.conversation_id or key or state.session
                yield from _conversation(_read(state, session, key, row))


def _read(state: State, session: str, key: str, row: Conversation) -> _Reading:
    entries, lines, summary = entries_of(row), typed_lines(row), summary_of(row)
    places = _places(entries, lines)
    known = state.conversations.pop(session, None)
    if known is None:
        known = Known(key, lines[0].id if lines else "")
        if summary is not None:
            _adopt(state, known)
    while len(state.conversations) >= CONVERSATIONS_REMEMBERED:
        del state.conversations[next(iter(state.conversations))]
    state.conversations[session] = known
    return _Reading(
        session,
        known,
        entries,
        lines,
        places,
        frozenset(places.values()),
        summary,
        cwd=key or None,
        model=as_model_info(row.model_info).model_id,
    )


def _adopt(state: State, known: Known) -> None:
    """Find the conversation that a new one with a summary continues: the latest of its folder that
    begins with the same words."""
    for name, other in reversed(state.conversations.items()):
        same = known.opening == other.opening or not known.opening or not other.opening
        if other.key == known.key and same:
            known.parent = name
            return


def _places(entries: list[Entry], lines: list[Line]) -> dict[int, int]:
    """Find the typed line of each prompt, from the end, since only the beginning was ever cut."""
    positions: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        positions.setdefault(_beginning(line.text), []).append(place)
    places, limit = {}, len(lines)
    for index in range(len(entries) - 1, -1, -1):
        candidates = positions.get(_beginning(entries[index].prompt), ())
        earlier = bisect_left(candidates, limit)
        if earlier and entries[index].prompt.strip():
            places[index] = limit = candidates[earlier - 1]
    return places


def _beginning(words: str) -> str:
    return words.strip()[:_MATCHED_CHARS]


def _conversation(reading: _Reading) -> Iterator[Event]:
    yield _started(reading)
    yield from _shortened(reading)
    compaction, last = reading.summary, ""
    kept: list[str] = []
    yield from _older_words(reading, min(reading.given, default=len(reading.lines)))
    for index, entry in enumerate(reading.entries):
        if compaction and _is_later(entry, compaction):
            yield _compaction(reading, compaction, kept)
            compaction = None
        yield from _older_words(reading, reading.places.get(index, reading.told))
        events = list(_entry(reading, index, entry))
        kept += [event.id for event in events if isinstance(event, _KEPT)]
        last = next((e.id for e in reversed(events) if isinstance(e, UserMessage)), last)
        yield from events
    yield from _older_words(reading, len(reading.lines))
    if compaction:
        yield _compaction(reading, compaction, kept)
    reading.known.last = last
    reading.known.summary = _compaction_id(reading)


def _started(reading: _Reading) -> Event:
    parent = reading.known.parent
    times = [entry.began for entry in reading.entries if entry.began]
    time = reading.summary.time if parent and reading.summary else next(iter(times), None)
    return SessionStarted(
        id=derived_id("start", reading.session),
        how="compaction" if parent else "startup",
        cwd=reading.cwd,
        client="cli",
        model=reading.model,
        parent=parent,
        **reading.common(time),
    )


def _shortened(reading: _Reading) -> Iterator[Event]:
    """Tell when a row that was read before has lost its last prompt, and no compaction did it."""
    last, compaction = reading.known.last, _compaction_id(reading)
    if not last or compaction not in ("", reading.known.summary):
        return
    standing = {_prompt_id(reading, index) for index in range(len(reading.entries))}
    if not reading.entries:
        yield Cleared(id=derived_id("clear", reading.session, last), **reading.common())
    elif last not in standing:
        yield Withdrawn(id=derived_id("withdrawn", reading.session, last), **reading.common())


def _is_later(entry: Entry, summary: Summary) -> bool:
    """Whether an entry came after a compaction; without a time of it, all may have."""
    return not summary.time or bool(entry.began and entry.began > summary.time)


def _compaction_id(reading: _Reading) -> str:
    summary = reading.summary
    if summary is None:
        return ""
    return summary.id or derived_id("compaction", reading.session, summary.text)


def _compaction(reading: _Reading, summary: Summary, kept: list[str]) -> Event:
    return Compaction(
        id=_compaction_id(reading),
        summary=summary.text,
        kept=tuple(kept) if summary.time else None,
        **reading.common(summary.time),
    )


def _older_words(reading: _Reading, end: int) -> Iterator[Event]:
    """Words that only the transcript still has, up to the line at `end`."""
    for place in range(reading.told, end):
        line, identity = reading.lines[place].text, reading.lines[place].id
        if place in reading.given or line.strip().lower() in _DIALOG_ANSWERS:
            continue
        focus = line.removeprefix("/compact ")
        command = line.startswith(("/", "!"))
        if (command and (focus == line or focus.startswith("--"))) or is_client_text(line):
            continue
        reading.turn = reading.turn if command else identity
        yield UserMessage(
            id=identity,
            text=focus,
            origin="command_arguments" if command else "typed",
            turn=reading.turn,
            **reading.common(),
        )
    reading.told = max(reading.told, end)


def _prompt_id(reading: _Reading, index: int) -> str:
    if index in reading.places:
        return reading.lines[reading.places[index]].id
    return f"{_entry_id(reading, index)}-prompt"


def _entry_id(reading: _Reading, index: int) -> str:
    entry = reading.entries[index]
    return entry.message_id or derived_id(
        "entry", entry.began, entry.prompt, entry.said, *map(bytes, entry.results[:1])
    )


def _entry(reading: _Reading, index: int, entry: Entry) -> Iterator[Event]:
    identity = _entry_id(reading, index)
    if entry.cwd and entry.cwd != reading.cwd:
        reading.cwd = entry.cwd
        moved = derived_id("cwd", identity, entry.cwd)
        yield WorkspaceChanged(id=moved, cwd=entry.cwd, **reading.common(entry.began))
    words = _words(reading, index)
    yield from _said(reading, index, words)
    if not _is_fetched(entry, words):
        yield from _reply(reading, entry, identity)


def _is_fetched(entry: Entry, words: str | None) -> bool:
    """Whether prompt and reply were fetched from a server: no time, and no model was asked."""
    unasked = entry.kind == "prompt" and not (words or entry.requested or entry.timeless)
    return unasked and entry.said not in (INTERRUPTED_REPLY, TIMEOUT_REPLY)


def _words(reading: _Reading, index: int) -> str | None:
    """The user's own words in an entry, in full even if a compaction shortened them."""
    entry, place = reading.entries[index], reading.places.get(index)
    if entry.kind not in ("prompt", "cancelled") or not entry.prompt.strip():
        return None
    if is_client_text(entry.prompt) or _is_forbidden(entry.prompt):
        return None
    if place is not None:
        line = reading.lines[place].text
        return entry.prompt if len(line) <= len(entry.prompt) else line
    rewritten = index == 0 and reading.summary is not None
    timeless = entry.timeless and not reading.lines and not rewritten
    return entry.prompt if entry.typed or timeless else None


def _is_forbidden(prompt: str) -> bool:
    """Whether the client turned a tool down in the user's place, for what its settings forbid."""
    return prompt.startswith("Tool use with ") and prompt.endswith(
        " was rejected because the arguments supplied were forbidden"
    )


def _said(reading: _Reading, index: int, words: str | None) -> Iterator[Event]:
    entry = reading.entries[index]
    common, ids = reading.common(entry.began), numbered(f"{_entry_id(reading, index)}-user")
    results = [as_tool_result(raw) for raw in entry.results]
    if words is not None:
        identity = _prompt_id(reading, index)
        refusal = entry.kind == "cancelled"
        reading.turn = reading.turn if refusal and reading.turn else identity
        yield UserMessage(
            id=identity,
            text=words,
            origin="refusal" if refusal else "typed",
            turn=reading.turn,
            call=results[0].tool_use_id if refusal and results else None,
            attachments=("image",) * entry.images,
            **common,
        )
    if entry.context.strip():
        beside = f"{_entry_id(reading, index)}-context"
        yield ContextInjected(id=beside, source="hook", text=entry.context, **common)
    for result in results:
        status = _status(entry, result.status)
        yield ToolResult(id=next(ids), call=result.tool_use_id, status=status, **common)


def _status(entry: Entry, status: str) -> Status | None:
    if entry.kind != "cancelled":
        known: dict[str, Status] = {"success": "ok", "error": "error"}
        return known.get(status.lower())
    if entry.said == INTERRUPTED_REPLY or not entry.prompt:
        return "interrupted"
    return "error" if _is_forbidden(entry.prompt) else "refused"


def _reply(reading: _Reading, entry: Entry, identity: str) -> Iterator[Event]:
    common, ids = reading.common(entry.replied or entry.began), numbered(identity)
    stopped, failed = entry.said == INTERRUPTED_REPLY, entry.said == TIMEOUT_REPLY
    if stopped:
        yield Interrupted(id=next(ids), **common)
    elif entry.said.strip():
        yield AssistantMessage(
            id=next(ids),
            text=entry.said,
            message=identity,
            model=entry.model,
            failed=failed,
            **common,
        )
    for raw in entry.uses:
        use = as_tool_use(raw)
        about = msgspec.structs.asdict(touched(use.name, use.args))
        call = ToolCall(
            id=next(ids), call=use.id, name=use.name, message=identity, **about, **common
        )
        yield call
    if entry.context_percent is not None:
        percent = entry.context_percent
        yield Usage(
            id=next(ids), message=identity, model=entry.model, context_percent=percent, **common
        )
    if not entry.uses and not failed and (entry.message_id or entry.said):
        yield TurnEnded(
            id=next(ids),
            reason="interrupted" if stopped else "completed",
            turn=reading.turn,
            **common,
        )
