"""What state a session is in now, and how that is known.

From the strongest to the weakest: a process that has it open (some clients keep a small file while
one does), the end its log tells, the file of a process that is gone or dead, and how long it has
been silent. `liveness` is a pure function of these; `look` reads the files and asks the system for
the processes. Which files those are is the parsers' knowledge (`Parser.sign_patterns`).

Never final: an ended session that goes on is live again.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path, PurePath
from typing import Literal

import msgspec

from ctxd.policy.daemon import (
    CLOCK_JUMP_SECONDS,
    ENDED_SECONDS,
    LIVE_SECONDS,
    SIGN_BYTES,
    SIGN_SLACK_SECONDS,
    SIGN_TRUST_SECONDS,
)
from ctxd.processes import Process, living, pid_space
from ctxd.session_state import KnownBy, SeenProcess, Session
from ctxd_parsers.discovery import matching_files
from ctxd_parsers.parser import Parser, ProcessSign, Source
from ctxd_parsers.reading import Transcript, open_regular

State = Literal["live", "idle", "waiting", "ended", "crashed"]
"""`live`: at work. `idle`: open, and the next word is the user's. `waiting`: a dialog of the client
waits for the user. `ended`: closed. `crashed`: its process died without closing it."""


class Liveness(msgspec.Struct, frozen=True):
    """The state of a session at one moment."""

    state: State
    known_by: KnownBy


class Sighting(msgspec.Struct, frozen=True):
    """A client's sign that a process has a session open, and what became of that process."""

    sign: ProcessSign
    alive: bool | None
    """None when it cannot be told: the pid is of another pid space."""
    proven: bool = False
    """The living process is the one that left the sign; without it, just one of the same pid."""
    started: float | None = None
    """When the living process started."""


class Sightings:
    """All signs that were on disk at one moment, by the session they are of."""

    def __init__(self) -> None:
        self._own: dict[PurePath, list[Sighting]] = {}
        self._named: dict[tuple[str, str], list[Sighting]] = {}

    def add(self, transcript: Transcript, sighting: Sighting) -> None:
        """Add what was found by way of a transcript."""
        name = sighting.sign.session
        if name is None:
            self._own.setdefault(transcript.path, []).append(sighting)
        else:
            self._named.setdefault((transcript.parser.agent, name), []).append(sighting)

    def of(self, session: Session, transcript: PurePath) -> Sequence[Sighting]:
        """Return those of one session."""
        named = self._named.get((session.agent, session.id), [])
        return [*named, *self._own.get(transcript, [])]

    def has(self, key: tuple[str, str], transcript: PurePath) -> bool:
        """Tell whether there is one of the session of that agent and id."""
        return key in self._named or transcript in self._own


def look(transcripts: Iterable[Transcript]) -> Sightings:
    """Read the signs beside these transcripts, each file once."""
    sightings = Sightings()
    known: set[PurePath] = set()
    for transcript in transcripts:
        for pattern in transcript.parser.sign_patterns(transcript.path):
            if pattern in known:
                continue
            known.add(pattern)
            for sign in _signs(transcript.parser, pattern):
                sightings.add(transcript, judge(sign))
    return sightings


def judge(sign: ProcessSign) -> Sighting:
    """Tell what became of the process that left a sign."""
    if sign.space is not None and sign.space != pid_space():
        return Sighting(sign, alive=None)
    process = living(sign.pid) if sign.pid > 0 else None
    if process is None:
        return Sighting(sign, alive=False)
    same = _is_same(sign, process)
    return Sighting(sign, alive=same is not False, proven=bool(same), started=process.started)


