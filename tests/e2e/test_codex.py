"""The real Codex with ctxd beside it: what a compaction forgot is in the very next request, and
what a rewind took back is nowhere.

It keeps what the user typed by itself, and forgets all that the agent said: an agreement to what
the agent proposed is what is lost.
"""

import json

import pytest

from e2e.clients import installed
from e2e.clients.codex import CodexTerminal
from e2e.clients.guarded import guarded, running
from e2e.clients.scenario import TYPED, summary_of
from e2e.clients.survival import compact, request_after, talk
from e2e.daemon import wait_until

VERSION = installed.CODEX[0]
SAID = tuple(one for one in TYPED if one.way != "at the end of a long message")
PROPOSED = next(one for one in SAID if one.way == "yes to a proposal")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not installed.TMUX, reason="needs tmux"),
    pytest.mark.skipif(
        installed.find("codex", VERSION) is None, reason="not installed: make clients"
    ),
]


def play(client, how):
    """One session up to the request after its compaction."""
    client.start()
    talk(client, SAID)
    compact(client, how, summary_of(SAID))
    return request_after(client)


@pytest.mark.parametrize("how", ["manual", "automatic"])
def test_what_a_summary_forgets_is_in_the_very_next_request(how):
    with running(CodexTerminal, VERSION) as it, guarded(it) as guard:
        request = play(it, how)
        assert [one.way for one in SAID if not request.states(one.wanted)] == []
        [compaction] = guard.compactions()
        assert compaction["trigger"] == {"manual": "manual", "automatic": "auto"}[how]


def test_without_ctxd_only_what_the_user_typed_is_there():
    with running(CodexTerminal, VERSION) as it:
        request = play(it, "manual")
        assert [one.way for one in SAID if not request.states(one.wanted)] == [PROPOSED.way]


def test_what_a_rewind_took_back_is_no_item():
    with running(CodexTerminal, VERSION) as it, guarded(it) as guard:
        it.start()
        it.say("Never log request bodies.", "Understood.")
        it.say("Never cache prices.", "Understood.")
        it.back("Never round prices.", "Understood.")

        def items():
            guard.settled()
            done = guard.daemon.ctxd("items", "--repo", str(it.repo), "--json")
            return {json.loads(row)["text"] for row in done.stdout.splitlines()}

        wait_until(lambda: "Never round prices." in items(), 20, "what was said last")
        assert "Never log request bodies." in items()
        assert "Never cache prices." not in items()
