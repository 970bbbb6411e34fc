"""Compactions that dropped items, in a real ledger, without a session around them."""

from ctxd.ledger import Judgement
from ctxd.retention.values import Dropped, ItemVerdict, Record, Verdict
from made_items import item

REPO = "/home/dev/shop-api"


def keep(ledger, *words, repository=REPO, **more):
    """Items of these words in the ledger."""
    items = [item(text, **{"kind": "constraint"} | more) for text in words]
    for one in items:
        key = (one.agent, one.session, f"exchange of {one.text} {repository}")
        ledger.settle([Judgement(key=key, repository=repository, items=[one])])
    return items


def verdict(one, answer="lost", repository=REPO, passage="", **more):
    return ItemVerdict(
        repository=repository,
        item=one.id,
        kind=one.kind,
        severity=one.severity,
        verdict=Verdict(answer, passage),
        **more,
    )


def record(items, event="c1", session="s", **more):
    """A compaction at which each of these items was lost, but for those that have a verdict."""
    verdicts = [one if isinstance(one, ItemVerdict) else verdict(one) for one in items]
    return Record(agent="a", session=session, event=event, items=verdicts, **{"live": True} | more)


def dropped(items, *args, **more):
    """The same as whoever listens is told of it."""
    return Dropped(record=record(items, *args, **more), repository=REPO)
