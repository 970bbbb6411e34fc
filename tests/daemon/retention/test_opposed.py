"""The opposite in an item's own words is never taken for the item."""

import pytest

from ctxd.retention.after import After
from ctxd.retention.judge import judge
from ctxd.retention.values import Stated, Text

TALK = "The user asked for a payment page. The page was built and its tests pass. "


def answer(item, said):
    return judge(Stated(text=item), After.of([Text("summary", TALK + said)])).answer


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("Use Postgres, not MySQL.", "We use MySQL, not Postgres."),
        ("Use Postgres, not MySQL.", "The database is MySQL, not Postgres."),
        ("We use Postgres instead of MySQL.", "We use MySQL instead of Postgres."),
        ("Avoid em-dashes. Use commas.", "No em-dashes (use -- instead)."),
        ("Avoid em-dashes in the docs. Use commas instead.", "No em-dashes (use -- instead)."),
        ("Never store card numbers, not even in logs.", "Cards are not stored, except in logs."),
        ("Never store raw card numbers.", "Never store raw card numbers, except in debug logs."),
        ("Never commit to main.", "Committing to main is fine."),
    ],
)
def test_it_is_changed(item, said):
    assert answer(item, said) == "changed"


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("Use Postgres, not MySQL.", "Postgres is used, MySQL is not."),
        ("use tabs not spaces", "Indentation: tabs, never spaces."),
        ("We use pnpm, not npm", "Package manager is pnpm (npm is not used)."),
        ("Avoid em-dashes. Use commas.", "No em-dashes, use commas instead."),
        ("Never log request bodies.", "Request bodies are never logged."),
        ("Never store raw card numbers.", "Raw card numbers must never be stored."),
    ],
)
def test_the_same_the_other_way_round_is_kept(item, said):
    assert answer(item, said) == "kept"


@pytest.mark.parametrize("part", ["avoid ", "use a instead ", "no ", "never x "])
def test_hostile_texts_are_read_to_their_end(part):
    text = part * (100_000 // len(part))
    assert answer("Avoid dashes. Use commas instead.", text)
    assert answer(text, "No dashes.")
