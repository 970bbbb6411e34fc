"""The second reader as `ctxd reader` shows it: which one was chosen, where the text goes, whether
it can be used here, and what could be chosen.

`ReaderReport` is the published form `ctxd.reader/1`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Literal

import msgspec

from ctxd.ledger import Reader
from ctxd.ledger.second_values import WantedReading, WhyRead
from ctxd.reader.backends.registry import NAMES, backend
from ctxd.reader.extra import NAME, install_hint
from ctxd.reader.values import Choice, ReaderError, Ready
from ctxd.reader_status import HINTS, Count, ReaderDay, ReaderTrouble, reader_status
from ctxd.settings_reader import ReaderSettings

_SETUP, _ADDRESS = "`ctxd reader setup`", "mend `reader.base_url`"
"""What backends say is to be done."""
_NO_LIBRARY = "the library that it is asked through is not installed"


class BackendRow(msgspec.Struct, frozen=True, kw_only=True):
    """A backend, as it can be used here."""

    backend: str
    title: str
    sends_to: str
    """Who gets the text; empty where it stays on this machine."""
    is_ready: bool
    what: str
    """The program with its version, the server, or the library, with where the key comes from."""
    why_not: str
    hint: str
    needs_key: bool


class WaitingRow(msgspec.Struct, frozen=True, kw_only=True):
    """A session that waits to be read."""

    agent: str
    session: str
    why: WhyRead
    since: datetime
    tries: Count
    """How often it was begun in vain."""
    not_before: datetime | None
    message: str
    """Why the last try failed."""


class ReaderReport(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `ctxd reader`."""

    schema: Literal["ctxd.reader/1"] = "ctxd.reader/1"
    backend: str
    """`off` where none is chosen: then nothing is sent anywhere."""
    model: str
    base_url: str
    region: str
    program: str
    unasked: bool
    chosen: BackendRow | None
    today: ReaderDay | None
    waiting: tuple[WaitingRow, ...]
    trouble: ReaderTrouble | None
    backends: tuple[BackendRow, ...] | None
    """With `setup`: all that could be chosen; else None."""


def report(settings: ReaderSettings, reader: Reader | None, now: datetime) -> ReaderReport:
    """How the chosen reader stands."""
    status = reader_status(reader, settings, now) if settings.is_on else None
    waiting = reader.wanted_readings() if reader and settings.is_on else []
    return ReaderReport(
        backend=settings.backend,
        model=settings.model,
        base_url=settings.base_url,
        region=settings.region,
        program=settings.program,
        unasked=settings.unasked,
        chosen=row(settings.backend, settings.choice) if settings.is_on else None,
        today=status.today if status else None,
        waiting=tuple(map(_waiting, waiting)),
        trouble=status.trouble if status else None,
        backends=None,
    )


def row(name: str, choice: Choice) -> BackendRow:
    """How a backend can be used here."""
    found = backend(name)
    try:
        ready = found.ready(choice)
    except ReaderError as error:
        ready = Ready(is_ready=False, what=found.title, why_not=error.message)
    lacks_library = NAME in ready.hint
    return BackendRow(
        backend=name,
        title=found.title,
        sends_to=found.sends_to(choice),
        is_ready=ready.is_ready,
        what=ready.what,
        why_not=_NO_LIBRARY if lacks_library else ready.why_not,
        hint=install_hint() if lacks_library else _hint(name, ready.hint),
        needs_key=found.needs_key,
    )


def _hint(name: str, hint: str) -> str:
    """What a backend says is to be done, as the command that does it."""
    commands = {
        _SETUP: HINTS["key"],
        _ADDRESS: f"`ctxd reader setup {name} --base-url https://...` sets another",
    }
    return commands.get(hint, hint)


def rows(settings: ReaderSettings) -> tuple[BackendRow, ...]:
    """How all backends can be used here: the chosen one as it is set, the others as they come."""
    with ThreadPoolExecutor(len(NAMES)) as pool:
        return tuple(pool.map(lambda name: row(name, choice_of(settings, name)), NAMES))


def choice_of(settings: ReaderSettings, name: str) -> Choice:
    """A backend with what is set for it; what is set is for the one that was chosen."""
    return settings.choice if name == settings.backend else Choice(backend=name)


def _waiting(one: WantedReading) -> WaitingRow:
    return WaitingRow(
        agent=one.agent,
        session=one.session,
        why=one.why,
        since=datetime.fromtimestamp(one.since, UTC),
        tries=one.tries,
        not_before=datetime.fromtimestamp(one.at, UTC) if one.tries else None,
        message=one.message,
    )
