"""What a scan did not read or understand, in lines for people: a mark, what, where, how often."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

from ctxd.cli import words
from ctxd.policy.shown import EXCEPTIONS_SHOWN
from ctxd.scan_items import UncoveredLanguage
from ctxd.scan_report import AgentScan, Damage, ScanReport, UnknownKind
from ctxd.terminal import short_path

T = TypeVar("T")
Line = tuple[str, str]
"""A mark (`!`: understood in part, `x`: not at all) and what it is about."""


def lines_of(report: ScanReport) -> Iterator[Line]:
    """The exceptions of a scan, the graver the later; none when all was read and understood."""
    for agent in report.agents:
        yield from _not_known(agent)
        yield from _damaged(agent)
    yield from _not_covered(report.uncovered_languages or ())
    for silent in _first(report.not_understood_files):
        path, size = _short(silent.path), words.size(silent.size_bytes)
        yield "!", f"format not understood: no message in {path} ({size}, {silent.agent})"
    yield from _more(report.not_understood_files)
    for file in _first(report.parser_defects):
        who = f"the {file.parser} parser" if file.parser else "a parser"
        yield "x", f"{who} failed on {_short(file.path)}: {file.reason}"
    yield from _more(report.parser_defects)
    for file in _first(report.unreadable_files):
        yield "x", f"cannot read {_short(file.path)}: {file.reason}"
    yield from _more(report.unreadable_files)


def _not_known(agent: AgentScan) -> Iterator[Line]:
    total = sum(kind.records for kind in agent.unknown_kinds)
    if total:
        kinds = _listed(agent.unknown_kinds, _kind)
        yield "!", f"{agent.agent}: {words.count(total, 'record')} of unknown kinds: {kinds}"


def _damaged(agent: AgentScan) -> Iterator[Line]:
    total = sum(damage.records for damage in agent.damage)
    if total:
        reasons = _listed(agent.damage, _reason)
        where = _short(agent.damage[0].example_path)
        damaged = words.count(total, "damaged record")
        yield "!", f"{agent.agent}: {damaged}: {reasons}, as in {where}"


def _not_covered(languages: Sequence[UncoveredLanguage]) -> Iterator[Line]:
    total = sum(language.exchanges for language in languages)
    if total:
        listed = _listed(languages, lambda one: f"{one.language} ({words.number(one.exchanges)})")
        yield "!", f"{words.count(total, 'exchange')} in languages that are not covered: {listed}"


def _kind(kind: UnknownKind) -> str:
    version = f" of {kind.client_version}" if kind.client_version else ""
    return f"{kind.kind or '(no name)'}{version} ({words.number(kind.records)})"


def _reason(damage: Damage) -> str:
    return f"{damage.reason} ({words.number(damage.records)})"


def _listed(items: Sequence[T], name: Callable[[T], str]) -> str:
    rest = len(items) - EXCEPTIONS_SHOWN
    more = [f"{words.number(rest)} more"] if rest > 0 else []
    return ", ".join([*map(name, _first(items)), *more])


def _first(items: Sequence[T]) -> Iterable[T]:
    return islice(items, EXCEPTIONS_SHOWN)


def _more(files: Sequence[object]) -> Iterator[Line]:
    rest = len(files) - EXCEPTIONS_SHOWN
    if rest > 0:
        yield "x", f"and {words.number(rest)} more like this; `ctxd scan --json` has all of them"


def _short(path: str) -> str:
    return short_path(path, Path.home())
