"""A process that writes to a ledger until somebody stops it: `ledger_child.py LEDGER COUNT`.

Step number n of its imaginary transcript holds five events; its position is its number. It goes on
where the ledger says, prints each step that was recorded, and tries a step again that could not be.
"""

import contextlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from batches import LOG, batch, checkpoint, said
from ctxd.ledger import Ledger, LedgerRebuiltError, LedgerUnavailableError, SessionRow

EVENTS = 5
TRIES = 3


def step(number):
    events = [said(f"{number}.{part}", f"words of {number} " * 9) for part in range(EVENTS)]
    row = SessionRow(agent="a", id="s", turns=number + 1, spoken=True, body=b"x" * 2000)
    return batch(*events, checkpoint=checkpoint(number + 1), sessions=[row])


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
