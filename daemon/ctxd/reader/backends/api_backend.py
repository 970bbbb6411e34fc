"""What the backends of APIs have in common: `ctxd.reader.api` asks, in a process of its own."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import socket
import sys
from collections.abc import Mapping
from typing import TypeGuard
from urllib.parse import urlsplit

import msgspec

from ctxd.policy.reader import READER_LOCAL_SECONDS
from ctxd.reader import api, keys
from ctxd.reader.servers import Server, go_around_proxies, server_of
from ctxd.reader.values import Ask, Choice, Command, Finished, ReaderError, Ready, Reply

INSTALL = "install `ctxd-daemon[reader]`"


class ApiBackend:
    """An API that is asked through its maker's library."""

    name = ""
    title = ""
    company = ""
    """Who runs the vendor's own server."""
    library = ""
    """The package that is asked through."""
    needs_key = True
    key_variable = ""
    """The variable of the environment that has the key, as the library's own documentation says."""
    url_variable = ""
    """The variable that names the server which that key is for, where it is another."""
    url = ""
    """The vendor's own server."""
    hushed: tuple[str, ...] = ()
    """Variables that would have the library log what is sent, or send it elsewhere."""
    personal: tuple[str, ...] = ()
    """Variables that say who asks, which is the vendor's business alone."""

    def call(self, ask: Ask, choice: Choice, key: keys.Key | None) -> Reply:
        """Ask; runs in the process of `ctxd.reader.api` alone. Raise ReaderError."""
        raise NotImplementedError

    def sends_to(self, choice: Choice) -> str:
        """Who gets the text; empty where it stays on this machine."""
        if not choice.base_url:
            return f"{self.company} ({self.server(choice).host})"
        try:
            server = self.server(choice)
        except ReaderError:
            return choice.base_url
        if server.is_local:
            return ""
        return server.host if server.url.startswith("https:") else f"{server.host}, unencrypted"

    def server(self, choice: Choice) -> Server:
        """The server that is asked; raise ReaderError for one that nothing may be sent to."""
        return server_of(choice, self.url)

    def key(self, choice: Choice) -> keys.Key | None:
        """The key for the server that is asked; raise ReaderError `key` when one is missing."""
        is_needed = not self.server(choice).is_local
        name = self.key_name(choice)
        try:
            found = keys.find(name)
        except ReaderError:
            if is_needed:
                raise
            return None
        if found is None and is_needed:
            raise ReaderError("key", f"there is no key for {self.server(choice).host}")
        return found

    def key_name(self, choice: Choice) -> str:
        """The name that `ctxd.reader.keys` keeps the key by."""
        is_own = urlsplit(choice.base_url).netloc == urlsplit(self.url).netloc
        return self.name if is_own else keys.name_of(choice)

    def ready(self, choice: Choice) -> Ready:
        """Whether it can be used here."""
        version = self.version()
        if not version:
            return Ready(is_ready=False, what=self.title, why_not="missing", hint=INSTALL)
        what = f"{self.library} {version}"
        try:
            return self.reached(what, self.server(choice), choice)
        except ReaderError as error:
            hint = "`ctxd reader setup`" if error.trouble == "key" else "mend `reader.base_url`"
            return Ready(is_ready=False, what=what, why_not=error.message, hint=hint)

    def reached(self, what: str, server: Server, choice: Choice) -> Ready:
        """Whether a server can be used, the library being there; raise ReaderError when that shows
        by itself."""
        key = self.key(choice)
        if server.is_local and not _answers(server):
            why_not = f"nothing answers at {server.host}"
            return Ready(is_ready=False, what=what, why_not=why_not, hint="start the server")
        source = f", key from {key.source}" if key else ""
        return Ready(is_ready=True, what=f"{what}, {server.host}{source}")

    def version(self) -> str:
        """Version of the library; empty when it is not installed."""
        if importlib.util.find_spec(self.library) is None:
            return ""
        return importlib.metadata.version(self.library)

    def command(self, ask: Ask, choice: Choice) -> Command:
        """The process that asks; raise ReaderError when it could not."""
        if importlib.util.find_spec(self.library) is None:
            raise ReaderError("missing", f"the library `{self.library}` is not installed")
        question = msgspec.json.encode(api.Question(ask, choice)).decode()
        argv = [sys.executable, "-P", "-m", "ctxd.reader.api", self.name]
        return Command(argv=argv, stdin=question, env=self.environment(choice))

    def environment(self, choice: Choice) -> Mapping[str, str]:
        """What the process' variables are to be."""
        server = self.server(choice)
        unwanted = self.hushed if server.url == self.url else self.hushed + self.personal
        variables = dict.fromkeys(unwanted, "")
        if server.is_local:
            ways = dict(os.environ)
            go_around_proxies(urlsplit(server.url).hostname or "", ways)
            variables |= {name: ways[name] for name in ("NO_PROXY", "no_proxy")}
        return variables

    def reply(self, finished: Finished) -> Reply:
        """What came back; raise ReaderError when that is no answer."""
        return api.said(finished)


def counted(first: object, *more: object) -> int | None:
    """Tokens that a server tells, all together; None where the first is no number of any."""
    if not _is_number(first):
        return None
    return sum(one for one in (first, *more) if _is_number(one))


def _is_number(told: object) -> TypeGuard[int]:
    return isinstance(told, int) and not isinstance(told, bool) and told >= 0


def _answers(server: Server) -> bool:
    parts = urlsplit(server.url)
    port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    try:
        socket.create_connection((parts.hostname, port), READER_LOCAL_SECONDS).close()
    except OSError:
        return False
    return True
