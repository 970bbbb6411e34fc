"""Whatever humans, merges and ctxd do to a context file, in any order: who wins, and what is kept.

A model that knows nothing of how plans are made holds what must be true after each step.
"""

import random
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxd.context_files.block import Block, Broken, find
from ctxd.context_files.text_file import decode
from ctxd.item import item_id
from ctxd.item_log import refined, superseded
from made_items import item
from rule_files import HOME, Worktree, remembered

WORDS = (
    "cache", "billing", "queue", "tax", "avatar", "letter", "invoice", "search", "basket", "coupon",
    "report", "session", "webhook", "export", "calendar", "address", "currency", "inventory",
)  # fmt: skip
KINDS = ("constraint", "decision", "scope", "question", "rejection", "correction")
FOREIGN = ("- my own rule about {} tests", "A note on {}.", "  - below: {}", "### {} notes", "")


class Story:
    """A worktree, and what must be true of it."""

    def __init__(self, chance):
        self.chance = chance
        self.tree = Worktree({HOME: chance.choice(STARTS)})
        self.number = 0
        self.deleted = set()
        """Items whose line a hand deleted, and nobody put back."""
        self.wordings = {}
        """A human's wording of items, by id: what must stand in the file as it is."""
        self.moved = {}
        """Lines that were moved out of the block, by item."""
        self.humans = set()
        """Wordings that humans have given lines."""
        self.versions = []

    # What stands there

    @property
    def lines(self):
        return list(decode(self.tree.files.get(HOME, b"")).lines)

    @lines.setter
    def lines(self, lines):
        self.tree.text = "".join(lines)

    @property
    def block(self):
        found = find(self.lines)
        return found if isinstance(found, Block) else None

    def own(self):
        """The entries of known items, by id."""
        known = self.tree.states
        entries = self.block.entries if self.block else ()
        return {e.line.id: e for e in entries if e.line and e.line.id in known}

    def worded(self):
        """The wordings of humans that stand in the block, each with its item."""
        known = self.tree.states
        entries = self.block.entries if self.block else ()
        lines = [e.line for e in entries if e.line and e.line.id in known]
        return {line.text: line.id for line in lines if line.text in self.humans}

    def outside(self):
        lines, block = self.lines, self.block
        return lines if block is None else lines[: block.start] + lines[block.end + 1 :]

    def foreign(self):
        """What humans have put into the block."""
        lines, block = self.lines, self.block
        if block is None:
            return []
        taken = {at for e in self.own().values() for at in range(e.first, e.last)}
        within = [lines[at] for at in range(block.start, block.end) if at not in taken]
        return [
            line for line in within if any(mark in line for mark in ("my own", "note", "below"))
        ]

    # What ctxd learns

    def say(self):
        self.number += 1
        words = f"{self.chance.choice(WORDS)} {self.number} {self.chance.choice(WORDS)} stays put"
        kind = self.chance.choice(KINDS)
        severity = self.chance.choice(("normal", "normal", "critical"))
        self.tree.say(words, kind=kind, severity=severity, hour=self.number)

    def refine(self):
        for known in self.some_active():
            self.number += 1
            words = f"{self.tree.states[known].item.text} more {self.number}"
            kind = self.tree.states[known].item.kind
            self.tree.events.append(refined(known, item(words, kind=kind, hour=self.number)))

    def supersede(self):
        for known in self.some_active():
            self.number += 1
            words = f"instead {self.chance.choice(WORDS)} {self.number} replaces it"
            kind = self.tree.states[known].item.kind
            by = self.tree.say(words, kind=kind, hour=self.number)
            self.tree.events.append(superseded(known, item(words, kind=kind, hour=self.number)))
            assert by == item_id([words])

    def reject(self):
        for known in self.some_active():
            self.tree.rule(known, "rejected")
            self.wordings.pop(known, None)

    def some_active(self):
        active = [item for item, one in self.tree.states.items() if one.status == "active"]
        return self.chance.sample(active, min(1, len(active)))

    # What humans do

    def pick(self):
        """An item whose line stands there once: of two wordings neither is promised anything."""
        own, lines = self.own(), "".join(self.lines)
        once = sorted(item for item in own if lines.count(f"[{item}]") == 1)
        return [(item, own[item]) for item in self.chance.sample(once, min(1, len(once)))]

    def reword(self):
        for known, entry in self.pick():
            self.number += 1
            text = f"{entry.line.text} reworded {self.number}"
            self.put(entry, f"- {text} [{known}]\n")
            self.word(known, text)

    def write_on_behind_the_id(self):
        for known, entry in self.pick():
            self.put(entry, f"- {entry.line.text} [{known}], except in tests\n")
            self.word(known, f"{entry.line.text}, except in tests")

    def word(self, known, text):
        self.humans.add(text)
        if self.tree.states[known].status == "active" or known in self.deleted:
            self.deleted.discard(known)
            self.wordings[known] = text

    def wrap(self):
        for _, entry in self.pick():
            lines = self.lines
            first = lines[entry.first].replace(" ", "\n  ", 2).replace("\n  ", " ", 1)
            lines[entry.first] = first
            self.lines = lines

    def delete(self):
        for known, entry in self.pick():
            self.put(entry, "")
            if sum(f"[{known}]" in line for line in self.lines) == 0:
                self.wordings.pop(known, None)
                if self.tree.states[known].status == "active" and not self.is_moved(known):
                    self.deleted.add(known)

    def move_out(self):
        for known, entry in self.pick():
            self.put(entry, "")
            keeps_id = self.chance.random() < 0.5
            tag = f" [{known}]" if keeps_id else ""
            self.moved[known] = f"- {entry.line.text}{tag}\n"
            self.lines = [self.moved[known], *self.lines]
            self.wordings.pop(known, None)

    def is_moved(self, known):
        return self.moved.get(known) in self.outside()

    def move_within(self):
        for _, entry in self.pick():
            raw = self.lines[entry.first : entry.last]
            self.put(entry, "")
            free = [at for at in self.free() if self.block.start < at <= self.block.end]
            at, lines = self.chance.choice(free), self.lines
            lines[at:at] = raw
            self.lines = lines

    def add_foreign(self):
        lines = self.lines
        if self.free():
            line = self.chance.choice(FOREIGN).format(self.chance.choice(WORDS))
            lines.insert(self.chance.choice(self.free()), line + "\n")
            self.lines = lines

    def free(self):
        """Where a line can stand without cutting an item's in two."""
        within = {at for e in self.own().values() for at in range(e.first + 1, e.last)}
        return [at for at in range(len(self.lines)) if at not in within]

    def rename_a_heading(self):
        self.lines = [line.replace("## Decided", "## Agreed") for line in self.lines]

    def put(self, entry, line):
        lines = self.lines
        lines[entry.first : entry.last] = [line] if line else []
        self.lines = lines

    # What git does

    def remember_version(self):
        self.versions.append(self.tree.files[HOME])

    def check_out(self):
        if self.versions:
            self.tree.lay(self.chance.choice(self.versions))
            self.settle()

    def double(self):
        """What a merge that keeps both sides makes of a line that one side has changed."""
        for _, entry in self.pick():
            lines = self.lines
            raw = lines[entry.first : entry.last]
            lines[entry.last : entry.last] = raw
            self.lines = lines

    def merge(self):
        """Merge a branch on which somebody without ctxd has changed a version of before."""
        self.write()
        if not self.versions or not self.block:
            return
        before, own = self.tree.files[HOME], self.own()
        base = self.chance.choice(self.versions)
        merged = git_merge(before, base, self.changed(base))
        if b"<<<<<<<" in merged:
            self.tree.lay(merged)
            assert not self.tree.plan().edits, "nothing is written into a conflict"
            merged = b"".join(
                line for line in merged.splitlines(keepends=True) if not CONFLICT(line)
            )
        self.tree.files[HOME], self.tree.bases[HOME] = merged, before
        self.settle()
        here = self.own()
        for known in own:
            if f"[{known}]".encode() not in merged and known not in here:
                self.wordings.pop(known, None)
                self.deleted |= set() if self.is_moved(known) else {known}

    def changed(self, version):
        """What somebody made of a version: a line gone, reworded, or added."""
        lines = version.splitlines(keepends=True)
        items = [at for at, line in enumerate(lines) if line.startswith(b"- ") and b" [" in line]
        for at in self.chance.sample(items, min(2, len(items))):
            self.number += 1
            text, _, tag = lines[at].decode().removeprefix("- ").rpartition(" [")
            reworded = f"{text} merged {self.number}"
            if self.chance.random() < 0.5:
                self.humans.add(reworded)
                lines[at] = f"- {reworded} [{tag}".encode()
            else:
                lines[at] = b"- my own rule of a branch\n" if self.chance.random() < 0.5 else b""
        return b"".join(lines)

    def settle(self):
        """After git has laid a version nothing is promised of what stood there before."""
        own = self.own()
        self.wordings = {
            known: text
            for known, text in self.wordings.items()
            if known in own and own[known].line.text == text
        }
        self.deleted -= own.keys()

    # What ctxd does

    def write(self):
        if not isinstance(self.block, Block) and remembered(self.tree).block:
            return
        if isinstance(find(self.lines), Broken):
            assert not self.tree.plan().edits
            return
        before, outside, foreign = self.tree.files[HOME], self.outside(), self.foreign()
        had_block, worded = self.block is not None, self.worded()
        planned = self.tree.write()
        self.check_decisions(planned)
        for text, known in worded.items():
            if self.tree.states[known].status == "active":
                assert text in self.worded(), "no wording of a human is lost"
        self.check_bytes(planned, before, outside, foreign, had_block)
        self.check_items()
        again = self.tree.plan()
        assert not again.edits, again.edits[0].diff()
        assert not again.events

    def check_decisions(self, planned):
        retracted = {event.item for event in planned.events if event.type == "retracted"}
        assert retracted <= self.deleted, "nobody deleted it"
        states = self.tree.states
        for known in self.deleted:
            assert states[known].status != "active", "a deleted line means that it holds no more"
        for known, text in self.wordings.items():
            assert states[known].text == text, "the human's wording is the item's"

    def check_bytes(self, planned, before, outside, foreign, had_block):
        if had_block and self.block:
            assert self.outside() == outside
            assert self.foreign() == foreign
        for edit in planned.edits:
            if not had_block:
                assert edit.after.startswith(before)
            elif {change.action for change in edit.changes} == {"add"}:
                check_append(before, edit.after)

    def check_items(self):
        states, own = self.tree.states, self.own()
        for known, text in self.wordings.items():
            if states[known].status == "active":
                assert own[known].line.text == text, "a human's line stays as it is"
        for known in self.deleted:
            assert known not in own, "a deleted line does not come back"
        memory = remembered(self.tree)
        for known, one in states.items():
            if one.status == "active" and self.block:
                assert memory.written.get(known), "every item was given its line once"


