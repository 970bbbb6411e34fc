"""What is remembered of one Copilot CLI log, and how a record's events are made."""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec import Struct, field

from ctxd_parsers import events
from ctxd_parsers.copilot_cli_rows import Context, Row
from ctxd_parsers.copilot_cli_window import Prompts
from ctxd_parsers.events import Event
from ctxd_parsers.limits import PENDING_CALLS
from ctxd_parsers.parser import Record
from ctxd_parsers.values import derived_id, from_iso

AGENT = "copilot-cli"

_RECORDS_SEEN = 16
"""Records remembered to leave out repeats, which follow at once."""

E = TypeVar("E", bound=Event)
V = TypeVar("V")


class Attempt(Struct):
    """A compaction under way."""

    attempt: str | None = None
    trigger: events.Trigger | None = None
    cause: str | None = None
    tokens: int | None = None
    listed: tuple[str, ...] = ()
    """Ids of the words that stay because the list of prompts holds them."""
    since: list[str] = []
    """Ids of what happened since it started, which stays as well."""


class State(Struct):
    """What is remembered of one log."""

    session: str
    client: str | None = None
    title: str | None = None
    named_by_user: bool = False
    seen: list[str] = []
    """Ids of the last records: a torn one may be written again, whole."""
    begun: bool = False
    headless: bool = False
    """The client started the session by itself, so nothing in it is the user's word."""
    version: str | None = None
    model: str | None = None
    cwd: str | None = None
    branch: str | None = None
    repository: str | None = None
    turn: str | None = None
    in_turn: bool = False
    in_call: bool = False
    answered: bool = False
    calls_tools: bool = False
    skill: str | None = None
    """The skill that the next prompt begins with, as a slash command."""
    requests: dict[str, str] = {}
    """Tool calls by the id of the permission request that waits for them."""
    settled: dict[str, bool] = {}
    """Tool calls whose result was told when they were not allowed to run."""
    questions: dict[str, bytes] = {}
    """Arguments of questions asked and not answered yet, by tool call."""
    attempts: dict[str, Attempt] = {}
    """By sub-agent, the user's own conversation under an empty name."""
    prompts: Prompts = field(default_factory=Prompts)

    def repeats(self, identity: str) -> bool:
        """Whether a record of that id has just been told; remember it if not."""
        if not identity or identity in self.seen:
            return bool(identity)
        self.seen = [*self.seen[1 - _RECORDS_SEEN :], identity]
        return False

    def settle(self, place: Context) -> bool:
        """Remember where the session is now; tell whether that is another place than before."""
        before = self.cwd, self.branch, self.repository
        self.cwd, self.branch, self.repository = place.cwd, place.branch, place.repository
        return before != (place.cwd, place.branch, place.repository)


def remember(pending: dict[str, V], key: str, value: V, most: int = PENDING_CALLS) -> None:
    """Put into a table that stays bounded: the oldest entry makes room."""
    pending[key] = value
    if len(pending) > most:
        del pending[next(iter(pending))]


class At:
    """The record whose events are being made."""

    __slots__ = ("_made", "_record", "agent", "identity", "row", "state")

    def __init__(self, record: Record, row: Row, state: State) -> None:
        self.row = row
        self.state = state
        self.agent = row.agentId
        self.identity = row.id or derived_id(
            state.session, row.type, row.timestamp, bytes(row.data)
        )
        self._record = record
        self._made = 0

    def within(self, parent_call: str | None) -> None:
        """The record says that it happened in the sub-agent that a tool call started."""
        self.agent = self.agent or parent_call

    def event(self, kind: type[E], **fields: Any) -> E:
        """An event of this record, under the record's next id unless it has its own."""
        if "id" not in fields:
            fields["id"] = f"{self.identity}#{self._made}" if self._made else self.identity
            self._made += 1
        return kind(
            agent=AGENT,
            session=self.state.session,
            time=from_iso(self.row.timestamp),
            span=(self._record.start, self._record.end),
            sub_agent=self.agent,
            **fields,
        )
