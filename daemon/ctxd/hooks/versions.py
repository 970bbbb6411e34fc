"""Which version of an agent's client is installed, told by the client or by its newest log."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from ctxd.hooks.vendor import Vendor, Version
from ctxd.policy.hooks import CLIENT_VERSION_BYTES, CLIENT_VERSION_SECONDS, PACKAGE_FOLDERS
from ctxd_parsers.environment import Environment

_DRIVE = re.compile(r"/mnt/[a-z]/")
_VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9}){1,3}")


class ClientVersion(msgspec.Struct, frozen=True):
    """A version, as far as it is known."""

    text: str = ""
    """Empty: not known."""
    told_by: Literal["client", "log", ""] = ""

    @property
    def numbers(self) -> Version | None:
        """The same to compare; None when it is not known."""
        return tuple(map(int, self.text.split("."))) if self.text else None


def version_of(
    vendor: Vendor, env: Environment, from_logs: Callable[[str], str | None]
) -> ClientVersion:
    """The version of the client that is installed, else the newest one in its logs.

    A client from npm has it written down. Another one is asked for its version and nothing else,
    and ended when it takes too long.
    """
    for name in vendor.programs:
        program = shutil.which(name, path=env.variables.get("PATH"))
        if program is not None and not _is_of_windows(program, env):
            told = version_at(program, vendor.package, {**env.variables, **vendor.quiet})
            if told:
                return ClientVersion(told, "client")
    logged = _version(from_logs(vendor.agent) or "")
    return ClientVersion(logged, "log") if logged else ClientVersion()


def version_at(program: str, package: str, variables: Mapping[str, str]) -> str:
    """The version of the client at a path, by the npm package that it may be of; empty when it is
    not known."""
    return _packaged(Path(program), package) or _version(_asked(program, variables))


def _is_of_windows(program: str, env: Environment) -> bool:
    """Whether Linux inside Windows sees a program of the latter, which has a home of its own."""
    return "WSL_DISTRO_NAME" in env.variables and _DRIVE.match(program) is not None


def _version(text: str) -> str:
    found = _VERSION.search(text)
    return found[0] if found else ""


class _Package(msgspec.Struct):
    name: str = ""
    version: str = ""


def _packaged(program: Path, name: str) -> str:
    """The version in the package that a program is of; empty when it is of no such package."""
    if not name:
        return ""
    for folder in list(Path(os.path.realpath(program)).parents)[:PACKAGE_FOLDERS]:
        for file in (folder / "package.json", folder / "node_modules" / name / "package.json"):
            with contextlib.suppress(OSError, msgspec.MsgspecError, UnicodeError):
                package = msgspec.json.decode(file.read_bytes(), type=_Package)
                if package.name == name:
                    return _version(package.version)
    return ""


def _asked(program: str, variables: Mapping[str, str]) -> str:
    try:
        process = subprocess.Popen(  # noqa: S603 - the client that the user has installed
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(variables),
            start_new_session=True,
        )
    except OSError:
        return ""
    with process:
        try:
            output, _ = process.communicate(timeout=CLIENT_VERSION_SECONDS)
        except subprocess.TimeoutExpired:
            _end(process)
            return ""
    return output[:CLIENT_VERSION_BYTES].decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a client with all that it has started."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        process.kill()
