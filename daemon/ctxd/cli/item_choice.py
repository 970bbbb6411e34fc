"""Which items a command line means: those of a place, a kind, or one by the start of its id."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from ctxd.cli.arguments import GivenPath
from ctxd.cli.settings import current
from ctxd.errors import CtxdError, UserError
from ctxd.item import Kind
from ctxd.policy.shown import ITEM_SHORT_ID_CHARS, LIKELY_ITEMS_SHOWN

if TYPE_CHECKING:
    from ctxd.ledger import KeptItem, Reader

Function = TypeVar("Function", bound=Callable[..., Any])
Key = tuple[str, str]
"""Agent and session id."""

KINDS: tuple[Kind, ...] = (
    "constraint",
    "decision",
    "rejection",
    "scope",
    "correction",
    "intent",
    "question",
)
"""In the order they are listed: what binds most comes first."""


def repository_option(help_text: str) -> Callable[[Function], Function]:
    """`--repo`."""
    return click.option("--repo", "repo", type=GivenPath(), metavar="PATH", help=help_text)


def kind_option() -> Callable[[Function], Function]:
    """`--kind`, which may be repeated."""
    return click.option(
        "--kind",
        "kinds",
        metavar="KIND",
        multiple=True,
        type=click.Choice(get_args(Kind)),
        help=f"Only this kind, or these: {', '.join(KINDS)}.",
    )


def open_ledger() -> Reader:
    """The ledger of this user, to read; raise NoLedgerError where there is none."""
    from ctxd.ledger import open_reader
    from ctxd.status import ledger_path

    return open_reader(ledger_path(current.places.state))


def repository_named(path: Path | None) -> str:
    """The repository of a folder, of the current one if none is named.

    One that is not there may have been, or is the `owner/name` of a session without a folder.
    """
    from ctxd.repositories import repository_key
    from ctxd.terminal import path_text

    if path is not None and not os.path.lexists(path):
        return path_text(path)
    return repository_key(os.path.abspath(path or "."))


def session_ids(_context: click.Context, _argument: click.Parameter, begun: str) -> list[str]:
    """Ids of sessions that begin so, for a shell that completes them."""
    try:
        with open_ledger() as reader:
            return [row.id for row in reader.sessions() if row.id.startswith(begun)]
    except CtxdError:
        return []


def session_named(reader: Reader, prefix: str) -> Key:
    """The session whose id begins so; raise UserError where there is none, or several."""
    rows = [row for row in reader.sessions(empty=True) if row.id.startswith(prefix)]
    found = [row for row in rows if row.id == prefix] or rows
    if not found:
        raise UserError(f"no session `{prefix}`", "`ctxd sessions` lists them with their ids")
    if len(found) > 1:
        likely = _some(row.id for row in found)
        raise UserError(f"several sessions begin with `{prefix}`: {likely}", "type more of the id")
    return found[0].agent, found[0].id


def item_named(reader: Reader, prefix: str, repository: str | None) -> KeptItem:
    """The item whose id begins so, one of the repository before others; raise UserError where there
    is none, or several."""
    from ctxd.short_ids import short_ids

    found = reader.items_by_id(prefix) if prefix else []
    here = [known for known in found if known.repository == repository]
    found = here if len(here) == 1 or len({known.id for known in here}) > 1 else found
    ids = sorted({known.id for known in found})
    if not ids:
        raise UserError(
            f"no item `{prefix}`",
            "`ctxd items` lists them with their ids, `ctxd search` finds them",
        )
    if len(ids) > 1:
        short = short_ids(reader.item_ids(), ITEM_SHORT_ID_CHARS)
        raise UserError(
            f"several items begin with `{prefix}`: {_some(short[item] for item in ids)}",
            f"type more of the id, as in `ctxd show {short[ids[0]]}`",
        )
    if len(found) > 1:
        raise UserError(
            f"`{ids[0]}` was said in several repositories",
            f"name one of them, as in `ctxd show {ids[0]} --repo {found[0].repository}`",
        )
    return found[0]


def _some(names: Iterable[str]) -> str:
    first = list(names)
    more = f" and {len(first) - LIKELY_ITEMS_SHOWN} more" if first[LIKELY_ITEMS_SHOWN:] else ""
    return ", ".join(first[:LIKELY_ITEMS_SHOWN]) + more
