"""The machine as far as it decides where logs lie: system, home folder, environment variables."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Literal

import msgspec

System = Literal["linux", "macos", "windows"]


class Environment(msgspec.Struct, frozen=True):
    """A value, so that every system's places can be computed and tested on any other."""

    system: System
    home: PurePath
    variables: Mapping[str, str] = {}
    extra_roots: Mapping[str, tuple[PurePath, ...]] = {}
    """Further roots by parser name, from the user's configuration: a service started at login does
    not see what a shell exports."""

    @classmethod
    def current(cls, extra_roots: Mapping[str, tuple[PurePath, ...]] | None = None) -> Environment:
        """This process's own machine."""
        system: System = (
            "windows" if os.name == "nt" else "macos" if sys.platform == "darwin" else "linux"
        )
        return cls(system, Path.home(), dict(os.environ), extra_roots or {})

    def variable_path(self, name: str) -> PurePath | None:
        """The folder an environment variable names; None when it is unset, empty or relative."""
        value = self.variables.get(name, "")
        if value.startswith("~"):
            value = str(self.home) + value[1:]
        path = type(self.home)(value)
        return path if value and path.is_absolute() else None

    def roots(self, parser: str, *defaults: PurePath | None) -> tuple[PurePath, ...]:
        """The defaults that are known here and what the user configured for `parser`, once each."""
        known = [path for path in defaults if path is not None]
        return tuple(dict.fromkeys([*known, *self.extra_roots.get(parser, ())]))

    @property
    def config_home(self) -> PurePath:
        """Where desktop programs keep settings: `~/.config`, Application Support, `%APPDATA%`."""
        if self.system == "macos":
            return self.home / "Library" / "Application Support"
        if self.system == "windows":
            return self.variable_path("APPDATA") or self.home / "AppData" / "Roaming"
        return self.variable_path("XDG_CONFIG_HOME") or self.home / ".config"

    @property
    def data_home(self) -> PurePath:
        """Where programs keep data: `~/.local/share`, Application Support, `%LOCALAPPDATA%`."""
        if self.system == "macos":
            return self.home / "Library" / "Application Support"
        if self.system == "windows":
            return self.variable_path("LOCALAPPDATA") or self.home / "AppData" / "Local"
        return self.variable_path("XDG_DATA_HOME") or self.home / ".local" / "share"
