"""Work that may hang, done beside everything else and waited for no longer than there is time: a
network disk that does not answer, a service manager that is stuck."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Later(Generic[T]):
    """Something that is being found out."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._found: list[T] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    def by(self, until: float) -> T | None:
        """What was found, or None when that takes longer; raise what the work raised. `until` is
        monotonic time."""
        self._thread.join(max(0.0, until - time.monotonic()))
        if self._error is not None:
            raise self._error
        return self._found[0] if self._found else None

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self._found.append(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits
            self._error = error
