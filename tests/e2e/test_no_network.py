"""Unless a reader was chosen nothing speaks to any other machine, nor to a port of this one: the
system itself tells, of every process that the daemon and the commands start."""

import re
import shutil
import socket
import subprocess
import sys

import pytest

from e2e.daemon import Daemon, wait_until
from e2e.test_hooks import CARDS, SUMMARY, TABS, Talk
from git_repos import new_repository

STRACE = shutil.which("strace")
INTERNET = re.compile(r"AF_INET6?|AF_PACKET|AF_NETLINK|resolv\.conf|/etc/hosts")
READING = re.compile(r"execve\(.*ctxd\.reader")
LOCAL = re.compile(r"connect\(\d+, \{sa_family=AF_UNIX")

pytestmark = [pytest.mark.long, pytest.mark.skipif(STRACE is None, reason="needs strace")]


class Watch:
    """What is said to the network, by processes that are started with `before`, and theirs."""

    def __init__(self, folder):
        self.folder = folder
        self.folder.mkdir()
        self.count = 0

    @property
    def before(self):
        """Words to put before a command. The tracer is no parent of it: signals and exit codes
        are its own."""
        self.count += 1
        log = str(self.folder / f"log-{self.count}")
        calls = "trace=%network,open,openat,execve"
        return [STRACE, "-D", "-f", "-qq", "-s", "200", "-e", calls, "-o", log]

    def lines(self, wanted):
        """Of all logs."""
        texts = [path.read_text(errors="replace") for path in sorted(self.folder.iterdir())]
        return [line for text in texts for line in text.splitlines() if wanted.search(line)]

    def run(self, command, **given):
        """Let a command run to its end, whatever that is."""
        return subprocess.run(
            [*self.before, *command],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **given,
        )


@pytest.fixture
def watch(tmp_path):
    return Watch(tmp_path / "watched")


@pytest.fixture
def daemon(tmp_path):
    daemon = Daemon(tmp_path)
    yield daemon
    daemon.close()


def ctxd(watch, daemon, *words):
    return watch.run(daemon.command(*words), env=daemon.variables, cwd=daemon.home)


@pytest.mark.parametrize(
    "words",
    [
        "socket.create_connection(('127.0.0.1', {port}))",
        "socket.getaddrinfo('example.invalid', 443)",
        "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b'x', ('::1', {port}))",
        "subprocess.run([sys.executable, '-c', 'import socket; socket.socket()'])",
    ],
)
def test_whatever_spoke_to_the_network_would_be_seen(watch, words):
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = words.format(port=server.getsockname()[1])
        watch.run([sys.executable, "-c", f"import socket, subprocess, sys; {code}"])
    wait_until(lambda: watch.lines(INTERNET), 5, "what was said is seen")


def test_the_daemon_says_nothing_while_sessions_go_on_are_compacted_and_end(
    watch, daemon, tmp_path
):
    daemon.start(before=watch.before)
    talk = Talk(daemon, new_repository(tmp_path / "shop"))
    talk.say("Build the payment page.", CARDS, TABS).known(2)
    talk.hook("UserPromptSubmit", prompt="go on")
    talk.printed("PreCompact", trigger="auto")
    talk.log.compacted(SUMMARY)
    talk.recorded()
    talk.printed("SessionStart", source="compact")
    talk.say("Never call the bank from a test.").known(3)
    talk.printed("SessionEnd", reason="exit")
    wait_until(lambda: daemon.session(talk.log.session).state == "ended", 20, "it has ended")
    wait_until(lambda: TABS in (talk.root / "AGENTS.md").read_text(), 30, "the rules are written")
    daemon.flush()
    assert daemon.stop() == 0
    assert watch.lines(re.compile(r"socket\(AF_UNIX"))
    assert watch.lines(INTERNET) == []
    assert watch.lines(READING) == []


@pytest.mark.parametrize("running", [True, False], ids=["beside the daemon", "alone"])
def test_no_command_says_anything(watch, daemon, tmp_path, running):
    talk = Talk(daemon, new_repository(tmp_path / "shop"))
    daemon.start()
    talk.say("Build the payment page.", CARDS, TABS).known(2)
    if not running:
        daemon.stop()
    for words in (["scan"], ["status"], ["status", "--json"], ["doctor"], ["sessions"]):
        done = ctxd(watch, daemon, *words)
        assert "Traceback" not in done.stderr, done.stderr
        assert done.stdout
    done = ctxd(watch, daemon, "read", talk.log.session)
    assert done.returncode != 0
    assert "no reader is chosen" in done.stdout + done.stderr
    assert watch.count == 6
    assert bool(watch.lines(LOCAL)) or not running
    assert watch.lines(INTERNET) == []
    assert watch.lines(READING) == []
