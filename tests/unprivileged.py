"""Runs a piece of a test as a user whom file modes bind: the superuser may do anything."""

import os
import shutil
import tempfile
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

NOBODY = 65534


def run(story: Callable[[Path], None]) -> None:
    """Call `story` with a fresh folder of its own; fail as it fails."""
    if os.geteuid() != 0:
        with tempfile.TemporaryDirectory() as folder:
            story(Path(folder))
        return
    folder = tempfile.mkdtemp()
    os.chown(folder, NOBODY, NOBODY)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # fork beside threads: only a test
            child = os.fork()
        if child == 0:
            _end_as_nobody(story, Path(folder))
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0, "see the traceback above"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _end_as_nobody(story: Callable[[Path], None], folder: Path) -> None:
    code = 1
    try:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        story(folder)
        code = 0
    except BaseException:  # noqa: BLE001 - the parent fails for it
        traceback.print_exc()
    finally:
        os._exit(code)
