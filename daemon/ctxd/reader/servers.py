"""Where the text goes: the server of an API, and whether it may be sent there.

What a session says crosses no network unencrypted unless the settings say so, and no address holds
a key: addresses are shown and logged.
"""

from __future__ import annotations

import ipaddress
from collections.abc import MutableMapping
from urllib.parse import urlsplit

import msgspec

from ctxd.reader.values import Choice, ReaderError


class Server(msgspec.Struct, frozen=True):
    """A server that was found to be one that text may be sent to."""

    url: str
    host: str
    """With its port, where the address names one; for the user."""
    is_local: bool
    """Whether it is this machine."""


def server_of(choice: Choice, default: str = "") -> Server:
    """The server that the settings name, or the backend's own; raise ReaderError `account` for one
    that nothing may be sent to."""
    url = choice.base_url or default
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    if parts.scheme not in ("http", "https") or not host:
        raise ReaderError("account", "`reader.base_url` is no address of a server")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ReaderError("account", "`reader.base_url` holds a user, a password or a query")
    is_local = is_this_machine(host)
    if parts.scheme == "http" and not is_local and not choice.unencrypted:
        said = f"text is not sent to {parts.netloc} unencrypted"
        raise ReaderError("account", f"{said}: use https, or set `reader.unencrypted`")
    return Server(url.rstrip("/"), parts.netloc, is_local)


def is_this_machine(host: str) -> bool:
    """Whether a host's name stands for this machine whatever a network says of it."""
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def go_around_proxies(host: str, variables: MutableMapping[str, str]) -> None:
    """Have what is sent to this machine not take the way through a proxy."""
    for name in ("NO_PROXY", "no_proxy"):
        variables[name] = ",".join(filter(None, (variables.get(name, ""), host)))
