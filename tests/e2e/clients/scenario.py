"""A session in which a user says in many ways what must hold, and the summary that forgets it.

Everything is made up for the tests: a service that takes orders in and exports them.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from e2e.clients.client import Client
from e2e.clients.model_server import Reply

Fate = Literal["kept", "bent", "dropped"]


class Statement(NamedTuple):
    """One thing that has to hold, how it is said, and what the summary makes of it."""

    way: str
    wanted: str
    """What must stand before the agent afterwards, as it was said."""
    act: Callable[[Client], None]
    summary: str = ""
    """The line of the summary about it; empty where it has none."""
    plain: bool = False
    """It needs nobody's review, and goes into AGENTS.md by itself."""

    @property
    def fate(self) -> Fate:
        if self.wanted in self.summary:
            return "kept"
        return "bent" if self.summary else "dropped"


def say(words: str, *replies: str | Reply) -> Callable[[Client], None]:
    return lambda client: client.say(words, *replies)


def terminal(method: str, *arguments: object) -> Callable[[Client], None]:
    """What only somebody at a terminal can do."""
    return lambda client: getattr(client, method)(*arguments)


NOTES = (
    "I had a look at how the importer behaves with the files from the partner in Lyon and I "
    "want to write down what I saw before I forget it, so bear with me. The first thing is that "
    "the reader opens the archive, goes through every file in it and keeps all rows in a list "
    "until the last one is read, which is fine for the small ones and takes ages for the big "
    "one from Monday.\n\n"
    "Then there is the matter of the column names. They changed them again last month, the "
    "article number is called sku now and the price has a currency beside it, and our mapping "
    "still looks for the old names and falls back to the position, which worked by luck because "
    "they only renamed and did not move anything. I think the mapping table in the settings is "
    "the right place for it and the code can stay as it is.\n\n"
    "The third thing I noticed is the log. It is full of lines about rows that were skipped "
    "because the sum was zero, I counted 40,000 of them for one file, and somewhere between "
    "them is the one line that matters, which says that the second half of the archive could "
    "not be opened. So whoever looks at it in the morning sees that something was skipped and "
    "thinks all is well.\n\n"
    "Also the report at the end. It says how many rows were read and how long it took, and what "
    "people ask me for is which articles are new and which prices moved by more than a tenth. "
    "Marta does that by hand in a sheet every week, and the numbers are all there when the "
    "import is done, we only throw them away. That would be a nice thing to have but it is not "
    "for this week.\n\n"
)
LOG = "\n".join(
    f"2026-11-03 02:0{number // 60}:{number % 60:02} INFO importer row {number}: skipped, sum 0.00"
    for number in range(90)
)
"""Longer than what the Copilot CLI keeps of a message when it compacts."""

TYPED = (
    Statement(
        "typed, as an order",
        "Never log request bodies, not even at debug level.",
        say("Never log request bodies, not even at debug level.", "Understood."),
        plain=True,
    ),
    Statement(
        "a number",
        "The warehouse client must time out after 3 seconds.",
        say(
            "The warehouse client must time out after 3 seconds.",
            "I set the timeout in warehouse.py.",
        ),
        "- The warehouse client must time out after 30 seconds.",
    ),
    Statement(
        "a hedged question",
        "keep the public routes under /v1",
        say(
            "Could we keep the public routes under /v1, please? The mobile app breaks otherwise.",
            "Yes, I keep the public routes under /v1.",
        ),
    ),
    Statement(
        "yes to a proposal",
        "retry failed webhooks three times",
        lambda client: (
            client.say(
                "What do we do with webhooks that fail?",
                "I would retry failed webhooks three times with a pause of 30 seconds, and then "
                "park them in the dead letter table. Shall I do it like this?",
            ),
            client.say("Yes, do it like that.", "Done: three retries, then the table."),
        ),
        "- Failed webhooks are retried five times.",
    ),
    Statement(
        "in another language",
        "Nimm keine neuen Abhängigkeiten auf, ohne vorher zu fragen.",
        say("Nimm keine neuen Abhängigkeiten auf, ohne vorher zu fragen.", "Verstanden."),
        plain=True,
    ),
    Statement(
        "the other way round",
        "Don't cache prices, always read them from the database.",
        say(
            "Don't cache prices, always read them from the database.",
            "Prices are read from the database each time.",
        ),
        "- Prices are cached.",
    ),
    Statement(
        "at the end of a long message",
        "the importer must not open more than 4 connections to the warehouse",
        say(
            f"{NOTES}This is what the log looks like:\n\n```\n{LOG}\n```\n\n"
            "One more thing: the importer must not open more than 4 connections to the warehouse.",
            "I have read the notes.",
        ),
    ),
    Statement(
        "kept",
        "All timestamps in the API are UTC.",
        say("All timestamps in the API are UTC.", "The API writes UTC."),
        "- All timestamps in the API are UTC.",
    ),
)

DIALOGS = (
    Statement(
        "a refusal with words",
        "never delete build/, it holds the signed artifacts",
        terminal(
            "refuse",
            "Tidy the repository up.",
            "never delete build/, it holds the signed artifacts",
        ),
        plain=True,
    ),
    Statement(
        "an answer in a dialog",
        "read only from the replica",
        terminal(
            "answer",
            "Ask me where the reports come from.",
            "Where should the reports read their orders?",
            ("The primary database", "The warehouse"),
            "read only from the replica",
        ),
        plain=True,
    ),
    Statement(
        "an option in a dialog",
        "Keep the old importer until March",
        terminal(
            "answer",
            "Ask me about the old importer.",
            "What becomes of the old importer?",
            ("Keep the old importer until March", "Remove the old importer now"),
            "Keep the old importer until March",
        ),
        "- The old importer is removed now.",
        plain=True,
    ),
    Statement(
        "said while the agent works",
        "pages must never hold more than 100 rows",
        terminal(
            "queue",
            "Look into the flaky test of the order list.",
            "also: pages must never hold more than 100 rows",
        ),
        "- Pages hold up to 1000 rows.",
        plain=True,
    ),
)

PLAN = Statement(
    "feedback on a plan",
    "exports go through the queue, never inline",
    terminal(
        "plan",
        "Plan the export of orders.",
        "# Export\n\n1. Write export.py\n2. Send exports inline, in the request\n",
        "no, exports go through the queue, never inline",
    ),
    "- Exports are sent inline.",
    plain=True,
)


def summary_of(statements: Sequence[Statement]) -> str:
    """What the model makes of the session."""
    lines = [said.summary for said in statements if said.summary]
    return "\n".join(
        [
            "The user works on the order service: import, export and the list of orders.",
            "What was done: warehouse.py, the webhooks and the notes on the importer.",
            *lines,
            "Next: go on with the importer.",
        ]
    )
