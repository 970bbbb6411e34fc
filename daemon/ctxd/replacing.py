"""A file of ctxd's own put in the place of another in one step: whole, or the old one stays."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def replace(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file durably, whose folder is there; raise OSError, with nothing left behind."""
    descriptor, fresh = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(fresh, mode)
        os.replace(fresh, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(fresh)
        raise
