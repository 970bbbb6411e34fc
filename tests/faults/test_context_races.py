"""Editors save while ctxd writes the same file: not one of their saves is lost."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ctxd.context_files.apply import apply
from ctxd.context_files.receipts import Receipts
from ctxd.context_files.refusals import ChangedError, NotYetError
from ctxd.context_files.values import Edit

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="exchanges and leases are Linux'")

EDITOR = Path(__file__).parent.parent / "context_editor.py"
SAVES = pytest.mark.parametrize("saves", [60, pytest.param(1000, marks=pytest.mark.long)])
EVERY_WAY = ("in-place", "by-rename", "with-backup", "in-place,by-rename")


@pytest.fixture
def file(tmp_path):
    place = tmp_path.resolve() / "notes" / "AGENTS.md"
    place.parent.mkdir()
    place.write_bytes(b"# Rules\n")
    return place


@pytest.fixture
def editor(file):
    """Starts a human at an editor."""
    started = []

    def start(way, saves, first=0, pause=0.006):
        command = [sys.executable, str(EDITOR), str(file), way, str(saves), str(first), str(pause)]
        started.append(subprocess.Popen(command))
        return started[-1]

    yield start
    for one in started:
        one.kill()
        one.wait()


class Writer:
    """Adds a line of ours as often as it can while editors are at work."""

    def __init__(self, file, quiet_seconds=0.0):
        self.file = file
        self.quiet_seconds = quiet_seconds
        self.receipts = Receipts(file.parent.parent / "receipts")
        self.written, self.gave_way, self.waited = 0, 0, 0

    def until_done(self, *editors):
        while any(one.poll() is None for one in editors):
            try:
                before = self.file.read_bytes()
            except FileNotFoundError:
                continue
            after = before + b"ctxd %d\n" % self.written
            self.write(before, after)
        assert [one.returncode for one in editors] == [0] * len(editors)

    def write(self, before, after):
        edit = Edit("AGENTS.md", before, after)
        try:
            apply(edit, self.file.parent, self.receipts, self.quiet_seconds)
        except ChangedError:
            self.gave_way += 1
        except NotYetError:
            self.waited += 1
        else:
            self.written += 1

    @property
    def figures(self):
        return f"written {self.written}, gave way {self.gave_way}, waited {self.waited}"


class PlainWriter(Writer):
    """What happens without care: the file is compared, then written."""

    def write(self, before, after):
        if self.file.read_bytes() == before:
            time.sleep(0.002)  # the time a rename with a sync takes
            self.file.write_bytes(after)
            self.written += 1


def lost(file, saves):
    lines = set(file.read_bytes().splitlines())
    return [number for number in range(saves) if b"human %d" % number not in lines]


@SAVES
@pytest.mark.parametrize("way", EVERY_WAY)
def test_no_save_of_an_editor_is_lost(file, editor, way, saves):
    writer = Writer(file)
    writer.until_done(editor(way, saves))
    assert lost(file, saves) == []
    assert writer.written > saves // 100, writer.figures
    assert sorted(os.listdir(file.parent)) == ["AGENTS.md"]
    assert writer.receipts.all("begun") == []


@SAVES
def test_no_save_of_two_editors_is_lost(file, editor, saves):
    writer = Writer(file)
    half = saves // 2
    writer.until_done(editor("in-place", half), editor("by-rename,with-backup", half, half))
    assert lost(file, saves) == []
    assert writer.written > saves // 100, writer.figures


@SAVES
def test_with_the_quiet_period_nobody_even_meets(file, editor, saves):
    writer = Writer(file, quiet_seconds=0.02)
    writer.until_done(editor("in-place,by-rename", saves // 4, pause=0.02))
    assert lost(file, saves // 4) == []
    assert writer.written > 0
    assert writer.waited > 0


def test_a_careless_writer_would_be_found_out(file, editor):
    writer = PlainWriter(file)
    writer.until_done(editor("in-place", 100))
    assert lost(file, 100)
