"""Sessions from the logs alone: what each one is about, where it ran, whether it still goes on.

A session that stands in several files (forked, resumed into a new file, kept in two stores or two
accounts, with sub-agents beside it) is one. Times that lie in the future are clocks gone wrong: the
file's own time stands in for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import msgspec

from ctxd.counting import SPEECH
from ctxd.own_sessions import shows_own
from ctxd.policy.daemon import ENDED_SECONDS, LIVE_SECONDS, TITLE_CHARS
from ctxd.scanning import Reading
from ctxd_parsers.events import (
    Compaction,
    Event,
    SessionEnded,
    SessionStarted,
    SessionTitled,
    UserMessage,
    WorkspaceChanged,
)
from ctxd_parsers.values import from_epoch

State = Literal["live", "idle", "ended"]
Key = tuple[str, str]
"""Agent and session id."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SPACES = re.compile(r"\s+")


class Overview(msgspec.Struct):
    """What one transcript, or several merged, tell of one session."""

    agent: str
    id: str
    modified: datetime
    """When a transcript of it was last written."""
    transcripts: tuple[Path, ...]
    cwd: str | None = None
    hosted: str | None = None
    """`owner/name`, where the client itself names the hosted repository."""
    branch: str | None = None
    client: str | None = None
    client_version: str | None = None
    model: str | None = None
    title: str | None = None
    titled_by: Literal["user", "agent"] | None = None
    first_words: str | None = None
    """The start of the first user message."""
    first: datetime | None = None
    last: datetime | None = None
    spoken: bool = False
    """False for one that was opened and left."""
    own: bool = False
    """It is ctxd's own, and none of the user's."""
    ended: bool = False
    messages: set[bytes] = set()
    """Hashed ids of its user messages: copies of one in several files count once."""
    compactions: set[bytes] = set()

    @property
    def key(self) -> Key:
        """What tells it from all others."""
        return self.agent, self.id

    @property
    def last_activity(self) -> datetime:
        """The last event's time where that is believable, else when the log was written."""
        if self.last is None or self.last > datetime.now(UTC):
            return self.modified
        return self.last

    def state(self, now: datetime) -> State:
        """Whether it goes on, as far as its log tells."""
        silence = now - self.last_activity
        if self.ended or silence > timedelta(seconds=ENDED_SECONDS):
            return "ended"
        return "live" if silence <= timedelta(seconds=LIVE_SECONDS) else "idle"


def overviews(reading: Reading) -> list[Overview]:
    """The sessions in one transcript; raise OSError when it cannot be read."""
    job = reading.job
    modified = from_epoch(job.modified) or _EPOCH
    found: dict[Key, Overview] = {}
    for event in reading.events():
        key = (event.agent, event.session)
        session = found.get(key)
        if session is None:
            session = found[key] = Overview(event.agent, event.session, modified, (job.path,))
        if event.time is not None:
            session.first = min(session.first or event.time, event.time)
            session.last = max(session.last or event.time, event.time)
        kind = type(event)
        session.own = session.own or (not session.messages and shows_own(event))
        if kind in SPEECH:
            session.spoken, session.ended = True, session.ended and event.sub_agent is not None
        note = _NOTES.get(kind)
        if note and event.sub_agent is None:
            note(session, event)
    return list(found.values())


def merge(parts: Iterable[Overview]) -> list[Overview]:
    """Each session once, newest first, without those in which nothing was ever said, and ctxd's
    own."""
    whole: dict[Key, Overview] = {}
    for part in sorted(parts, key=lambda part: (part.last_activity, part.transcripts)):
        known = whole.get(part.key)
        whole[part.key] = _merged(known, part) if known else part
    spoken = [session for session in whole.values() if session.spoken and not session.own]
    return sorted(spoken, key=lambda session: (session.last_activity, session.key), reverse=True)


def _merged(older: Overview, newer: Overview) -> Overview:
    """One session from two parts: it began as the older says and is now as the newer says."""
    values = {name: getattr(older, name) or getattr(newer, name) for name in ("cwd", "first_words")}
    for name in ("hosted", "branch", "client", "client_version", "model"):
        values[name] = getattr(newer, name) or getattr(older, name)
    titled = newer if newer.title else older
    return Overview(
        **values,
        agent=newer.agent,
        id=newer.id,
        modified=max(older.modified, newer.modified),
        transcripts=tuple(sorted({*older.transcripts, *newer.transcripts})),
        title=titled.title,
        titled_by=titled.titled_by,
        first=min(filter(None, (older.first, newer.first)), default=None),
        last=max(filter(None, (older.last, newer.last)), default=None),
        spoken=older.spoken or newer.spoken,
        own=older.own or newer.own,
        ended=newer.ended if newer.spoken else older.ended,
        messages=older.messages | newer.messages,
        compactions=older.compactions | newer.compactions,
    )


def _started(session: Overview, event: SessionStarted) -> None:
    session.cwd = session.cwd or event.cwd
    session.hosted = event.repository or session.hosted
    session.branch = event.branch or session.branch
    session.client = event.client or session.client
    session.client_version = event.client_version or session.client_version
    session.model = event.model or session.model
    session.ended = False


def _moved(session: Overview, event: WorkspaceChanged) -> None:
    session.cwd = session.cwd or event.cwd
    session.hosted = event.repository or session.hosted
    session.branch = event.branch or session.branch


def _titled(session: Overview, event: SessionTitled) -> None:
    session.title, session.titled_by = event.title, event.by


def _asked(session: Overview, event: UserMessage) -> None:
    session.messages.add(_hashed(event))
    if not session.first_words:
        start = event.text[: 4 * TITLE_CHARS]
        session.first_words = _SPACES.sub(" ", start).strip()[:TITLE_CHARS] or None


def _compacted(session: Overview, event: Compaction) -> None:
    session.compactions.add(_hashed(event))


def _ended(session: Overview, _event: SessionEnded) -> None:
    session.ended = True


_NOTES: dict[type, Callable[[Overview, Any], None]] = {
    SessionStarted: _started,
    WorkspaceChanged: _moved,
    SessionTitled: _titled,
    UserMessage: _asked,
    Compaction: _compacted,
    SessionEnded: _ended,
}


def _hashed(event: Event) -> bytes:
    return blake2b(event.id.encode("utf-8", "replace"), digest_size=8).digest()
