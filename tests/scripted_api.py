"""A server on this machine that answers each request with what a test says, however odd."""

import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple


class Said(NamedTuple):
    """One answer."""

    body: Any = b""
    """Sent as JSON unless it is bytes."""
    status: int = 200
    headers: Mapping[str, str] = MappingProxyType({})
    kept_back: int = 0
    """So many bytes of the body are announced and never come."""
    seconds: float = 0.0
    """It comes only after these."""
    endless: bool = False
    """The body comes again and again."""


class Heard(NamedTuple):
    """One request."""

    path: str
    headers: dict[str, str]
    body: Any


class ScriptedApi:
    """The last answer stands for all that follow."""

    def __init__(self, *answers: Said) -> None:
        self.answers = list(answers)
        self.heard: list[Heard] = []
        self.url = ""
        self.over = threading.Event()

    def next(self, heard: Heard) -> Said:
        self.heard.append(heard)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    @property
    def last(self) -> Heard:
        return self.heard[-1]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    api: ScriptedApi

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        given = self.rfile.read(length)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = json.loads(given) if given else None
        self._answer(self.api.next(Heard(self.path, headers, body)))

    def do_GET(self) -> None:
        self.do_POST()

    def _answer(self, said: Said) -> None:
        self.api.over.wait(said.seconds)
        body = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
        headers = {"Content-Type": "application/json", **said.headers}
        if not said.endless:
            headers["Content-Length"] = str(len(body) + said.kept_back)
        self.send_response(said.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)
            while said.endless and not self.api.over.is_set():
                self.wfile.write(body)
        self.close_connection = bool(said.endless or said.kept_back)

    def log_message(self, *_) -> None:
        pass


class _Server(ThreadingHTTPServer):
    """Leaves no thread behind: one that waits for the next request of a client that keeps its
    connection would be there in all tests that follow."""

    daemon_threads = False
    handle_error = staticmethod(lambda *_: None)

    def __init__(self, handler: type[_Handler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self._open: list[socket.socket] = []

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.append(request)
        super().process_request(request, client_address)

    def server_close(self) -> None:
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        super().server_close()


@contextlib.contextmanager
def scripted(answers: Sequence[Said], certificate: Any = None) -> Iterator[ScriptedApi]:
    """The server, for as long as a test; with TLS when there is a certificate."""
    api = ScriptedApi(*answers)
    handler = type("Handler", (_Handler,), {"api": api})
    server = _Server(handler)
    scheme = "http"
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    api.url = f"{scheme}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield api
    finally:
        api.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
