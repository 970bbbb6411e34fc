"""Readiness and pings for systemd (`Type=notify`, `WatchdogSec=`): one datagram each, no library.

The protocol is sd_notify(3). Without a service manager every call does nothing.
"""

from __future__ import annotations

import contextlib
import os
import socket


def tell_manager(state: str) -> None:
    """Send a state (`READY=1`, `WATCHDOG=1`, `STOPPING=1`, `STATUS=...`) if a manager listens."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address or not hasattr(socket, "AF_UNIX"):
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        # A manager that does not listen any more must not hold up the loop.
        sender.setblocking(False)  # noqa: FBT003 - the library's own
        sender.connect(address)
        sender.sendall(state.encode())


def ping_seconds() -> float | None:
    """How often to ping the manager: half of the time it allows; None when it wants no pings."""
    try:
        wanted = int(os.environ.get("WATCHDOG_USEC", ""))
        mine = int(os.environ.get("WATCHDOG_PID", "") or os.getpid()) == os.getpid()
    except ValueError:
        return None
    return wanted / 2_000_000 if mine and wanted > 0 else None
