"""Claude Code: the transcripts below `projects/`, of clients 1.0.35 to 2.1.332.

Promises the user's own words wherever the client puts them (prompts, queued prompts, refusals,
answers, plan decisions, command arguments), what the window lost, and nothing a client injected
under the user's role as anybody's word. Refuses to follow `parentUuid` chains: they are broken in
real logs (anthropics/claude-code#22107), so rows count in file order, and the chain only tells
rewinds. Folder names are never decoded: they are lossy, and every row names its `cwd`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Literal

import msgspec

from ctxd_parsers.claude_code_client import BOOKKEEPING, attachment, system
from ctxd_parsers.claude_code_rows import Row, names
from ctxd_parsers.claude_code_session import (
    behind_boundary,
    opening,
)
from ctxd_parsers.claude_code_state import (
    AGENT,
    ROWS_SEEN,
    At,
    State,
    place,
    unknown,
)
from ctxd_parsers.claude_code_turns import assistant, user
from ctxd_parsers.decoding import Damage, RowDecoder
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import Event, Unparsed
from ctxd_parsers.parser import ProcessSign, Record, Source
from ctxd_parsers.values import derived_id

_ROWS = RowDecoder(Row, marks=("type", "sessionId"))

_Handler = Callable[[Row, At, State], Iterable[Event]]

_TRANSCRIPT: dict[str, _Handler] = {
    "user": user,
    "assistant": assistant,
    "system": system,
    "attachment": attachment,
}
_SILENT = names(
    """
    summary progress mode permission-mode last-prompt tools-used atis-latch
    file-history-snapshot file-history-delta agent-name api-request-shape api-request-blob
    api-request api-request-resumed continued-in derived-from fork-context-ref
    content-replacement pr-link tag frame-link worktree-state agent-setting agent-color
    session-owner bridge-session memory-mode history-suppression resume-head-vouch
    attribution-snapshot data-flow-records isolation-latch dev-mods observer-ref
    speculation-accept marble-origami-commit marble-origami-snapshot
    """
)
"""Known rows that tell nothing here. `summary` [1.0.x, 2.0.x] titles another, earlier session."""

_SESSION_NAME = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_AGENT_NAME = "agent-"


class ClaudeCode:
    """Transcripts of Claude Code's command line, SDK and editor extensions."""

    name = AGENT
    agent = AGENT
    state_type = State

    def sources(self, env: Environment) -> Sequence[Source]:
        """The folder named by the environment, both default ones, and those of further accounts,
        which people keep beside the first (`~/.claude-work`)."""
        config = env.variable_path("XDG_CONFIG_HOME") or env.home / ".config"
        roots = env.roots(
            self.name,
            env.variable_path("CLAUDE_CONFIG_DIR"),
            env.home / ".claude",
            config / "claude",
        )
        patterns = ("*/*.jsonl", "*/*/subagents/*.jsonl")
        projects = [root if root.name == "projects" else root / "projects" for root in roots]
        others = tuple(f".claude?*/projects/{pattern}" for pattern in patterns)
        accounts = Source(env.home, others)
        return (*(Source(root, patterns) for root in projects), accounts)

    def claims(self, path: PurePath, head: bytes) -> bool:
        """Whether a file is a transcript: by its first rows, wherever it lies; by its place when
        they cannot be read. `history.jsonl` and other logs beside it have other rows."""
        if path.suffix != ".jsonl":
            return False
        verdicts = [_is_row(line) for line in head.split(b"\n") if line.strip(b"\0 \t\r")]
        if True in verdicts:
            return True
        return False not in verdicts and _lies_like_a_transcript(path)

    def companions(self, path: PurePath) -> Sequence[PurePath]:
        """None: every row says what is needed."""
        del path
        return ()

    def begin(self, path: PurePath, companions: Mapping[PurePath, bytes]) -> State:
        """A fresh state; the folder or file name gives the session until a row does."""
        del companions
        agent = path.stem.removeprefix(_AGENT_NAME) if path.name.startswith(_AGENT_NAME) else None
        within = path.parent.name == "subagents"
        return State(
            session=path.parent.parent.name if agent and within else path.stem, agent=agent
        )

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """The events of further rows of a transcript."""
        for record, row in _ROWS.rows(records):
            if isinstance(row, Damage):
                yield _damage(record, row, state)
                continue
            handler = _TRANSCRIPT.get(row.type)
            if handler is None:
                yield from _bookkeeping(record, row, state)
                continue
            row.uuid = row.uuid or derived_id("row", state.session, record.data)
            seen = state.seen
            if row.uuid in seen:
                continue
            seen[row.uuid] = True
            if len(seen) > ROWS_SEEN:
                del seen[next(iter(seen))]
            at = place(record, row, state)
            if state.boundary:
                yield from behind_boundary(_events(handler, row, at, state), state)
            else:
                yield from _events(handler, row, at, state)
            state.last, state.version = row.uuid, row.version or state.version

    def sign_patterns(self, path: PurePath) -> Sequence[PurePath]:
        """The folder beside `projects` with a file for each living process [>=2.1.109]."""
        projects = [folder for folder in path.parents if folder.name == "projects"]
        return [folder.parent / "sessions" / "*.json" for folder in projects[:1]]

    def read_sign(self, path: PurePath, data: bytes) -> ProcessSign | None:
        """What a client's file about its process tells; it is rewritten in place, so may be cut."""
        del path
        try:
            sign = _decode_sign(data)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return None
        if not sign.session_id:
            return None
        start, space = sign.proc_start or "", (sign.pid_domain or "").partition("pid:")
        return ProcessSign(
            pid=sign.pid,
            session=sign.session_id,
            started=float(start) if start.isdecimal() else None,
            status=_STATUS.get(sign.status),
            space=space[1] + space[2] or None,
        )


