"""Why an edit was not applied: in words a user can act on, and by a code that programs can."""

from __future__ import annotations

from ctxd.errors import CtxdError, Exit
from ctxd.terminal import path_text


class EditError(CtxdError):
    """An edit that was not applied; its file is as it was."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.code = code
        """Stable: `wait.quiet`, `conflict.changed`, `refused.outside`, ..."""


class NotYetError(EditError):
    """Nothing is wrong: the same edit may be applied a little later."""


class ChangedError(EditError):
    """The file is not what the edit was planned for: plan again."""

    exit_code = Exit.CONFLICT

    def __init__(self, code: str, message: str, hint: str, diff: str = "") -> None:
        super().__init__(code, message, hint)
        self.diff = diff
        """What was done to the file since, as a unified diff."""


class RefusedError(EditError):
    """The file is not ctxd's to write, until somebody changes what the message names."""

    def __init__(self, code: str, path: str, why: str, hint: str = "") -> None:
        message = f"`{path_text(path)}` is not written: {why}"
        super().__init__(f"refused.{code}", message, hint or "change that, or name another file")
        self.why = why
