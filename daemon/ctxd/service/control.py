"""The control socket: how other commands speak to the running daemon.

A Unix socket (a named pipe on Windows) that only the same user can open; no network socket exists.
A request and its answer are one JSON object each, framed by the standard library's connections.
Requests are answered by the service loop between two steps of work, so that nothing else ever
touches the ledger; a client that sends nothing, or half, is dropped after `CLIENT_SECONDS`.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path

import msgspec

from ctxd.policy.daemon import (
    ACCEPT_RETRY_SECONDS,
    CLIENT_SECONDS,
    MAX_REQUEST_BYTES,
    MAX_SOCKET_PATH_BYTES,
)

PROTOCOL = 1
"""Raised when a request or answer changes its meaning; both sides say theirs."""


class Request(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is asked of the daemon."""

    command: str
    """`ping`, `pause`, `resume`, `flush`, `reload`, `stop`, or an order of `ctxd.orders`."""
    repository: str | None = None
    """For `pause` and `resume`: a repository's path; None means everything. For orders: the folder
    or repository that they are about."""
    arguments: tuple[str, ...] = ()
    """What else an order needs."""
    protocol: int = PROTOCOL


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What it says to that."""

    ok: bool
    message: str = ""
    hint: str = ""
    exit_code: int = 1
    """Of a command that gets this answer, where it is not `ok`."""
    version: str = ""
    pid: int = 0
    protocol: int = PROTOCOL


Handler = Callable[[Request], Answer]
"""Called on the server's thread; hands the request to the loop and waits for its answer."""


class ControlServer:
    """Listens until it is closed."""

    def __init__(self, address: str, handler: Handler) -> None:
        self._address = address
        self._handler = handler
        self._closing = False
        with _private_umask():
            self._listener = Listener(address, family=_family())
        self._thread = threading.Thread(target=self._serve, name="control", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Stop answering and remove the socket."""
        self._closing = True
        with contextlib.suppress(OSError, EOFError), Client(self._address, family=_family()):
            pass
        self._thread.join(timeout=CLIENT_SECONDS)
        self._listener.close()
        with contextlib.suppress(OSError):
            os.unlink(self._address)

    def _serve(self) -> None:
        while not self._closing:
            try:
                connection = self._listener.accept()
            except (OSError, EOFError):
                # Out of file descriptors, most likely: that is not over at once.
                time.sleep(ACCEPT_RETRY_SECONDS)
                continue
            with connection, contextlib.suppress(OSError, EOFError):
                self._answer(connection)

    def _answer(self, connection: Connection) -> None:
        _bound(connection)
        if self._closing or not connection.poll(CLIENT_SECONDS):
            return
        try:
            request = msgspec.json.decode(connection.recv_bytes(MAX_REQUEST_BYTES), type=Request)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            answer = Answer(ok=False, message="not a request")
        else:
            answer = self._handler(request)
        connection.send_bytes(msgspec.json.encode(answer))


def ask(address: str, request: Request, timeout: float = CLIENT_SECONDS) -> Answer | None:
    """The daemon's answer; None when none is listening or it does not answer in time."""
    try:
        with Client(address, family=_family()) as connection:
            connection.send_bytes(msgspec.json.encode(request))
            if not connection.poll(timeout):
                return None
            return msgspec.json.decode(connection.recv_bytes(MAX_REQUEST_BYTES), type=Answer)
    except (OSError, EOFError, msgspec.MsgspecError):
        return None


def control_address(runtime: Path) -> str:
    """Where the daemon of this runtime folder listens.

    The path of a Unix socket may not be longer than about 100 bytes; a folder with a longer one is
    reached through a short link of our own. Raise OSError when that link is somebody else's.
    """
    if os.name == "nt":
        return rf"\\.\pipe\ctxd-{os.environ.get('USERNAME', 'user')}"
    path = runtime / "ctxd.sock"
    if len(os.fsencode(path)) < MAX_SOCKET_PATH_BYTES:
        return str(path)
    return str(_short_link(runtime) / "ctxd.sock")


def _short_link(folder: Path) -> Path:
    """A short name in the temporary folder for a folder whose own name is too long."""
    import tempfile
    from hashlib import blake2b

    digest = blake2b(os.fsencode(folder), digest_size=8).hexdigest()
    link = Path(tempfile.gettempdir()) / f"ctxd-{os.getuid()}-{digest}"
    with contextlib.suppress(FileExistsError):
        link.symlink_to(folder, target_is_directory=True)
    if link.lstat().st_uid != os.getuid() or link.resolve() != folder.resolve():
        message = f"{link} is not ours"
        raise OSError(message)
    return link


def _bound(connection: Connection) -> None:
    """Have the system give up on a client that stops in the middle of a request or an answer."""
    if os.name != "nt":
        limit = struct.pack("ll", int(CLIENT_SECONDS), 0)
        with socket.socket(fileno=os.dup(connection.fileno())) as handle:
            handle.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
            handle.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)


def _family() -> str:
    return "AF_PIPE" if os.name == "nt" else "AF_UNIX"


@contextlib.contextmanager
def _private_umask() -> Iterator[None]:
    old = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(old)
