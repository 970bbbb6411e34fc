"""The answer of `ctxd scan`: counts per agent, and everything that was not read or understood.

These structs are the published form `ctxd.scan/1` (docs/json.md, schemas/scan-1.schema.json):
fields may be added, never changed or removed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ctxd import __version__
from ctxd.counting import WITHOUT_ITEMS, Counting, Name, TranscriptCounts, add
from ctxd.problems import Problem
from ctxd.scan_items import FoundItem, ItemCounts, ItemSums, RepositoryScan, UncoveredLanguage
from ctxd.terminal import path_text

Count = Annotated[int, Meta(ge=0)]
Records = Annotated[int, Meta(ge=0, description="Records of the logs, as their stores frame them.")]
Share = Annotated[
    float, Meta(ge=0, le=1, description="Share of the records that are known and undamaged.")
]
Seconds = Annotated[float, Meta(ge=0)]
FilePath = Annotated[
    str, Meta(description="Bytes of a name that are no text are written as \\xff.")
]


class UnknownKind(msgspec.Struct, frozen=True):
    """Records of a kind that this version of ctxd does not know."""

    kind: str
    client_version: str | None
    records: Count


class Damage(msgspec.Struct, frozen=True):
    """Stretches of logs that could not be decoded, for one reason."""

    reason: str
    records: Count
    example_path: FilePath


class AgentScan(msgspec.Struct, frozen=True):
    """All transcripts of one agent."""

    agent: str
    transcripts: Count
    transcript_bytes: Count
    sessions: Count
    records: Records
    understood_share: Share | None
    user_messages: Count
    compactions: Count
    sub_agent_compactions: Count
    items: ItemCounts | None
    """None where they were not looked for."""
    unknown_kinds: tuple[UnknownKind, ...]
    damage: tuple[Damage, ...]


class FailedFile(msgspec.Struct, frozen=True):
    """A file or folder that gave nothing, and why."""

    path: FilePath
    reason: str
    parser: str | None


class SilentFile(msgspec.Struct, frozen=True):
    """A large transcript without a single message in it."""

    path: FilePath
    agent: str
    size_bytes: Count


class ScanReport(msgspec.Struct, frozen=True):
    """What one pass over all transcripts found."""

    schema: Literal["ctxd.scan/1"]
    ctxd_version: str
    elapsed_seconds: Seconds
    agents: tuple[AgentScan, ...]
    repositories: tuple[RepositoryScan, ...] | None
    """Those with items; None where items were not looked for."""
    uncovered_languages: tuple[UncoveredLanguage, ...] | None
    items: tuple[FoundItem, ...] | None
    """None unless they were asked for."""
    unreadable_files: tuple[FailedFile, ...]
    parser_defects: tuple[FailedFile, ...]
    not_understood_files: tuple[SilentFile, ...]


class Collector:
    """Adds up the outcomes of a pass, in whatever order they come."""

    def __init__(
        self, counting: Counting = WITHOUT_ITEMS, forgotten: Collection[Name] = ()
    ) -> None:
        self._counting = counting
        self._items = ItemSums(forgotten)
        self._agents: dict[str, _Sum] = {}
        self._failed: list[Problem] = []
        self._silent: list[SilentFile] = []

    def take(self, outcome: TranscriptCounts | Problem) -> None:
        """Add one outcome."""
        if isinstance(outcome, Problem):
            self._failed.append(outcome)
            return
        self._agents.setdefault(outcome.agent, _Sum()).take(outcome)
        self._items.take(outcome)
        if outcome.silent:
            path = path_text(outcome.path)
            self._silent.append(SilentFile(path, outcome.agent, outcome.size))

    def report(self, elapsed_seconds: float) -> ScanReport:
        """The sum so far, in a stable order."""
        looked, whole = self._counting.items, self._counting.whole
        return ScanReport(
            schema="ctxd.scan/1",
            ctxd_version=__version__,
            elapsed_seconds=round(elapsed_seconds, 3),
            agents=tuple(map(self._agent, sorted(self._agents))),
            repositories=self._items.repositories() if looked else None,
            uncovered_languages=self._items.languages() if looked else None,
            items=self._items.whole() if whole else None,
            unreadable_files=self._files("unreadable"),
            parser_defects=self._files("defect"),
            not_understood_files=tuple(sorted(self._silent, key=lambda file: file.path)),
        )

    def _agent(self, name: str) -> AgentScan:
        items = self._items.of_agent(name) if self._counting.items else None
        return self._agents[name].result(name, items)

    def _files(self, kind: str) -> tuple[FailedFile, ...]:
        chosen = [problem for problem in self._failed if problem.kind == kind]
        files = {FailedFile(path_text(p.path), p.reason, p.parser) for p in chosen}
        return tuple(sorted(files, key=lambda file: (file.path, file.reason)))


class _Sum:
    def __init__(self) -> None:
        self.transcripts = self.size = self.records = self.parts = self.failed_parts = 0
        self.user_messages = self.compactions = self.sub_agent_compactions = 0
        self.sessions: set[str] = set()
        self.unknown: dict[tuple[str, str], int] = {}
        self.damaged: dict[str, int] = {}
        self.examples: dict[str, str] = {}

    def take(self, counts: TranscriptCounts) -> None:
        self.transcripts += 1
        self.size += counts.size
        self.records += counts.records
        self.parts += counts.parts
        self.failed_parts += counts.failed_parts
        self.user_messages += counts.user_messages
        self.compactions += counts.compactions
        self.sub_agent_compactions += counts.sub_agent_compactions
        self.sessions |= counts.sessions
        for kind, number in counts.unknown.items():
            add(self.unknown, kind, number)
        path = path_text(counts.path)
        for reason, number in counts.damaged.items():
            add(self.damaged, reason, number)
            self.examples[reason] = min(self.examples.get(reason, path), path)

    def result(self, agent: str, items: ItemCounts | None) -> AgentScan:
        return AgentScan(
            agent=agent,
            transcripts=self.transcripts,
            transcript_bytes=self.size,
            sessions=len(self.sessions),
            records=self.records,
            understood_share=self._share(),
            user_messages=self.user_messages,
            compactions=self.compactions,
            sub_agent_compactions=self.sub_agent_compactions,
            items=items,
            unknown_kinds=tuple(_unknown_kinds(self.unknown.items())),
            damage=tuple(self._damage()),
        )

    def _share(self) -> float | None:
        return round(1 - self.failed_parts / self.parts, 6) if self.parts else None

    def _damage(self) -> Iterable[Damage]:
        for reason, number in sorted(self.damaged.items(), key=lambda item: (-item[1], item[0])):
            yield Damage(reason, number, self.examples.get(reason, ""))


def _unknown_kinds(counts: Iterable[tuple[tuple[str, str], int]]) -> Iterable[UnknownKind]:
    for (kind, version), number in sorted(counts, key=lambda item: (-item[1], item[0])):
        yield UnknownKind(kind, version or None, number)