def git_merge(ours, base, theirs):
    """What git makes of two sides, with conflict markers where they meet."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("ours", "base", "theirs")]
        for path, data in zip(paths, (ours, base, theirs), strict=True):
            path.write_bytes(data)
        command = ["git", "merge-file", "-p", "-q", *map(str, paths)]
        return subprocess.run(command, capture_output=True, check=False).stdout


CONFLICT = re.compile(rb"<{7} |={7}$|>{7} ", re.MULTILINE).match


def check_append(before, after):
    """All lines are still there, in their order, and up to the first new one byte by byte."""
    old, new = decode(before).lines, decode(after).lines
    first = next(
        (at for at, pair in enumerate(zip(old, new, strict=False)) if len(set(pair)) > 1), len(old)
    )
    assert new[:first] == old[:first]
    rest = iter(new)
    assert all(line in rest for line in old)


STARTS = (
    b"",
    b"# Shop\n\nUse pnpm.\n",
    b"# Shop\n\nUse pnpm.",
    "# Läden\n\n- eigene Regel\n\n\n".encode(),
)
STEPS = {
    Story.say: 6,
    Story.write: 8,
    Story.refine: 1,
    Story.supersede: 1,
    Story.reject: 1,
    Story.reword: 2,
    Story.write_on_behind_the_id: 1,
    Story.wrap: 1,
    Story.delete: 2,
    Story.move_out: 1,
    Story.move_within: 1,
    Story.add_foreign: 2,
    Story.rename_a_heading: 1,
    Story.remember_version: 1,
    Story.check_out: 1,
    Story.double: 1,
    Story.merge: 2,
}
steps = st.lists(
    st.sampled_from([step for step, times in STEPS.items() for _ in range(times)]),
    min_size=4,
    max_size=30,
)


def tell(steps, seed):
    story = Story(random.Random(seed))
    story.say()
    for step in [*steps, Story.write]:
        step(story)
        if step not in QUIET:
            story.write()
    return story


QUIET = {
    Story.say,
    Story.refine,
    Story.supersede,
    Story.reject,
    Story.write,
    Story.remember_version,
}
"""After anything else ctxd looks before the next thing happens, as it does within seconds."""


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps, st.integers(0, 2**32))
def test_whatever_humans_and_merges_do_their_word_stands_and_nothing_is_lost(steps, seed):
    tell(steps, seed)


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
@settings(max_examples=2500, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps, st.integers(0, 2**32))
def test_ten_thousand_times(part, steps, seed):
    tell(steps, seed)
