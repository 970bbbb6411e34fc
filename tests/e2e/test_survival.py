"""What a user said survives the compactions of real clients: it is before the agent again in the
very next request, in the user's words. Without ctxd it is not, which the same sessions show.

The clients come from npm and run offline, against a scripted model: see `clients/`.
"""

import pytest

from e2e.clients import installed
from e2e.clients.claude_code import ClaudeCodeStream, ClaudeCodeTerminal
from e2e.clients.copilot import CopilotProgram, CopilotTerminal
from e2e.clients.guarded import dropped, guarded, names, running
from e2e.clients.survival import KEPT, play
from e2e.daemon import wait_until

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(installed.missing()), reason=installed.missing() or "-"),
]
at_a_terminal = pytest.mark.skipif(not installed.TMUX, reason="needs tmux")
NEWEST, OLDER, SCRIPT = installed.CLAUDE_CODE
COPILOT = installed.COPILOT[0]


TERMINALS = [
    pytest.param(ClaudeCodeTerminal, NEWEST, "manual", marks=at_a_terminal),
    pytest.param(ClaudeCodeTerminal, NEWEST, "automatic", marks=at_a_terminal),
    pytest.param(ClaudeCodeTerminal, OLDER, "automatic", marks=at_a_terminal),
    pytest.param(ClaudeCodeTerminal, SCRIPT, "automatic", marks=at_a_terminal),
    pytest.param(CopilotTerminal, COPILOT, "manual", marks=at_a_terminal),
    pytest.param(CopilotTerminal, COPILOT, "automatic", marks=at_a_terminal),
]
PROGRAMS = [
    pytest.param(ClaudeCodeStream, NEWEST, "manual"),
    pytest.param(ClaudeCodeStream, NEWEST, "automatic"),
    pytest.param(CopilotProgram, COPILOT, "manual"),
    pytest.param(CopilotProgram, COPILOT, "automatic"),
]


@pytest.mark.parametrize(("client", "version", "how"), [*TERMINALS, *PROGRAMS])
def test_what_a_summary_forgets_is_in_the_very_next_request(client, version, how):
    with running(client, version) as it, guarded(it) as guard:
        outcome = play(it, how)
        assert [one.way for one in outcome.missing] == []
        [compaction] = guard.compactions()
        gone = dropped(compaction)
        by_itself = KEPT.get(client, frozenset())
        lost = {s.way for s in outcome.forgotten} - by_itself
        assert {s.way for s in outcome.said if names(gone, s.wanted)} == lost
        assert [s.way for s in outcome.said if s.plain and s.wanted not in guard.rules] == []
        [told] = wait_until(guard.told, 10, "a notice")
        assert "ompaction dropped" in told


@pytest.mark.parametrize(("client", "version", "how"), [TERMINALS[1], TERMINALS[4], *PROGRAMS])
def test_without_ctxd_it_is_gone(client, version, how):
    with running(client, version) as it:
        outcome = play(it, how)
        by_itself = KEPT.get(client, frozenset())
        gone = {one.way for one in outcome.missing}
        assert gone == {one.way for one in outcome.forgotten} - by_itself
