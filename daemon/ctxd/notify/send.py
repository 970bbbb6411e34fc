"""`python -m ctxd.notify.send`: gives one notice to the desktop, says what became of it, and ends.

The notice is JSON on stdin, the answer JSON on stdout. It imports little: it starts with each
notice. A process of its own costs 80 ms once in a while; the library alone would cost the daemon
memory for good, and a bus that does not answer could hold its loop.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module

import msgspec

from ctxd.notify.values import Dispatched, Notice

_BACKENDS = {"linux": "bus", "darwin": "applescript", "win32": "powershell"}
"""By operating system, the module that reaches its desktop by a function `show`."""


def show(notice: Notice, system: str = sys.platform) -> Dispatched:
    """Give a notice to this system's desktop."""
    name = _BACKENDS.get(system)
    if name is None:
        return Dispatched("none", why=f"ctxd reaches no desktop on {system}")
    backend: Callable[[Notice], Dispatched] = import_module(f"ctxd.notify.{name}").show
    try:
        return backend(notice)
    except Exception as error:  # noqa: BLE001 - whatever happens is an answer
        return Dispatched("failed", name, f"{type(error).__name__}: {error}"[:_WHY_CHARS])


_WHY_CHARS = 300


def main() -> None:
    """Answer the notice on stdin."""
    notice = msgspec.json.decode(sys.stdin.buffer.read(), type=Notice)
    sys.stdout.buffer.write(msgspec.json.encode(show(notice)))


if __name__ == "__main__":
    main()
