"""Items and what happens to them, made by hand for tests."""

from datetime import timedelta

from ctxd.item import Evidence, Item, item_id
from session_events import NOON


def at_hour(hour):
    return None if hour is None else NOON + timedelta(hours=hour)


def item(words="use tabs", hour=0, **more):
    """An item that the user's words alone make, as said at that hour."""
    facts = {
        "agent": "a",
        "session": "s",
        "event": f"event of {words}",
        "kind": "decision",
        "text": words,
        "authority": "user",
        "probability": 0.9,
        "plain": True,
    } | more
    quote = Evidence(facts["event"], "user", facts.pop("quote", words), time=at_hour(hour))
    evidence = facts.pop("evidence", (quote,))
    return Item(id=item_id([words]), time=at_hour(hour), evidence=evidence, **facts)