def liveness(
    session: Session,
    sightings: Sequence[Sighting],
    now: datetime,
    changed: datetime | None = None,
) -> Liveness:
    """Tell the state of a session.

    `changed` is when its transcript was last written; it counts where the log tells no times, or
    none that can be true.
    """
    quiet = _quiet_seconds(session, now, changed)
    dead = [s for s in sightings if _is_dead(s, session.process)]
    there = [s for s in sightings if s.alive and s not in dead]
    if any(s.proven for s in there) or (there and quiet < SIGN_TRUST_SECONDS):
        return Liveness(_by_process(there, session, quiet), "process")
    if session.ended:
        crashed = session.ended.known_by == "dead process"
        return Liveness("crashed" if crashed else "ended", session.ended.known_by)
    if len(dead) == len(sightings):
        gone = _by_missing_process(session, {s.sign.pid for s in dead})
        if gone:
            return gone
    if quiet < LIVE_SECONDS:
        return Liveness("live" if session.busy else "idle", "recent event")
    return Liveness("idle" if quiet < ENDED_SECONDS else "ended", "silence")


def remember(session: Session, sightings: Sequence[Sighting], now: datetime) -> bool:
    """Note the process that has the session open, and return whether it is another than before.

    What is remembered tells an orderly end (the sign is gone) from a session that never had one.
    """
    for sighting in sightings:
        if sighting.alive:
            before = session.process
            session.process = SeenProcess(sighting.sign.pid, sighting.started, now)
            return before is None or (before.pid, before.started) != (
                session.process.pid,
                session.process.started,
            )
    return False


def _signs(parser: Parser, pattern: PurePath) -> Iterable[ProcessSign]:
    for path in _files(pattern):
        sign = _sign(parser, path)
        if sign is not None:
            yield sign


def _files(pattern: PurePath) -> Iterable[Path]:
    """The files of a pattern. One that is named outright is not searched for: its folder may hold
    thousands, one for each session."""
    if any(char in pattern.name for char in "*?["):
        return matching_files(Source(root=pattern.parent, patterns=(pattern.name,)))
    return [Path(pattern)]


def _sign(parser: Parser, path: Path) -> ProcessSign | None:
    """One sign. Clients rewrite them in place: one that makes no sense is read a second time."""
    for _ in range(2):
        data = _small_file(path)
        sign = None if data is None else parser.read_sign(path, data)
        if data is None or sign is not None:
            return sign
    return None


def _small_file(path: Path) -> bytes | None:
    try:
        with open_regular(path) as file:
            data = file.read(SIGN_BYTES + 1) or b""
    except OSError:
        return None
    return data if len(data) <= SIGN_BYTES else None


def _is_same(sign: ProcessSign, process: Process) -> bool | None:
    """Whether a living process is the one that left the sign; None when that cannot be told."""
    if sys.platform != "linux" or sign.started is None or process.started is None:
        return None
    return sign.started == process.started


def _is_dead(sighting: Sighting, seen: SeenProcess | None) -> bool:
    """Whether the process is gone. Unless it is proven to be the one that left the sign, one of the
    pid we saw but with another start has only inherited the pid."""
    if sighting.alive and not sighting.proven and seen and seen.pid == sighting.sign.pid:
        return seen.started != sighting.started
    return sighting.alive is False


def _by_process(there: Sequence[Sighting], session: Session, quiet: float) -> State:
    said = {sighting.sign.status for sighting in there}
    if "busy" in said:
        return "live"
    if "waiting" in said:
        return "waiting"
    if "idle" in said:
        return "idle"
    return "live" if session.busy and quiet < LIVE_SECONDS else "idle"


def _by_missing_process(session: Session, dead: Collection[int]) -> Liveness | None:
    """What it tells that no process is left: dead ones left their signs, others took them along."""
    seen = session.process
    if seen is None:
        return Liveness("crashed", "dead process") if dead else None
    slack = timedelta(seconds=SIGN_SLACK_SECONDS)
    if session.last_event and session.last_event > seen.at + slack:
        return None
    if seen.pid in dead:
        return Liveness("crashed", "dead process")
    return Liveness("ended", "sign gone")


def _quiet_seconds(session: Session, now: datetime, changed: datetime | None) -> float:
    """How long nothing has happened. Times from the future (the clock was wrong) tell nothing."""
    latest = now + timedelta(seconds=CLOCK_JUMP_SECONDS)
    for time in (session.last_event, changed):
        if time is not None and time <= latest:
            return max(0.0, (now - time).total_seconds())
    return math.inf
