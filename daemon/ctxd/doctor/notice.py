"""A notice sent to try the way to the desktop."""

from __future__ import annotations

from collections.abc import Callable

from ctxd.doctor.values import Check, State, ok
from ctxd.notify.values import Dispatched, Notice

TEST = Notice(
    "doctor", "ctxd can reach you here", "A compaction that drops a constraint is told like this."
)


def test_notice(dispatch: Callable[[Notice], Dispatched]) -> Check:
    """Send a notice, and say what became of it."""
    outcome = dispatch(TEST)
    if outcome.state == "dispatched":
        return ok("notices", f"a test notice was dispatched by {outcome.backend}")
    state: State = "fail" if outcome.state == "failed" else "warn"
    by = f" by {outcome.backend}" if outcome.backend else ""
    return Check(
        name="notices",
        state=state,
        message=f"the test notice was not dispatched{by}: {outcome.why}",
        hint=outcome.hint or "`ctxd status` shows what could not be",
    )
