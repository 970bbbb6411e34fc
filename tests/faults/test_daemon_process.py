"""The daemon as a process: killed, stopped, paused by the system, started twice, told to reload."""

import json
import os
import random
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

from batches import integrity
from ctxd.policy.daemon import STOP_SECONDS
from e2e.daemon import Daemon, wait_until
from e2e.talk import AGENT, Talk

MEGABYTE = 1024 * 1024


@pytest.fixture
def daemon(tmp_path):
    daemon = Daemon(tmp_path)
    yield daemon
    daemon.close()


def is_told(daemon, talk):
    return daemon.words(AGENT, talk.session) == talk.ids


def assert_told(daemon, talk, seconds=20):
    wait_until(lambda: is_told(daemon, talk), seconds, "all words, once and in order")


class Writer(threading.Thread):
    """Streams a session in torn pieces until it is told to end or has said everything."""

    def __init__(self, talk, count, seconds):
        super().__init__()
        self.talk, self.count, self.seconds = talk, count, seconds
        self.hurry = False

    def run(self):
        chance = random.Random(3)
        self.talk.path.parent.mkdir(parents=True, exist_ok=True)
        with self.talk.path.open("ab", buffering=0) as file:
            for _ in range(self.count):
                line = self.talk.line()
                cut = chance.randrange(len(line)) if chance.random() < 0.5 else 0
                for piece in (line[:cut], line[cut:]):
                    file.write(piece)
                if not self.hurry:
                    time.sleep(self.seconds / self.count)


# F1


@pytest.mark.parametrize(
    ("kills", "count"), [(6, 2000), pytest.param(200, 20_000, marks=pytest.mark.long)]
)
def test_a_killed_daemon_loses_and_doubles_nothing(daemon, kills, count):
    chance = random.Random(kills)
    talk = Talk(daemon.home)
    writer = Writer(talk, count, kills * 0.7)
    writer.start()
    for _ in range(kills):
        daemon.start(ready=False)
        time.sleep(chance.uniform(0.1, 1.0))
        daemon.kill()
    writer.hurry = True
    writer.join()
    daemon.start()
    assert_told(daemon, talk)
    assert daemon.session(talk.session).turns == count / 2
    assert daemon.stop() == 0
    assert integrity(daemon.ledger) == "ok"


# F4


def make_load(daemon):
    """More than can be read in a moment, and a session that goes on."""
    old = [Talk(daemon.home, f"old {number}") for number in range(4)]
    for talk in old:
        talk.path.parent.mkdir(parents=True, exist_ok=True)
        with talk.path.open("wb") as file:
            file.writelines(talk.line("long " * 200) for _ in range(4000))
    return old


def test_a_stop_under_load_is_clean_and_soon_and_nothing_is_lost(daemon):
    old = make_load(daemon)
    live = Talk(daemon.home, "live")
    daemon.start()
    live.write(10)
    began = time.monotonic()
    assert daemon.stop() == 0
    assert time.monotonic() - began < STOP_SECONDS
    assert daemon.status().daemon.state == "stopped"
    assert daemon.ctxd("status").returncode == 3
    assert not (daemon.places.runtime / "ctxd.sock").exists()
    daemon.start()
    for talk in (live, *old):
        assert_told(daemon, talk, 60)


def test_ctrl_c_is_a_clean_stop_too_and_a_second_one_ends_at_once(daemon):
    daemon.start()
    assert daemon.stop(signal.SIGINT) == 0
    make_load(daemon)
    daemon.start()
    daemon.process.send_signal(signal.SIGINT)
    daemon.process.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert daemon.wait() in {0, 130}
    assert time.monotonic() - began < STOP_SECONDS


def test_settings_are_taken_from_disk_again_and_bad_ones_are_not(daemon, tmp_path):
    daemon.start()
    elsewhere = tmp_path / "elsewhere"
    talk = Talk(elsewhere)
    talk.write(4)
    root = elsewhere / ".claude"
    daemon.settings(f'[roots]\nclaude-code = ["{root}"]\n')
    os.kill(daemon.pid, signal.SIGHUP)
    assert_told(daemon, talk)
    daemon.settings("[roots]\nclod-code = []\n")
    os.kill(daemon.pid, signal.SIGHUP)
    wait_until(lambda: "settings.bad" in daemon.codes(), 10, "said in the status")
    talk.write(2)
    assert_told(daemon, talk)
    daemon.settings("")
    os.kill(daemon.pid, signal.SIGHUP)
    wait_until(lambda: not daemon.codes(), 10, "good again")


