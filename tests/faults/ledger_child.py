"""A process that writes to a ledger until somebody stops it: `ledger_child.py LEDGER COUNT`.

Step number n of its imaginary transcript holds five events, two of them an exchange that waits to
be judged; its position is its number. It goes on where the ledger says, prints each step that was
recorded, judges what waits, and tries again what could not be done.
"""

import contextlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from batches import LOG, batch, checkpoint, said
from ctxd.exchange import Exchange
from ctxd.item_log import superseded
from ctxd.ledger import (
    Judgement,
    Ledger,
    LedgerRebuiltError,
    LedgerUnavailableError,
    Pending,
    SessionRow,
)
from made_items import item

EVENTS = 5
TRIES = 3


def step(number):
    events = [said(f"{number}.{part}", f"words of {number} " * 9) for part in range(EVENTS)]
    row = SessionRow(agent="a", id="s", turns=number + 1, spoken=True, body=b"x" * 2000)
    waiting = Pending("a", "s", Exchange(answer=(f"{number}.0", f"{number}.1")))
    return batch(*events, checkpoint=checkpoint(number + 1), sessions=[row], pending=[waiting])


def judge(ledger):
    """Understand an item from each exchange that waits; it supersedes the one before."""
    for waiting in ledger.pending():
        number = int(waiting.key[2].partition(".")[0])
        new, old = rule(number), rule(number - 1)
        events = [superseded(old.id, new)] if number else []
        ledger.settle([Judgement(key=waiting.key, repository="/r", items=[new], events=events)])


def rule(number):
    return item(f"rule {number}", number, event=f"{number}.0")


def opened(path):
    for _ in range(TRIES - 1):
        with contextlib.suppress(LedgerUnavailableError):
            return Ledger.open(path)
    return Ledger.open(path)


def position(ledger):
    point = ledger.checkpoint(LOG)
    return point.offset if point else 0


def say(word):
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main(path, count):
    with opened(path) as ledger:
        failed = 0
        while failed < TRIES:
            try:
                judge(ledger)
                number = position(ledger)
                if number == count:
                    break
                ledger.unseen(step(number).events)
                ledger.record(step(number))
            except (LedgerUnavailableError, LedgerRebuiltError):
                failed += 1
            else:
                say(number + 1)
        else:
            sys.exit("error: gave up")
    say("done")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
