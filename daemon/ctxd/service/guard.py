"""What keeps a failure from ending the loop, and knows whether the ledger can be written."""

from __future__ import annotations

import logging
from collections.abc import Callable

from ctxd.errors import CtxdError
from ctxd.ledger import LedgerRebuiltError
from ctxd.policy.daemon import LEDGER_RETRY_SECONDS
from ctxd.service.aside import Defects
from ctxd.service.timing import Clock

log = logging.getLogger(__name__)


class Guard:
    """Runs actions that may fail. While the ledger cannot be written, says so and why."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._defects = Defects()
        self.resting_until = clock.monotonic()
        """Before this monotonic time nothing need be stored again."""
        self.begun_anew: Callable[[], None] = lambda: None
        """Called when the ledger had to be begun anew: it knows no positions any more."""
        self.trouble = ""
        """Why nothing can be stored at the moment, in words; empty when all is well."""

    def run(self, action: Callable[[], object]) -> bool:
        """Do something whose failure must not end the loop, and return whether it went well."""
        try:
            action()
        except CtxdError as error:
            self.rest_from_storing(error)
        except Exception as error:  # noqa: BLE001 - the loop never dies
            self._defects.note(error)
        else:
            return True
        return False

    def note_defect(self, error: Exception) -> None:
        """Log a defect, once."""
        self._defects.note(error)

    def rest_from_storing(self, error: CtxdError) -> None:
        """The ledger cannot be written: try again in a while, and say so meanwhile."""
        if isinstance(error, LedgerRebuiltError):
            log.error("%s", error.message)
            self.begun_anew()
            return
        if not self.trouble:
            log.error("cannot write the ledger: %s", error.message)
        self.trouble = error.message
        self.resting_until = self._clock.monotonic() + LEDGER_RETRY_SECONDS
