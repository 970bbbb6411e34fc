"""Asking the running daemon: what is asked, what it says to that, and where it listens.

Apart from the server, since every command asks and few can wait for what a server needs to be
loaded. A request and its answer are one JSON object each, framed as the standard library's
connections frame them: four bytes of length, then the bytes.
"""

from __future__ import annotations

import contextlib
import os
import struct
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ctxd.policy.daemon import CLIENT_SECONDS, MAX_REQUEST_BYTES, MAX_SOCKET_PATH_BYTES

if TYPE_CHECKING:
    import socket

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


def ask(address: str, request: Request, timeout: float = CLIENT_SECONDS) -> Answer | None:
    """The daemon's answer; None when none is listening or it does not answer in time."""
    try:
        said = msgspec.json.encode(request)
        exchange = _over_pipe if os.name == "nt" else _over_socket
        answer = exchange(address, said, timeout)
        return msgspec.json.decode(answer, type=Answer) if answer else None
    except (OSError, EOFError, msgspec.MsgspecError):
        return None


def _over_socket(address: str, said: bytes, timeout: float) -> bytes:
    import socket

    until = time.monotonic() + timeout
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(timeout)
        connection.connect(address)
        connection.sendall(struct.pack("!i", len(said)) + said)
        (length,) = struct.unpack("!i", _received(connection, 4, until))
        if not 0 <= length <= MAX_REQUEST_BYTES:
            raise EOFError
        return _received(connection, length, until)


def _received(connection: socket.socket, length: int, until: float) -> bytes:
    parts: list[bytes] = []
    while length:
        connection.settimeout(max(until - time.monotonic(), 0.001))
        part = connection.recv(length)
        if not part:
            raise EOFError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _over_pipe(address: str, said: bytes, timeout: float) -> bytes:
    from multiprocessing.connection import Client

    with Client(address, family="AF_PIPE") as connection:
        connection.send_bytes(said)
        return connection.recv_bytes(MAX_REQUEST_BYTES) if connection.poll(timeout) else b""


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
