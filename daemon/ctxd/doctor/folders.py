"""ctxd's own folders and files: there, the user's alone, and fit to be written to."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ctxd.doctor.values import Check, bounded, fail, ok
from ctxd.errors import reason
from ctxd.places import Places
from ctxd.terminal import short_path

_OTHERS_READ = 0o077
_OTHERS_WRITE = 0o022


def folders(places: Places) -> Iterator[Check]:
    """Each folder that is there, and what in it holds words of sessions."""
    made = [path for path in _own(places) if os.path.lexists(path)]
    found = [
        fail("folders", f"`{short_path(path, Path.home())}` {what}", hint)
        for path in made
        for what, hint in _trouble(path, places)
    ]
    yield from bounded(found)
    if not found:
        yield ok("folders", "yours alone" if made else "not made yet")


def _own(places: Places) -> tuple[Path, ...]:
    folders = (places.config, places.state, places.log, places.runtime)
    files = (places.state / "ledger.sqlite3", places.log / "ctxd.log", places.receipts)
    return folders + files


def _trouble(path: Path, places: Places) -> Iterator[tuple[str, str]]:
    """What is wrong with one of them, and what to do about it."""
    try:
        found = path.stat()
    except FileNotFoundError:
        yield f"is a link to what is gone, `{os.readlink(path)}`", "mend or remove the link"
        return
    except OSError as error:
        yield f"cannot be looked at: {reason(error)}", "let your user into the folder above it"
        return
    is_folder = stat.S_ISDIR(found.st_mode)
    if is_folder != (path.suffix not in {".sqlite3", ".log"}):
        yield f"is no {'file' if is_folder else 'folder'}", "move it away"
    elif os.name != "nt" and found.st_uid != os.geteuid():
        yield "belongs to another user", "give it back with `chown`, or move it away"
    elif os.name != "nt" and found.st_mode & _forbidden(path, places):
        mode = 700 if is_folder else 600
        yield "is open to other users", f"make it yours alone: `chmod {mode}` it"
    elif not os.access(path, os.W_OK | (os.X_OK if is_folder else 0)):
        yield "cannot be written to", "make it writable, or name others with `--home`"


def _forbidden(path: Path, places: Places) -> int:
    """The configuration may be read by others, as settings of other programs may."""
    return _OTHERS_WRITE if path == places.config else _OTHERS_READ
