"""Which dropped items a person is called for."""

import pytest

from ctxd.notify.losses import losses
from losing import dropped, keep

RULES = [
    "Don't add new dependencies.",
    "always squash before merging",
    "API responses must stay under 200 ms",
    "leave the legacy importer alone",
]
CHOICES = ["Redis with a token bucket", "use a table for the sessions"]


def told(ledger, words, level="constraints", **more):
    items = keep(ledger, words, **more)
    return [loss.text for loss in losses(dropped(items, "c1").record, ledger, level)]


@pytest.mark.parametrize("words", RULES)
def test_what_is_worded_as_a_rule_is_told_whatever_kind_it_was_taken_for(ledger, words):
    assert told(ledger, words, kind="decision") == [words]


@pytest.mark.parametrize("words", CHOICES)
def test_a_plain_choice_calls_nobody(ledger, words):
    assert told(ledger, words, kind="decision") == []


@pytest.mark.parametrize("kind", ["constraint", "scope", "rejection", "correction"])
def test_what_has_to_hold_by_its_kind_is_told_however_it_is_worded(ledger, kind):
    assert told(ledger, CHOICES[0], kind=kind) == [CHOICES[0]]


def test_a_matter_of_taste_calls_nobody_unless_it_is_critical(ledger):
    assert told(ledger, "always use single quotes") == []
    assert told(ledger, "never use double quotes in the dump", severity="critical")


def test_those_who_want_to_hear_less_do(ledger):
    assert told(ledger, RULES[0], "critical") == []
    assert told(ledger, RULES[1], "off", severity="critical") == []
