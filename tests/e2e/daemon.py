"""`ctxd run` as a process of its own, in a home of its own, and what can be asked of it."""

import contextlib
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from ctxd.ledger import Ledger
from ctxd.places import Places
from ctxd.service.asking import Answer, Request, ask, control_address
from ctxd.status import SessionStatus, Status, ledger_path, session_status, take_status
from ctxd_parsers.events import AssistantMessage, Event, UserMessage

ROOT = Path(__file__).parent.parent.parent
START_SECONDS = 30
STOP_SECONDS = 15
T = TypeVar("T")
_numbers = itertools.count()


def wait_until(check: Callable[[], T], seconds: float = 10.0, what: str = "") -> T:
    """What `check` returns once it is true; an assertion fails when it stays false for so long."""
    until = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < until, f"not within {seconds} s: {what or check}"
        time.sleep(0.02)
    return found


class Daemon:
    """One daemon's folders, and its process while it runs."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.home = folder / "home"
        self.own = folder / "ctxd"
        self.home.mkdir(parents=True, exist_ok=True)
        self.places = Places.under(self.own)
        self.variables = {
            "HOME": str(self.home),
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("daemon", "parsers")),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            **variables,
        }
        self.process: subprocess.Popen[bytes] | None = None
        self.manager: Manager | None = None

    @property
    def ledger(self) -> Path:
        return ledger_path(self.places.state)

    @property
    def log(self) -> str:
        return (self.places.log / "ctxd.log").read_text(encoding="utf-8", errors="replace")

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "ctxd", "--home", str(self.own), *arguments]

    def start(
        self, *, before: Sequence[str] = (), ready: bool = True, **variables: str
    ) -> "Daemon":
        """Start it, as its service manager would, and wait until it says that it is ready."""
        self.manager = Manager()
        # The daemon's own output goes to a file, since nobody reads a pipe.
        with (self.own.parent / "output").open("ab") as output:
            self.process = subprocess.Popen(
                [*before, *self.command("run")],
                env=self.variables | {"NOTIFY_SOCKET": self.manager.address} | variables,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self.home,
            )
        if ready:
            try:
                self.manager.wait_ready(self.process, lambda: self.output)
            except BaseException:
                self.close()
                raise
        return self

    @property
    def output(self) -> str:
        return (self.own.parent / "output").read_text(encoding="utf-8", errors="replace")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it in order, and return its exit code."""
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        return self.wait()

    def wait(self, seconds: float = STOP_SECONDS) -> int:
        assert self.process is not None
        assert self.manager is not None
        code = self.process.wait(seconds)
        self.process = None
        self.manager.close()
        return code

    def kill(self) -> None:
        """End it as a crash would."""
        self.stop(signal.SIGKILL)

    def close(self) -> None:
        """Leave nothing behind, in whatever state it is."""
        if self.process is not None:
            self.kill()

    def ctxd(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Another command of ctxd, with the same folders."""
        return subprocess.run(
            self.command(*arguments),
            env=self.variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.home,
            check=False,
        )

    def status_json(self) -> dict:
        """What `ctxd status --json` prints."""
        done = self.ctxd("status", "--json")
        assert done.returncode in {0, 3}, done.stderr
        return json.loads(done.stdout)

    def ask(self, command: str, *arguments: str, timeout: float = 10.0) -> Answer | None:
        request = Request(command, arguments=arguments)
        return ask(control_address(self.places.runtime), request, timeout)

    def status(self) -> Status:
        """The same as `ctxd status` takes, without a process for it."""
        with Ledger.reader(self.ledger) as reader:
            return take_status(reader, self.ask("ping"), datetime.now(UTC))

    def session(self, session: str) -> SessionStatus | None:
        """One session as `ctxd status --session` shows it."""
        with Ledger.reader(self.ledger) as reader:
            found = session_status(reader, session)
        return found[0] if found else None

    def codes(self) -> set[str]:
        """Names of the warnings in the status."""
        return {notice.code for notice in self.status().warnings}

    def events(self, agent: str, session: str, *, withdrawn: bool = False) -> list[Event]:
        """What the ledger keeps of a session."""
        with Ledger.reader(self.ledger) as reader:
            return list(reader.events((agent, session), withdrawn=withdrawn))

    def ids(self, agent: str, session: str, *, withdrawn: bool = False) -> list[str]:
        return [event.id for event in self.events(agent, session, withdrawn=withdrawn)]

    def words(self, agent: str, session: str) -> list[str]:
        """Ids of what was said in a session, by either side."""
        said = (UserMessage, AssistantMessage)
        return [e.id for e in self.events(agent, session) if isinstance(e, said)]

    def session_keys(self) -> set[tuple[str, str]]:
        """Agent and id of all sessions in the ledger."""
        with Ledger.reader(self.ledger) as reader:
            return {(row.agent, row.id) for row in reader.sessions(empty=True)}

    def flush(self, seconds: float = 30.0) -> None:
        """Wait until the daemon says that everything is read."""
        wait_until(lambda: (answer := self.ask("flush")) and answer.ok, seconds, "flush")

    def settings(self, text: str) -> None:
        """Write its configuration."""
        self.places.config.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self.places.config / "config.toml").write_text(text, encoding="utf-8")

    def cpu_seconds(self) -> float:
        """Processor time it has used."""
        fields = _proc(self.pid, "stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def bytes_read(self) -> int:
        """Bytes it has asked the system for, from files or caches alike."""
        lines = _proc(self.pid, "io").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("rchar:"))

    def resident_bytes(self) -> int:
        lines = _proc(self.pid, "status").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))

    def open_files(self) -> list[str]:
        found = []
        for name in os.listdir(f"/proc/{self.pid}/fd"):
            with contextlib.suppress(FileNotFoundError):
                found.append(os.readlink(f"/proc/{self.pid}/fd/{name}"))
        return found


class Manager:
    """A service manager as far as the daemon sees one: the socket it tells its state to."""

    def __init__(self) -> None:
        name = f"ctxd-test-{os.getpid()}-{next(_numbers)}"
        self.address = f"@{name}"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(f"\0{name}")
        self._socket.settimeout(0)
        self.said: list[str] = []

    def take(self) -> list[str]:
        """What was said since the last time."""
        new = []
        with contextlib.suppress(BlockingIOError):
            while True:
                new.append(self._socket.recv(4096).decode())
        self.said += new
        return new

    def wait_ready(self, process: subprocess.Popen[bytes], output: Callable[[], str]) -> None:
        until = time.monotonic() + START_SECONDS
        while not any("READY=1" in said for said in self.take()):
            assert process.poll() is None, f"ended with {process.returncode}: {output()}"
            assert time.monotonic() < until, "never ready"
            time.sleep(0.01)

    def close(self) -> None:
        self.take()
        self._socket.close()


def _proc(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text(encoding="utf-8")
