"""A terminal that a person would sit at, by tmux: what is typed, and what is on the screen."""

import contextlib
import re
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from e2e.daemon import wait_until

SIZE = ("160", "50")
SETTLE_SECONDS = 0.1
STILL_SECONDS = 0.3
ATTEMPTS = 3
TAKEN_SECONDS = 10.0
"""In which even a busy machine shows what was typed."""
MARK = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"
"""How clients mark the line of a list, and the place to type at."""


class Terminal:
    """One window with one program in it."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "tmux"
        self._home = folder
        self._open = False

    def start(self, command: Sequence[str], folder: Path, variables: Mapping[str, str]) -> None:
        """Start a program with these variables and no others."""
        settings = [f"{name}={value}" for name, value in variables.items()]
        line = shlex.join(["env", "-i", *settings, *command])
        if not self._open:
            width, height = SIZE
            self._tmux("new-session", "-d", "-s", "t", "-x", width, "-y", height, "sleep 3600")
            self._tmux("set-option", "-g", "remain-on-exit", "on")
            self._open = True
        self._tmux("respawn-pane", "-k", "-t", "t", "-c", str(folder), line)

    @property
    def screen(self) -> str:
        return self._tmux("capture-pane", "-t", "t", "-p")

    @property
    def running(self) -> bool:
        return self._tmux("list-panes", "-t", "t", "-F", "#{pane_dead}").strip() == "0"

    def keys(self, *names: str) -> None:
        for name in names:
            self._tmux("send-keys", "-t", "t", name)
            time.sleep(SETTLE_SECONDS)

    def shows(self, pattern: str) -> bool:
        return re.search(pattern, self.screen, re.MULTILINE) is not None

    def wait_for(self, pattern: str, seconds: float = 20.0) -> None:
        self.wait(lambda: self.shows(pattern), seconds, pattern)

    def wait(self, check: Callable[[], object], seconds: float, what: str) -> None:
        """Wait for anything, and tell what the screen shows when it does not come."""
        try:
            wait_until(check, seconds, what)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.screen.rstrip()}") from None

    def type(self, text: str) -> None:
        """Type a text, and see that it stands there; a long one is pasted."""
        pasted = "\n" in text or len(text) > 500
        seen = re.escape(text.split("\n", maxsplit=1)[0][:20])
        if pasted:
            seen = rf"Pasted|\[Paste|{seen}|{re.escape(text.rsplit(maxsplit=1)[-1])}"
        for _ in range(ATTEMPTS):
            before = self._count(seen)
            if pasted:
                self._tmux("load-buffer", "-", text=text)
                self._tmux("paste-buffer", "-p", "-d", "-t", "t")
            else:
                self._tmux("send-keys", "-t", "t", "-l", "--", text)
            try:
                wait_until(lambda count=before: self._count(seen) > count, TAKEN_SECONDS)
            except AssertionError:
                self.keys("C-u")
            else:
                time.sleep(SETTLE_SECONDS)
                return
        raise AssertionError(f"typed and not seen: {text[:60]!r}\n{self.screen}")

    def _count(self, pattern: str) -> int:
        return len(re.findall(pattern, self.screen))

    def enter(self, text: str) -> None:
        self.type(text)
        self.accept()

    def press(self, key: str, while_shown: str) -> None:
        """Press a key for as long as that is shown."""
        for _ in range(8):
            self.settle()
            if not self.shows(while_shown):
                return
            self.keys(key)
        raise AssertionError(f"{key} does not end {while_shown}\n{self.screen}")

    def accept(self) -> None:
        """Press Enter, and again where a screen that was just drawn did not take it yet."""
        before = self.screen
        for wait in (0.8, TAKEN_SECONDS, TAKEN_SECONDS):
            self.keys("Enter")
            with contextlib.suppress(AssertionError):
                return wait_until(lambda: self.screen != before or None, wait)
        raise AssertionError(f"Enter changes nothing\n{before}")

    def settle(self) -> None:
        """Wait until nothing moves any more: a list that is being drawn takes no keys."""
        seen, since = self.screen, time.monotonic()
        until = since + 3.0
        while time.monotonic() < min(since + STILL_SECONDS, until):
            time.sleep(0.05)
            if (now := self.screen) != seen:
                seen, since = now, time.monotonic()

    def choose(self, pattern: str) -> None:
        """Move through a list until its marked line is the one that is meant."""
        self.wait_for(pattern)
        for _ in range(12):
            self.settle()
            lines = self.screen.splitlines()
            marked = _last(rf"^[ │]*{MARK}", lines)
            wanted = _last(pattern, lines)
            if marked == wanted:
                return
            self.keys("Down" if marked < wanted else "Up")
        raise AssertionError(f"not in the list: {pattern}\n{self.screen}")

    def close(self) -> None:
        if self._open:
            self._tmux("kill-server", check=False)
            self._open = False

    def _tmux(self, *arguments: str, text: str | None = None, check: bool = True) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(self._socket), "-f", "/dev/null", *arguments],
            input=text,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self._home), "LANG": "C.UTF-8"}
            | {"TERM": "xterm-256color"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0 or not check, f"tmux {arguments[0]}: {done.stderr}"
        return done.stdout


def _last(pattern: str, lines: Sequence[str]) -> int:
    """The last line like this: what is asked now stands below what was said before."""
    found = [number for number, line in enumerate(lines) if re.search(pattern, line)]
    return found[-1] if found else -1
