"""Whether a process lives, and whether it is still the same one.

A pid alone proves nothing: after a crash or a restart another program may have it. On Linux the
kernel's files tell when a process started, in a measure that no change of the clock moves, and that
a dead child whose parent never asked is dead. Elsewhere psutil is used, since what it does there (a
process handle on Windows, sysctl on macOS) is easy to get wrong, and it is well kept; on Linux it
would add a compiled package for what is one read.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec


class Process(msgspec.Struct, frozen=True):
    """A process that lives."""

    pid: int
    started: float | None
    """When it started: clock ticks since boot on Linux, seconds since 1970 elsewhere; None where
    the system does not tell us."""


if sys.platform == "linux":

    def living(pid: int) -> Process | None:
        """Return the process of that pid; None when there is none, or only its remains."""
        try:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            return None
        except OSError:
            return Process(pid, None)
        # The second field is the program's name in parentheses, and may hold anything.
        fields = stat[stat.rfind(b")") + 2 :].split()
        if fields[0] in {b"Z", b"X"}:
            return None
        return Process(pid, float(fields[19]))

    def pid_space() -> str | None:
        """Return the name of the namespace that pids mean something in; None if there is but one.

        A client in a container that shares its home folder has pids of another.
        """
        try:
            return os.readlink("/proc/self/ns/pid")
        except OSError:
            return None

else:

    def living(pid: int) -> Process | None:
        """Return the process of that pid; None when there is none, or only its remains."""
        import psutil

        try:
            process = psutil.Process(pid)
            if process.status() in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}:
                return None
            return Process(pid, process.create_time())
        except psutil.AccessDenied:
            return Process(pid, None)
        except (psutil.NoSuchProcess, OverflowError, ValueError):
            return None

    def pid_space() -> str | None:
        """Return None: there is but one namespace of pids."""
        return None