def test_an_edited_file_of_settings_is_taken_up_by_itself(daemon):
    Talk(daemon.home).write(1)
    daemon.start()
    daemon.settings("what is this")
    wait_until(lambda: "settings.bad" in daemon.codes(), 20, "said in the status")
    daemon.settings("polling = true")
    wait_until(lambda: not daemon.codes(), 20, "good again")
    wait_until(lambda: daemon.status_json()["daemon"]["polled_folders"], 20, "in force")


def test_settings_that_were_bad_in_an_earlier_run_are_no_warning_now(daemon):
    daemon.start()
    daemon.settings("what is this")
    os.kill(daemon.pid, signal.SIGHUP)
    wait_until(lambda: "settings.bad" in daemon.codes(), 10, "said in the status")
    daemon.stop()
    assert daemon.ctxd("run").returncode == 78
    daemon.settings("")
    daemon.start()
    assert daemon.codes() == set()


def test_signals_in_the_middle_of_everything_block_nothing(daemon):
    talk = Talk(daemon.home)
    daemon.start()
    writer = Writer(talk, 1000, 0.5)
    writer.start()
    while writer.is_alive():
        os.kill(daemon.pid, signal.SIGHUP)
        time.sleep(0.002)
    assert_told(daemon, talk)
    assert daemon.stop() == 0


SIGNALLED = """
import signal
from types import SimpleNamespace as Fake
from ctxd.service.loop import Loop, Parts
from ctxd.service.timing import Clock
from ctxd.watch import Hints
watcher = Fake(take=Hints, mend=lambda: None, state=dict, is_outdated=lambda: False)
ledger = Fake(paused=lambda: False, failures=list, beat=lambda _: None)
inventory = Fake(scan=list, gone=list, trouble={})
pipeline = Fake(refresh=list, understanding=Fake(step=lambda: False, last_item=None))
loop = Loop(Parts(ledger, pipeline, inventory, watcher, lambda: None), Clock())
signal.signal(signal.SIGALRM, lambda *_: loop.wake())
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
for _ in range(6_000):
    loop.turn()
signal.setitimer(signal.ITIMER_REAL, 0)
print("turned")
"""


