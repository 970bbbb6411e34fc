"""Why there are no items: nothing read yet, nothing said, or nothing understood. Never just an
empty screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ctxd.cli import words
from ctxd.cli.settings import current
from ctxd.errors import Exit
from ctxd.terminal import short_path

if TYPE_CHECKING:
    from ctxd.ledger import NoLedgerError, Reader
    from ctxd.terminal import Terminal

Key = tuple[str, str]
Reason = tuple[str, str]
"""What is so, and what to do next."""


def no_ledger(error: NoLedgerError, *, as_json: bool) -> int:
    """Say that ctxd has read nothing yet; raise the error where there is a ledger all the same."""
    from ctxd.status import ledger_path

    if ledger_path(current.places.state).exists():
        raise error
    if not as_json:
        _say(current.output, ("no items: ctxd has not read any session yet", _RUN))
    return Exit.OK


def explain(
    out: Terminal, reader: Reader, place: tuple[str | None, Key | None], *, is_narrowed: bool
) -> None:
    """Say why there are no items in a place; `is_narrowed` when only some kinds were asked for."""
    repository, session = place
    for reason in (
        _narrowed(reader, place) if is_narrowed else None,
        _past(reader, place),
        _unread(reader),
        _elsewhere(reader, repository) if session is None else None,
        _waiting(reader, session),
        _uncovered(reader, repository),
        _nothing(place),
    ):
        if reason is not None:
            _say(out, reason)
            return


_RUN = "`ctxd run` reads them all and goes on with what is new"


def _say(out: Terminal, reason: Reason) -> None:
    message, hint = reason
    out.print(message)
    out.print(("hint:", "cyan"), f" {hint}")


def _narrowed(reader: Reader, place: tuple[str | None, Key | None]) -> Reason | None:
    others = len(reader.items(*place))
    if not others:
        return None
    return f"no items of that kind, but {words.number(others)} of others", "leave out `--kind`"


def _past(reader: Reader, place: tuple[str | None, Key | None]) -> Reason | None:
    past = len(reader.items(*place, (), ()))
    if not past:
        return None
    return f"no items hold any more, of {words.number(past)}", "`ctxd items --all` lists them"


def _unread(reader: Reader) -> Reason | None:
    if reader.sessions(limit=1):
        return None
    return "no items: ctxd has not read any session yet", _RUN


def _elsewhere(reader: Reader, repository: str | None) -> Reason | None:
    from ctxd.repositories import repository_key

    rows = reader.sessions()
    places = {(row.cwd, row.repository) for row in rows}
    if repository is None or any(repository_key(*place) == repository for place in places):
        return None
    where = short_path(repository, Path.home())
    return (
        f"no items: no session of an agent ran in `{where}`",
        "`ctxd sessions` lists where they ran, `ctxd items --repo PATH` looks there",
    )


def _waiting(reader: Reader, session: Key | None) -> Reason | None:
    waiting = [p for p in reader.pending() if session in (None, (p.agent, p.session))]
    if not waiting:
        return None
    exchanges = words.count(len(waiting), "exchange waits", "exchanges wait")
    return f"no items yet: {exchanges} to be judged", "`ctxd run` judges them, `ctxd status` tells"


def _uncovered(reader: Reader, repository: str | None) -> Reason | None:
    languages = reader.uncovered(repository)
    if not languages:
        return None
    exchanges = words.count(sum(languages.values()), "exchange")
    return (
        f"no items: {exchanges} in a language that is not covered ({', '.join(languages)})",
        "`ctxd sessions` lists the sessions",
    )


def _nothing(place: tuple[str | None, Key | None]) -> Reason:
    repository, session = place
    where = "this session" if session else f"`{short_path(repository or '', Path.home())}`"
    return (
        f"no items: nothing in {where} was understood as a decision or anything else to keep",
        "`ctxd events ID` shows what was said in a session",
    )
