"""A progress bar on stderr: for people only, for long work only, and gone when it is done."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from ctxd.cli import words
from ctxd.policy.daemon import PROGRESS_STEP_SECONDS
from ctxd.policy.shown import PROGRESS_DELAY_SECONDS
from ctxd.terminal import Terminal

_SILENCED_BY = ("CTXD_NO_PROGRESS", "NO_COLOR", "CI")
_BAR = 20


class Passing:
    """A line on stderr that the next one takes the place of: for people only, gone at the end."""

    def __init__(self, out: Terminal, variables: Mapping[str, str] = os.environ) -> None:
        dumb = variables.get("TERM") == "dumb"
        self._on = out.is_terminal and not dumb and not any(map(variables.get, _SILENCED_BY))
        self._out = out
        self._drawn = 0
        """Length of the line that stands on the terminal now."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()

    def show(self, line: str) -> None:
        """Write a line in the place of the last one."""
        if self._on:
            self._write(self._out.cut(self._out.show(line), (self._out.width or 80) - 1))

    def clear(self) -> None:
        """Take it away."""
        if self._drawn:
            self._write("")
            self._out.stream.write("\r")
            self._out.stream.flush()

    def _write(self, line: str) -> None:
        self._out.stream.write("\r" + line.ljust(self._drawn))
        self._out.stream.flush()
        self._drawn = len(line)


class Progress(Passing):
    """Bytes done of a known total. No thread draws it: it moves when it is told of progress."""

    def __init__(
        self, out: Terminal, total: int, variables: Mapping[str, str] = os.environ
    ) -> None:
        super().__init__(out, variables)
        self._total = total
        self._done = 0
        self._next = time.monotonic() + PROGRESS_DELAY_SECONDS

    def advance(self, count: int) -> None:
        """Add bytes done, and draw when it is time."""
        self._done += count
        now = time.monotonic()
        if now >= self._next:
            self._next = now + PROGRESS_STEP_SECONDS
            self.show(self._line())

    def _line(self) -> str:
        share = min(self._done / self._total, 1.0) if self._total else 1.0
        filled = int(share * _BAR)
        bar = "#" * filled + "-" * (_BAR - filled)
        done = f"{words.size(self._done)} of {words.size(self._total)}"
        return f"reading {share:4.0%}  [{bar}]  {done}"
