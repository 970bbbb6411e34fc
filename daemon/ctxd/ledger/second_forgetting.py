"""An item taken out of what a second reader found.

A finding that says it, or rests on words that said it, goes whole: what is left of it without these
words would be a claim that nothing bears out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from ctxd.item import Evidence, Item
from ctxd.ledger.decoding import Stored, decoded
from ctxd.ledger.second_reading import stored_findings
from ctxd.policy.ledger import FORGOTTEN_START_CHARS, FORGOTTEN_WORDS_CHARS
from ctxd_parsers.events import AnyEvent, Event

if TYPE_CHECKING:
    from ctxd.reader.values import Finding, Findings

_encode = msgspec.msgpack.Encoder().encode
_events: Stored[Event] = Stored(AnyEvent)
_CROSSED_OUT = "\N{FULL BLOCK}"

# Findings of a repository's sessions, and of those of which nobody knows whose they are.
_THERE = """
    SELECT f.number, f.agent, f.body FROM findings f WHERE EXISTS (
        SELECT 1 FROM item_events e
        WHERE e.agent = f.agent AND e.session = f.session AND e.repository = ?
    ) OR NOT EXISTS (
        SELECT 1 FROM item_events e WHERE e.agent = f.agent AND e.session = f.session
    )
"""
_SAID = (
    "SELECT coalesce(e.body, o.body) FROM events e JOIN sessions s ON s.number = e.session "
    "LEFT JOIN events o ON o.number = e.original WHERE e.id = ? AND s.agent = ? LIMIT 1"
)


def forget(
    connection: sqlite3.Connection, repository: str, item: str, contents: Sequence[Item]
) -> None:
    """Take an item out that had these contents; while its history still stands in the ledger."""
    telling = _Telling(item, contents)
    for number, agent, body in connection.execute(_THERE, (repository,)).fetchall():
        findings = decoded(stored_findings(), body)
        if findings is None:
            connection.execute("DELETE FROM findings WHERE number = ?", (number,))
            continue
        left = tuple(one for one in findings.found if not telling.is_told_by(agent, one))
        if left != findings.found:
            clean = _encode(msgspec.structs.replace(findings, found=left))
            connection.execute("UPDATE findings SET body = ? WHERE number = ?", (clean, number))


def still_known(connection: sqlite3.Connection, agent: str, findings: Findings) -> Findings:
    """Findings without those of items that were forgotten while they were sought."""
    left = [one for one in findings.found if not _is_gone(connection, agent, one)]
    return msgspec.structs.replace(findings, found=tuple(left))


def _is_gone(connection: sqlite3.Connection, agent: str, one: Finding) -> bool:
    query = "SELECT 1 FROM forgotten WHERE item = ? LIMIT 1"
    if one.candidate and connection.execute(query, (one.candidate,)).fetchone():
        return True
    for evidence in one.evidence:
        for (body,) in connection.execute(_SAID, (evidence.event, agent)).fetchall():
            event = decoded(_events, body)
            texts = _strings(msgspec.to_builtins(event)) if event else []
            if any(_CROSSED_OUT in text for text in texts):
                return not any(evidence.quote in text for text in texts)
    return False


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value
    if isinstance(parts, Iterable):
        return [text for part in parts for text in _strings(part)]
    return []


class _Telling:
    """What tells an item: its words, and where they were said."""

    def __init__(self, item: str, contents: Sequence[Item]) -> None:
        self._item = item
        lines = [content.text for content in contents]
        others = [
            text
            for content in contents
            for text in (content.reason, *content.rejected, *(e.quote for e in content.evidence))
        ]
        long = FORGOTTEN_START_CHARS
        self._starts = {
            _folded(text)[:long] for text in lines if len(text) >= FORGOTTEN_WORDS_CHARS
        }
        self._starts |= {_folded(text)[:long] for text in others if len(text) >= long}
        self._starts.discard("")
        self._said: dict[tuple[str, str], list[Evidence]] = {}
        for content in contents:
            for evidence in content.evidence:
                if len(evidence.quote) >= FORGOTTEN_WORDS_CHARS:
                    self._said.setdefault((content.agent, evidence.event), []).append(evidence)

    def is_told_by(self, agent: str, one: Finding) -> bool:
        """Whether a finding says the item or rests on its words."""
        if one.candidate == self._item:
            return True
        texts = [one.statement, one.reason, *one.rejected, *(e.quote for e in one.evidence)]
        folded = "\n".join(map(_folded, texts))
        return any(start in folded for start in self._starts) or any(
            _share(said, evidence)
            for evidence in one.evidence
            for said in self._said.get((agent, evidence.event), ())
        )


def _share(one: Evidence, other: Evidence) -> bool:
    """Whether two quotes of one text have words in common."""
    if one.quote in other.quote or other.quote in one.quote:
        return True
    return one.start < other.start + len(other.quote) and other.start < one.start + len(one.quote)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
