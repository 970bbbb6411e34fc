"""A model server on loopback that answers by a script, so that real clients run offline.

It speaks what the clients speak (see `dialects`), keeps every request, and tells apart what a
request is for: the conversation itself, a summary of it, a sub-agent, or something in passing.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, Protocol

Lane = Literal["main", "summary", "agent", "passing"]
SUMMARY = "Nothing of note happened."
Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Tool:
    """One call of a tool by the model."""

    name: str
    input: dict | str
    """Its arguments, or a text, where a protocol has tools that take one."""


@dataclass(frozen=True)
class Reply:
    """One answer of the model."""

    text: str = ""
    tools: tuple[Tool, ...] = ()
    tokens: int | None = None
    """How full the window is said to be; None for an estimate by length."""
    seconds: float = 0.0
    """How long the model takes."""
    end: str = ""
    """Why it ends, in the words of the protocol; empty for the usual reason."""
    failure: "Failure | None" = None
    """What is answered in its place."""
    torn: bool = False
    """The connection breaks in the midst of it."""


@dataclass(frozen=True)
class Failure:
    """What a server answers that does not let the model answer."""

    status: int
    body: bytes
    headers: Headers = ()


class FailedError(Exception):
    """A request is answered with a failure."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.status)
        self.failure = failure


class TornError(Exception):
    """The connection breaks after this much of an answer."""

    def __init__(self, kind: str, data: bytes) -> None:
        super().__init__()
        self.kind, self.data = kind, data


Scripted = str | Reply | Callable[["Request"], Reply]


@dataclass(frozen=True)
class Request:
    """What a client sent to the model."""

    lane: Lane
    texts: tuple[str, ...]
    """All texts of its body, as the model reads them."""
    body: dict = field(repr=False)

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    def states(self, words: str) -> bool:
        """Whether these words stand in it, in this order; white space is wherever it is."""
        return _flat(words) in _flat(self.text)


class Dialect(Protocol):
    """What a request and an answer look like on the wire."""

    path: str

    def lane(self, headers: dict[str, str], body: dict) -> Lane: ...

    def texts(self, body: dict) -> Iterable[str]: ...

    def answer(self, reply: Reply, request: Request, number: int) -> tuple[str, bytes]:
        """Content type and body."""
        ...

    def other(self) -> bytes:
        """What is answered to anything that is no request of the model."""
        ...


class ModelServer:
    """Answers from its script; what is not in the script is answered with `OK.`"""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.replies: deque[Scripted] = deque()
        self.agent_replies: deque[Scripted] = deque()
        self.summaries: deque[Scripted] = deque()
        self.requests: list[Request] = []
        self.turns = 0
        """Turns of the conversation that have ended: the model called no tool any more."""
        self.open = 0
        self.changed = time.monotonic()
        """When something last came in or went out."""
        self._lock = threading.RLock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def of(self, lane: Lane) -> list[Request]:
        with self._lock:
            return [request for request in self.requests if request.lane == lane]

    def idle_seconds(self) -> float:
        """How long nothing has come in or gone out; 0 while an answer is on its way."""
        with self._lock:
            return 0.0 if self.open else time.monotonic() - self.changed

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def answer(self, path: str, headers: dict[str, str], raw: bytes) -> tuple[str, bytes]:
        """Content type and body of the answer to one HTTP request."""
        body = _decoded(raw)
        if not path.endswith(self.dialect.path) or "messages" not in body:
            return "application/json", self.dialect.other()
        lane = self.dialect.lane(headers, body)
        request = Request(lane, tuple(self.dialect.texts(body)), body)
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
            scripted = self._next(lane)
        reply = scripted(request) if callable(scripted) else scripted
        if isinstance(reply, str):
            reply = Reply(reply)
        time.sleep(reply.seconds)
        with self._lock:
            self.turns += lane == "main" and not reply.tools
        if reply.failure is not None:
            raise FailedError(reply.failure)
        kind, data = self.dialect.answer(reply, request, number)
        if reply.torn:
            raise TornError(kind, data[: len(data) // 2])
        return kind, data

    def busy(self, more: int) -> None:
        with self._lock:
            self.open += more
            self.changed = time.monotonic()

    def _next(self, lane: Lane) -> Scripted:
        queues = {"main": self.replies, "agent": self.agent_replies, "summary": self.summaries}
        queue = queues.get(lane)
        if queue:
            return queue.popleft()
        return SUMMARY if lane == "summary" else "OK."


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away in between is no failure of ours."""


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            server.busy(1)
            try:
                headers = {name.lower(): value for name, value in self.headers.items()}
                kind, data = server.answer(self.path.split("?")[0], headers, raw)
                self._send(200, (("content-type", kind),), data)
            except FailedError as failed:
                self._send(failed.failure.status, failed.failure.headers, failed.failure.body)
            except TornError as torn:
                self._send(200, (("content-type", torn.kind),), torn.data, more=1)
                self.close_connection = True
            except ConnectionError:
                self.close_connection = True
            finally:
                server.busy(-1)

        def _send(self, status: int, headers: Headers, data: bytes, more: int = 0) -> None:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("content-length", str(len(data) + more))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: object) -> None:
            pass

    for method in ("GET", "POST", "HEAD"):
        setattr(Handler, f"do_{method}", Handler.handle_any)
    return Handler


def _decoded(raw: bytes) -> dict:
    try:
        body = json.loads(raw or b"{}")
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _flat(text: str) -> str:
    return " ".join(text.split())
