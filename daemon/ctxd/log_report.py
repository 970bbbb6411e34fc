"""What ctxd has learned, been told and written, in the order of time: the rows of `ctxd log`.

`LogRow` is the published form `ctxd.log/1` (docs/json.md).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ctxd.context_files.receipts import Receipt, Receipts
from ctxd.context_files.whereabouts import spot_of
from ctxd.item_log import By, EventType
from ctxd.ledger import LoggedEvent, NoLedgerError, Reader
from ctxd.terminal import path_text

Did = Literal["wrote", "undid"]
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class LogRow(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened."""

    schema: Literal["ctxd.log/1"] = "ctxd.log/1"
    time: datetime | None
    type: EventType | Did
    by: By
    repository: str
    item: str | None = None
    text: str | None = None
    other_item: str | None = None
    agent: str | None = None
    session: str | None = None
    path: str | None = None
    lines: Annotated[int, Meta(ge=0)] | None = None
    items: tuple[str, ...] = ()


class Log:
    """The rows so far, and then those that are new since."""

    def __init__(
        self, opened: Callable[[], Reader], receipts: Receipts, repository: str | None
    ) -> None:
        """`repository`: the one that rows are of; None for all."""
        self._opened = opened
        self._receipts = receipts
        self._repository = repository
        self._newest = 0
        """Number of the last event of an item that was told."""
        self._told: set[str] = set()
        """Ids of the receipts that were told."""
        self._repository_of = functools.cache(_repository_of)

    def new(self, most: int | None = None) -> list[LogRow]:
        """The rows that were not given yet, so many of the last ones at most, the oldest first.
        Raise CtxdError where the ledger cannot be read; none are of one that does not exist."""
        found = [*self._of_items(most), *self._of_files()]
        found.sort(key=lambda row: row.time or _LONG_AGO)
        return found if most is None else found[max(len(found) - most, 0) :]

    def _of_items(self, most: int | None) -> Iterator[LogRow]:
        try:
            reader = self._opened()
        except NoLedgerError:
            return
        with reader:
            newest = reader.last_logged()
            found = reader.logged(self._newest, self._repository, most)
            events = [logged for logged in found if logged.number <= newest]
            texts = _texts(reader, events)
        self._newest = newest
        for logged in events:
            yield _row(logged, texts)

    def _of_files(self) -> Iterator[LogRow]:
        for receipt in (*self._receipts.all("done"), *self._receipts.all("undone")):
            if receipt.id in self._told:
                continue
            self._told.add(receipt.id)
            repository = self._repository_of(receipt.root)
            if self._repository in (None, repository):
                yield _written(receipt, repository)


def _texts(reader: Reader, events: Iterable[LoggedEvent]) -> Mapping[tuple[str, str], str]:
    """The lines of the items of events that tell none."""
    wanted = {one.repository for one in events if not (one.event.content or one.event.text)}
    return {
        (kept.repository, kept.id): kept.state.text
        for repository in sorted(wanted)
        for kept in reader.items(repository, statuses=())
    }


def _row(logged: LoggedEvent, texts: Mapping[tuple[str, str], str]) -> LogRow:
    event, said = logged.event, logged.event.said
    known = texts.get((logged.repository, event.item))
    return LogRow(
        time=event.time,
        type=event.type,
        by=event.by,
        repository=logged.repository,
        item=event.item,
        text=event.content.text if event.content else event.text or known,
        other_item=event.of,
        agent=said.agent if said else None,
        session=said.session if said else None,
    )


def _written(receipt: Receipt, repository: str) -> LogRow:
    return LogRow(
        time=receipt.time,
        type="undid" if receipt.undoes else "wrote",
        by="ctxd",
        repository=repository,
        path=path_text(Path(receipt.root) / receipt.path),
        lines=len(receipt.changes),
        items=receipt.items,
    )


def _repository_of(root: str) -> str:
    spot = spot_of(root)
    return spot.repository if spot else path_text(root)
