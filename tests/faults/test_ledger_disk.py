"""A disk that is full, failing or read-only costs time, never what was recorded."""

import contextlib
import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from batches import batch, ids, integrity, said
from ctxd.ledger import Ledger, LedgerUnavailableError
from ledger_faults import check, last_number, start, strace, system_calls

ERRORS = ("EIO", "ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "EACCES", "EROFS", "EINTR", "ESTALE")
LASTING = tuple(name for name in ERRORS if name != "EINTR")
"""A call that is interrupted is rightly tried again for ever."""
STRIDE = 9
"""In a long run every ninth call fails: all of them take a quarter of an hour."""
GAVE_UP = ("LedgerUnavailableError", "error: gave up")
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
class TestCallsThatFail:
    """The Nth system call on the ledger's files fails, with each error in turn."""

    def run(self, path, inject):
        path.parent.mkdir()
        child = start(path, 3, strace(path, path.parent.with_name("log"), "-e", inject))
        out, errors = child.communicate()
        return child.returncode, out.splitlines(), errors

    def finish(self, path, recorded):
        """What was recorded is there, and a healthy disk lets the rest be recorded."""
        if path.exists():
            check(path, recorded)
        child = start(path, 3)
        assert child.communicate()[0].splitlines()[-1] == "done"
        assert check(path) == 3
        shutil.rmtree(path.parent)

    @pytest.mark.parametrize("stride", [31, pytest.param(STRIDE, marks=pytest.mark.long)])
    def test_once(self, tmp_path, stride):
        path = tmp_path / "state" / "ledger.sqlite3"
        for turn, (name, number) in enumerate(system_calls(path, 3)[::stride]):
            error = ERRORS[turn % len(ERRORS)]
            code, out, errors = self.run(path, f"inject={name}:error={error}:when={number}")
            assert code == 0, f"{error} in {name} {number}: {errors}"
            assert out[-1] == "done"
            self.finish(path, 3)

    @pytest.mark.parametrize("stride", [31, pytest.param(STRIDE, marks=pytest.mark.long)])
    def test_from_then_on(self, tmp_path, stride):
        path = tmp_path / "state" / "ledger.sqlite3"
        for turn, (name, number) in enumerate(system_calls(path, 3)[::stride]):
            error = LASTING[turn % len(LASTING)]
            code, out, errors = self.run(path, f"inject={name}:error={error}:when={number}+")
            gave_up = any(word in (errors.splitlines() or [""])[-1] for word in GAVE_UP)
            assert code == 0 or gave_up, f"{error} in {name} {number}: {errors}"
            self.finish(path, last_number(out))


LIMITED = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from batches import batch, ids, said
from ctxd.ledger import Ledger, LedgerUnavailableError
with Ledger.open(Path(sys.argv[1])) as ledger:
    done = 0
    log = Path(sys.argv[1] + "-wal")
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]) + log.stat().st_size, -1))
    try:
        while True:
            ledger.record(batch(*(said(f"{done}.{n}", "text " * 40) for n in range(5))))
            done += 1
    except LedgerUnavailableError as error:
        sys.stderr.write(error.message)
    resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
    assert len(ids(ledger)) == 5 * done
    ledger.record(batch(said("last")))
    sys.stdout.write(str(done))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of a process")
@pytest.mark.parametrize("room", [0, 1, 24, 4095, 4097, 8240, 30_000, 60_001])
def test_files_that_may_not_grow_any_more_stop_one_batch_only(tmp_path, room):
    path = tmp_path / "ledger.sqlite3"
    tests = str(Path(__file__).parent.parent)
    child = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path), str(room), tests],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    )
    assert child.returncode == 0, child.stderr
    assert "cannot use the ledger" in child.stderr
    with Ledger.reader(path) as reader:
        assert len(ids(reader)) == 5 * int(child.stdout) + 1
    assert integrity(path) == "ok"


