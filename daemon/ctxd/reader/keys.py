"""The keys of APIs: from the environment, else from the system's keyring; never from our files.

A key belongs to a server: one that the environment has for a vendor's own server is not shown to
another, unless the environment names that one too. In the background nothing prompts: a keyring
that is locked, hangs or is not there is told at once.
"""

from __future__ import annotations

import importlib.util
import os
import queue
import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from ctxd.errors import UserError
from ctxd.policy.reader import (
    READER_KEY_CHARS,
    READER_KEYRING_ASKED_SECONDS,
    READER_KEYRING_SECONDS,
)
from ctxd.reader.backends.registry import backend
from ctxd.reader.extra import install_hint
from ctxd.reader.values import Choice, ReaderError

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

SERVICE = "ctxd"
"""As the system's keyring lists what is ours."""
KEYRING = "the system's keyring"
_DEFAULT_COLLECTION = "/org/freedesktop/secrets/aliases/default"
_T = TypeVar("_T")


class Key(msgspec.Struct, frozen=True):
    """A key, which is never shown."""

    secret: str
    source: str
    """Where it comes from, for the user."""

    def __repr__(self) -> str:
        return f"Key(source={self.source!r})"


def name_of(choice: Choice) -> str:
    """The name of the key that a choice needs: of the backend, and of its server where that is
    another than the vendor's own."""
    if not choice.base_url:
        return choice.backend
    return f"{choice.backend}@{urlsplit(choice.base_url).netloc}"


def find(name: str, variables: Mapping[str, str] = os.environ) -> Key | None:
    """The key of that name, if there is one; raise ReaderError `key` when the keyring cannot be
    asked, and for one that no server would get whole."""
    found = _of_environment(name, variables) or _of_keyring(name)
    if found is not None and not _can_be_sent(found.secret):
        raise ReaderError("key", f"what {found.source} holds is no key")
    return found


def store(name: str, key: str) -> None:
    """Keep a key in the system's keyring; raise UserError when it cannot be kept there."""
    if not _can_be_sent(key) or " " in key:
        raise UserError("that is no key", "paste it in one line, without spaces around it")
    if len(key) > READER_KEY_CHARS:
        raise UserError("that is longer than any key", "paste nothing but the key")
    ring = _usable(name)
    _asked(name, lambda: ring.set_password(SERVICE, name, key))


def check(name: str) -> None:
    """Raise UserError where nothing could be kept under that name."""
    _usable(name)


def remove(name: str) -> bool:
    """Take a key out of the system's keyring; whether there was one."""
    ring = _usable(name)
    if _asked(name, lambda: ring.get_password(SERVICE, name)) is None:
        return False
    _asked(name, lambda: ring.delete_password(SERVICE, name))
    return True


def variable_of(name: str) -> str:
    """The variable of the environment that holds such a key; empty where there is none."""
    return getattr(backend(name.partition("@")[0]), "key_variable", "")


def elsewhere(name: str) -> str:
    """What to do where no keyring is: a hint."""
    variable = variable_of(name)
    if not variable:
        return "the environment of the service has to hold it"
    if sys.platform != "linux":
        return f"set `{variable}` in the environment of the service"
    place = "~/.config/environment.d/ctxd.conf"
    return f"write `{variable}=...` into `{place}`, readable by you alone, and log in anew"


def _can_be_sent(key: str) -> bool:
    return bool(key) and key.isascii() and key.isprintable()


def _of_environment(name: str, variables: Mapping[str, str]) -> Key | None:
    vendor, _, server = name.partition("@")
    asked = backend(vendor)
    variable, address = getattr(asked, "key_variable", ""), getattr(asked, "url_variable", "")
    secret = variables.get(variable, "").strip()
    if not secret or server != _server(variables.get(address, "") if server else ""):
        return None
    return Key(secret, f"`{variable}`")


def _server(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""


def _of_keyring(name: str) -> Key | None:
    def look() -> str | None:
        ring = _ring()
        if ring is None:
            return None
        if _is_locked(ring):
            raise ReaderError("key", f"{KEYRING} is locked")
        return ring.get_password(SERVICE, name)

    try:
        secret = _in_time(look, READER_KEYRING_SECONDS)
    except ReaderError:
        raise
    except TimeoutError:
        raise ReaderError("key", f"{KEYRING} does not answer") from None
    except Exception as error:  # noqa: BLE001 whatever a keyring's backend raises
        raise ReaderError("key", f"{KEYRING} fails: {type(error).__name__}") from None
    return Key(secret, KEYRING) if secret else None


def _usable(name: str) -> KeyringBackend:
    if importlib.util.find_spec("keyring") is None:
        raise UserError("the library `keyring` is not installed", install_hint())
    try:
        ring = _in_time(_ring, READER_KEYRING_SECONDS)
    except TimeoutError:
        ring = None
    if ring is None:
        raise UserError("there is no keyring on this system", elsewhere(name))
    return ring


def _ring() -> KeyringBackend | None:
    """The keyring, if there is one that keeps anything."""
    try:
        import keyring
        from keyring.backends import fail, null
    except ImportError:
        return None
    ring = keyring.get_keyring()
    parts = getattr(ring, "backends", None)
    is_none = isinstance(ring, (fail.Keyring, null.Keyring)) or parts == []
    return None if is_none else ring


def _is_locked(ring: KeyringBackend) -> bool:
    """Whether it would ask its user to unlock it, or to choose a password for a new one."""
    kinds = {type(part).__module__ for part in getattr(ring, "backends", [ring])}
    if "keyring.backends.SecretService" not in kinds:
        return False
    import secretstorage

    bus = secretstorage.dbus_init()
    try:
        path = getattr(ring, "preferred_collection", _DEFAULT_COLLECTION)
        return bool(secretstorage.Collection(bus, path).is_locked())
    except secretstorage.exceptions.ItemNotFoundException:
        raise ReaderError("key", f"{KEYRING} is not set up") from None
    finally:
        bus.close()


def _asked(name: str, call: Callable[[], _T]) -> _T:
    """What a keyring says while its user looks on; it may prompt."""
    try:
        return _in_time(call, READER_KEYRING_ASKED_SECONDS)
    except TimeoutError:
        raise UserError(f"{KEYRING} does not answer", elsewhere(name)) from None
    except Exception as error:  # noqa: BLE001 whatever a keyring's backend raises
        why = type(error).__name__
        raise UserError(f"{KEYRING} fails: {why}", elsewhere(name)) from None


def _in_time(call: Callable[[], _T], seconds: float) -> _T:
    """What a call returns, or its error; raise TimeoutError when it takes longer. A thread, since
    the libraries of keyrings know no deadline; one that hangs ends with the process."""
    said: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            said.put((call(), None))
        except BaseException as error:  # noqa: BLE001 raised again by whoever waits
            said.put((None, error))

    threading.Thread(target=run, daemon=True).start()
    try:
        result, error = said.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError from None
    if error:
        raise error
    return result  # type: ignore[no-any-return]
