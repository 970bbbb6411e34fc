"""Arguments that several commands take."""

from __future__ import annotations

import os
from pathlib import Path

from ctxd.errors import UserError, reason
from ctxd.terminal import path_text


def existing(path: Path) -> Path:
    """The real path of what the user named; raise UserError when there is nothing to be had.

    What lies in a log folder is never followed when it is a link; what a user names is.
    """
    try:
        path.stat()
    except OSError as error:
        raise UserError(
            f"cannot read `{path_text(path)}`: {reason(error)}",
            "`ctxd paths` shows where the agents keep their logs",
        ) from error
    return Path(os.path.realpath(path))
