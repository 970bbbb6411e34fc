"""What a service runs, and the stamp by which ctxd knows a definition that it wrote.

Everything in it is absolute: services start with hardly any environment. What the daemon takes from
the environment to find its own folders, and the agents' logs, is written down when the service is
installed, so that it looks where the user's shell looks.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from ctxd import __version__
from ctxd.errors import UserError
from ctxd.terminal import path_text

NAME = "ctxd"

_OWN_VARIABLES = ("XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""Those that decide where ctxd's own folders are."""
_STAMP = re.compile(r"ctxd-stamp: (\{.*\})")
_CACHES = frozenset({".cache", "Cache", "Caches"})
_CELLAR = re.compile(r"(?P<prefix>.+)/Cellar/(?P<name>[^/]+)/[^/]+/(?P<rest>.+)")


class Definition(msgspec.Struct, frozen=True):
    """What the service manager is told, whichever it is."""

    command: tuple[str, ...]
    """The interpreter first."""
    environment: Mapping[str, str]
    home: Path
    log: Path
    """The folder of the daemon's own log."""
    version: str = __version__


class Stamp(msgspec.Struct, frozen=True):
    """What ctxd notes in a definition that it writes."""

    version: str
    interpreter: str
    made: tuple[str, ...] = ()
    """Folders that were made for it, the outermost first."""
    digest: str = ""
    """Of all of it but this line: another one means that somebody edited it."""

    def line(self) -> str:
        """As one line that may stand in a comment of any kind, XML's included."""
        text = json.dumps(msgspec.to_builtins(self), sort_keys=True)
        return "ctxd-stamp: " + text.replace("-", "\\u002d")


def stamped(text: str, stamp: Stamp, mark: str) -> str:
    """The text with the stamp in the place of `mark`, which is in it once."""
    digest = _digest(text.replace(mark, ""))
    return text.replace(mark, msgspec.structs.replace(stamp, digest=digest).line())


def stamp_of(text: str) -> Stamp | None:
    """The stamp of a definition; None when ctxd did not write it."""
    found = _STAMP.search(text)
    try:
        return msgspec.json.decode(found[1], type=Stamp) if found else None
    except msgspec.MsgspecError:
        return None


def is_edited(text: str) -> bool:
    """Whether somebody changed a definition since ctxd wrote it."""
    stamp = stamp_of(text)
    return stamp is not None and stamp.digest != _digest(_STAMP.sub("", text, count=1))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def definition_for(home: Path | None, log: Path) -> Definition:
    """The service of this ctxd; `home` is the folder that it keeps all its own files in, if one was
    named. Raise UserError where this ctxd is none to be started tomorrow."""
    command = [str(interpreter()), "-P", "-m", "ctxd"]
    if home is not None:
        command += ["--home", os.path.abspath(os.path.expanduser(home))]
    variables = dict(relevant_variables(os.environ))
    definition = Definition((*command, "run"), variables, Path.home(), log)
    for text in (*definition.command, *variables.values()):
        if not text.isprintable():
            raise UserError(
                f"a service cannot be told `{path_text(text)}`: it is not all text",
                "move it to a folder with a plainer name",
            )
    return definition


def interpreter() -> Path:
    """The Python that runs this, by a path that upgrades leave alone; raise UserError when it is
    one that will be cleaned away."""
    path = Path(sys.executable)
    if _CACHES & set(path.parts):
        raise UserError(
            f"this ctxd is in a cache, `{path_text(path)}`, and may be gone tomorrow",
            "install it first, as with `uv tool install ctxd-daemon`",
        )
    if os.name == "nt":  # the one that opens no window
        silent = path.with_name("pythonw.exe")
        return silent if silent.exists() else path
    return _unversioned(path)


def _unversioned(path: Path) -> Path:
    """Homebrew has each version in a folder of its own, and a link that leads to the newest."""
    cellar = _CELLAR.fullmatch(str(path))
    if cellar is None:
        return path
    linked = Path(cellar["prefix"], "opt", cellar["name"], cellar["rest"])
    return linked if linked.exists() else path


def relevant_variables(variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Of these variables, those that say where ctxd's own folders or the logs of agents are."""
    for name in dict.fromkeys([*_OWN_VARIABLES, *_asked_by_parsers()]):
        value = variables.get(name)
        if value:
            yield name, value


def _asked_by_parsers() -> list[str]:
    """The variables that parsers ask for: it is for them to know which."""
    from ctxd_parsers.environment import Environment
    from ctxd_parsers.registry import PARSERS

    asked = _Asked()
    machine = Environment.current()
    for parser in PARSERS:
        parser.sources(Environment(machine.system, machine.home, asked))
    return sorted(asked.names)


class _Asked(Mapping[str, str]):
    """No variables at all, and a note of which were asked for."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0
