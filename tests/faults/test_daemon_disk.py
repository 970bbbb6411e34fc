"""The daemon on a full, read-only or broken disk: it goes on, says so, and recovers alone."""

import contextlib
import os
import subprocess
import time

import pytest

from batches import integrity
from ctxd.policy.daemon import LEDGER_RETRY_SECONDS
from e2e.daemon import Daemon, wait_until
from e2e.talk import AGENT, Talk

RECOVERY_SECONDS = 60
needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs the right to mount"
)


@pytest.fixture
def daemon(tmp_path):
    daemon = Daemon(tmp_path)
    yield daemon
    daemon.close()


def mount(*arguments):
    subprocess.run(["mount", *map(str, arguments)], check=True, capture_output=True)


@pytest.fixture
def small_disk(daemon):
    """The daemon's state on a disk of its own, of 2 MiB."""
    folder = daemon.places.state
    folder.mkdir(parents=True, mode=0o700)
    mount("-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", folder)
    yield folder
    daemon.close()
    subprocess.run(["umount", "-l", str(folder)], check=True)


def assert_told(daemon, talk, seconds=20):
    wait_until(lambda: daemon.words(AGENT, talk.session) == talk.ids, seconds, "all words, once")


def trouble(daemon):
    answer = daemon.ask("ping")
    return answer.message if answer and not answer.ok else ""


# F7


def fill(folder):
    with contextlib.suppress(OSError), (folder / "ballast").open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


@needs_root
def test_a_full_disk_is_said_and_left_behind_as_soon_as_there_is_room(daemon, small_disk):
    talk = Talk(daemon.home)
    talk.write(4)
    daemon.start()
    assert_told(daemon, talk)
    fill(small_disk)
    talk.write(200)
    wait_until(lambda: "disk is full" in trouble(daemon), 20, "trouble is said")
    assert "ledger.unwritable" in daemon.codes()
    size = len(daemon.log)
    before = daemon.cpu_seconds()
    time.sleep(LEDGER_RETRY_SECONDS / 2)
    assert daemon.cpu_seconds() - before < 0.5, "it rests"
    assert len(daemon.log) - size < 1000, "it says so once"
    (small_disk / "ballast").unlink()
    assert_told(daemon, talk, RECOVERY_SECONDS)
    wait_until(lambda: not daemon.codes(), 20, "no warning any more")
    assert {path.name for path in small_disk.iterdir()} <= {
        "daemon.lock",
        "daemon.json",
        "ledger.sqlite3",
        "ledger.sqlite3-wal",
        "ledger.sqlite3-shm",
        "ledger.sqlite3.lock",
    }
    daemon.stop()
    assert integrity(daemon.ledger) == "ok"


@needs_root
def test_trouble_that_is_over_is_no_warning_even_when_nothing_more_happens(daemon, small_disk):
    daemon.start()
    fill(small_disk)
    daemon.ask("pause")
    wait_until(lambda: trouble(daemon), 30, "trouble is said")
    (small_disk / "ballast").unlink()
    wait_until(lambda: not trouble(daemon), 30, "and is over")


@needs_root
def test_a_full_disk_at_the_start_is_said_in_one_sentence(daemon, small_disk):
    fill(small_disk)
    done = daemon.ctxd("run")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "hint: " in done.stderr
    assert "no space left" in done.stderr.lower() or "disk is full" in done.stderr
    assert "output" not in done.stderr


# F8


@needs_root
@pytest.mark.parametrize("which", ["state", "log", "runtime"])
def test_a_folder_that_cannot_be_written_is_said_in_one_sentence(daemon, which):
    folder = getattr(daemon.places, which)
    folder.mkdir(parents=True, mode=0o700)
    mount("-t", "tmpfs", "-o", "ro,mode=700", "tmpfs", folder)
    try:
        done = daemon.ctxd("run")
    finally:
        subprocess.run(["umount", str(folder)], check=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot use ")
    assert "hint: " in done.stderr


@needs_root
def test_a_config_that_cannot_be_written_is_nothing_to_speak_of(daemon):
    daemon.settings("")
    mount("--bind", daemon.places.config, daemon.places.config)
    mount("-o", "remount,ro,bind", daemon.places.config)
    try:
        daemon.start()
        assert daemon.codes() == set()
        daemon.stop()
    finally:
        subprocess.run(["umount", str(daemon.places.config)], check=True)


# F9


def overwrite_the_middle(path):
    with path.open("r+b") as file:
        for page in range(1, path.stat().st_size // 4096):
            file.seek(page * 4096)
            file.write(os.urandom(1024))


def cut_it_short(path):
    os.truncate(path, path.stat().st_size // 2)


def fill_it_with_nonsense(path):
    path.write_bytes(b"nonsense" * 4096)


def delete_it(path):
    path.unlink()


def delete_the_folder(path):
    for name in path.parent.iterdir():
        if name.is_file():
            name.unlink()
    path.parent.rmdir()


@pytest.mark.parametrize(
    "harm",
    [overwrite_the_middle, cut_it_short, fill_it_with_nonsense, delete_it, delete_the_folder],
)
def test_a_ledger_that_is_harmed_while_in_use_is_begun_anew_and_knows_everything(daemon, harm):
    talks = [Talk(daemon.home, str(number)) for number in range(3)]
    for talk in talks:
        talk.write(100)
    daemon.start()
    for talk in talks:
        assert_told(daemon, talk)
    daemon.stop()  # everything stands in the one file now, and nothing in memory
    daemon.start()
    harm(daemon.ledger)
    for talk in talks:
        talk.write(2)
    for talk in talks:
        wait_until(lambda talk=talk: words_or_none(daemon, talk) == talk.ids, 30, "told again")
    for talk in talks:
        assert daemon.session(talk.session).turns == talk.told / 2, "counted once"
    assert "ledger.rebuilt" in daemon.codes()
    daemon.stop()
    assert integrity(daemon.ledger) == "ok"


def words_or_none(daemon, talk):
    """None while there is no sound ledger."""
    try:
        return daemon.words(AGENT, talk.session)
    except Exception:  # noqa: BLE001 - whatever a broken file leads to
        return None


def test_a_pause_outlives_a_ledger_that_is_begun_anew(daemon):
    talk = Talk(daemon.home)
    talk.write(2)
    daemon.start()
    assert_told(daemon, talk)
    daemon.ask("pause")
    daemon.ledger.unlink()
    daemon.ask("flush")
    daemon.ask("pause")  # one of the two finds out, and is not answered
    wait_until(lambda: daemon.ledger.exists() and "ledger.rebuilt" in daemon.codes(), 20, "anew")
    talk.write(2)
    time.sleep(1)
    assert daemon.status().daemon.state == "paused"
    assert daemon.words(AGENT, talk.session) == []
    daemon.ask("resume")
    assert_told(daemon, talk)


@pytest.mark.parametrize("harm", [cut_it_short, fill_it_with_nonsense])
def test_a_status_without_a_sound_ledger_says_what_is_wrong_and_not_that_nothing_ran(daemon, harm):
    Talk(daemon.home).write(100)
    daemon.start()
    daemon.flush()
    daemon.stop()
    harm(daemon.ledger)
    done = daemon.ctxd("status")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "ledger" in done.stderr
    daemon.start()
    assert "ledger.rebuilt" in daemon.codes()
