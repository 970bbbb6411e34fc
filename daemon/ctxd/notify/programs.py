"""A program of the system that shows notices: run with a deadline, and what went wrong."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from ctxd.policy.notices import NOTICE_ANSWER_SECONDS

NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0) if sys.platform == "win32" else 0


def run(command: Sequence[str], given: str, seconds: float = NOTICE_ANSWER_SECONDS) -> str | None:
    """Why a program failed, in words; None when it did not."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, no shell
            command,
            input=given.encode("utf-8"),
            capture_output=True,
            check=False,
            timeout=seconds,
            creationflags=NO_WINDOW,
        )
    except subprocess.TimeoutExpired:
        return f"it does not end within {seconds:.0f} s"
    except OSError as error:
        return f"cannot start `{command[0]}`: {error.strerror}"
    said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
    return None if done.returncode == 0 else said or f"it ends with {done.returncode}"