_STATUS: dict[str | None, Literal["busy", "idle", "waiting"]] = {
    "busy": "busy",
    "idle": "idle",
    "waiting": "waiting",
}
"""Those of a process that say who is to act; `shell` does not."""


class _Sign(msgspec.Struct, rename="camel"):
    pid: int
    session_id: str | None = None
    proc_start: str | None = None
    status: str | None = None
    pid_domain: str | None = None


_decode_sign = msgspec.json.Decoder(_Sign).decode


class _Head(msgspec.Struct, rename="camel"):
    type: str | None = None
    session_id: str | None = None
    parent_uuid: str | msgspec.UnsetType | None = msgspec.UNSET
    leaf_uuid: str | None = None
    message_id: str | None = None


_decode_head = msgspec.json.Decoder(_Head).decode


def _is_row(line: bytes) -> bool | None:
    """Whether a line is a transcript's row; None when it is cut or damaged beyond telling."""
    try:
        row = _decode_head(line.strip(b"\0 \t\r").removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        cut = b'"parentUuid":' in line and (b'"isSidechain":' in line or b'"sessionId":' in line)
        return True if cut else None
    if row.type in _TRANSCRIPT:
        return bool(row.session_id) and row.parent_uuid is not msgspec.UNSET
    if row.type in ("summary", "file-history-snapshot"):
        return bool(row.leaf_uuid or row.message_id)
    return bool(row.session_id) and (row.type in _SILENT or row.type in BOOKKEEPING)


def _lies_like_a_transcript(path: PurePath) -> bool:
    folders = path.parts[-5:-1]
    is_agent = path.stem.startswith(_AGENT_NAME)
    if not (is_agent or _SESSION_NAME.fullmatch(path.stem)):
        return False
    return folders[-2:-1] == ("projects",) or (is_agent and folders[-1:] == ("subagents",))


def _damage(record: Record, damage: Damage, state: State) -> Event:
    span = (record.start, record.end) if record.end else None
    identity = derived_id("damage", state.session, span, damage.reason)
    return Unparsed(
        agent=AGENT, session=state.session, id=identity, span=span, reason=damage.reason
    )


def _tells_of_its_session(row: Row, at: At, state: State) -> bool:
    """Whether `opening` may have something to say: told at once for all but a few rows."""
    if at["sub_agent"]:
        return not state.started or row.parent_uuid is None
    return (
        row.cwd != state.cwd
        or row.git_branch != state.branch
        or at["session"] != state.session
        or state.ended
        or row.request_session_id is not None
        or row.forked_from is not None
        or not state.started
    )


def _events(handler: _Handler, row: Row, at: At, state: State) -> Iterator[Event]:
    if _tells_of_its_session(row, at, state):
        yield from opening(row, at, state)
    yield from handler(row, at, state)


def _bookkeeping(record: Record, row: Row, state: State) -> Iterator[Event]:
    if row.type in _SILENT:
        return
    at = place(record, row, state)
    handler = BOOKKEEPING.get(row.type)
    if handler:
        yield from handler(row, at, state)
    else:
        identity = row.uuid or derived_id("unknown", at["session"], record.data)
        yield unknown(row.type, identity, row, at, state)
