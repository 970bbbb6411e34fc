"""What of a reader's answer counts: only what the session's own words carry.

Every quote must stand, word for word, in what was shown of the right speaker; a statement may say
no more than the words it rests on. Where only the statement fails, the words quoted take its place.
What a reader was not shown cannot be quoted, and words that speak to a reader carry nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from ctxd.extract.wording import cut, plain
from ctxd.item import Authority, Item
from ctxd.policy.extraction import REASON_CHARS, REJECTED_OPTIONS, SCOPE_NAMES
from ctxd.policy.reader import READER_TURN_ITEMS
from ctxd.reader.answer import FoundItem, first_fault
from ctxd.reader.answer_text import raw_answer
from ctxd.reader.meddling import presumes
from ctxd.reader.standing import RefusedError, Standing, standing
from ctxd.reader.statements import PASSES, is_told_in, names_known, weigh
from ctxd.reader.turns import words_digest
from ctxd.reader.values import Chunk, Finding, Findings, Refusal, Turn
from ctxd.reader.worded import worded

_MISSING: Mapping[str, Any] = {
    "from_turn": None, "proposal_quote": None, "reason": "", "rejected": [], "scope": [],
    "sure": 1, "candidate": None, "supersedes": [],
}  # fmt: skip
"""What a reader means that leaves a field out, or says null of it."""


def checked(
    answer_text: str, chunk: Chunk, labels: Mapping[str, Item], reader: str
) -> tuple[list[Findings], list[Refusal]]:
    """Return what counts of an answer, exchange by exchange, and what does not; raise ReaderError
    when it is no answer at all.

    `labels` are those that the chunk's items were shown with, `reader` names who answered.
    """
    raw = raw_answer(answer_text)
    checking = _Checking(chunk, labels)
    for number, one in enumerate(raw.items):
        checking.take(f"items[{number}]", one)
    denied = [label for label in raw.not_items if isinstance(label, str)]
    return checking.findings(denied, reader), [*raw.refusals, *checking.refusals]


class _Checking:
    """Goes over the items of one answer."""

    def __init__(self, chunk: Chunk, labels: Mapping[str, Item]) -> None:
        self.refusals: list[Refusal] = []
        self._turns = chunk.turns
        self._labels = labels
        self._found: dict[int, list[Finding]] = {turn.number: [] for turn in chunk.turns}

    def take(self, where: str, raw: Any) -> None:
        """Take an item, as far as it counts."""
        try:
            found = formed(raw)
            behind = standing(found, self._turns)
            finding = self._finding(where, found, behind)
            if (found.proposal_quote or "").strip() and behind.proposal is None:
                self._refuse(where, "proposal_quote", "the agent did not say this there or before")
        except RefusedError as refused:
            self._refuse(where, refused.field, refused.why)
            return
        taken = self._found[behind.turn.number]
        if len(taken) >= READER_TURN_ITEMS:
            self._refuse(where, "", f"more than {READER_TURN_ITEMS} items of one turn")
        elif all(_says(finding) != _says(other) for other in taken):
            taken.append(finding)

    def findings(self, denied: Sequence[str], reader: str) -> list[Findings]:
        """What was found in each exchange that was read."""
        return [
            Findings(
                exchange=turn.exchange,
                words=words_digest(turn.said),
                reader=reader,
                found=tuple(self._found[turn.number]),
                refuted=tuple(self._refuted(turn, denied)),
            )
            for turn in self._turns
        ]

    def _refuse(self, where: str, field: str, why: str) -> None:
        self.refusals.append(Refusal(f"{where}.{field}" if field else where, why))

    def _refuted(self, turn: Turn, denied: Sequence[str]) -> Iterator[str]:
        own = {item.id for item in turn.candidates}
        named = {finding.candidate for finding in self._found[turn.number]}
        for item in dict.fromkeys(self._labels[name].id for name in denied if name in self._labels):
            if item in own - named:
                yield item

    def _finding(self, where: str, found: FoundItem, behind: Standing) -> Finding:
        statement, authority = self._statement(where, found, behind)
        shown = _shown(behind)
        named = self._candidate(found, behind)
        if found.candidate and named is None:
            self._refuse(where, "candidate", "there is no such label in that turn")
        if not 1 <= found.sure <= _CERTAIN:
            self._refuse(where, "sure", "is not 1, 2 or 3")
        candidate = named.id if named else ""
        return Finding(
            statement=statement,
            kind=found.kind,
            evidence=behind.evidence,
            reason=_reason(found.reason, shown),
            rejected=tuple(_options(found.rejected, shown)),
            scope=tuple(_scopes(found.scope, shown)),
            authority=authority,
            durability=found.durability,
            sure=found.sure if 1 <= found.sure <= _CERTAIN else 1,
            candidate=candidate,
            supersedes=tuple(self._overturned(found, behind, candidate)),
        )

    def _statement(self, where: str, found: FoundItem, behind: Standing) -> tuple[str, Authority]:
        """The line of an item and whose word it is: as the reader says where its words carry that,
        else the words themselves."""
        statement = plain(found.statement) if found.statement.isprintable() else found.statement
        weighed = weigh(statement, found.kind, behind.basis)
        _, heading, rest = statement.partition(": ")
        if weighed.why and heading and not weigh(rest, found.kind, behind.basis).why:
            statement, weighed = rest, PASSES
        if weighed.why:
            if weighed.is_foreign:
                raise RefusedError("statement", weighed.why)
            self._refuse(where, "statement", weighed.why)
            named = self._candidate(found, behind)
            own = worded(behind)
            # "2. We run one process": who answers with a label says why, not what.
            is_label = _LABELLED.match(behind.binding.text) is not None
            statement = named.text if named and (is_label or not own) else own
            if not statement:
                raise RefusedError("", "nothing is left that stands for itself")
        authority = behind.authority_of(statement)
        if authority != "user" and presumes(statement):
            raise RefusedError("statement", "only the user's own words may ask for this")
        return statement, authority

    def _candidate(self, found: FoundItem, behind: Standing) -> Item | None:
        """What was understood offline of the exchange, and an item is said to be."""
        named = self._labels.get(found.candidate or "")
        own = {item.id for item in behind.turn.candidates}
        return named if named is not None and named.id in own else None

    def _overturned(self, found: FoundItem, behind: Standing, own: str) -> Iterator[str]:
        """Ids of the items that an item overturns: of this exchange or before."""
        later = {
            item.id
            for turn in self._turns
            if turn.number > behind.turn.number
            for item in turn.candidates
        }
        if found.authority == "agent":
            return
        for item in dict.fromkeys(
            self._labels[name].id for name in found.supersedes if name in self._labels
        ):
            if item != own and item not in later:
                yield item


_CERTAIN = 3
_LABELLED = re.compile(r"\W{0,3}(?:\d{1,2}|[A-Za-z])[.):]\s")


def formed(raw: Any) -> FoundItem:
    """An item of the right form, with nothing where a reader left something out."""
    if not isinstance(raw, dict):
        raise RefusedError("", "is no object")
    told = {key: value for key, value in raw.items() if value is not None}
    try:
        return FoundItem.model_validate({**_MISSING, **told})
    except ValidationError as error:
        raise RefusedError(*first_fault(error)) from None


def _says(finding: Finding) -> tuple[str, str]:
    return finding.statement.casefold(), finding.evidence[0].event


def _shown(behind: Standing) -> str:
    """All that was shown of the exchange."""
    turn = behind.turn
    parts = [part.text for part in (*turn.agent, *turn.user)]
    return "\n".join([*parts, *turn.notes, behind.basis.text])


def _reason(reason: str, shown: str) -> str:
    line = plain(reason) if reason.strip() else ""
    return cut(line, REASON_CHARS) if line and is_told_in(line, shown) else ""


def _options(options: Sequence[str], shown: str) -> Iterator[str]:
    for option in options[:REJECTED_OPTIONS]:
        line = plain(option)
        if line and is_told_in(line, shown):
            yield cut(line, _OPTION)


_OPTION = 200


def _scopes(scopes: Sequence[str], shown: str) -> Iterator[str]:
    for scope in scopes[:SCOPE_NAMES]:
        if scope.isprintable() and len(scope) <= _SCOPE and names_known(scope, shown):
            yield scope.strip()


_SCOPE = 120
