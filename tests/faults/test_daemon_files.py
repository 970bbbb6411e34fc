"""Folders that come and go, too many files, too few watches, and things that are no logs."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from e2e.daemon import Daemon, wait_until
from e2e.talk import AGENT, FOLDER, Talk

POLLING_SECONDS = 15
MEGABYTE = 1024 * 1024


@pytest.fixture
def daemon(tmp_path):
    daemon = Daemon(tmp_path)
    yield daemon
    daemon.close()


def is_told(daemon, talk):
    return daemon.words(AGENT, talk.session) == talk.ids


def assert_told(daemon, *talks, seconds=10.0):
    for talk in talks:
        wait_until(lambda talk=talk: is_told(daemon, talk), seconds, "all words, once and in order")


def folder_of(daemon):
    return daemon.home / FOLDER


# F22


def test_a_folder_that_appears_vanishes_and_comes_back_is_followed_each_time(daemon):
    first, second, third = (Talk(daemon.home, name) for name in ("a", "b", "c"))
    daemon.start()
    first.write(2)
    assert_told(daemon, first)
    shutil.rmtree(daemon.home / ".claude")
    wait_until(lambda: not sum(a.transcripts for a in daemon.status().agents), 10, "gone")
    second.write(2)
    assert_told(daemon, second)
    moved = daemon.home / "moved"
    folder_of(daemon).rename(moved)
    folder_of(daemon).symlink_to(moved, target_is_directory=True)
    second.write(2)
    third.write(2)
    assert_told(daemon, second, third)
    third.write(2)
    assert_told(daemon, third)
    assert is_told(daemon, first), "what was learned stays"
    assert daemon.codes() == set()


def bound_by_modes():
    """What to put before a command so that even the superuser may not read everything; None where
    that cannot be had."""
    if os.geteuid() != 0:
        return []
    powers = "-dac_override,-dac_read_search"
    command = ["setpriv", f"--bounding-set={powers}", f"--inh-caps={powers}"]
    return command if shutil.which("setpriv") else None


needs_modes = pytest.mark.skipif(bound_by_modes() is None, reason="modes bind no superuser")


@needs_modes
def test_a_folder_that_may_not_be_entered_for_a_while_is_read_afterwards(daemon):
    talk, other = Talk(daemon.home, "one", "closed"), Talk(daemon.home, "other", "open")
    talk.write(2)
    daemon.start(before=bound_by_modes())
    assert_told(daemon, talk)
    talk.path.parent.chmod(0)
    other.write(2)
    assert_told(daemon, other)
    daemon.flush()
    assert "transcript.set_aside" in daemon.codes()
    talk.path.parent.chmod(0o700)
    talk.write(2)
    assert_told(daemon, talk)
    daemon.flush()
    assert not daemon.codes()


@needs_modes
def test_a_file_that_never_could_be_read_is_said_too_and_no_warning_after_it_is_gone(daemon):
    talk = Talk(daemon.home)
    talk.write(2)
    talk.path.chmod(0)
    daemon.start(before=bound_by_modes())
    wait_until(lambda: "transcript.set_aside" in daemon.codes(), 10, "said in the status")
    daemon.stop()
    talk.path.unlink()
    daemon.start(before=bound_by_modes())
    daemon.flush()
    assert not daemon.codes()


@needs_modes
def test_a_file_that_may_not_be_read_is_said_once_and_read_when_it_may(daemon):
    talk = Talk(daemon.home)
    talk.write(2)
    daemon.start(before=bound_by_modes())
    assert_told(daemon, talk)
    talk.path.chmod(0)
    talk.write(2)
    wait_until(lambda: "transcript.set_aside" in daemon.codes(), 10, "said in the status")
    log = len(daemon.log)
    for _ in range(5):
        talk.write(2)
        time.sleep(0.05)
    assert len(daemon.log) == log, "it is logged once"
    talk.path.chmod(0o600)
    talk.write(2)
    assert_told(daemon, talk)
    wait_until(lambda: not daemon.codes(), 10, "no warning any more")


# F23, F24


def test_what_is_no_log_in_a_folder_of_logs_is_never_opened_and_harms_nothing(daemon, tmp_path):
    talk = Talk(daemon.home)
    talk.write(2)
    folder = talk.path.parent
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(Talk(tmp_path, "secret").line("nobody may read this"))
    (folder / "link.jsonl").symlink_to(secret)
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    (folder / "loop.jsonl").symlink_to(folder / "loop.jsonl")
    (folder / "nowhere.jsonl").symlink_to("/does/not/exist")
    (folder.parent / "around").symlink_to(folder.parent, target_is_directory=True)
    os.mkfifo(folder / "fifo.jsonl")
    (folder / "folder.jsonl").mkdir()
    (folder / "empty.jsonl").touch()
    (folder / "noise.jsonl").write_bytes(os.urandom(4096))
    daemon.start()
    assert_told(daemon, talk)
    for name in ("late.jsonl", "later.jsonl"):
        os.mkfifo(folder / name)
    (folder / "late-link.jsonl").symlink_to(secret)
    talk.write(2)
    assert_told(daemon, talk)
    assert daemon.session_keys() == {(AGENT, talk.session)}
    assert daemon.codes() == set()


NAMES = [
    "-rf",
    "new\nline",
    "\x1b[31mred",
    "\u202egnp.exe",
    "blank and 'quotes' \"all\"",
    os.fsdecode(b"not-\xff-text"),
    "n" * 200,
    "%s{0}$HOME",
    "[bold]",
    "*",
]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere not every byte may be in a name")
def test_any_name_of_a_folder_is_as_good_as_another(daemon):
    daemon.start()
    talks = [Talk(daemon.home, str(number), name) for number, name in enumerate(NAMES)]
    for talk in talks:
        talk.write(2)
    assert_told(daemon, *talks)
    done = daemon.ctxd("status", "--json")
    assert done.returncode == 0, done.stderr
    assert daemon.codes() == set()
    assert "Traceback" not in daemon.log


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere not every byte may be in a name")
def test_a_log_of_an_odd_name_that_fails_is_said_in_a_way_that_can_be_shown(daemon):
    talk = Talk(daemon.home, "odd", os.fsdecode(b"\xff\x1b[31m\n"))
    talk.write(2)
    daemon.start()
    assert_told(daemon, talk)
    data = talk.path.read_bytes()
    talk.path.write_bytes(b"\0" * 100 + data + b"\xff\xfe{not json}\n" + b"[" * 100_000 + b"\n")
    wait_until(lambda: any(a.note for a in daemon.status().agents), 10, "damage is said")
    done = daemon.ctxd("status")
    assert "damaged" in done.stdout
    assert "\x1b" not in done.stdout


def test_one_line_of_many_megabytes_is_taken_and_the_others_are_not_kept_waiting(daemon):
    huge, small = Talk(daemon.home, "huge"), Talk(daemon.home, "small")
    huge.write(2)
    daemon.start()
    line = huge.line("big", bulk=30 * MEGABYTE)
    with huge.path.open("ab") as file:
        file.write(line)
    huge.write(2)
    small.write(2)
    assert_told(daemon, small)
    assert_told(daemon, huge, seconds=20)
    assert daemon.resident_bytes() < 300 * MEGABYTE


# F27


def test_without_any_events_everything_is_found_by_looking(daemon):
    daemon.settings("polling = true\n")
    talk, late = Talk(daemon.home, "early"), Talk(daemon.home, "late", "-late-project")
    talk.write(2)
    daemon.start()
    status = daemon.status().daemon
    assert status.polled_folders > 0
    assert status.watched_folders == 0
    talk.write(2)
    late.write(2)
    assert_told(daemon, talk, late, seconds=POLLING_SECONDS)


# F21


def limited(setting):
    """What to put before a command to run it with fewer watches, where that is possible."""
    script = f'echo {setting[1]} > /proc/sys/user/{setting[0]} && exec "$@"'
    return ["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh"]


def can_be_limited():
    return (
        shutil.which("unshare") is not None
        and subprocess.run(
            [*limited(("max_inotify_watches", 50)), "true"], capture_output=True, check=False
        ).returncode
        == 0
    )


@pytest.mark.skipif(not can_be_limited(), reason="needs user namespaces with limits of their own")
@pytest.mark.parametrize(
    "setting",
    [
        ("max_inotify_watches", 5),
        pytest.param(("max_inotify_instances", 0), marks=pytest.mark.long),
    ],
)
def test_too_few_watches_mean_looking_more_often_and_the_status_says_so(daemon, setting):
    talks = [Talk(daemon.home, str(number), f"project-{number}") for number in range(20)]
    for talk in talks:
        talk.write(2)
    daemon.start(before=limited(setting))
    for talk in talks:
        talk.write(2)
    assert_told(daemon, *talks, seconds=POLLING_SECONDS)
    wait_until(lambda: daemon.status().daemon.polled_folders > 0, 10, "said in the status")
    assert "polled" in daemon.ctxd("status").stdout


# F20


@pytest.mark.long
def test_what_an_overflow_of_the_systems_queue_swallowed_is_found(daemon):
    talks = [Talk(daemon.home, str(number), f"project-{number}") for number in range(20)]
    for talk in talks:
        talk.write(2)
    daemon.start()
    assert_told(daemon, *talks)
    os.kill(daemon.pid, signal.SIGSTOP)
    noise = folder_of(daemon) / "project-0" / "noise"
    noise.mkdir()
    for number in range(30_000):
        (noise / f"{number}").touch()
    late = [Talk(daemon.home, str(number), f"late-{number}") for number in range(20)]
    for talk in [*talks, *late]:
        for _ in range(25):
            talk.write(2)
    os.kill(daemon.pid, signal.SIGCONT)
    assert_told(daemon, *talks, *late, seconds=60)
    for talk in late:
        talk.write(2)
    assert_told(daemon, *late)


# F19


@pytest.mark.long
def test_ten_thousand_logs_are_no_reason_to_wait(daemon):
    for number in range(10_000):
        Talk(daemon.home, str(number), f"project-{number % 1000}").write(2)
    daemon.start()
    daemon.flush(120)
    daemon.stop()
    began = time.monotonic()
    daemon.start()
    assert time.monotonic() - began < 10
    live = Talk(daemon.home, "live", "project-3")
    began = time.monotonic()
    live.write(2)
    assert_told(daemon, live)
    assert time.monotonic() - began < 2
    assert daemon.resident_bytes() < 150 * MEGABYTE


# B14


@pytest.mark.long
def test_a_line_appended_to_a_huge_log_costs_no_more_than_the_line(daemon):
    talk = Talk(daemon.home)
    talk.path.parent.mkdir(parents=True)
    with talk.path.open("wb") as file:
        for _ in range(500):
            file.write(talk.line("big", bulk=MEGABYTE))
    daemon.start()
    assert_told(daemon, talk, seconds=120)
    before, cpu = daemon.bytes_read(), daemon.cpu_seconds()
    for _ in range(5):
        talk.write(1)
        assert_told(daemon, talk)
    assert daemon.bytes_read() - before < 5 * MEGABYTE
    assert daemon.cpu_seconds() - cpu < 1


# F13 of the cases


def test_a_restart_with_a_long_history_reads_nothing_again(daemon):
    talks = [Talk(daemon.home, str(number)) for number in range(30)]
    for talk in talks:
        talk.write(100, "history " * 40)
    daemon.start()
    assert_told(daemon, *talks, seconds=30)
    daemon.stop()
    with_history = daemon.ledger.stat().st_size
    daemon.start()
    daemon.flush()
    read = daemon.bytes_read()
    assert daemon.cpu_seconds() < 3
    assert daemon.ledger.stat().st_size < with_history * 1.1
    assert read < 30 * MEGABYTE, "the interpreter's own files are most of it"
    assert_told(daemon, *talks)
