"""Sessions of real clients that compact, and what the agent has before it afterwards."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from e2e.clients.claude_code import ClaudeCodeTerminal
from e2e.clients.client import Client
from e2e.clients.copilot import CopilotTerminal
from e2e.clients.model_server import Request
from e2e.clients.scenario import DIALOGS, PLAN, TYPED, Statement, summary_of

Compaction = Literal["manual", "automatic"]
FILLERS = 24
GO_ON = "Go on with the importer."


class Outcome(NamedTuple):
    """What the request after a compaction states."""

    said: Sequence[Statement]
    request: Request

    @property
    def there(self) -> list[Statement]:
        return [one for one in self.said if self.request.states(one.wanted)]

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


def request_after(client: Client) -> Request:
    """Go on, and return the first request that the model gets."""
    before = len(client.model.of("main"))
    client.say(GO_ON, "I go on with the importer.")
    return client.model.of("main")[before]


def play(client: Client, how: Compaction = "manual", fillers: int = 0) -> Outcome:
    """One session up to the request after its compaction; the client runs already."""
    said = statements_for(client)
    talk(client, said, fillers)
    compact(client, how, summary_of(said))
    return Outcome(said, request_after(client))