@contextlib.contextmanager
def mounted(folder, options):
    """A file system of our own; skips where that is not allowed."""
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)],
        check=False,
        capture_output=True,
    )
    if made.returncode:
        pytest.skip("may not mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.skipif(not IS_ROOT, reason="needs root to mount a small disk")
class TestFullDisk:
    def fill(self, folder):
        filler = folder / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 512)
        return filler

    def record_until_full(self, ledger, done):
        """The number of the batch that could not be recorded."""
        while True:
            try:
                ledger.record(batch(said(done, "text " * 200)))
            except LedgerUnavailableError as error:
                assert "full" in error.message  # noqa: PT017 - it ends in no other way
                return done
            done += 1

    def test_stops_the_batch_and_goes_on_when_there_is_space_again(self, tmp_path):
        with mounted(tmp_path / "small", "size=512k") as folder:
            path = folder / "state" / "ledger.sqlite3"
            with Ledger.open(path) as ledger:
                ledger.record(batch(said("first")))
                filler = self.fill(folder)
                done = 0
                for _ in range(20):
                    done = self.record_until_full(ledger, done)
                assert ids(ledger) == ["first", *map(str, range(done))]
                filler.unlink()
                assert ledger.record(batch(said(done, "text " * 200))) == 1
                assert ledger.rebuilt() is None
            assert {file.name for file in path.parent.iterdir()} == {path.name, f"{path.name}.lock"}
            assert integrity(path) == "ok"

    def test_when_it_is_opened_is_told_and_leaves_nothing_behind(self, tmp_path):
        with mounted(tmp_path / "small", "size=512k") as folder:
            filler = self.fill(folder)
            path = folder / "ledger.sqlite3"
            with pytest.raises(LedgerUnavailableError):
                Ledger.open(path)
            filler.unlink()
            with Ledger.open(path) as ledger:
                assert ledger.rebuilt() is None
                assert ledger.record(batch(said(1))) == 1


@pytest.mark.skipif(not IS_ROOT, reason="needs root to make a disk read-only")
class TestReadOnlyDisk:
    def remount(self, folder, option):
        subprocess.run(["mount", "-o", f"remount,{option}", str(folder)], check=True)

    def test_while_it_is_open_stops_the_batch_and_goes_on_later(self, tmp_path):
        with mounted(tmp_path / "disk", "size=8m") as folder:
            path = folder / "ledger.sqlite3"
            Ledger.open(path).close()
            self.remount(folder, "ro")
            with pytest.raises(LedgerUnavailableError):
                Ledger.open(path)
            self.remount(folder, "rw")
            with Ledger.open(path) as ledger:
                assert ledger.record(batch(said(1))) == 1

    def test_can_still_be_read(self, tmp_path):
        with mounted(tmp_path / "disk", "size=8m") as folder:
            path = folder / "ledger.sqlite3"
            with Ledger.open(path) as ledger:
                ledger.record(batch(said(1)))
            self.remount(folder, "ro")
            with Ledger.reader(path) as reader:
                assert ids(reader) == ["1"]

    def test_can_be_read_after_the_writer_was_killed(self, tmp_path):
        with mounted(tmp_path / "disk", "size=8m") as folder:
            path = folder / "ledger.sqlite3"
            child = start(path)
            for _ in range(5):
                child.stdout.readline()
            child.send_signal(signal.SIGKILL)
            child.communicate()
            self.remount(folder, "ro")
            check_read_only(path)


def check_read_only(path):
    """Either everything is there or it is said that it cannot be read now; never less."""
    try:
        with Ledger.reader(path) as reader:
            assert len(ids(reader)) >= 25
    except LedgerUnavailableError as error:
        assert "cannot use the ledger" in error.message  # noqa: PT017 - one of two good ends


FORBIDDEN = """
import os, sys
import filelock, hashlib, sqlite3  # what is imported when it is needed may not be there to be read
from pathlib import Path
from ctxd.ledger import Ledger, LedgerUnavailableError
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    Ledger.open(Path(sys.argv[1]))
except LedgerUnavailableError as error:
    sys.stdout.write(error.message)
with Ledger.reader(Path(sys.argv[1])) as reader:
    sys.stdout.write(f" {reader.meta('x')}")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs mode bits")
def test_a_folder_without_permission_to_write_is_told_and_can_be_read(tmp_path):
    path = tmp_path / "state" / "ledger.sqlite3"
    with Ledger.open(path) as ledger:
        ledger.set_meta("x", "there")
    Path(f"{path}.lock").unlink()
    path.chmod(0o444)
    path.parent.chmod(0o555)
    parents = [tmp_path, *tmp_path.parents]
    modes = {parent: parent.stat().st_mode for parent in parents if IS_ROOT}
    try:
        for parent in modes:
            parent.chmod(parent.stat().st_mode | 0o055)
        out = subprocess.run(
            [sys.executable, "-c", FORBIDDEN, str(path)], capture_output=True, text=True, check=True
        ).stdout
    finally:
        for parent, mode in modes.items():
            parent.chmod(mode)
        path.parent.chmod(0o755)
    assert "permission denied" in out
    assert out.endswith(" there")


def test_each_error_tried_here_is_one_of_this_system():
    assert all(hasattr(errno, name) for name in ERRORS)
