"""An item as one line of a context file, and back.

`- Never edit migrations by hand (the checksums break; not Flyway) [k3mz7qpa]`: a list entry that
reads as a rule, behind it in brackets what it is about where the words do not say so, why, and what
was turned down, and last the item's id. The id stands in brackets and not in a comment: comments
reach the models of several agents all the same, editors of formatted text drop them, and this way
who reads the line, human or agent, can ask `ctxd show` for the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from ctxd.context_files.inert import inert
from ctxd.item import Item
from ctxd.item_log import ItemState
from ctxd.policy.context_files import (
    CONTEXT_LINE_CHARS,
    CONTEXT_OPTION_CHARS,
    CONTEXT_OPTIONS,
    CONTEXT_SCOPES,
)

_ID = r"[a-z2-7]{8}"
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_TAG = re.compile(rf"[ \t]*\\?\[({_ID})\\?\]")
"""Editors of formatted text put a backslash before brackets."""
_SPACES = re.compile(r"\s+")


class Line(msgspec.Struct, frozen=True):
    """A line of the block that stands for an item."""

    id: str
    text: str
    """What it says: all but the bullet and the id, spaces and line breaks as one space."""
    raw: str
    """As it stands; with line breaks where an editor has wrapped it."""


def render(state: ItemState) -> str:
    """The line of an item, without a line end."""
    return f"- {said(state)} [{state.item.id}]"


def said(state: ItemState) -> str:
    """What the line of an item says. The wording of a human is all of it."""
    text = inert(_cut(state.text, CONTEXT_LINE_CHARS))
    if state.edited:
        return text
    notes = "; ".join(_notes(state.item, text))
    return f"{text} ({notes})" if notes else text


def parse(line: str) -> Line | None:
    """The item that a list entry stands for; None for one without an id.

    A human may have written on behind the id, or an editor wrapped the line.
    """
    bullet = _BULLET.match(line)
    tags = list(_TAG.finditer(line, bullet.end() - 1)) if bullet else []
    if not bullet or not tags:
        return None
    tag = tags[-1]
    text = line[bullet.end() : tag.start()] + _joint(line[tag.end() :]) + line[tag.end() :]
    return Line(tag[1], plain(text), line)


def ids(text: str) -> frozenset[str]:
    """All ids that stand anywhere in a text."""
    return frozenset(match[1] for match in _TAG.finditer(text))


def plain(text: str) -> str:
    """The text with runs of spaces and line ends as one space, as two are compared."""
    return _SPACES.sub(" ", text).strip()


def unmarked(line: str) -> str:
    """A line without what makes it a list entry, a quote or a heading."""
    return line.strip().lstrip("-*+>#").strip()


def is_entry(line: str) -> bool:
    """Whether a line begins a list entry."""
    return _BULLET.match(line) is not None


def _joint(rest: str) -> str:
    return " " if rest[:1].isalnum() else ""


def _notes(item: Item, text: str) -> Iterator[str]:
    """What the words alone do not say: where it applies, why, and what was turned down."""
    low = text.casefold()
    scopes = [scope for scope in item.scope if scope.casefold() not in low][:CONTEXT_SCOPES]
    if scopes:
        yield "for " + ", ".join(f"`{_code(scope)}`" for scope in scopes)
    reason = inert(item.reason)
    if reason and reason.casefold() not in low:
        yield reason
    options = (inert(_cut(option, CONTEXT_OPTION_CHARS)) for option in item.rejected)
    told = [option for option in options if option and not _denied(option.casefold(), low)]
    if told:
        yield "not " + ", not ".join(told[:CONTEXT_OPTIONS])


def _denied(option: str, text: str) -> bool:
    """Whether the words themselves turn an option down."""
    return any(f"{word} {option}" in text for word in ("not", "no", "instead of", "rather than"))


def _code(text: str) -> str:
    """Text for a code span."""
    return inert(text.replace("`", "'")).replace("`", "").strip("\\ ") or "?"


def _cut(text: str, most: int) -> str:
    flat = plain(text)
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"
