"""Anything a log may go through, in any order, against a tiny model: the file as it is now.

The model reads the whole file in one go. The follower, however it was cut, crashed and misled, has
to end with the same notes in the same order: those it was given since it last said that it reads
from the start again. And it may say so only when the file was not just added to.
"""

import contextlib
import os
import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from ctxd.tail.follow import follow
from ctxd_parsers.events import UserMessage
from ctxd_parsers.framing import Framer
from ctxd_parsers.reading import is_json
from notes import Follower, Notes, note, texts, transcript

LONGEST = 400
PARSER = Notes()


def notes_of(data: bytes) -> list[str]:
    """The model: all notes of a log, read at once."""
    framer = Framer(limit=LONGEST)
    records = [*framer.feed(data)]
    last = [r for r in framer.tail() if r.data.lstrip(b"\0").startswith(b"{")]
    records += [record for record in last if is_json(record.data)]
    events = PARSER.parse(records, PARSER.begin(Path("log.jsonl"), {}))
    return [event.text for event in events if isinstance(event, UserMessage)]


def some_notes(count: int, words: int = 1) -> bytes:
    return b"".join(note(f"{os.urandom(4).hex()} " * words) for _ in range(count))


class LogMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "log.jsonl"
        self.path.touch()
        self.follower = Follower(transcript(self.path), longest=LONGEST)
        self.given: list[str] = []
        self.ends: list[int] = []
        """Where whole last lines without a newline were taken: what follows is a line of its own,
        which it is not for the model."""
        self.disturbed = False
        self.unfinished = b""
        self.old_names = 0
        self.least = 0

    def teardown(self):
        self.folder.cleanup()

    @initialize(long=st.booleans())
    def begin(self, long):
        """Half of the logs begin with more than the bytes that an identity covers, so that all of
        their later fates leave these as they are."""
        if long:
            self.append(some_notes(30))
            self.least = self.path.stat().st_size

    @property
    def data(self) -> bytes:
        return self.path.read_bytes() if self.path.exists() else b""

    def append(self, data: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(data)

    def disturb(self) -> None:
        self.disturbed, self.unfinished = True, b""

    @rule(count=st.integers(1, 5), words=st.integers(1, 20))
    def append_lines(self, count, words):
        self.append(some_notes(count, words))
        self.unfinished = b""

    @rule(words=st.integers(50, 300))
    def append_an_over_long_line(self, words):
        self.append(some_notes(1, words))
        self.unfinished = b""

    @rule(share=st.floats(0.01, 1), words=st.sampled_from([1, 5, 100]))
    def append_part_of_a_line(self, share, words):
        line = some_notes(1, words)
        cut = max(1, min(len(line) - 1, int(len(line) * share)))
        self.append(line[:cut])
        self.unfinished = line[cut:]

    @precondition(lambda self: self.unfinished)
    @rule(pieces=st.integers(1, 3))
    def finish_the_line(self, pieces):
        step = max(1, len(self.unfinished) // pieces)
        self.append(self.unfinished[:step])
        self.unfinished = self.unfinished[step:]

    @precondition(lambda self: not self.data.endswith(b"\0"))
    @rule(nuls=st.integers(1, LONGEST - 100))
    def append_nul_bytes(self, nuls):
        """Never an over-long line of them: a cut in one cannot be told."""
        self.append(b"\0" * nuls)
        self.unfinished = b""

    @rule(share=st.floats(0, 1), more=st.integers(0, 6))
    def truncate_and_grow_again(self, share, more):
        if self.path.exists():
            os.truncate(self.path, max(int(len(self.data) * share), self.least))
            self.append(some_notes(more))
            self.disturb()

    @rule(more=st.integers(0, 3))
    def rotate(self, more):
        if self.path.exists():
            self.old_names += 1
            self.path.rename(self.path.with_suffix(f".{self.old_names}"))
            self.path.write_bytes(some_notes(more))
            self.least = 0
            self.disturb()

    @rule(kept=st.floats(0, 1), more=st.integers(0, 4), in_place=st.booleans())
    def write_anew(self, kept, more, in_place):
        """With a beginning that stays the same, by rename or in place."""
        new = self.data[: max(int(len(self.data) * kept), self.least)] + some_notes(more)
        if in_place and self.path.exists():
            with self.path.open("r+b") as file:
                file.write(new)
                file.truncate()
        else:
            temporary = self.path.with_suffix(".tmp")
            temporary.write_bytes(new)
            temporary.replace(self.path)
        self.disturb()

    @rule()
    def delete(self):
        self.path.unlink(missing_ok=True)
        self.least = 0
        self.disturb()

    @rule(budget=st.integers(1, 2000))
    def follow_a_step(self, budget):
        self.follower.budget = budget
        with contextlib.suppress(FileNotFoundError):
            self.take(self.follower.step())

    @rule(budget=st.integers(1, 2000))
    def crash_before_a_step_is_stored(self, budget):
        with contextlib.suppress(FileNotFoundError):
            follow(self.follower.transcript, self.follower.checkpoint, budget, LONGEST)

    @rule(budget=st.integers(1, 2000))
    def follow_to_the_end(self, budget):
        if not self.path.exists():
            return
        self.follower.budget = budget
        for _ in range(3):  # a last line without newline is taken when the file rests
            while self.take(self.follower.step()).more:
                pass
        data, expected = self.data, []
        for start, end in pairwise([0, *self.ends, len(data)]):
            expected += notes_of(data[start:end])
        assert self.given == expected
        self.disturbed = False

    def take(self, step):
        assert not step.again or self.disturbed
        if step.again:
            self.given, self.ends = [], []
        self.given += texts(step)
        offset = step.checkpoint.offset
        if step.events and self.data[offset - 1 : offset] == b"}":
            self.ends.append(offset)
        return step


def tell_stories(count: int) -> None:
    limits = settings(max_examples=count, stateful_step_count=20, deadline=None, database=None)
    run_state_machine_as_test(LogMachine, settings=limits)


def test_a_log_is_followed_through_anything():
    tell_stories(200)


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
def test_a_log_is_followed_through_ten_thousand_stories(part):
    tell_stories(2500)
