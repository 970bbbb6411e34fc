"""Whether what a service would start works: tried out before anything is written."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from ctxd import __version__
from ctxd.errors import UserError
from ctxd.policy.service import (
    SERVICE_ANSWER_SECONDS,
    SERVICE_POLL_SECONDS,
    SERVICE_PROBE_SECONDS,
    SERVICE_SAID_CHARS,
)
from ctxd.service_install.service import Ping
from ctxd.terminal import one_line

_NEEDED = ("HOME", "USERPROFILE", "SYSTEMROOT")
"""What every service manager gives, as far as the system has it."""


def probe() -> None:
    """Raise UserError unless this interpreter finds ctxd with next to no environment, elsewhere."""
    variables = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "ctxd", "--version"],
            env=variables,
            cwd=Path.home(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SERVICE_PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _useless(str(error)) from error
    if done.stdout.decode("utf-8", "replace").strip() != f"ctxd {__version__}":
        raise _useless(done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2])


def wait_for_answer(ping: Ping) -> bool:
    """Whether a daemon that was just started answers, soon enough."""
    until = time.monotonic() + SERVICE_ANSWER_SECONDS
    while ping() is None:
        if time.monotonic() > until:
            return False
        time.sleep(SERVICE_POLL_SECONDS)
    return True


def _useless(why: str) -> UserError:
    why = one_line(why)[:SERVICE_SAID_CHARS]
    return UserError(
        f"a service could not start this ctxd: {why or 'its Python finds another one'}",
        "install it, as with `uv tool install ctxd-daemon`, and use that one",
    )
