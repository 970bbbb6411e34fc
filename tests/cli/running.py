"""`ctxd` as its users run it: a process of its own, in a home of its own, on a terminal or not."""

import os
import re
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SAMPLE = ROOT / "examples" / "sample-session"
SAMPLE_LOG = next(SAMPLE.glob("projects/*/*.jsonl"))
SAMPLE_ID = SAMPLE_LOG.stem
PATIENCE_SECONDS = 60


@dataclass
class Run:
    code: int
    out: str
    err: str
    """Empty on a terminal, where both are one."""

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


class Home:
    """A home folder, and the environment of a login in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.variables = {
            "HOME": str(path),
            "USERPROFILE": str(path),
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("daemon", "parsers")),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color",
            "TZ": "UTC",
        }
        if "SYSTEMROOT" in os.environ:
            self.variables["SYSTEMROOT"] = os.environ["SYSTEMROOT"]

    def ctxd(self, *arguments: str | Path, **variables: str) -> Run:
        done = subprocess.run(
            self.command(*arguments),
            env=self.variables | variables,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_SECONDS,
            cwd=self.path,
            check=False,
        )
        return Run(done.returncode, done.stdout.decode(), done.stderr.decode())

    def on_terminal(self, width: int, *arguments: str | Path, **variables: str) -> Run:
        """Both streams on one terminal of that width."""
        import fcntl
        import pty
        import struct
        import termios

        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        process = subprocess.Popen(
            self.command(*arguments),
            env=self.variables | variables,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=self.path,
        )
        os.close(theirs)
        shown = b""
        while select.select([ours], [], [], PATIENCE_SECONDS)[0]:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # all writers are gone
                break
        os.close(ours)
        return Run(process.wait(PATIENCE_SECONDS), shown.decode().replace("\r\n", "\n"), "")

    def command(self, *arguments: str | Path) -> list[str]:
        return [sys.executable, "-m", "ctxd", *map(str, arguments)]

    def files(self) -> set[Path]:
        return {path.relative_to(self.path) for path in self.path.rglob("*")}


def typing(home: Home, width: int, *arguments: str, keys: list[str], **variables: str) -> Run:
    """On a terminal, with somebody who types each of these when the command waits for them; without
    any, the terminal is there for the output alone."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    process = subprocess.Popen(
        home.command(*arguments),
        env=home.variables | variables,
        stdin=theirs if keys else subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        cwd=home.path,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(1, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads
    )
    os.close(theirs)
    shown, waiting = b"", list(keys)
    while select.select([ours], [], [], PATIENCE_SECONDS)[0]:
        try:
            shown += os.read(ours, 65536)
        except OSError:  # all writers are gone
            break
        if waiting and _PROMPT.search(shown):
            key = waiting.pop(0)
            ends = "" if key in {"\x03", "\x04"} else "\n"
            if key == "\x03":  # a signal before it reads what is typed would not wake it
                time.sleep(0.3)
            os.write(ours, (key + ends).encode())
            shown += b"\0"
    os.close(ours)
    text = shown.replace(b"\0", b"").decode().replace("\r\n", "\n")
    return Run(process.wait(PATIENCE_SECONDS), text, "")


_PROMPT = re.compile(rb"(?:uit|wording|\]): [^\n\r\0]*$")
"""What a command asks with, and has not been given an answer to."""


def plain(text: str) -> str:
    """Without colours, and without what differs from run to run."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return re.sub(r"read in \d+\.\d s", "read in 0.0 s", text)
