"""What context files do to caches of a prompt: `python tests/bench/context_files.py [--seed N]`.

A history of a hundred writes to one block: mostly new items, some said more precisely, some that
others take the place of, some that the user takes back. Told are how many writes only append, how
much of the block before each write is still its beginning afterwards, and what a plan costs.
Nothing is asserted; a test holds the first figure.
"""

import argparse
import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from ctxd.context_files.block import find
from ctxd.context_files.text_file import decode
from ctxd.context_files.tokens import counts
from ctxd.item_log import refined, superseded
from made_items import item
from rule_files import HOME, Worktree

KINDS = ("decision",) * 9 + ("constraint",) * 7 + ("scope",) * 2 + ("question", "correction")
DEEDS = ("call", "import", "mock", "restart", "patch", "wrap", "rename", "cache")
THINGS = ("payment", "search", "session", "invoice", "avatar", "webhook", "report", "queue")
PLACES = ("a migration", "a test", "a template", "a signal handler", "a release", "middleware")
REASONS = (
    "",
    "",
    "because ops runs it already",
    "the checksums break",
    "so that exports stay fast",
)
CHANGES = {"refine": 2, "supersede": 2, "reject": 1, "add": 95}
"""What happens before a write, in a hundred."""


class History:
    """A hundred writes of one block."""

    def __init__(self, seed, changes):
        self.chance = random.Random(seed)
        self.changes = (
            list(changes.elements())
            if hasattr(changes, "elements")
            else [name for name, times in changes.items() for _ in range(times)]
        )
        self.tree = Worktree({HOME: "# Shop\n\nUse pnpm.\n"})
        self.hour = 0
        self.appends, self.shares, self.seconds = [], [], []

    def words(self):
        deed, thing, place = map(self.chance.choice, (DEEDS, THINGS, PLACES))
        return f"Never {deed} the {thing} service {self.hour} from {place}"

    def say(self, kind=None):
        self.hour += 1
        severity = "critical" if self.chance.random() < 0.1 else "normal"
        facts = {"kind": kind or self.chance.choice(KINDS), "severity": severity}
        facts["reason"] = self.chance.choice(REASONS)
        words = self.words()
        self.tree.say(words, hour=self.hour, **facts)
        return item(words, hour=self.hour, **facts)

    def happen(self, what):
        active = [one.item for one in self.tree.states.values() if one.status == "active"]
        old = self.chance.choice(active) if active and what != "add" else None
        if old is None:
            self.say()
        elif what == "refine":
            self.hour += 1
            now = item(f"{old.text}, not even once", kind=old.kind, hour=self.hour)
            self.tree.events.append(refined(old.id, now))
        elif what == "supersede":
            self.tree.events.append(superseded(old.id, self.say(old.kind)))
        else:
            self.tree.rule(old.id, "rejected")
            self.say()

    def write(self):
        before = block_of(self.tree.files[HOME])
        begun = time.perf_counter()
        planned = self.tree.plan()
        self.seconds.append(time.perf_counter() - begun)
        if not planned.edits:
            return
        self.tree.write()
        if before:
            after = block_of(self.tree.files[HOME])
            self.shares.append(common(before, after) / len(before))
            actions = {change.action for edit in planned.edits for change in edit.changes}
            self.appends.append(actions == {"add"})

    def run(self, writes=100):
        self.chance.shuffle(self.changes)
        while len(self.appends) < writes:
            self.happen(self.changes[len(self.appends) % len(self.changes)])
            self.write()
        return self


def block_of(data):
    text = decode(data)
    found = find(text.lines)
    return "".join(text.lines[found.start : found.end]) if hasattr(found, "end") else ""


def common(one, other):
    """How many characters two texts begin with alike."""
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=1)
    seed = options.parse_args().seed
    for name, changes in (("as described", CHANGES), ("new items alone", {"add": 100})):
        history = History(seed, changes)
        history.run()
        lines = block_of(history.tree.files[HOME]).splitlines()
        appends, shares, seconds = history.appends, history.shares, history.seconds
        print(f"{name}:")
        print(f"  writes that only append          {statistics.mean(appends):.2f}")
        print(f"  beginning of the block unchanged {statistics.mean(shares):.2f} of it, mean")
        print(
            f"  plan                             {statistics.median(seconds) * 1000:.1f} ms, median"
        )
        print(f"  longest plan                     {max(seconds) * 1000:.0f} ms")
        print(f"  block at the end                 {sum(counts(lines))} tokens, {len(lines)} lines")


if __name__ == "__main__":
    main()
