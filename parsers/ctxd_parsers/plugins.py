"""Parsers that other installed packages bring, by the entry point group `ctxd_parsers`.

A package that is broken, or whose parser is none, costs that parser: it is left out and named in
`FAILED`, and all others go on. One of a name that is taken is left out, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ctxd_parsers.parser import Parser

GROUP = "ctxd_parsers"
FAILED: dict[str, str] = {}
"""What was left out, with the reason."""

_MEMBERS = (
    "name",
    "agent",
    "state_type",
    "sources",
    "claims",
    "companions",
    "begin",
    "parse",
    "sign_patterns",
    "read_sign",
)


def installed(taken: Iterable[str]) -> tuple[Parser, ...]:
    """The parsers of other packages, in the order of their names; `taken` are names that are in
    use."""
    return tuple(_loaded(sorted(entry_points(group=GROUP), key=lambda one: one.name), set(taken)))


def _loaded(found: Iterable[EntryPoint], taken: Collection[str]) -> Iterator[Parser]:
    names = set(taken)
    for entry in found:
        try:
            parser = entry.load()()
        except Exception as error:  # noqa: BLE001 - whatever another package does
            FAILED[entry.name] = f"{type(error).__name__}: {error}"
            continue
        reason = _wrong(parser, names)
        if reason:
            FAILED[entry.name] = reason
        else:
            names.add(parser.name)
            yield parser


def _wrong(parser: Any, names: Collection[str]) -> str:
    """Why it cannot be used; empty when it can."""
    missing = [member for member in _MEMBERS if not hasattr(parser, member)]
    if missing:
        return f"it has no `{missing[0]}`"
    return f"there is a parser `{parser.name}` already" if parser.name in names else ""
