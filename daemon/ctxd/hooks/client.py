"""What an agent runs at a hook: hands its payload to the daemon, prints what the daemon answers.

Run as a plain file, `python -I -S client.py AGENT ADDRESS [EVENT]`, by agents that wait for it. It
promises to be over within `DEADLINE_SECONDS`, whatever the daemon, the payload or the output do, to
exit with 0, and to write nothing to stderr: no agent is ever delayed or broken by ctxd. An agent
that ctxd itself runs, to have it read a session, is not answered at all.

Hence its form. It knows nothing of payloads: the daemon has parsers loaded. It imports little more
than what the interpreter has built in, and of ctxd nothing at all.
"""

import os
import sys
from _thread import start_new_thread
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket

PROTOCOL = 1
"""Raised when the first line of a request changes its meaning; see `ctxd.service.asking`."""

DEADLINE_SECONDS = 0.3
"""For everything after the interpreter's start: people do not notice it between two steps."""

FALLBACK_SECONDS = 1.5
"""The same where no daemon runs and words are about to leave the agent's window."""

PAYLOAD_BYTES = 1024 * 1024
"""Longest payload that is handed on. Outputs of tools are in it: few are longer."""

ANSWER_BYTES = 64 * 1024
"""Longest answer that is printed; the daemon's have some 8 kB."""

READER = "CTXD_READER"
"""Variable that is set where ctxd runs the agent; see `ctxd.reader.child`."""

_CHUNK_BYTES = 65_536
_PIPE_RETRY_SECONDS = 0.01
_end = [0.0]
"""When it has to be over, in monotonic time."""


def main() -> None:
    """Do it all for the arguments of this process, and end the process."""
    _end[0] = monotonic() + DEADLINE_SECONDS
    try:
        start_new_thread(_end_in_time, ())
        _serve(*sys.argv[1:4])
    except BaseException:  # noqa: BLE001, S110 - whatever it is, the agent goes on
        pass
    # Not the interpreter's own end, which takes time and may have something to say.
    os._exit(0)


def _end_in_time() -> None:
    """End the process when its time is over, wherever it hangs."""
    while (left := _end[0] - monotonic()) > 0:
        sleep(left)
    os._exit(0)


def _serve(agent: str = "", address: str = "", event: str = "") -> None:
    payload = _payload()
    if os.environ.get(READER) or not (payload and agent and address):
        return
    request = f"hook {PROTOCOL} {agent} {event}".encode() + b"\n" + payload
    try:
        answer = _ask_pipe(address, request) if os.name == "nt" else _ask(address, request)
    except (ConnectionRefusedError, FileNotFoundError):
        answer = _without_daemon(agent, event, payload)
    while answer:
        answer = answer[os.write(1, answer) :]


def _payload() -> bytes:
    """What stands on stdin; empty when that is too long. All of it is taken in any case: agents
    need not cope with somebody who stops reading."""
    parts: list[bytes] = []
    size = 0
    while chunk := os.read(0, _CHUNK_BYTES):
        size += len(chunk)
        if size <= PAYLOAD_BYTES:
            parts.append(chunk)
    return b"".join(parts) if size <= PAYLOAD_BYTES else b""


def _ask(address: str, request: bytes) -> bytes:
    """The daemon's answer; raise OSError or EOFError when there is none.

    Framed as by `multiprocessing.connection`: four bytes that tell the length, then the message.
    """
    connection = _unix_socket()
    connection.connect(address)
    connection.sendall(len(request).to_bytes(4, "big") + request)
    size = int.from_bytes(_exactly(connection, 4), "big")
    return _exactly(connection, size) if size <= ANSWER_BYTES else b""


def _unix_socket() -> "socket":
    """A socket of the module that the library's own is made of: to import that one would take
    another interpreter's start."""
    try:
        import _socket as module
    except ImportError:
        import socket as module  # type: ignore[no-redef]
    return module.socket(module.AF_UNIX, module.SOCK_STREAM)  # type: ignore[return-value]


def _exactly(connection: "socket", size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = connection.recv(min(size, _CHUNK_BYTES))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _ask_pipe(address: str, request: bytes) -> bytes:
    """The same on Windows, where each write to a pipe is a message and needs no length."""
    while True:
        try:
            pipe = os.open(address, os.O_RDWR | getattr(os, "O_BINARY", 0))
        except FileNotFoundError:
            raise
        except OSError:  # another client is being answered
            sleep(_PIPE_RETRY_SECONDS)
        else:
            os.write(pipe, request)
            return os.read(pipe, ANSWER_BYTES)


def _without_daemon(agent: str, event: str, payload: bytes) -> bytes:
    """What the ledger tells without the daemon, at the moments that matter most.

    That takes an interpreter with all packages of ctxd, too long to be done at every step. It is
    started such that nothing in the folder where the agent works can be taken for one of them.
    """
    import json

    told = json.loads(payload)
    moment = event or told.get("hook_event_name")
    if moment != "PreCompact" and told.get("source") != "compact":
        return b""
    import subprocess

    _end[0] = monotonic() + FALLBACK_SECONDS
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-I", "-m", "ctxd.hooks.fallback", agent, event],
        input=payload,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=FALLBACK_SECONDS - DEADLINE_SECONDS,
        check=False,
    )
    return done.stdout[:ANSWER_BYTES]


if __name__ == "__main__":
    main()
