"""Interrupted at any point, or on a failing disk, an edit leaves the old or the new content."""

import errno
import os
import shutil
import stat
import sys

import pytest

from context_faults import STORIES, FaultyOs, killed, lines_of
from ctxd.context_files import folder, receipts
from ctxd.context_files.folder import Folder
from ctxd.context_files.refusals import EditError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs fork")

ERRORS = ("EIO", "ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "EACCES", "EROFS", "ESTALE")
by_name = pytest.mark.parametrize("kind", STORIES, ids=lambda kind: kind.__name__)


def fresh(kind, base):
    shutil.rmtree(base, ignore_errors=True)
    return kind(base)


@by_name
@pytest.mark.parametrize("means", ["all", "no-exchange", "no-unnamed"])
@pytest.mark.parametrize("stride", [23, pytest.param(1, marks=pytest.mark.long)])
def test_killed_before_any_line(tmp_path, monkeypatch, kind, means, stride):
    base = tmp_path.resolve() / "case"
    if means == "no-exchange":
        monkeypatch.setattr(Folder, "exchange", lambda *_: False)
    if means == "no-unnamed":
        monkeypatch.setattr(Folder, "_make_unnamed", lambda *_: False)
    fresh(kind, base).run()  # the first run of all looks the system's calls up
    total = lines_of(fresh(kind, base))
    assert total > 50
    kills = 0
    for at in range(0, total + stride, stride):
        story = fresh(kind, base)
        kills += killed(story, at)
        story.check()
    assert kills >= total // stride


@by_name
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from-then-on"])
@pytest.mark.parametrize("stride", [5, pytest.param(1, marks=pytest.mark.long)])
def test_the_nth_call_of_the_system_fails(tmp_path, monkeypatch, kind, lasting, stride):
    """Whatever the error: it is told with a hint, and no file is left half written."""
    base = tmp_path.resolve() / "case"
    total = self_count(fresh(kind, base), monkeypatch)
    assert total > 15
    for at in range(1, total + 1, stride):
        story = fresh(kind, base)
        error = getattr(errno, ERRORS[at % len(ERRORS)])
        faulty = FaultyOs(at, error, lasting=lasting)
        with monkeypatch.context() as patched:
            patched.setattr(folder, "os", faulty)
            patched.setattr(receipts, "os", faulty)
            told = attempt(story)
        assert told is None or (told.message and told.hint)
        assert faulty.failed
        story.check()


def attempt(story):
    """Why the change was not made; None when it was."""
    try:
        story.run()
    except EditError as error:
        return error
    return None


def self_count(story, monkeypatch):
    counting = FaultyOs(0, 0)
    with monkeypatch.context() as patched:
        patched.setattr(folder, "os", counting)
        patched.setattr(receipts, "os", counting)
        story.run()
    return counting.count


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_no_descriptor_is_left_open(tmp_path, monkeypatch):
    base = tmp_path.resolve() / "case"
    fresh(STORIES[0], base).run()
    before = len(os.listdir("/proc/self/fd"))
    for number in range(30):
        story = fresh(STORIES[number % len(STORIES)], base)
        with monkeypatch.context() as patched:
            patched.setattr(folder, "os", FaultyOs(number, errno.EIO))
            attempt(story)
    assert len(os.listdir("/proc/self/fd")) <= before


def test_the_modes_of_a_recovered_file_are_its_own(tmp_path):
    base = tmp_path.resolve() / "case"
    for at in range(0, lines_of(fresh(STORIES[0], base)), 11):
        story = fresh(STORIES[0], base)
        os.chmod(story.root / story.path, 0o640)
        killed(story, at)
        story.check()
        assert stat.S_IMODE(os.stat(story.root / story.path).st_mode) == 0o640
