"""Gemini CLI's chats: `~/.gemini/tmp/<project>/chats/session-*`.

Since 0.39 lines are appended (`.jsonl`); before, a document was replaced (`.json`). Measured with
0.28, 0.38, 0.39, 0.42, 0.45 and 0.61; what differs:
- up to 0.42 a compaction leaves only a line for the user's eyes, and no summary. That line is empty
  for one that was asked for, also when it failed; since 0.39 success shows by a `$set` of the
  session's id before it;
- since 0.45 at the latest `$set` with `messages` tells what is still sent: `gemini_cli_window`
  finds out what became of the messages known so far. Those of a kept tail have other ids, and are
  told under the old ones;
- a model's message is appended again, fuller, when its tools have run. Refused and failed calls are
  known only then;
- up to 0.28 the folder's name is a hash of the project's path, found again by hashing the paths
  that other files and tool calls name.

Nothing tells a session's end, or whether a turn is over: a reply may be followed by tool calls.
The trigger of a compaction is told in the record after it, which is waited for.
A document that is shortened by `/rewind` (0.27 to 0.38) does not tell what it held before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath
from typing import Any

import msgspec

from ctxd_parsers import events
from ctxd_parsers import gemini_cli_rows as rows
from ctxd_parsers.decoding import Damage
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import Event
from ctxd_parsers.gemini_cli_session import AGENT, At, State, document, line, path_hash
from ctxd_parsers.parser import NoSigns, Record, Source, Storage
from ctxd_parsers.values import derived_id

_HEAD = re.compile(rb'\s*\{\s*"sessionId"\s*:\s*"[^"]*",\s*"projectHash"\s*:')
_REGISTERED = 1000
"""Paths of other projects that are tried as the project's."""


class GeminiCli(NoSigns):
    """Chats as lines: since 0.39."""

    name = "gemini-cli"
    agent = AGENT
    state_type = State
    _suffix = ".jsonl"
    _storage = Storage.LINES
    _patterns: tuple[str, ...] = ("*/chats/session-*.jsonl", "*/chats/*/*.jsonl")

    def sources(self, env: Environment) -> Sequence[Source]:
        """List the folder of all projects, in the home folder or the one that stands in for it."""
        home = env.variable_path("GEMINI_CLI_HOME") or env.home
        roots = env.roots(self.name, home / ".gemini" / "tmp")
        return [Source(root, self._patterns, self._storage) for root in roots]

    def claims(self, path: PurePath, head: bytes) -> bool:
        """Tell by the folder and name, or by what it begins with."""
        if path.suffix != self._suffix or path.name.startswith("."):
            return False
        is_named = path.parent.name == "chats" and path.name.startswith("session-")
        return is_named or _HEAD.match(head) is not None

    def companions(self, path: PurePath) -> Sequence[PurePath]:
        """Name the files that tell where the project lies."""
        project = _project_folder(path)
        if project is None:
            return []
        home = project.parent.parent
        return [
            project / ".project_root",
            home / "projects.json",
            home / "trustedFolders.json",
        ]

    def begin(self, path: PurePath, companions: Mapping[PurePath, bytes]) -> State:
        """Make the state of a log, with what other files tell of its project."""
        state = State(path.stem)
        if path.parent.parent.name == "chats":
            state.folder = path.parent.name
        project = _project_folder(path)
        if project is not None:
            state.cwd = _root(project, companions)
        return state

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """Give the events of lines."""
        for record, row in rows.LINES.rows(records):
            at = At(state, (record.start, record.end))
            if isinstance(row, Damage):
                identity = derived_id("damage", state.session, record.start, row.reason)
                yield at.event(events.Unparsed, id=identity, reason=row.reason)
            else:
                yield from line(at, row, record.data)


class GeminiCliJson(GeminiCli):
    """Chats as documents: up to 0.38."""

    name = "gemini-cli-json"
    _suffix = ".json"
    _storage = Storage.SNAPSHOT
    _patterns = ("*/chats/session-*.json",)

    def parse(self, records: Iterable[Record], state: State) -> Iterator[Event]:
        """Give the events of a document."""
        for record, row in rows.DOCUMENTS.rows(records):
            at = At(state, None)
            if isinstance(row, Damage):
                identity = derived_id("damage", state.session, row.reason)
                yield at.event(events.Unparsed, id=identity, reason=row.reason)
            elif not row.session_id:
                identity = derived_id("unknown", state.session, record.data)
                yield at.event(events.Unknown, id=identity, record_kind="document")
            else:
                yield from document(at, row)


def _project_folder(path: PurePath) -> PurePath | None:
    """The folder of the project whose chats a log is among."""
    for folder in islice(path.parents, 2):
        if folder.name == "chats":
            return folder.parent
    return None


def _root(project: PurePath, companions: Mapping[PurePath, bytes]) -> str | None:
    """The project's path, from the marker in its folder, or a list of projects."""
    marker = companions.get(project / ".project_root", b"").decode("utf-8", "replace").strip()
    if marker:
        return marker
    home = project.parent.parent
    for path, name in _registered(companions.get(home / "projects.json", b"")):
        if project.name in (name, path_hash(path)):
            return path
    for path, _ in _registered(companions.get(home / "trustedFolders.json", b"")):
        if project.name == path_hash(path):
            return path
    return None


def _registered(data: bytes) -> Iterator[tuple[str, Any]]:
    try:
        found = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError):
        return
    paths = found.get("projects", found) if isinstance(found, dict) else {}
    if isinstance(paths, dict):
        yield from islice(paths.items(), _REGISTERED)
