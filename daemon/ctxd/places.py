"""The folders that ctxd itself uses. Computing them touches nothing on disk."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

HOME_VARIABLE = "CTXD_HOME"


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
            return cls.under(Path(chosen).expanduser().absolute())
        import platformdirs

        state = platformdirs.user_state_path("ctxd", appauthor=False)
        return cls(
            config=platformdirs.user_config_path("ctxd", appauthor=False),
            state=state,
            log=platformdirs.user_log_path("ctxd", appauthor=False),
            runtime=_runtime(variables) or state / "run",
        )

    @property
    def crashes(self) -> Path:
        """Tracebacks of defects, one file each."""
        return self.state / "crashes"


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
