"""What goes into the ledger and comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from ctxd.exchange import Talk
from ctxd.ledger.boundary_values import WaitingBoundary
from ctxd.ledger.item_values import Pending
from ctxd.ledger.keeping import without_secrets
from ctxd.redact import redact
from ctxd.session_state import Session
from ctxd.tail.checkpoint import Checkpoint
from ctxd.tail.step import Step
from ctxd.window import Window
from ctxd_parsers.events import Event
from ctxd_parsers.reading import Transcript

Key = tuple[str, str]
"""Agent and session id."""
Rows = Callable[[str, tuple[Any, ...]], Sequence[tuple[Any, ...]]]
"""Runs a query on the ledger."""
T = TypeVar("T")


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A session as `status` shows it."""

    agent: str
    id: str
    cwd: str | None = None
    repository: str | None = None
    """`owner/name`, where the client itself says so."""
    branch: str | None = None
    title: str | None = None
    client: str | None = None
    client_version: str | None = None
    model: str | None = None
    parent: str | None = None
    started: datetime | None = None
    last_event: datetime | None = None
    turns: int = 0
    compactions: int = 0
    """Of the user's window."""
    sub_agents: int = 0
    context_tokens: int | None = None
    window_tokens: int | None = None
    context_percent: float | None = None
    spoken: bool = False
    """False for one that was opened and left, or is ctxd's own: it is not counted or listed."""
    state: str | None = None
    """See `liveness.State`; None leaves what was stored before."""
    state_reason: str | None = None
    body: bytes = b""
    """The reducer's session in msgpack; left out when sessions are listed."""

    @classmethod
    def of(
        cls, session: Session, state: str | None = None, state_reason: str | None = None
    ) -> SessionRow:
        """The row of a session. What its log says as text passes `redact`, in the body too."""
        facts = {name: _clean(getattr(session, name)) for name in _FACTS}
        talk = session.talk
        return cls(
            agent=session.agent,
            id=session.id,
            **facts,
            parent=session.parent,
            started=session.started,
            last_event=session.last_event,
            turns=session.turns,
            compactions=session.compacted,
            sub_agents=len(session.sub_agents),
            context_tokens=session.window.tokens,
            window_tokens=session.window.limit,
            context_percent=session.window.percent,
            spoken=not session.own
            and bool(session.user_messages or talk.proposal or talk.answer or talk.reply),
            state=state,
            state_reason=state_reason,
            body=_packed(session),
        )


_FACTS = ("cwd", "repository", "branch", "title", "client", "client_version", "model")


def _packed(session: Session) -> bytes:
    """The session in msgpack. The window, by far the most of it, holds ids and no text."""
    packed = msgspec.msgpack.encode(session)
    texts = msgspec.structs.replace(session, window=Window(), talk=Talk())
    packed_texts = msgspec.msgpack.encode(texts)
    is_clean = without_secrets(packed_texts) == packed_texts
    return packed if is_clean else without_secrets(packed)


def _clean(text: str | None) -> str | None:
    return redact(text) if text else text


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """What one step of one transcript gave: recorded together or not at all."""

    path: Path
    parser: str
    agent: str
    checkpoint: Checkpoint
    events: Sequence[Event] = ()
    sessions: Sequence[SessionRow] = ()
    records: int = 0
    again: bool = False
    """The transcript is read from its start anew, beginning with this batch."""
    behind: int = 0
    """Bytes that were not taken yet."""
    pending: Sequence[Pending] = ()
    """Exchanges that this step completed or added to: they wait to be judged."""
    boundaries: Sequence[WaitingBoundary] = ()
    """Compactions that happened in it: they wait to be judged."""
    own: Collection[Key] = ()
    """Sessions in it that are ctxd's own: nothing of them is kept but that they are."""
    disowned: Sequence[tuple[str, str, str]] = ()
    """Compactions of forks that prove to be their parent's: agent, session, event."""

    @classmethod
    def of(
        cls,
        transcript: Transcript,
        step: Step,
        sessions: Sequence[SessionRow],
        pending: Sequence[Pending] = (),
    ) -> Batch:
        """The batch of a step, with the rows of the sessions that it changed, and the exchanges
        that wait to be judged because of it."""
        return cls(
            path=transcript.path,
            parser=transcript.parser.name,
            agent=transcript.parser.agent,
            checkpoint=step.checkpoint,
            events=step.events,
            sessions=sessions,
            records=step.records,
            again=step.again,
            behind=step.behind,
            pending=pending,
        )


class Found(msgspec.Struct, frozen=True):
    """A transcript that is on disk, read or not."""

    path: Path
    parser: str
    agent: str
    size: int


class Failure(msgspec.Struct, frozen=True):
    """A file that is set aside until it changes."""

    path: Path
    reason: str
    size: int
    mtime_ns: int
    since: float
    """When it failed first, in Unix seconds."""
    at: float
    """When it failed last."""
    times: int


class Oddity(msgspec.Struct, frozen=True):
    """Records of one kind that were not understood."""

    agent: str
    what: Literal["unknown", "damaged"]
    kind: str
    """The unknown kind's name, or the reason of the damage."""
    client_version: str
    number: int


class Unread(msgspec.Struct, frozen=True):
    """A transcript that grew without anything in it being understood."""

    path: Path
    agent: str
    since: float
    """When the first record came that gave nothing, in Unix seconds."""
    read_at: float
    """When the last one came."""


class AgentCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one agent's logs."""

    agent: str
    sessions: int = 0
    states: dict[str, int] = {}
    """Sessions by their state."""
    last_event: datetime | None = None
    transcripts: int = 0
    gone: int = 0
    """Transcripts that were deleted since; what was learned from them is still here."""
    bytes: int = 0
    behind: int = 0
    records: int = 0
    unknown: int = 0
    damaged: int = 0
    read_at: float | None = None
    """When something was last read, in Unix seconds."""
    understood_at: float | None = None
    """When something read was last understood."""

    @property
    def live(self) -> int:
        """Sessions in which the agent is at work or waits in a dialog."""
        return self.states.get("live", 0) + self.states.get("waiting", 0)


class Heartbeat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the daemon last said of itself. Times are Unix seconds."""

    pid: int
    version: str
    started: float
    tick: float
    """When the loop last went round."""
    state: str = "running"
    """`starting`, `running`, `paused` or `stopped`."""
    reason: str | None = None
    """Why it is paused or stopped."""
    last_event: float | None = None
    """When an event was last recorded."""
    last_item: float | None = None
    """When an item was last written."""
    watched: int = 0
    """Places being watched."""
    polled: int = 0
    """Places that only the rescan looks at."""


class Rebuilt(msgspec.Struct, frozen=True, omit_defaults=True):
    """The ledger had to be begun anew."""

    at: float
    why: str
    aside: str | None = None
    """Where the damaged file was put; None when there was none."""


class Pruned(msgspec.Struct, frozen=True):
    """What pruning took out."""

    sessions: int = 0
    events: int = 0
    bytes: int = 0
    """By how much the ledger became smaller."""
