"""The folders that ctxd itself uses. Computing them touches nothing on disk."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ctxd.errors import UsageError, UserError
from ctxd.terminal import path_text

HOME_VARIABLE = "CTXD_HOME"
CONFIG_FILE = "config.toml"


def require_home(variables: Mapping[str, str] = os.environ) -> None:
    """Raise UserError where nobody can tell what the user's home folder is, as in a container."""
    try:
        known = Path.home().is_absolute() and (os.name == "nt" or variables.get("HOME") != "")
    except RuntimeError:
        known = False
    if not known:
        raise UserError("cannot tell where your home folder is", "set HOME to its absolute path")


class Places(msgspec.Struct, frozen=True):
    """Where ctxd keeps what; folders are made, private to the user, when first written to."""

    config: Path
    """`config.toml`. Missing means all defaults."""
    state: Path
    """What ctxd knows, and the tracebacks of its own defects."""
    log: Path
    runtime: Path
    """Socket and lock of the running daemon."""

    @classmethod
    def under(cls, home: Path) -> Places:
        """All of them below one folder, as `--home` and CTXD_HOME ask for."""
        return cls(home / "config", home / "state", home / "log", home / "run")

    @classmethod
    def current(cls, home: Path | None = None, variables: Mapping[str, str] = os.environ) -> Places:
        """This user's: below `home`, else below $CTXD_HOME, else where the system wants them."""
        chosen = home or variables.get(HOME_VARIABLE)
        if chosen:
            return cls.under(_expanded(Path(chosen)))
        if sys.platform == "linux":
            # As platformdirs has them; to import it takes a tenth of `ctxd status`.
            state = _base("XDG_STATE_HOME", ".local/state", variables) / "ctxd"
            config = _base("XDG_CONFIG_HOME", ".config", variables) / "ctxd"
            return cls(config, state, state / "log", _runtime(variables) or state / "run")
        return cls._elsewhere()

    @classmethod
    def _elsewhere(cls) -> Places:
        import platformdirs

        state = platformdirs.user_state_path("ctxd", appauthor=False)
        return cls(
            config=platformdirs.user_config_path("ctxd", appauthor=False),
            state=state,
            log=platformdirs.user_log_path("ctxd", appauthor=False),
            runtime=state / "run",
        )

    @property
    def crashes(self) -> Path:
        """Tracebacks of defects, one file each."""
        return self.state / "crashes"

    @property
    def receipts(self) -> Path:
        """What was done to context files, so that it can be undone."""
        return self.state / "receipts"


def _expanded(path: Path) -> Path:
    """The path with `~` resolved; raise UsageError where that is nobody's home."""
    try:
        return path.expanduser().absolute()
    except RuntimeError as error:
        raise UsageError(
            f"there is no home folder for `{path.parts[0]}` in `{path_text(path)}`",
            "name an absolute path",
        ) from error


def _base(name: str, default: str, variables: Mapping[str, str]) -> Path:
    """A base folder of the XDG specification: relative ones are to be ignored."""
    chosen = Path(variables.get(name) or "")
    return chosen if chosen.is_absolute() else Path.home() / default


def _runtime(variables: Mapping[str, str]) -> Path | None:
    """The session's runtime folder where it is the user's alone.

    A folder of our own is the answer elsewhere: platformdirs would fall back to a name below /tmp
    that another user can take first.
    """
    path = Path(variables.get("XDG_RUNTIME_DIR") or "")
    if sys.platform != "linux" or not path.is_absolute():
        return None
    try:
        status = path.stat()
    except OSError:
        return None
    private = status.st_uid == os.getuid() and status.st_mode & 0o077 == 0
    return path / "ctxd" if private else None
