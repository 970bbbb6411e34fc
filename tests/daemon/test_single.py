"""One daemon at a time, whatever happened to the last one."""

import os
import signal
import subprocess
import sys

import pytest

from ctxd.service.single import Instance, read_card

HOLD = """
import sys, time
from pathlib import Path
from ctxd.service.single import AlreadyRunningError, Instance
instance = Instance(Path(sys.argv[1]))
try:
    instance.claim(time.time())
except AlreadyRunningError:
    print("refused", flush=True)
else:
    print("claimed", flush=True)
    sys.stdin.read()
"""


def holder(state):
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(state)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_the_second_is_refused_and_told_who_the_first_is(tmp_path):
    first = Instance(tmp_path)
    first.claim(1.0)
    other = holder(tmp_path)
    assert other.communicate()[0] == "refused\n"
    assert read_card(tmp_path / "daemon.json").pid == os.getpid()
    first.release()


def test_the_lock_of_a_killed_daemon_is_taken_over(tmp_path):
    killed = holder(tmp_path)
    assert killed.stdout.readline() == "claimed\n"
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    heir = Instance(tmp_path)
    heir.claim(1.0)
    assert read_card(tmp_path / "daemon.json").pid == os.getpid()
    heir.release()


def test_a_card_whose_process_id_is_another_process_now_blocks_nobody(tmp_path):
    (tmp_path / "daemon.json").write_text('{"pid":1,"version":"x","protocol":1,"started":0.0}')
    instance = Instance(tmp_path)
    instance.claim(1.0)
    instance.release()


@pytest.mark.long
def test_of_two_started_together_exactly_one_lives_a_hundred_times(tmp_path):
    for number in range(100):
        state = tmp_path / str(number)
        state.mkdir()
        pair = [holder(state) for _ in range(2)]
        words = sorted(process.stdout.readline().strip() for process in pair)
        assert words == ["claimed", "refused"]
        for process in pair:
            process.communicate()


def test_lock_and_card_are_the_users_alone(tmp_path):
    instance = Instance(tmp_path)
    instance.claim(1.0)
    assert {oct(p.stat().st_mode & 0o777) for p in tmp_path.iterdir()} == {"0o600"}
    instance.release()
    assert not (tmp_path / "daemon.json").exists()


@pytest.mark.parametrize("junk", [b"", b"{}", b"\xff", b'{"pid":"x"}'])
def test_a_broken_card_is_no_card(tmp_path, junk):
    (tmp_path / "daemon.json").write_bytes(junk)
    assert read_card(tmp_path / "daemon.json") is None
