"""The real Gemini CLI with ctxd beside it: what a compaction forgot is with the very next prompt.

Without a hook after a compaction, `BeforeAgent` gives it back with what the user says next.
"""

import pytest

from e2e.clients import installed
from e2e.clients.gemini import GeminiTerminal
from e2e.clients.guarded import dropped, guarded, running
from e2e.clients.scenario import TYPED
from e2e.clients.survival import play
from e2e.daemon import wait_until

VERSION = installed.GEMINI[0]

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not installed.TMUX, reason="needs tmux"),
    pytest.mark.skipif(
        installed.find("gemini-cli", VERSION) is None, reason="not installed: make clients"
    ),
]


@pytest.mark.parametrize("how", ["manual", "automatic"])
def test_what_a_summary_forgets_is_with_the_very_next_prompt(how):
    with running(GeminiTerminal, VERSION) as it, guarded(it) as guard:
        outcome = play(it, how)
        assert [one.way for one in outcome.missing] == []
        [compaction] = guard.compactions()
        assert compaction["trigger"] == {"manual": "manual", "automatic": "auto"}[how]
        assert dropped(compaction)
        assert wait_until(guard.told, 10, "a notice")


def test_without_ctxd_it_is_gone():
    with running(GeminiTerminal, VERSION) as it:
        outcome = play(it, "manual")
        assert {one.way for one in outcome.missing} >= {"typed, as an order", "a number"}


def test_a_session_that_was_left_has_ended_once_though_the_client_says_so_twice():
    with running(GeminiTerminal, VERSION) as it, guarded(it) as guard:
        it.start()
        TYPED[0].act(it)
        it.stop()

        def ended() -> bool:
            found = guard.daemon.session(it.session)
            return found is not None and found.state == "ended"

        wait_until(ended, 10, "the session has ended")
