"""What fault tests of context files share: an edit that is interrupted, and what always holds."""

import contextlib
import os
import signal
import sys
import warnings

from ctxd.context_files import apply as applying
from ctxd.context_files import folder, receipts, swap
from ctxd.context_files.apply import apply, recover, undo
from ctxd.context_files.receipts import Receipts
from ctxd.context_files.values import Change, Edit

OLD, NEW = b"# Rules\n\n- use tabs\n", b"# Rules\n\n- use tabs\n- no new dependency\n"
_OURS = {module.__file__ for module in (applying, folder, receipts, swap)}


class Story:
    """One way to change a file; each runs in a fresh folder."""

    path = "AGENTS.md"
    before, after = OLD, NEW

    def __init__(self, base):
        self.root = base / "notes"
        self.receipts = Receipts(base / "receipts")
        self.root.mkdir(parents=True)
        if self.before is not None:
            (self.root / self.path).write_bytes(self.before)
        self.prepare()

    def prepare(self):
        """Whatever else has to be there."""

    def run(self):
        """The change."""
        change = (Change("abcd2345", "add", "- no new dependency"),)
        edit = Edit(self.path, self.before, self.after, change)
        apply(edit, self.root, self.receipts, quiet_seconds=0.0)

    def content(self, name=None):
        """What stands in a file; None where there is none."""
        with contextlib.suppress(FileNotFoundError):
            return (self.root / (name or self.path)).read_bytes()

    def check(self):
        """After a recovery: old or new and nothing else, nothing beside it, and it goes on."""
        recover(self.receipts)
        content = self.content()
        assert content in (self.before, self.after)
        assert set(os.listdir(self.root)) <= {self.path, *self.others}
        assert self.receipts.all("begun") == []
        assert [self.content(name) for name in self.others] == [content] * len(self.others)
        if content == self.after:
            assert self.receipts.all(), "what was done can be undone"
        self.run()
        assert self.content() == self.after
        self.finish()

    others = ()

    def finish(self):
        """It can be taken back."""
        undo(self.receipts.all()[0], self.receipts)
        assert self.content() == self.before


class Replace(Story):
    """A file gets other content."""


class Make(Story):
    """A file is made."""

    before = None


class HardLink(Story):
    """A file of two names gets other content."""

    others = ("CLAUDE.md",)

    def prepare(self):
        os.link(self.root / self.path, self.root / "CLAUDE.md")


class Remove(Story):
    """A file that an edit made is removed again."""

    before, after = NEW, None

    def prepare(self):
        (self.root / self.path).unlink()
        edit = Edit(self.path, None, NEW)
        self.receipt = apply(edit, self.root, self.receipts, quiet_seconds=0.0)

    def run(self):
        undo(self.receipt, self.receipts)

    def finish(self):
        assert self.receipts.all("undone")


STORIES = (Replace, Make, HardLink, Remove)


def lines_of(story):
    """How many lines of ctxd's own a change runs through."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        if frame.f_code.co_filename not in _OURS:
            return None
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        story.run()
    finally:
        sys.settrace(None)
    return count


def killed(story, at):
    """Run a change in a process that is killed before the Nth line; return whether it was."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork beside threads: only a test
        child = os.fork()
    if child == 0:
        _run_and_die(story, at)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def _run_and_die(story, at):
    left = at

    def trace(frame, event, _):
        nonlocal left
        if frame.f_code.co_filename not in _OURS:
            return None
        left -= event == "line"
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    try:
        sys.settrace(trace)
        story.run()
    finally:
        os._exit(0)


class FaultyOs:
    """The `os` module with the Nth of its calls that reach the disk failing."""

    CALLS = frozenset(
        {"open", "read", "write", "close", "fsync", "fchmod", "fchown", "link", "unlink", "replace"}
        | {"stat", "fstat", "listdir", "makedirs", "getxattr", "setxattr", "listxattr"}
    )

    def __init__(self, fails_at, error, *, lasting=False):
        self.count = 0
        self.failed = ""
        self._at, self._error, self._lasting = fails_at, error, lasting

    def __getattr__(self, name):
        original = getattr(os, name)
        if name not in self.CALLS:
            return original

        def call(*arguments, **options):
            self.count += 1
            if self.count == self._at or (self._lasting and self.count > self._at > 0):
                if name == "close":
                    original(*arguments)  # the descriptor is gone even when close fails
                self.failed = self.failed or name
                raise OSError(self._error, os.strerror(self._error))
            return original(*arguments, **options)

        return call
