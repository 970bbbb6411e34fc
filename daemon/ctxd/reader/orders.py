"""What the user asks the daemon to have read: sessions that are named, or those of a repository."""

from __future__ import annotations

from collections.abc import Iterator

from ctxd.ledger import Ledger
from ctxd.ledger.values import Key
from ctxd.policy.reader import (
    READER_ASKED_SESSIONS,
    READER_CALL_TURNS,
    READER_JUDGED_ITEMS,
)
from ctxd.reader.running import Running
from ctxd.repositories import repository_key
from ctxd.service.asking import Answer, Request


def ask_for(ledger: Ledger, running: Running, request: Request) -> Answer:
    """Queue what a request names, agent and id of each session in turn, else those of its
    repository; say how many there are, and how many calls that is at most."""
    keys = _named(request) or list(_of_repository(ledger, request.repository or ""))
    wanted = [key for key in keys if running.want(key, "asked")]
    if not wanted:
        return Answer(
            ok=False,
            message="there is nothing to read",
            hint="`ctxd sessions` lists those that somebody spoke in",
        )
    calls = sum(most_calls(ledger, key) for key in wanted)
    told = f"{_count(len(wanted), 'session')} queued, at most {_count(calls, 'call')}"
    rest = running.rest
    return Answer(ok=True, message=f"{told}; waits: {rest.message}" if rest else told)


def most_calls(ledger: Ledger, key: Key) -> int:
    """The most calls that reading a session takes: two for each part of it and of what its
    compactions left, as long as no item takes more than its share of a call."""
    session = ledger.session(*key)
    parts = -(-session.user_messages // READER_CALL_TURNS) if session else 0
    for record in ledger.records(key):
        unread = sum(one.second is None for one in record.items)
        parts += -(-unread // READER_JUDGED_ITEMS)
    return 2 * parts


def _named(request: Request) -> list[Key]:
    words = request.arguments
    return list(zip(words[::2], words[1::2], strict=False))


def _of_repository(ledger: Ledger, repository: str) -> Iterator[Key]:
    """The newest sessions of a repository that somebody spoke in."""
    found = 0
    for row in ledger.sessions():
        if found < READER_ASKED_SESSIONS and repository_key(row.cwd, row.repository) == repository:
            found += 1
            yield row.agent, row.id


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