def test_a_signal_may_come_at_any_instant(daemon):
    """Also in the one in which the loop holds a lock of its own."""
    done = subprocess.run(
        [sys.executable, "-c", SIGNALLED],
        env=daemon.variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "turned\n"


# F5


@pytest.mark.parametrize("times", [2, pytest.param(50, marks=pytest.mark.long)])
def test_of_two_daemons_started_together_exactly_one_lives(daemon, times):
    for _ in range(times):
        both = [
            subprocess.Popen(
                daemon.command("run"),
                env=daemon.variables,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        wait_until(
            lambda both=both: any(one.poll() is not None for one in both), 20, "one gives up"
        )
        (alive,) = [one for one in both if one.poll() is None]
        (other,) = [one for one in both if one.poll() is not None]
        assert other.returncode == 1
        assert "already running" in other.stderr.read()
        wait_until(lambda: daemon.ask("ping"), 20, "the other one answers")
        alive.terminate()
        assert alive.wait(10) == 0
        for one in both:
            one.stderr.close()


def test_what_a_killed_daemon_left_keeps_nobody_out(daemon):
    """Its lock file, its card with a pid that another program has now, and its socket."""
    daemon.start()
    daemon.kill()
    card = daemon.places.state / "daemon.json"
    left = json.loads(card.read_text(encoding="utf-8"))
    card.write_text(json.dumps(left | {"pid": os.getpid()}), encoding="utf-8")
    assert (daemon.places.runtime / "ctxd.sock").exists()
    daemon.start()
    assert daemon.ask("ping").ok
    assert daemon.status().daemon.pid == daemon.pid


# F6 of the cases, F11


def test_a_daemon_that_stands_still_holds_no_writer_up_and_goes_on_where_it_was(daemon):
    talk = Talk(daemon.home)
    talk.write()
    daemon.start()
    os.kill(daemon.pid, signal.SIGSTOP)
    began = time.monotonic()
    for _ in range(2000):
        talk.write()
    assert time.monotonic() - began < 5
    os.kill(daemon.pid, signal.SIGCONT)
    assert_told(daemon, talk)


def test_the_manager_hears_pings_while_the_loop_turns_and_none_while_it_hangs(daemon):
    daemon.start(WATCHDOG_USEC="1000000")
    time.sleep(1.2)
    assert len([said for said in daemon.manager.take() if said == "WATCHDOG=1"]) >= 2
    os.kill(daemon.pid, signal.SIGSTOP)
    daemon.manager.take()
    time.sleep(1)
    assert daemon.manager.take() == []
    os.kill(daemon.pid, signal.SIGCONT)
    wait_until(lambda: "WATCHDOG=1" in daemon.manager.take(), 30, "pings again")
    daemon.stop()
    assert daemon.manager.said[-1] == "STOPPING=1"


def test_a_manager_that_does_not_listen_holds_nothing_up(daemon):
    talk = Talk(daemon.home)
    daemon.start(WATCHDOG_USEC="2000")
    time.sleep(1)  # more pings than the system queues for one who reads none
    talk.write(2)
    assert_told(daemon, talk)


def test_it_is_ready_when_everything_was_looked_at_once(daemon):
    for number in range(20):
        Talk(daemon.home, str(number)).write(2)
    daemon.start()
    assert sum(agent.transcripts for agent in daemon.status().agents) == 20


def test_a_time_zone_that_does_not_exist_is_no_reason_not_to_start(daemon):
    daemon.start(TZ="Mars/Olympus_Mons")
    assert daemon.ask("ping").ok


# F42, and what others can see


GUARD = """
import os, socket
whole = socket.socket.__init__
def noted(self, family=-1, *more, **named):
    whole(self, family, *more, **named)
    with open(os.environ["SOCKETS"], "a") as file:
        file.write(f"{self.family.name}\\n")
socket.socket.__init__ = noted
"""


def test_no_socket_but_a_local_one_is_ever_opened(daemon, tmp_path):
    guard = tmp_path / "guard"
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(GUARD, encoding="utf-8")
    noted = tmp_path / "sockets"
    path = f"{guard}{os.pathsep}{daemon.variables['PYTHONPATH']}"
    talk = Talk(daemon.home)
    talk.write(10)
    daemon.start(PYTHONPATH=path, SOCKETS=str(noted))
    assert_told(daemon, talk)
    daemon.ask("flush")
    own = {link for link in daemon.open_files() if link.startswith("socket:")}
    for kind in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
        with open(f"/proc/{daemon.pid}/net/{kind}", encoding="ascii") as table:
            inodes = {f"socket:[{line.split()[9]}]" for line in list(table)[1:]}
        assert not inodes & own
    daemon.stop()
    assert set(noted.read_text(encoding="utf-8").split()) == {"AF_UNIX"}


def has_network_namespaces():
    return (
        subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode == 0
    )


@pytest.mark.skipif(not has_network_namespaces(), reason="needs the right to make namespaces")
def test_it_works_on_a_machine_without_any_network(tmp_path):
    daemon = Daemon(tmp_path)
    talk = Talk(daemon.home)
    talk.write(4)
    # The manager's socket is one of the other network: nothing tells that it is ready.
    daemon.start(before=["unshare", "-n"], ready=False)
    try:
        wait_until(daemon.ledger.exists, 20, "a ledger")
        assert_told(daemon, talk)
        assert daemon.ask("ping").ok
    finally:
        daemon.close()


def test_everything_that_is_made_is_the_users_alone(daemon):
    Talk(daemon.home).write(4)
    os.umask(old := os.umask(0))
    os.umask(0)
    try:
        daemon.start()
        daemon.flush()
        daemon.ctxd("status")
    finally:
        os.umask(old)
    found = [daemon.own, *daemon.own.rglob("*")]
    assert len(found) > 8
    for path in found:
        assert stat.S_IMODE(path.lstat().st_mode) & 0o077 == 0, path


# G1, G2


def secrets():
    """Of many kinds, each as its service would hand it out, and all made up."""
    letters = "Qw3rTy8uIoPa5sDfGh7jKlZx2cVbNm9eRtYu4iOp6AsDfGh1JkLzXcVbNm"
    digits = "4839201756"
    return [
        f"sk-ant-api03-{letters}-{letters[:30]}AA",
        f"sk-proj-{letters}T3BlbkFJ{letters[:20]}",
        f"ghp_{letters[:36]}",
        f"gho_{letters[2:38]}",
        f"github_pat_11{letters[:20].upper()}_{letters}",
        f"glpat-{letters[:20]}",
        f"xoxb-{digits}-{digits}-{letters[:24]}",
        f"xapp-1-A{digits}-{digits}-{letters[:40].lower()}",
        f"AKIA{letters[:16].upper()}",
        f"AIzaSy{letters[:33]}",
        f"npm_{letters[:36]}",
        f"pypi-AgEIcHlwaS5vcmc{letters}",
        f"hf_{letters[:34]}",
        f"sk_live_{letters[:24]}",
        f"https://deploy:{letters[:18]}@git.io/a",
        f"postgres://app:{letters[3:21]}@db.io/app",
        f"Authorization: Bearer {letters[:40]}",
        f"DB_PASSWORD={letters[5:25]}",
        f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI{letters[:20]}.{letters[:43]}",
        f"AGE-SECRET-KEY-1{letters.upper()[:58].replace('O', 'Q').replace('I', 'L')}",
        f"-----BEGIN OPENSSH PRIVATE KEY-----\n{letters}\n-----END OPENSSH PRIVATE KEY-----",
    ]


def core(secret):
    """The part of it that gives something away: the longest between what separates."""
    return max(re.split(r"[\s@:=]+", secret), key=len)


def test_secrets_in_what_the_user_says_are_nowhere_in_what_is_kept(daemon):
    talk = Talk(daemon.home)
    daemon.start()
    for secret in secrets():
        talk.write(2, f"please use this one: {secret} and tell nobody")
    assert_told(daemon, talk)
    daemon.ctxd("status")
    daemon.stop()
    files = [path for path in daemon.own.rglob("*") if path.is_file()]
    kept = b"".join(path.read_bytes() for path in files)
    assert b"tell nobody" in kept
    assert [s for s in secrets() if core(s).encode() in kept] == []
    assert "Traceback" not in daemon.output


DEFECT = """
from ctxd_parsers.claude_code import ClaudeCode
whole = ClaudeCode.parse
def parse(self, records, state):
    records = list(records)
    if any(b"stumble" in record.data for record in records):
        raise ValueError("stumbled")
    yield from whole(self, records, state)
ClaudeCode.parse = parse
"""


def test_a_defect_of_a_parser_costs_one_file_and_one_entry_in_the_log(daemon, tmp_path):
    guard = tmp_path / "guard"
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(DEFECT, encoding="utf-8")
    path = f"{guard}{os.pathsep}{daemon.variables['PYTHONPATH']}"
    bad, good = Talk(daemon.home, "bad"), Talk(daemon.home, "good")
    bad.write(2, "stumble over this")
    daemon.start(PYTHONPATH=path)
    wait_until(lambda: "transcript.set_aside" in daemon.codes(), 10, "said in the status")
    for _ in range(5):
        bad.write(1)
        good.write(2)
        assert_told(daemon, good)
    assert daemon.log.count("ValueError: stumbled\n") == 1
    assert "stumbled" in daemon.ctxd("status").stdout
    daemon.stop()
    daemon.start()
    assert_told(daemon, bad)
    assert not daemon.codes()


def test_nothing_is_left_open_however_much_happens(daemon):
    """F10 in small: as many files are open after as before."""
    daemon.start()
    talks = [Talk(daemon.home, str(number), f"p{number % 5}") for number in range(100)]
    for talk in talks[:10]:
        talk.write(2)
    assert_told(daemon, talks[9])
    daemon.flush()
    before = len(daemon.open_files())
    for talk in talks:
        talk.write(10)
        daemon.ask("ping")
    assert_told(daemon, talks[-1])
    talks[0].path.unlink()
    daemon.flush()
    wait_until(lambda: len(daemon.open_files()) <= before, 30, "as many files open as before")


def test_a_client_on_the_socket_that_stops_in_the_middle_holds_nothing_up(daemon):
    talk = Talk(daemon.home)
    daemon.start()
    with closing(socket.socket(socket.AF_UNIX)) as half:
        half.connect(str(daemon.places.runtime / "ctxd.sock"))
        half.sendall(b"\0\0\1\0{")
        talk.write(4)
        assert_told(daemon, talk)
        assert daemon.ask("ping", timeout=10).ok
