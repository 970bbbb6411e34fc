"""What a parser is: the one interface between a vendor's log format and everything else.

A parser knows one store of one vendor. It says where the store may lie (`sources`), whether a file
is part of it (`claims`), which small files beside a transcript it needs (`companions`), and turns
records into events (`begin`, `parse`). It opens nothing, asks no clock, logs nothing and raises
nothing for bad input; reading, framing and remembering positions are other modules' work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import PurePath
from typing import Any, Literal, Protocol

import msgspec

from ctxd_parsers.environment import Environment
from ctxd_parsers.events import Event


class Storage(Enum):
    """How a store keeps its records, and so how it is read and followed."""

    LINES = "lines"
    """JSON Lines: a record is a line, its position a byte offset."""
    SNAPSHOT = "snapshot"
    """One JSON document, replaced as a whole: a single record, read anew at each change."""
    SQLITE = "sqlite"
    """A database of another program: a record is a row, told apart by its key."""


class Table(msgspec.Struct, frozen=True):
    """A table of another program's database, as far as its rows are records.

    Only the columns named here are ever selected, so that a table of credentials in the same
    database is never read.
    """

    name: str
    key: tuple[str, ...]
    """Columns that together identify a row."""
    value: str
    """Column that holds the record."""
    changed: str | None = None
    """Column that grows when a row is written, to read only what is new; None if there is none.
    `rowid` where a row that is written anew takes the place behind all others."""
    prefixes: tuple[str, ...] = ()
    """What the first key column begins with in the rows to read; no other row is looked at, as far
    as that column has an index. Empty: all rows."""
    beside: tuple[str, ...] = ()
    """Columns that go with the key although they do not identify the row, in this order; `""` where
    a version of the program has no such column, or its value is NULL."""
    label: str = ""
    """What its records are told by, where one table is read for several things; else its name."""

    @property
    def title(self) -> str:
        """What its records, and how far they were read, are told by."""
        return self.label or self.name


class Source(msgspec.Struct, frozen=True):
    """A place where an agent may keep transcripts."""

    root: PurePath
    """Folder to look in (and to watch). May not exist, may be a symlink."""
    patterns: tuple[str, ...]
    """Paths below `root`, one shell pattern a segment (`*/*.jsonl`); never `**`, so that a look-up
    costs only the folders named and no loop of links can trap it."""
    storage: Storage = Storage.LINES
    tables: tuple[Table, ...] = ()
    """For SQLITE: what to read."""


class Record(msgspec.Struct, frozen=True, gc=False):
    """One framed record: a line without its end, a whole document, or a row's value."""

    data: bytes
    start: int = 0
    """Byte offset of the first byte in the transcript."""
    end: int = 0
    """Byte offset behind the record and its line end."""
    key: tuple[str, ...] = ()
    """For rows: the table's title, then the values of the key columns and of those beside it."""
    damage: str | None = None
    """Why the data was left out (too long); None for a record to decode."""


class Rewritten(msgspec.Struct, kw_only=True):
    """State of a document's parser that has to know what stood in it before, since its client may
    write it anew with parts left out. Other states of documents begin afresh at each reading."""

    told: list[str] = []
    """What the last reading left here, ids of events say; bounded by the parser."""


class ProcessSign(msgspec.Struct, frozen=True):
    """What a small file tells that a client keeps while a process of it has a session open."""

    pid: int
    session: str | None = None
    """Id of the session; None for the transcript's that the file was found by."""
    started: float | None = None
    """Start of the process in clock ticks since boot, as in field 22 of `/proc/<pid>/stat`, where
    the client wrote that down: it tells the process from a later one of the same pid."""
    status: Literal["busy", "idle", "waiting"] | None = None
    """`busy`: the agent is at work. `waiting`: a dialog waits for the user. `idle`: neither."""
    space: str | None = None
    """Namespace of the pid as the kernel names it (`pid:[4026531836]`), where it is known."""


class NoSigns:
    """For stores whose clients keep no file while they have a session open."""

    def sign_patterns(self, _path: PurePath) -> Sequence[PurePath]:
        """See `Parser.sign_patterns`."""
        return ()

    def read_sign(self, _path: PurePath, _data: bytes) -> ProcessSign | None:
        """See `Parser.read_sign`."""
        return None


class Parser(Protocol):
    """A vendor store. One instance serves any number of transcripts at once: all it remembers of
    one is in the state that `begin` makes."""

    @property
    def name(self) -> str:
        """Unique name of the store, in lower case with dashes."""

    @property
    def agent(self) -> str:
        """The agent its events carry unless the records themselves say another."""

    @property
    def state_type(self) -> type[msgspec.Struct]:
        """Type of what `begin` returns: encodable with msgspec, bounded in the transcript's length,
        so that it can be stored with a position and parsing taken up there."""

    def sources(self, env: Environment) -> Sequence[Source]:
        """Where this store may lie on the machine that `env` describes."""

    def claims(self, path: PurePath, head: bytes) -> bool:
        """Whether a file is a transcript of this store, from its path and its first bytes.

        A file given by hand may lie anywhere, so the decision rests on the path's last segments and
        on `head` (at most `limits.HEAD_BYTES`, possibly empty or cut within a character).
        Only one parser may claim a file.
        """

    def companions(self, path: PurePath) -> Sequence[PurePath]:
        """Small files beside a transcript that `begin` wants to see; they need not exist."""

    def begin(self, path: PurePath, companions: Mapping[PurePath, bytes]) -> Any:
        """A fresh state for a transcript that is read from its start."""

    def parse(self, records: Iterable[Record], state: Any) -> Iterator[Event]:
        """The events of `records`, which follow those that made `state` what it is.

        However a transcript's records are cut into calls, the events are the same. Known records
        without meaning here give no event, others an `Unknown` or `Unparsed`.
        """

    def sign_patterns(self, path: PurePath) -> Sequence[PurePath]:
        """Files that a client keeps while a process of it has the transcript's session open.

        The last segment may be a shell pattern. A client may keep one for all its sessions in one
        folder, or one beside each; `NoSigns` is for those that keep none.
        """

    def read_sign(self, path: PurePath, data: bytes) -> ProcessSign | None:
        """What such a file tells; None when it is none, or cannot be read."""
