"""Sessions of real clients that compact, and what the agent has before it afterwards."""

import time
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from e2e.clients.claude_code import ClaudeCodeTerminal
from e2e.clients.client import Client
from e2e.clients.copilot import CopilotProgram, CopilotTerminal
from e2e.clients.model_server import Request
from e2e.clients.scenario import DIALOGS, PLAN, TYPED, Statement, summary_of

Compaction = Literal["manual", "automatic"]
FILLERS: Mapping[type[Client], int] = {CopilotProgram: 24}
"""Messages without meaning, so that those before them are in the middle of a long session."""

_ANSWERED = {"yes to a proposal", "a refusal with words"} | {
    f"an {answer} in a dialog" for answer in ("answer", "option")
}
KEPT: Mapping[type[Client], frozenset[str]] = {
    CopilotTerminal: frozenset(s.way for s in (*TYPED, *DIALOGS) if s.way not in _ANSWERED),
    CopilotProgram: frozenset(s.way for s in TYPED[:3]),
}
"""Ways of saying things whose words a client keeps by itself when it compacts: the Copilot CLI the
first three messages and the last sixteen, but no answers."""

READING_SECONDS = 1.0
"""Nobody says anything sooner after a compaction: there is something to read first."""
GO_ON = "Go on with the importer."


class Outcome(NamedTuple):
    """What the request after a compaction states."""

    said: Sequence[Statement]
    request: Request

    @property
    def there(self) -> list[Statement]:
        return [one for one in self.said if self.request.states(one.wanted)]

    @property
    def forgotten(self) -> list[Statement]:
        """Those that the summary has not, or has wrong."""
        return [one for one in self.said if one.fate != "kept"]

    @property
    def remembered(self) -> list[Statement]:
        return [one for one in self.said if one.fate == "kept"]

    @property
    def missing(self) -> list[Statement]:
        return [one for one in self.said if not self.request.states(one.wanted)]


def statements_for(client: Client) -> tuple[Statement, ...]:
    """What a user of this client can say in all the ways it has."""
    if isinstance(client, ClaudeCodeTerminal):
        return (PLAN, *TYPED, *DIALOGS)
    return (*TYPED, *DIALOGS) if isinstance(client, CopilotTerminal) else TYPED


def talk(client: Client, said: Sequence[Statement], fillers: int = 0) -> None:
    """Say all of it, and some more that means nothing."""
    for one in said:
        one.act(client)
    for number in range(fillers):
        client.say(f"And row {number} of the sample?", f"Row {number} is read as it should be.")


def compact(client: Client, how: Compaction, summary: str) -> None:
    """Have the window compacted, at the latest with the next thing that is said."""
    if how == "manual":
        client.compact(summary)
    else:
        client.compacts_by_itself(summary)
    time.sleep(READING_SECONDS)


def request_after(client: Client) -> Request:
    """Go on, and return the first request that the model gets."""
    before = len(client.model.of("main"))
    client.say(GO_ON, "I go on with the importer.")
    return client.model.of("main")[before]


def begin(client: Client) -> Sequence[Statement]:
    """Start a client, and say all that a user can say there."""
    client.start(*client.planning)
    said = statements_for(client)
    talk(client, said, FILLERS.get(type(client), 0))
    return said


def play(client: Client, how: Compaction) -> Outcome:
    """One session up to the request after its compaction."""
    said = begin(client)
    compact(client, how, summary_of(said))
    return Outcome(said, request_after(client))
