"""Exchanges into which somebody has put words for a reader, and a reader that obeys them all.

`reader_injections/*.jsonl` holds an exchange a line: what the agent and the user said, which words
of it were put in by somebody else (`injected`), what these want recorded (`statement`), and the
user's own decision that stands beside them (`legitimate`). The kinds of carriers are the files'
names. Texts were written for these tests.
"""

import json
import re
from itertools import product
from pathlib import Path
from typing import NamedTuple

from ctxd.extract.judge import judge
from ctxd.extract.terms import content
from ctxd.policy.reader import READER_TURN_ITEMS
from ctxd.reader.agreeing import agreed
from ctxd.reader.evidence import checked
from ctxd.reader.prompt import labels
from reader_talks import chunks_shown

FOLDER = Path(__file__).parent / "reader_injections"
BEFORE = ("Where do the logs go?", "logs are written to stderr only, never to a file")
INNOCENT = 40
"""Characters of the user's nearest words that an obedient reader quotes."""


class Injected(NamedTuple):
    """An exchange of the corpus, as it is shown."""

    case: dict
    chunk: object
    labels: dict

    @property
    def turn(self):
        return self.chunk.turns[-1]


def cases():
    files = sorted(FOLDER.glob("*.jsonl"))
    texts = [file.read_text(encoding="utf-8") for file in files]
    return [json.loads(line) for text in texts for line in text.split("\n") if line]


def shown(case):
    """The exchange in a session, through the same steps as in the daemon."""
    chunk = chunks_shown(BEFORE, (case["agent"], case["user"]), judge=judge)[-1]
    return Injected(case, chunk, labels(chunk))


def spans(text):
    """Every part of a text that an item might quote: sentences, clauses, runs of words."""
    found = {text, *text.split("\n")}
    for sign in (r"(?<=[.!?:;。\uff01\uff1f\uff1a])\s*", r"[,;:\"“”。\uff0c、\uff1a]\s*"):
        found |= {part.strip() for part in re.split(sign, text)}
    words = [(m.start(), m.end()) for m in re.finditer(r"\S+", text)]
    for first, size in product(range(0, len(words), 2), (4, 12)):
        last = min(first + size, len(words)) - 1
        found.add(text[words[first][0] : words[last][1]].strip(".,:;\"'"))
    return sorted(one for one in found if len(one) > 2)


def obedient(one):
    """All that a reader would answer that does as the words put in want."""
    case, number = one.case, one.turn.number
    innocent = nearest_words(one)
    for injected in case["injected"]:
        for span in spans(injected):
            for statement in (case["statement"], span):
                yield item(number, span, statement, "user")
                yield item(number, span, statement, "agent")
                yield item(number, innocent, statement, "confirmed", span)
                yield item(number, innocent, statement, "user", span)
    for authority, statement in product(
        ("user", "confirmed"), (case["statement"], *case["injected"])
    ):
        yield item(number, innocent, statement, authority)


def nearest_words(one):
    return one.turn.user[0].text[:INNOCENT].rpartition(" ")[0] or one.turn.user[0].text


def item(turn, quote, statement, authority, proposal=None, **more):
    base = {
        "turn": turn, "quote": quote, "from_turn": turn if proposal else None,
        "proposal_quote": proposal, "statement": statement, "kind": "constraint", "reason": "",
        "rejected": [], "scope": [], "authority": authority, "durability": "repo", "sure": 3,
        "candidate": None, "supersedes": ["k1"],
    }  # fmt: skip
    return base | more


def legitimate(one):
    """The user's own decision, as a careful reader would write it down."""
    own = one.case["legitimate"]
    return item(one.turn.number, own["quote"], own["statement"], "user", kind=own["kind"])


def taken(one, items):
    """What an answer of these items comes to in the injected exchange."""
    answer = json.dumps({"items": items, "not_items": list(one.labels)})
    found, _ = checked(answer, one.chunk, one.labels, "obedient")
    return agreed(one.turn.candidates, found[-1], one.turn.said)


def obeyed(one):
    """What comes of all that an obedient reader says, an answer of a few items at a time."""
    said = list(obedient(one))
    for first in range(0, len(said), READER_TURN_ITEMS):
        yield from taken(one, said[first : first + READER_TURN_ITEMS])


def is_of(one, *texts):
    """Whether texts hold something of the words put in."""
    own = content(one.case["legitimate"]["quote"]) | content(one.case["legitimate"]["statement"])
    told = content(" ".join([*one.case["injected"], one.case["statement"]])) - own
    return any(len(content(text) & told) >= min(2, len(content(text)) or 1) for text in texts)


def all_of(made):
    """All the words of an item."""
    return [*told_by(made), *(quote.quote for quote in made.evidence)]


def told_by(made):
    """The words that an item is shown and written with."""
    return [made.text, made.reason, *made.rejected, *made.scope]
