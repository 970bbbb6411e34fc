"""Whether a process has a network socket: the daemon never opens one."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from ctxd.doctor.values import Check, fail, ok

_TABLES = ("tcp", "tcp6", "udp", "udp6", "udplite", "udplite6", "raw", "raw6", "icmp", "icmp6")
_SOCKET = re.compile(r"socket:\[(\d+)\]")
_INODE_FIELD = 9
"""Of a line in one of the tables."""


def privacy(pid: int | None) -> Check:
    """Whether the daemon of that pid is connected to anything but this machine's own sockets."""
    if pid is None:
        return ok("privacy", "no daemon runs, so nothing is connected")
    try:
        number = network_sockets(pid)
    except OSError:
        return ok("privacy", "the system does not tell which sockets the daemon has")
    if number:
        hint = "stop it, `ctxd service stop`, and report it with `ctxd doctor --report FILE`"
        return fail("privacy", f"the daemon has {number} network sockets open", hint)
    return ok("privacy", "the daemon has no network socket open")


if sys.platform == "linux":

    def network_sockets(pid: int) -> int:
        """How many sockets that reach a network a process has; raise OSError when nobody tells."""
        folder = Path(f"/proc/{pid}")
        own = set()
        for name in os.listdir(folder / "fd"):
            try:
                found = _SOCKET.fullmatch(os.readlink(folder / "fd" / name))
            except FileNotFoundError:
                continue  # closed meanwhile
            if found:
                own.add(found[1])
        return len(own & _networked(folder / "net")) if own else 0

    def _networked(folder: Path) -> set[str]:
        """Inodes of all sockets that reach a network."""
        found = set()
        for table in _TABLES:
            path = folder / table
            if path.exists():
                lines = path.read_text(encoding="ascii", errors="replace").splitlines()[1:]
                found |= {fields[_INODE_FIELD] for line in lines if (fields := line.split())}
        return found

else:

    def network_sockets(pid: int) -> int:
        """How many sockets that reach a network a process has; raise OSError when nobody tells."""
        import psutil

        try:
            return len(psutil.Process(pid).net_connections(kind="inet"))
        except psutil.Error as error:
            raise OSError(str(error)) from error
