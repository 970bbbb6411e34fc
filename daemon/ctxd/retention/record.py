"""One compaction's record: what became of each item that was in the window before it.

An item is in the window when its words are, or when an earlier compaction left it stated in a
summary that is. What was lost and not given back is not in the window any more: it is not judged
again, and nobody is told of it twice. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

import msgspec

from ctxd.item_log import ItemEvent, ItemState, state
from ctxd.ledger.boundary_values import LastAnswer
from ctxd.policy.boundaries import REQUEST_CHARS, REQUEST_WORDS
from ctxd.retention.judge import After, judge
from ctxd.retention.values import (
    DROPPED,
    Answer,
    Happened,
    InWindow,
    ItemVerdict,
    Record,
    Stated,
    Verdict,
)

Names = tuple[str, str]
"""Repository and id of an item."""

MESSAGE_STAYS = "its message stays word for word"
"""Why an item is kept without a look at any text."""

_STANDS: frozenset[Answer] = frozenset({"kept", "reloaded", "unknown"})
"""Answers after which an item is in the window with the summary, or may be."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What stands after a compaction."""

    words: After
    """The summary, and what stays word for word."""
    files: After
    """Context files that are before the agent again, or still."""
    humans: After
    """What humans wrote in the context files before it."""
    summary: str = ""
    kept: frozenset[str] = frozenset()
    """Ids of the events that stay word for word."""
    paths: Sequence[str] = ()
    """Of the context files."""


def is_in_window(said: Iterable[str], last: LastAnswer | None, window: Collection[str]) -> bool:
    """Whether an item was in a window, given the events that bind it and what the last compaction
    that judged it came to."""
    if any(name in window for name in said):
        return True
    if last is None or last.event not in window:
        return False
    return last.answer in _STANDS or last.given is not None


def as_of(now: ItemState, events: Sequence[ItemEvent], time: datetime | None) -> ItemState | None:
    """An item as it stood at a moment; None when it did not hold then, or is not to be spoken of
    since: the user turned it down, or took back its words."""
    if now.status in ("rejected", "withdrawn") or _is_turned_down(events):
        return None
    if time is None or all(event.time is None or event.time <= time for event in events):
        return now if now.status == "active" else None
    before = [event for event in events if event.time is None or event.time <= time]
    then = state(before).get(now.item.id)
    return then if then is not None and then.status == "active" else None


def is_judged(item: ItemState) -> bool:
    """Whether it matters beyond the exchange that it was said in."""
    return item.item.durability != "moment"


def record(happened: Happened, items: Sequence[InWindow], after: Standing) -> Record:
    """What became of the items, of the files that were worked on, and of the last request."""
    boundary = happened.boundary
    return Record(
        agent=happened.agent,
        session=happened.session,
        event=boundary.event,
        time=boundary.time,
        live=happened.live,
        trigger=boundary.trigger,
        cause=boundary.cause,
        tokens_before=boundary.tokens_before,
        tokens_after=boundary.tokens_after,
        storm=boundary.storm,
        readable=happened.readable,
        items=[_item_verdict(happened, one, after) for one in items],
        files_unnamed=unnamed(happened.files, after.summary) if happened.readable else (),
        request_missing=_missing(happened, items, after),
        files=after.paths,
        nested_gone=[path for path in happened.nested if path not in after.paths],
    )


def unnamed(files: Iterable[str], summary: str) -> list[str]:
    """Those of the files that a summary names neither by their path nor by their name."""
    named = set(_NAME.findall(summary))
    named |= {name.rstrip(".") for name in named}
    tails = {part for name in named for part in (name, name.rsplit("/", 1)[-1])}
    return [path for path in files if not _is_named(path, tails)]


_NAME = re.compile(r"[\w.@+/-]+")


def _is_named(path: str, names: Collection[str]) -> bool:
    clean = path.replace("\\", "/").rstrip("/")
    return clean in names or clean.rsplit("/", 1)[-1] in names


def _item_verdict(happened: Happened, one: InWindow, after: Standing) -> ItemVerdict:
    item = one.state.item
    verdict = _verdict(one.state, happened.readable, after)
    is_dropped = verdict.answer in DROPPED
    return ItemVerdict(
        repository=one.repository,
        item=item.id,
        kind=item.kind,
        severity=item.severity,
        verdict=verdict,
        said=item.time,
        on_disk_before=is_dropped and judge(stated(one.state), after.humans).answer == "kept",
        owed=happened.live and is_dropped and item.authority != "agent",
    )


def _verdict(known: ItemState, readable: bool, after: Standing) -> Verdict:  # noqa: FBT001 - one fact
    evidence = known.item.evidence
    if evidence and all(one.event in after.kept for one in evidence):
        return Verdict("kept", evidence[0].quote, "kept", evidence[0].event, MESSAGE_STAYS)
    item = stated(known)
    found = judge(item, after.words)
    if found.answer == "kept":
        return found
    on_file = judge(item, after.files)
    if on_file.answer == "kept":
        return msgspec.structs.replace(on_file, answer="reloaded")
    if not readable:
        return Verdict("unknown", why="the summary cannot be read")
    return found


def stated(known: ItemState) -> Stated:
    """What is looked for of an item. The quotes of a user's own word are said again; of a proposal
    that was agreed to the line says more than the yes."""
    item = known.item
    quotes = [one.quote for one in item.evidence if one.speaker == "user"]
    is_own = item.authority == "user" and not known.edited
    return Stated(
        text=known.text,
        quotes=tuple(quote for quote in quotes if quote != known.text) if is_own else (),
        kind=item.kind,
        rejected=item.rejected,
    )


def _missing(happened: Happened, items: Iterable[InWindow], after: Standing) -> str:
    """The last request before it, when nothing afterwards states it; one that is made of items is
    told of by theirs."""
    rest = happened.request
    for quote in (part.quote for one in items for part in one.state.item.evidence if part.quote):
        rest = rest.replace(quote, " ")
    if len(rest.split()) < REQUEST_WORDS or not happened.readable:
        return ""
    request = Stated(text=happened.request[:REQUEST_CHARS], kind="intent")
    return request.text if judge(request, after.words).answer == "lost" else ""


def _is_turned_down(events: Iterable[ItemEvent]) -> bool:
    verdicts = [event for event in events if event.by == "user"]
    return bool(verdicts) and verdicts[-1].type in ("rejected", "retracted")
