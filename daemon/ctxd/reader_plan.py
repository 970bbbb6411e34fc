"""What it would take to have sessions read: how many calls, how many tokens, and where they would
go, with each question word for word where that is wanted. Nothing is sent to find out.

`ReadPlan` is the published form `ctxd.read/1`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from ctxd.ledger import Reader
from ctxd.reader import costs
from ctxd.reader.backends.registry import backend
from ctxd.reader.compaction_tasks import compaction_tasks
from ctxd.reader.tasks import Task, tasks_of
from ctxd.reader.values import Prices, Spent
from ctxd.reader_status import Count, Money
from ctxd.settings_reader import ReaderSettings

Key = tuple[str, str]
"""Agent and session id."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """All that would be sent in one call, but for a key."""

    instructions: str
    text: str
    answer_schema: dict[str, Any]
    """JSON Schema of the answer, for those that can be held to one."""


class CallRow(msgspec.Struct, frozen=True, kw_only=True):
    """One call."""

    digest: str
    """Of what it is about: the same is asked once."""
    input_tokens: Count
    output_tokens_most: Count
    question: Question | None
    """With `--show`; else None."""


class PlannedSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session, and what reading it would take."""

    agent: str
    session: str
    parts: Count
    """Parts that it is read in, one a call."""
    read: Count
    """Parts that were read already, and are not read again unless that is asked for."""
    calls: tuple[CallRow, ...]


class ReadPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of `ctxd read --dry-run`."""

    schema: Literal["ctxd.read/1"] = "ctxd.read/1"
    backend: str
    """`off` where none is chosen."""
    sends_to: str
    """Who would get it; empty where it stays on this machine, or nothing is chosen."""
    sessions: tuple[PlannedSession, ...]
    calls: Count
    input_tokens: Count
    output_tokens_most: Count
    money_most_dollars: Money
    """By the prices of the settings; 0 where these tell none."""


def plan(
    reader: Reader,
    keys: Sequence[Key],
    settings: ReaderSettings,
    *,
    again: bool = False,
    show: bool = False,
) -> ReadPlan:
    """What reading these sessions would take."""
    sessions = tuple(_session(reader, key, again=again, show=show) for key in keys)
    calls = [call for session in sessions for call in session.calls]
    sent = sum(call.input_tokens for call in calls)
    answered = sum(call.output_tokens_most for call in calls)
    prices = Prices(settings.money_in, settings.money_out)
    return ReadPlan(
        backend=settings.backend,
        sends_to=backend(settings.backend).sends_to(settings.choice) if settings.is_on else "",
        sessions=sessions,
        calls=len(calls),
        input_tokens=sent,
        output_tokens_most=answered,
        money_most_dollars=costs.price(Spent(sent, answered), prices),
    )


def _session(reader: Reader, key: Key, *, again: bool, show: bool) -> PlannedSession:
    tasks = [*compaction_tasks(reader, key), *tasks_of(reader, key)]
    known = reader.chunks_read(key)
    unread = [task for task in tasks if again or task.digest not in known]
    read = sum(task.digest in known for task in tasks)
    looked = sum(any(one.second for one in record.items) for record in reader.records(key))
    return PlannedSession(
        agent=key[0],
        session=key[1],
        parts=len(tasks) + looked,
        read=read + looked,
        calls=tuple(_call(task, show=show) for task in unread),
    )


def _call(task: Task, *, show: bool) -> CallRow:
    ask = task.ask()
    question = Question(
        instructions=ask.instructions, text=ask.text, answer_schema=dict(ask.schema)
    )
    return CallRow(
        digest=task.digest,
        input_tokens=costs.sent_tokens(ask),
        output_tokens_most=ask.answer_tokens,
        question=question if show else None,
    )
