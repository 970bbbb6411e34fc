"""What a scan says of items for people: how many of each kind a repository has, or each one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from textwrap import wrap

from ctxd.cli import words
from ctxd.cli.columns import Column, print_table
from ctxd.item import Kind
from ctxd.policy.shown import REPOSITORIES_SHOWN
from ctxd.scan_items import FoundItem, RepositoryScan
from ctxd.scan_report import ScanReport
from ctxd.terminal import Terminal, one_line, short_path

_KINDS: dict[Kind, str] = {
    "decision": "DECISIONS",
    "constraint": "CONSTRAINTS",
    "rejection": "REJECTIONS",
    "scope": "SCOPE",
    "correction": "CORRECTIONS",
    "question": "QUESTIONS",
    "intent": "INTENTS",
}
_NAME_WIDTH = len("constraint")
_LEAST_WIDTH = 20


def print_items(out: Terminal, report: ScanReport) -> None:
    """Write a table of the repositories with items, or the items themselves if they are there."""
    if report.items is not None:
        _print_each(out, report.items)
    elif report.repositories:
        _print_repositories(out, report.repositories)


def _print_repositories(out: Terminal, repositories: tuple[RepositoryScan, ...]) -> None:
    kinds = [kind for kind in _KINDS if any(one.items.get(kind) for one in repositories)]
    columns = [
        Column("REPOSITORY", least=12, keep_end=True),
        Column("ITEMS", right=True),
        *(Column(_KINDS[kind], right=True, drop=place) for place, kind in enumerate(kinds)),
    ]
    shown = repositories[:REPOSITORIES_SHOWN]
    print_table(out, columns, [_row(one, kinds) for one in shown])
    rest = repositories[len(shown) :]
    if rest:
        number = sum(sum(one.items.values()) for one in rest)
        others = words.count(len(rest), "more repository", "more repositories")
        out.print((f"{words.count(number, 'item')} of {others}", "dim"))


def _row(repository: RepositoryScan, kinds: list[Kind]) -> list[str]:
    counts = [repository.items.get(kind, 0) for kind in kinds]
    name = short_path(repository.repository, Path.home()) if repository.repository else words.NONE
    return [name, words.number(sum(repository.items.values())), *map(words.number, counts)]


def _print_each(out: Terminal, items: tuple[FoundItem, ...]) -> None:
    for number, (repository, found) in enumerate(groupby(items, lambda one: one.repository)):
        if number:
            out.print()
        out.print((short_path(repository, Path.home()) if repository else words.NONE, "bold"))
        for one in found:
            for name, text in _lines(one):
                first, *others = _wrapped(out, text)
                out.print((f"  {name:{_NAME_WIDTH}}  ", "dim"), first)
                for line in others:
                    out.print(f"{'':{_NAME_WIDTH + 4}}{line}")


def _wrapped(out: Terminal, text: str) -> list[str]:
    line = out.show(one_line(text))
    if out.width is None:
        return [line]
    width = max(_LEAST_WIDTH, out.width - _NAME_WIDTH - 4)
    return wrap(line, width, break_on_hyphens=False) or [""]


def _lines(item: FoundItem) -> Iterator[tuple[str, str]]:
    yield item.kind, item.text
    if item.reason:
        yield "  because", item.reason
    for option in item.rejected:
        yield "  not", option
