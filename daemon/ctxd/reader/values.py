"""What a reader is asked, what it is asked through, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from ctxd.extract.exchange import Spoken
from ctxd.item import Authority, Durability, Evidence, Item, Kind
from ctxd.retention.values import Reread


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a reader: everything that leaves this process, but for a key."""

    instructions: str
    """What it is to do; the same for all questions of one kind."""
    text: str
    """What it is to read."""
    schema: Mapping[str, Any]
    """JSON Schema of the answer, for those that can be held to one."""
    answer_tokens: int
    """Most tokens of the answer."""

    @property
    def prompt(self) -> str:
        """Both parts as one text, for programs that take one prompt."""
        return f"{self.instructions}\n\n{self.text}"


class Spent(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a call cost, as far as the backend says; else as estimated by `ctxd.reader.costs`."""

    input_tokens: int = 0
    output_tokens: int = 0
    money: float = 0.0
    """US dollars; 0 where neither the backend nor the settings tell a price."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader said, not looked at yet."""

    text: str
    """Hopefully JSON, perhaps with words or a fence around it."""
    model: str = ""
    """As the backend names it."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    money: float | None = None
    """US dollars, where the backend says it."""
    cut: bool = False
    """It ended because the answer was too long."""


Trouble = Literal[
    "missing",  # the program or library is not installed
    "key",  # there is no key, or it is not taken
    "account",  # not logged in, no credit, no such model: the user has to do something
    "rate",  # too many calls: later
    "slow",  # it took too long and was ended
    "broken",  # it crashed, the network failed, the server is in trouble
    "refused",  # it does not want to answer this
    "long",  # what it was asked is too long for it
    "malformed",  # what came is no answer
    "budget",  # today's budget is spent
]

LATER: frozenset[Trouble] = frozenset({"rate", "slow", "broken", "budget"})
"""Troubles that go away by themselves: what was asked is asked again, later."""

FOR_THE_USER: frozenset[Trouble] = frozenset({"missing", "key", "account"})
"""Troubles that only the user can end: nothing is asked until the settings or the day change."""


class ReaderError(Exception):
    """A call that gave no answer."""

    def __init__(self, trouble: Trouble, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.trouble = trouble
        self.message = message
        """One line for the user, without session text and without keys."""
        self.retry_after = retry_after
        """Seconds after which the backend says it may be asked again."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """The reader that the user chose: see `ctxd.settings.ReaderSettings`."""

    backend: str
    """A name of `ctxd.reader.backends.registry`."""
    model: str = ""
    """As the backend names it; empty for its own default."""
    base_url: str = ""
    """Of a server, for backends that speak to one."""
    region: str = ""
    """Of a cloud, for backends that have regions; empty for that of the account's own settings."""
    unencrypted: bool = False
    """Whether text may go to another machine over plain HTTP."""
    program: str = ""
    """Path of an agent's program, where it is not on the search path."""


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A program that puts one question to a reader. It runs in a private folder of its own, in a
    process group of its own, with `CTXD_READER=1` in its environment."""

    argv: Sequence[str]
    stdin: str = ""
    env: Mapping[str, str] = {}
    """Added to the environment; an empty value takes a variable out."""
    files: Mapping[str, str] = {}
    """Written into the folder before it starts."""
    answer_file: str = ""
    """Name of a file in the folder that it leaves its answer in."""


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """A program that has ended."""

    code: int
    """Negative for the signal that ended it."""
    stdout: str
    stderr: str
    answer: str = ""
    """What stands in `Command.answer_file`."""


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a backend can be used here; found without asking a model anything."""

    is_ready: bool
    what: str
    """The program with its version, or the server, or the library; for the user."""
    why_not: str = ""
    hint: str = ""


class Backend(Protocol):
    """One way to a reader. Pure but for `ready`: `ctxd.reader.child` runs the command."""

    name: str
    """As the settings name it."""
    title: str
    """For the user: `Claude Code (claude -p)`."""
    needs_key: bool

    def sends_to(self, choice: Choice) -> str:
        """Who gets the text, for the user: "Anthropic, through your Claude Code login"; empty where
        it stays on this machine."""

    def ready(self, choice: Choice) -> Ready:
        """Whether it can be used here."""

    def command(self, ask: Ask, choice: Choice) -> Command:
        """The program that asks; raise ReaderError when there is none."""

    def reply(self, finished: Finished) -> Reply:
        """What came back; raise ReaderError when that is no answer."""


class Part(msgspec.Struct, frozen=True, gc=False):
    """A piece of one event's text, word for word, as a reader is shown it."""

    event: str
    start: int
    """Offset of its first character in the event's text."""
    text: str


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One exchange as a reader is shown it."""

    number: int
    """From 1, in its session."""
    exchange: str
    """Id of the answer's first event: the last part of an `ExchangeKey`."""
    said: Spoken
    agent: Sequence[Part] = ()
    """What the agent said before the user's words, as much of it as is shown."""
    user: Sequence[Part] = ()
    """The user's own words: no pastes, no quotations, no output."""
    notes: Sequence[str] = ()
    """What happened that nobody said in words: a tool call turned down, a plan approved."""
    candidates: Sequence[Item] = ()
    """What was understood of it offline."""


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """What one call is about."""

    turns: Sequence[Turn]
    carried: Sequence[Item] = ()
    """Items of earlier turns of the session that still hold, as they were understood offline."""
    digest: str
    """Of the words shown and of the version of the prompt: the same words need be read once."""


class Finding(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """An item as a reader found it, whose quotes were found where it says they stand."""

    statement: str
    kind: Kind
    evidence: tuple[Evidence, ...]
    """The user's words that bind it first, then the proposal they accept."""
    reason: str = ""
    rejected: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    authority: Authority
    durability: Durability
    sure: int = 2
    """1 borderline, 2 fairly, 3 certain, as the reader says."""
    candidate: str = ""
    """Id of the item that was understood offline and says the same; empty for a new one."""
    supersedes: tuple[str, ...] = ()
    """Ids of items that it overturns."""


class Findings(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a reader made of one exchange; stored in the ledger."""

    exchange: str
    """See `Turn.exchange`."""
    words: str
    """Digest of the words it was shown: findings of other words count no more."""
    reader: str
    """Backend and model."""
    found: tuple[Finding, ...] = ()
    refuted: tuple[str, ...] = ()
    """Ids of items understood offline that are none, as the reader says."""


class Refusal(msgspec.Struct, frozen=True):
    """A part of an answer that does not count, and why: told to the reader when it is asked once
    more, and counted."""

    where: str
    """`items[3].quote`"""
    why: str


class Prices(msgspec.Struct, frozen=True, omit_defaults=True):
    """What tokens cost where the backend does not tell; 0 where nobody does."""

    million_in: float = 0.0
    """US dollars for a million tokens that are sent."""
    million_out: float = 0.0
    """The same for tokens that are answered."""


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """What the process that reads a session is given, as JSON on its standard input."""

    choice: Choice
    agent: str
    session: str
    ledger: str
    """Its path."""
    folder: str
    """Private; the sessions that agents write when they are run from here are ctxd's own."""
    known: Sequence[str] = ()
    """Digests of chunks that were read already."""
    exchanges: bool = True
    """Whether its exchanges are read."""
    compactions: bool = True
    """Whether it is asked what its compactions left."""
    calls: int
    """Most calls."""
    tokens: int
    """Most tokens in and out, all calls together."""
    money: float
    """Most US dollars."""
    seconds: float
    """Longest time for one call."""
    prices: Prices = Prices()
    within: float | None = None
    """Seconds within which all of it has to be done; else nothing of it is."""
    pace: float = 0.0
    """Seconds that a call took lately."""


class Called(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag="called"):
    """A call that was made; told as soon as it is over."""

    spent: Spent
    trouble: Trouble | None = None
    message: str = ""
    retry_after: float | None = None
    refused: int = 0
    """Parts of the answer that did not count."""
    again: bool = False
    """It repeats one whose answer did not pass."""


class Begun(msgspec.Struct, frozen=True, tag="begun"):
    """A call begins: it counts even when nothing more is heard of it."""

    input_tokens: int


class Read(msgspec.Struct, frozen=True, kw_only=True, tag="read"):
    """A chunk that was read."""

    digest: str
    findings: Sequence[Findings]


class Judged(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag="judged"):
    """A part of a compaction that was read: what became of items there."""

    event: str
    """Id of the compaction's event."""
    reader: str
    """Backend and model."""
    items: Sequence[Reread] = ()


class Over(msgspec.Struct, frozen=True, kw_only=True, tag="over"):
    """The session is read as far as it could be."""

    chunks: int
    left: int = 0
    """Chunks that are still unread."""
    trouble: Trouble | None = None
    message: str = ""
    retry_after: float | None = None


Told = Called | Begun | Read | Judged | Over
"""What the process that reads tells, a JSON object a line."""
