"""The items of one session as lines: where each was said, and what every cut did to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import msgspec

from ctxd.item_log import EventType, ItemEvent
from ctxd.item_report import EvidenceRow
from ctxd.ledger import KeptItem, Reader
from ctxd.policy.report import REPORT_QUOTES, REPORT_TEXT_CHARS, TIMELINE_LINES
from ctxd.policy.shown import ITEM_SHORT_ID_CHARS
from ctxd.report.values import AtCut, Cut, Line, Mark
from ctxd.retention.reasons import in_words
from ctxd.retention.values import BINDING, DROPPED, ItemVerdict, Record
from ctxd.short_ids import short_ids

Key = tuple[str, str]
"""Agent and session id."""
Names = tuple[str, str]
"""Repository and id of an item."""

_SAID: frozenset[EventType] = frozenset({"captured", "restated", "refined"})
_ENDED: frozenset[EventType] = frozenset({"superseded", "contradicted", "retracted"})
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


class Drawn(msgspec.Struct, frozen=True):
    """The lines of a session, its cuts with what they did counted, and how many lines there was no
    room for."""

    lines: Sequence[Line]
    cuts: Sequence[Cut]
    left_out: int


class Lines:
    """Makes the lines of one session."""

    def __init__(self, reader: Reader, session: Key, places: dict[str, int]) -> None:
        self._reader = reader
        self._session = session
        self._places = places
        self._records = {one.event: one for one in reader.records(session)}

    def drawn(self, cuts: Sequence[Cut], most: int = TIMELINE_LINES) -> Drawn:
        """The lines and the counted cuts."""
        verdicts = self._verdicts(cuts)
        found = self._items(verdicts)
        short = short_ids(self._reader.item_ids(), ITEM_SHORT_ID_CHARS)
        lines = [self._line(kept, verdicts.get(_name(kept), []), short) for kept in found]
        lines.sort(key=_telling)
        shown = sorted(lines[:most], key=lambda line: (line.stated or (0,), line.item))
        counted = [self._counted(cut, lines) for cut in cuts]
        return Drawn(shown, counted, len(lines) - len(shown))

    def _verdicts(self, cuts: Iterable[Cut]) -> dict[Names, list[tuple[Cut, ItemVerdict]]]:
        found: dict[Names, list[tuple[Cut, ItemVerdict]]] = {}
        for cut in cuts:
            for one in self._record(cut).items:
                found.setdefault((one.repository, one.item), []).append((cut, one))
        return found

    def _record(self, cut: Cut) -> Record:
        return self._records.get(cut.event, Record(agent="", session="", event=cut.event))

    def _items(self, judged: Iterable[Names]) -> list[KeptItem]:
        """Items that a cut was judged by, and those that were said here and outlast the moment."""
        said = [kept for kept, _ in self._reader.said_in([self._session])]
        found = {_name(kept): kept for kept in said}
        wanted = set(judged)
        for repository, item in sorted(wanted - found.keys()):
            for kept in self._reader.items_by_id(item):
                if kept.repository == repository:
                    found[repository, item] = kept
        return [kept for name, kept in found.items() if name in wanted or _lasts(kept)]

    def _line(
        self,
        kept: KeptItem,
        verdicts: Sequence[tuple[Cut, ItemVerdict]],
        short: dict[str, str],
    ) -> Line:
        item, history = kept.item, self._reader.item_events(kept.repository, kept.id)
        given = self._given(kept) if verdicts else {}
        return Line(
            item=kept.id,
            short_id=short.get(kept.id, kept.id),
            repository=kept.repository,
            kind=item.kind,
            severity=item.severity,
            authority=item.authority,
            status=kept.state.status,
            text=kept.state.text,
            reason=item.reason,
            said=item.time,
            stated=tuple(sorted(self._positions(history, _SAID))),
            ended=min(self._positions(history, _ENDED), default=None),
            at_cuts=tuple(_at_cut(cut, one, given.get(cut.event)) for cut, one in verdicts),
            evidence=evidence(kept),
        )

    def _given(self, kept: KeptItem) -> dict[str, datetime]:
        """When the agent was told an item again, by the compaction that had dropped it."""
        told = self._reader.item_boundaries(kept.repository, kept.id)
        return {
            one.event: datetime.fromtimestamp(one.given, UTC)
            for one in told
            if one.given is not None and (one.agent, one.session) == self._session
        }

    def _positions(self, history: Iterable[ItemEvent], types: frozenset[EventType]) -> set[int]:
        return {
            self._places[event.said.event]
            for event in history
            if event.type in types and event.said is not None and self._is_here(event)
        }

    def _is_here(self, event: ItemEvent) -> bool:
        said = event.said
        if said is None or (said.agent, said.session) != self._session:
            return False
        return said.event in self._places

    def _counted(self, cut: Cut, lines: Iterable[Line]) -> Cut:
        record = self._record(cut)
        marks: list[Mark] = [
            at.mark for line in lines for at in line.at_cuts if at.cut == cut.number
        ]
        return msgspec.structs.replace(
            cut,
            judged=cut.event in self._records,
            readable=record.readable,
            survives=marks.count("survives"),
            reinjected=marks.count("reinjected"),
            breaks=marks.count("breaks"),
            unknown=marks.count("unknown"),
            request_missing=shortened(record.request_missing),
            files_unnamed=tuple(record.files_unnamed),
        )


def evidence(kept: KeptItem) -> tuple[EvidenceRow, ...]:
    """The quotes that an item rests on, as many and as long as are shown."""
    return tuple(
        EvidenceRow(one.speaker, shortened(one.quote), one.event, one.time)
        for one in kept.item.evidence[:REPORT_QUOTES]
    )


def shortened(text: str) -> str:
    """A text, cut where it is longer than is shown."""
    if len(text) <= REPORT_TEXT_CHARS:
        return text
    return text[:REPORT_TEXT_CHARS].rstrip() + _ELLIPSIS


def mark_of(one: ItemVerdict, given: datetime | None) -> Mark:
    """What a cut did to an item."""
    answer = one.verdict.answer
    if answer == "reloaded" or (answer in DROPPED and given is not None):
        return "reinjected"
    if answer in DROPPED:
        return "breaks"
    return "unknown" if answer == "unknown" else "survives"


def _at_cut(cut: Cut, one: ItemVerdict, given: datetime | None) -> AtCut:
    verdict = one.verdict
    return AtCut(
        cut=cut.number,
        mark=mark_of(one, given),
        answer=verdict.answer,
        passage=shortened(verdict.passage),
        where=verdict.where,
        name=verdict.name,
        why=in_words(verdict),
        given=given,
        on_disk=one.on_disk_before,
    )


def _name(kept: KeptItem) -> Names:
    return kept.repository, kept.id


def _lasts(kept: KeptItem) -> bool:
    return kept.state.status == "active" and kept.item.durability != "moment"


_WEIGHTS: tuple[Mark, ...] = ("breaks", "reinjected", "unknown", "survives")


def _telling(line: Line) -> tuple[int, bool, int, str]:
    """Sorts lines: those that a cut dropped first, then the most binding."""
    weights = [_WEIGHTS.index(at.mark) for at in line.at_cuts]
    return (
        min(weights, default=len(_WEIGHTS)),
        line.severity != "critical",
        BINDING.index(line.kind),
        line.item,
    )
