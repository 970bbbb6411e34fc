"""The control socket: how the running daemon hears other commands.

A Unix socket (a named pipe on Windows) that only the same user can open; no network socket exists.
A request and its answer are one JSON object each, framed by the standard library's connections.
Requests are answered by the service loop between two steps of work, so that nothing else ever
writes to the ledger; a client that sends nothing, or half, is dropped after `CLIENT_SECONDS`, and
keeps no other waiting meanwhile.

An agent's hook speaks otherwise: its client is too small for JSON. A line `hook PROTOCOL AGENT
EVENT` and the agent's payload are its request, the bytes that it prints are the answer, and nothing
but a well-formed request ever has one.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Client, Connection, Listener

import msgspec

from ctxd.policy.daemon import (
    ACCEPT_RETRY_SECONDS,
    CLIENT_SECONDS,
    CLIENTS_AT_ONCE,
    MAX_REQUEST_BYTES,
)
from ctxd.policy.hooks import HOOK_REQUEST_BYTES
from ctxd.service.asking import PROTOCOL, Answer, Request

log = logging.getLogger(__name__)


class HookCall(msgspec.Struct, frozen=True):
    """What the client of a hook hands on."""

    agent: str
    """Whose configuration the hook stands in."""
    event: str
    """The moment, where the configuration tells it; empty where the payload does."""
    payload: bytes


class HookReply(msgspec.Struct, frozen=True):
    """What the client of a hook is to print."""

    data: bytes = b""
    sent: Callable[[bool], object] = lambda _: None
    """Called with whether the client took it."""


Handler = Callable[[Request], Answer]
"""Called on a client's thread; hands the request to the loop and waits for its answer."""
HookHandler = Callable[[HookCall], HookReply]
"""Called on a client's thread as well, and soon back."""


class ControlServer:
    """Listens until it is closed."""

    def __init__(
        self, address: str, handler: Handler, hooks: HookHandler = lambda _: HookReply()
    ) -> None:
        self._address = address
        self._handler = handler
        self._hooks = hooks
        self._closing = False
        self._free = threading.BoundedSemaphore(CLIENTS_AT_ONCE)
        with _private_umask():
            self._listener = Listener(address, family=_family(), backlog=CLIENTS_AT_ONCE)
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
            self._free.acquire()
            try:
                threading.Thread(
                    target=self._attend, args=(connection,), name="client", daemon=True
                ).start()
            except RuntimeError:  # no more threads
                self._attend(connection)

    def _attend(self, connection: Connection) -> None:
        """Answer one client."""
        try:
            with connection, contextlib.suppress(OSError, EOFError):
                self._answer(connection)
        finally:
            self._free.release()

    def _answer(self, connection: Connection) -> None:
        _bound(connection)
        if self._closing or not connection.poll(CLIENT_SECONDS):
            return
        said = connection.recv_bytes(HOOK_REQUEST_BYTES)
        if said.startswith(b"hook "):
            self._answer_hook(connection, said)
            return
        try:
            request = msgspec.json.decode(said[:MAX_REQUEST_BYTES], type=Request)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            answer = Answer(ok=False, message="not a request")
        else:
            answer = self._handler(request)
        connection.send_bytes(msgspec.json.encode(answer))

    def _answer_hook(self, connection: Connection, said: bytes) -> None:
        """Answer a hook; a defect costs this answer, and the agent learns nothing of it."""
        call = hook_call(said)
        try:
            reply = self._hooks(call) if call else HookReply()
        except Exception as error:
            log.exception("defect: a hook cannot be answered: %s", type(error).__name__)
            reply = HookReply()
        took = False
        try:
            connection.send_bytes(reply.data)
            took = True
        finally:
            reply.sent(took)


def hook_call(said: bytes) -> HookCall | None:
    """What a hook's request says; None for one of another protocol, or that is none."""
    line, _, payload = said.partition(b"\n")
    words = line.decode("ascii", "replace").split()
    if len(words) not in {3, 4} or words[:2] != ["hook", str(PROTOCOL)]:
        return None
    return HookCall(words[2], words[3] if words[3:] else "", payload)


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
