"""The answer in what a reader said: bare, in a fence, among words, cut off, or not there at all.

Nothing that a reader says raises anything but ReaderError, and what is whole of an answer that
breaks off is kept. Several objects one after the other are one answer in pieces; of several with
words between them the last one counts, since the others were drafts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ctxd.policy.reader import READER_ANSWER_CHARS, READER_OBJECTS_TRIED
from ctxd.reader.values import ReaderError, Refusal

_DECODER = json.JSONDecoder(strict=False)
_ITEMS = re.compile(r'"items"\s*:\s*\[')
_NOT_ITEMS = re.compile(r'"not_items"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")
_GAP = 8
"""Characters between two objects that are pieces of one answer: line ends and commas."""
_OPENING = 2000
"""Characters among which a refusal stands."""
_ITEM = frozenset({"turn", "quote"})
_REFUSES = re.compile(
    r"\b(?:i(?:['\u2019]m| am) (?:sorry|unable|not able)"
    r"|i (?:can(?:['\u2019]t|not| not)|won['\u2019]t|will not)"
    r"|(?:can(?:not|['\u2019]t)|unable to) (?:help|assist|comply|process|analy[sz]e|provide)"
    r"|i must decline|against my (?:guidelines|policy)|as an ai\b|content policy|safety policy"
    r"|ich kann (?:dir |ihnen |das )?(?:leider )?nicht|je ne (?:peux|suis) pas"
    r"|no puedo|lo siento|non posso|não posso|к сожалению|не могу)\b"
    r"|(?:抱歉|对不起|无法|申し訳|できません)",
    re.IGNORECASE,
)


class Raw(msgspec.Struct, frozen=True):
    """An answer whose form nobody has looked at yet."""

    items: list[Any]
    not_items: list[Any]
    refusals: tuple[Refusal, ...] = ()


def raw_answer(text: str) -> Raw:
    """Return what a reader answered; raise ReaderError when that is no answer."""
    shown = text[:READER_ANSWER_CHARS]
    found = list(_objects(shown))
    raw = _last(found) or _saved(shown) or _loose(value for _, _, value in found)
    if raw is not None:
        return raw
    if _REFUSES.search(shown[:_OPENING]) and "{" not in shown:
        raise ReaderError("refused", "the reader does not want to answer this")
    raise ReaderError("malformed", "the reader's answer is no JSON of the form it was asked for")


def _objects(text: str) -> Iterator[tuple[int, int, Any]]:
    """Yield the outermost objects and lists of a text that are whole, with where they stand."""
    at = tried = 0
    while tried < READER_OBJECTS_TRIED:
        starts = [start for start in (text.find("{", at), text.find("[", at)) if start >= 0]
        if not starts:
            return
        at, tried = min(starts), tried + 1
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        yield at, end, value
        at = end


def _last(found: Iterable[tuple[int, int, Any]]) -> Raw | None:
    """The last answer of these, those that stand right before it put together with it."""
    pieces: list[Raw] = []
    begins = 0
    for start, end, value in reversed(list(found)):
        raw = _answered(value)
        if pieces and (raw is None or begins - end > _GAP):
            break
        if raw is not None:
            pieces.insert(0, raw)
            begins = start
    if not pieces:
        return None
    return Raw(
        [i for raw in pieces for i in raw.items], [n for raw in pieces for n in raw.not_items]
    )


def _answered(value: Any) -> Raw | None:
    """The answer that a value is, or wraps."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("items"), list) or isinstance(value.get("not_items"), list):
        return Raw(_list(value.get("items")), _list(value.get("not_items")))
    wrapped = [inner for inner in value.values() if isinstance(inner, dict) and "items" in inner]
    return _answered(wrapped[0]) if len(wrapped) == 1 else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _saved(text: str) -> Raw | None:
    """What is whole of an answer that breaks off, or is broken in one place."""
    begun = list(_ITEMS.finditer(text))
    if not begun:
        return None
    items, at = _decoded(text, begun[-1].end())
    closed = text.startswith("]", at)
    rest = [] if closed else [value for _, _, value in _objects(text[at:])]
    more = _loose(rest)
    if not items and more is None and not closed:
        return None
    denied = _NOT_ITEMS.search(text, at)
    labels = _decoded(text, denied.end())[0] if denied else []
    broken = Refusal("not_items" if closed else f"items[{len(items)}]", "the JSON is broken here")
    return Raw([*items, *(more.items if more else [])], labels, (broken,))


def _decoded(text: str, at: int) -> tuple[list[Any], int]:
    """The values of a list from an offset on, as many as are whole, and where they end."""
    values: list[Any] = []
    while True:
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return values, at
        values.append(value)


def _loose(values: Iterable[Any]) -> Raw | None:
    """Items that stand in no answer: a list of them, or one a line."""
    flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
    items = [one for one in flat if isinstance(one, dict) and one.keys() >= _ITEM]
    return Raw(items, []) if items else None
