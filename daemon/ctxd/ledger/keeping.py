"""What the ledger keeps of an event: words, without secrets, up to a bounded length.

Kept is what a later session may need to know and what the window's history rests on. Never kept is
what is in the log for whoever wants it: tool output, reasoning, the text of context files. Unknown
and damaged records are counted, not kept.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin

import msgspec

from ctxd.policy.ledger import REDACT_MARGIN_CHARS, REPEATED_TEXT_CHARS, REPEATED_TEXTS, TEXT_CHARS
from ctxd.redact import cut_out, find_secrets, moved, redact
from ctxd_parsers.events import (
    AssistantMessage,
    Cleared,
    Compaction,
    CompactionFailed,
    CompactionStarted,
    ContextFileLoaded,
    ContextInjected,
    Event,
    Interrupted,
    PlanDecided,
    QuestionAnswered,
    SessionEnded,
    SessionStarted,
    SessionTitled,
    ToolCall,
    ToolResult,
    Truncated,
    TurnEnded,
    UserMessage,
    Withdrawn,
    WorkspaceChanged,
)

KEPT = frozenset(
    {
        AssistantMessage,
        Cleared,
        Compaction,
        CompactionFailed,
        CompactionStarted,
        ContextFileLoaded,
        ContextInjected,
        Interrupted,
        PlanDecided,
        QuestionAnswered,
        SessionEnded,
        SessionStarted,
        SessionTitled,
        ToolCall,
        Truncated,
        TurnEnded,
        UserMessage,
        Withdrawn,
        WorkspaceChanged,
    }
)
_STOPPED = frozenset({"refused", "interrupted"})
_NAMES = frozenset(
    {"agent", "session", "id", "sub_agent", "message", "turn", "call", "calls", "attempt"}
    | {"kept", "since", "until", "parent"}
)
"""Fields that hold ids, which must stay what they are."""


def is_kept(event: Event) -> bool:
    """Whether the ledger keeps an event of this kind, and so knows a repeat of it."""
    kind = type(event)
    return kind in KEPT or (kind is ToolResult and event.status in _STOPPED)  # type: ignore[attr-defined]


def as_kept(event: Event) -> Event:
    """The event as it is stored."""
    special = _SPECIAL.get(type(event))
    return special(event) if special else _clean(event)


def fingerprint(text: str) -> str:
    """What is stored of a context file's text: enough to tell whether it is the same one."""
    from hashlib import blake2b  # not for those who only read

    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"blake2b:{digest}:{len(text)}"


def shortened(text: str) -> str:
    """A text without secrets, at most `policy.TEXT_CHARS` long.

    What lies far behind the cut is not even searched: a paste may have megabytes.
    """
    return redact(text[: TEXT_CHARS + REDACT_MARGIN_CHARS])[:TEXT_CHARS]


def without_words(event: Event, words: str) -> Event:
    """The event with these words crossed out wherever they stand in its texts: every other
    character keeps its place."""
    changes = {
        name: _crossed_out(getattr(event, name), words) for name in _text_fields(type(event))
    }
    return msgspec.structs.replace(event, **changes)


def _crossed_out(value: Any, words: str) -> Any:
    if isinstance(value, str):
        return value.replace(words, _VISIBLE.sub("\N{FULL BLOCK}", words))
    if isinstance(value, tuple):
        return tuple(_crossed_out(part, words) for part in value)
    if isinstance(value, msgspec.Struct):
        fields = value.__struct_fields__
        changes = {name: _crossed_out(getattr(value, name), words) for name in fields}
        return msgspec.structs.replace(value, **changes)
    return value


def without_secrets(packed: bytes) -> bytes:
    """A msgpack value without secrets in its texts; the same bytes where there are none.

    A parser's state is mostly ids, and is stored with each appended line: they are not searched.
    """
    if not find_secrets(_UUID.sub(b" ", packed).decode("latin-1")):
        return packed
    return msgspec.msgpack.encode(_scrubbed(msgspec.msgpack.decode(packed)))


def _scrubbed(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {_scrubbed(key): _scrubbed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_scrubbed(item) for item in value]
    if isinstance(value, bytes):
        try:
            return without_secrets(value)
        except msgspec.MsgspecError:
            return value
    return value


_VISIBLE = re.compile(r"\S")
_UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_short = functools.lru_cache(REPEATED_TEXTS)(redact)


def _clean(event: Event) -> Event:
    changes = {}
    for name in _text_fields(type(event)):
        value = getattr(event, name)
        clean = _cleaned(value)
        if clean is not value:
            changes[name] = clean
    return msgspec.structs.replace(event, **changes) if changes else event


def _cleaned(value: Any) -> Any:
    """The value without secrets; the same object where nothing changes."""
    if isinstance(value, str):
        clean = _short(value) if len(value) <= REPEATED_TEXT_CHARS else shortened(value)
        return value if clean == value else clean
    if isinstance(value, tuple):
        parts = tuple([_cleaned(part) for part in value])
        same = all(new is old for new, old in zip(parts, value, strict=True))
        return value if same else parts
    if isinstance(value, msgspec.Struct):
        return _clean_struct(value)
    return value


def _clean_struct(value: msgspec.Struct) -> msgspec.Struct:
    changes = {
        name: clean
        for name in value.__struct_fields__
        if (clean := _cleaned(old := getattr(value, name))) is not old
    }
    return msgspec.structs.replace(value, **changes) if changes else value


def _user_message(event: Event) -> Event:
    """Marks of what was pasted move with the text around a secret."""
    if not isinstance(event, UserMessage) or not event.pasted:
        return _clean(event)
    text = event.text[: TEXT_CHARS + REDACT_MARGIN_CHARS]
    secrets = find_secrets(text)
    clean = cut_out(text, secrets)[:TEXT_CHARS]
    pasted = [
        msgspec.structs.replace(
            paste,
            start=min(moved(paste.start, secrets), len(clean)),
            end=min(moved(paste.end, secrets), len(clean)),
        )
        for paste in event.pasted
    ]
    return _clean(msgspec.structs.replace(event, text=clean, pasted=tuple(pasted)))


def _context_file(event: Event) -> Event:
    if not isinstance(event, ContextFileLoaded) or event.text is None:
        return _clean(event)
    return _clean(msgspec.structs.replace(event, text=fingerprint(event.text)))


_SPECIAL: dict[type[Event], Callable[[Event], Event]] = {
    UserMessage: _user_message,
    ContextFileLoaded: _context_file,
}

_known_fields: dict[type[Event], tuple[str, ...]] = {}


def _text_fields(kind: type[Event]) -> tuple[str, ...]:
    """Fields of a kind of event that can hold text of the session."""
    if kind not in _known_fields:
        fields = msgspec.structs.fields(kind)
        names = [f.name for f in fields if f.name not in _NAMES and _can_hold_text(f.type)]
        _known_fields[kind] = tuple(names)
    return _known_fields[kind]


def _can_hold_text(kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return False
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return any(_can_hold_text(field.type) for field in msgspec.structs.fields(kind))
    return kind is str or any(_can_hold_text(part) for part in get_args(kind))
