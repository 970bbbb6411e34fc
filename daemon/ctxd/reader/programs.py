"""Agents' own programs, found as the user's shell finds them.

A service has a short search path, and agents live in the user's own folders. No shell is asked for
its path: what a shell does when it starts is not ours to do.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from ctxd.hooks.vendor import Vendor
from ctxd.hooks.versions import version_at
from ctxd.reader.values import Choice, ReaderError, Ready
from ctxd.terminal import path_text

_IN_HOME = (
    ".local/bin",
    "bin",
    ".npm-global/bin",
    ".npm-packages/bin",
    ".npm/bin",
    "node_modules/.bin",
    ".*/local",  # where an agent keeps itself beside its settings
    ".local/share/pnpm",
    "Library/pnpm",
    ".bun/bin",
    ".volta/bin",
    ".deno/bin",
    ".cargo/bin",
    ".asdf/shims",
    ".local/share/mise/shims",
    ".nvm/versions/node/*/bin",
    ".local/share/fnm/node-versions/*/installation/bin",
    ".fnm/node-versions/*/installation/bin",
    ".nix-profile/bin",
    "AppData/Roaming/npm",
)
_OF_THE_SYSTEM = (
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/run/current-system/sw/bin",
    "/usr/bin",
    "/bin",
    "/snap/bin",
)


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent's program has to be, to be used."""

    called: str
    """In a sentence: `the CLI`, `it`."""
    first: tuple[int, ...] = ()
    """The oldest version that was proven."""
    update: str = ""
    """What to do about an older one."""


_OF_WINDOWS = re.compile(r"/mnt/[a-z]/")
_NUMBER = re.compile(r"(\d+)")


def find(names: Sequence[str], choice: Choice) -> str:
    """Full path of a program, since it is run elsewhere: of the one chosen, else of the first of
    these names that is found; raise ReaderError when there is none."""
    if choice.program:
        found = shutil.which(os.path.expanduser(choice.program), path=search_path())
        if found is None:
            where = path_text(Path(choice.program))
            raise ReaderError("missing", f"there is no program `{where}`")
        return os.path.abspath(found)
    for name in names:
        if found := shutil.which(name, path=search_path()):
            return os.path.abspath(found)
    raise ReaderError("missing", f"`{names[0]}` is not installed")


def variables(program: str) -> dict[str, str]:
    """Variables that a program needs besides the user's own: a script's interpreter is often found
    where the script is, and nowhere else."""
    return {"PATH": os.pathsep.join((str(Path(program).parent), search_path()))}


def version(program: str, package: str, quiet: Mapping[str, str] | None = None) -> str:
    """The version of a program, from its npm package or by asking it; empty when it is unknown."""
    return version_at(program, package, {**os.environ, **variables(program), **(quiet or {})})


def ready(vendor: Vendor, choice: Choice, wanted: Wanted) -> Ready:
    """Whether an agent's program is here, and as new as it has to be."""
    try:
        program = find(vendor.programs, choice)
    except ReaderError as error:
        hint = (
            f"install {wanted.called}, or name its program: `ctxd config set reader.program PATH`"
        )
        return Ready(is_ready=False, what=vendor.product, why_not=error.message, hint=hint)
    found = version(program, vendor.package, vendor.quiet)
    what = f"{vendor.product} {found}".strip()
    if found and numbers(found) < wanted.first:
        why = f"older than {'.'.join(map(str, wanted.first))}"
        return Ready(is_ready=False, what=what, why_not=why, hint=wanted.update)
    return Ready(is_ready=True, what=what)


def numbers(version: str) -> tuple[int, ...]:
    """A version as what it is compared by; () for one that is not known."""
    return tuple(map(int, version.split("."))) if version else ()


def search_path() -> str:
    """The search path of this process, and behind it the places where agents are installed."""
    own = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if "WSL_DISTRO_NAME" in os.environ:
        # Programs of Windows, which have a home of their own.
        own = [place for place in own if not _OF_WINDOWS.match(place)]
    return os.pathsep.join(dict.fromkeys(place for place in [*own, *_places()] if place))


def _places() -> Iterator[str]:
    home = Path.home()
    for pattern in _IN_HOME:
        if "*" in pattern:
            yield from sorted(map(str, home.glob(pattern)), key=_newest, reverse=True)
        else:
            yield str(home / pattern)
    if sys.platform != "win32":
        yield from _OF_THE_SYSTEM


def _newest(path: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(path)]
