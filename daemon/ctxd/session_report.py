"""The answer of `ctxd sessions`: a session as it is published, one object a line.

`SessionRow` is the published form `ctxd.session/1` (docs/json.md, schemas/session-1.schema.json).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ctxd.repositories import is_remote, repository_of
from ctxd.session_overview import Overview, State
from ctxd.short_ids import short_ids
from ctxd.terminal import path_text

Count = Annotated[int, Meta(ge=0)]


class SessionRow(msgspec.Struct, frozen=True):
    """One session of an agent, as its logs tell it."""

    schema: Literal["ctxd.session/1"]
    agent: str
    session: str
    short_id: str
    title: str | None
    titled_by: Literal["user", "agent", "first_message"] | None
    repository: str | None
    worktree: str | None
    cwd: str | None
    remote: bool
    hosted_repository: str | None
    branch: str | None
    started: datetime | None
    last_activity: datetime
    state: State
    user_messages: Count
    compactions: Count
    client: str | None
    client_version: str | None
    model: str | None
    transcripts: tuple[str, ...]


def rows(sessions: Iterable[Overview], now: datetime) -> list[SessionRow]:
    """The published form of sessions, in their order."""
    sessions = list(sessions)
    short = short_ids(session.id for session in sessions)
    places: dict[str, tuple[str | None, str | None]] = {}
    result = []
    for session in sessions:
        cwd = session.cwd or ""
        if cwd not in places:
            places[cwd] = _place(cwd)
        result.append(_row(session, short[session.id], places[cwd], now))
    return result


def _row(
    session: Overview, short_id: str, place: tuple[str | None, str | None], now: datetime
) -> SessionRow:
    title = session.title or session.first_words
    by_first: Literal["first_message"] | None = "first_message" if title else None
    return SessionRow(
        schema="ctxd.session/1",
        agent=session.agent,
        session=session.id,
        short_id=short_id,
        title=title,
        titled_by=session.titled_by if session.title else by_first,
        repository=place[0],
        worktree=place[1],
        cwd=path_text(session.cwd) if session.cwd else None,
        remote=bool(session.cwd) and is_remote(session.cwd or ""),
        hosted_repository=session.hosted,
        branch=session.branch,
        started=session.first,
        last_activity=session.last_activity,
        state=session.state(now),
        user_messages=len(session.messages),
        compactions=len(session.compactions),
        client=session.client,
        client_version=session.client_version,
        model=session.model,
        transcripts=tuple(map(path_text, session.transcripts)),
    )


def _place(cwd: str) -> tuple[str | None, str | None]:
    """The main checkout and the checkout that a working directory lies in."""
    found = repository_of(cwd)
    return (path_text(found.home), path_text(found.worktree)) if found else (None, None)
