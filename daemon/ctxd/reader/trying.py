"""One small call to a reader, to see that it answers: `ctxd reader test`.

What it is shown is made up and says nothing of anybody. It is asked as any session is, and its
answer is looked at as any other is.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from ctxd.extract.exchange import Spoken
from ctxd.policy.reader import READER_CALL_SECONDS, READER_TRIAL_SECONDS
from ctxd.reader import prompt, turns
from ctxd.reader.alone import alone
from ctxd.reader.asking import Asking
from ctxd.reader.budget import Limits
from ctxd.reader.tasks import ChunkTask
from ctxd.reader.values import Called, Choice, Prices, Read, Told, Work
from ctxd.reader.worker import caller
from ctxd_parsers.events import AssistantMessage, UserMessage

AGENT = "ctxd"
_ASKED = "How shall the files of this example be indented? A) with tabs B) with four spaces"
_SAID = "B, four spaces everywhere: the linter of this example wants it so."


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it: the published form `ctxd.reader-test/1`."""

    schema: Literal["ctxd.reader-test/1"] = "ctxd.reader-test/1"
    backend: str
    model: str
    """As it was asked for; empty for the backend's own."""
    sends_to: str
    """Who got the text; empty where it stayed on this machine."""
    is_answer: bool
    """Whether an answer in the form asked for came."""
    items: int
    """Items of it that count."""
    refused: int
    """Parts of it that do not."""
    calls: int
    seconds: float
    input_tokens: int
    output_tokens: int
    money_dollars: float
    trouble: str
    """Why there is no answer, as `ctxd reader --json` names it; empty when there is one."""
    message: str
    hint: str


def try_out(
    choice: Choice, left: Limits, prices: Prices, folder: Path, tell: Callable[[Told], object]
) -> list[Told]:
    """Ask once, twice where the first answer does not pass, and return all that was told of it;
    each is told to `tell` as it comes. Raise ReaderError when it cannot be asked, as while a
    session is being read."""
    work = Work(
        choice=choice,
        agent=AGENT,
        session="",
        ledger=str(folder),
        folder=str(folder),
        calls=left.calls,
        tokens=left.tokens,
        money=left.money,
        seconds=READER_CALL_SECONDS,
        prices=prices,
    )
    told: list[Told] = []

    def both(word: Told) -> None:
        told.append(word)
        tell(word)

    [chunk] = prompt.chunks_of(turns.heard_of([_said()], lambda _said: []))
    with alone(folder, READER_TRIAL_SECONDS):
        Asking(work, caller(work), both).ask_all([ChunkTask(chunk)])
    return told


def calls_of(told: list[Told]) -> list[Called]:
    """The calls that were made."""
    return [word for word in told if isinstance(word, Called)]


def items_of(told: list[Told]) -> int:
    """How many items count of what was answered."""
    found = [word.findings for word in told if isinstance(word, Read)]
    return sum(len(one.found) for findings in found for one in findings)


def _said() -> Spoken:
    asked = AssistantMessage(agent=AGENT, session="", id="asked", text=_ASKED)
    said = UserMessage(agent=AGENT, session="", id="said", text=_SAID)
    return Spoken(agent=AGENT, session="", proposal=(asked,), answer=(said,))
