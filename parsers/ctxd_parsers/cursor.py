"""What the stores of Cursor have in common: whose words a text holds, and one id for what several
stores tell of the same conversation.

A conversation may stand in an agent transcript, in the editor's database and in the command line's,
under the same id. Messages have no id that is the same in all of them, so each is named by what it
says: the user's by their words, the agent's by the prompt before and its first line (transcripts
put the model's thinking behind an answer, databases keep it apart).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Any, Literal

import msgspec

from ctxd_parsers.decoding import mended
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import Event, Interrupted, TurnEnded, WorkspaceChanged
from ctxd_parsers.values import derived_id, excerpt, numbered

AGENT = "cursor"
NULL = msgspec.Raw(b"null")
"""Default of fields that are decoded later."""

_FIRST_LINE_CHARS = 200
_MARK_CHARS = 10
_QUERY, _QUERY_END = "<user_query>", "</user_query>"
_HIDDEN = "[REDACTED]"
"""What stands for thinking that is not shown."""
_INJECTED = re.compile(
    r"<(user_info|project_layout|\w{0,40}rules|agent_skills|manually_attached_skills"
    r"|cursor_commands|open_and_recently_viewed_files|system[_-]reminder|mcp_\w{1,40}|git_status"
    r"|attached_files|image_files|external_links|timestamp|\w{0,40}notification)(?: [^<>]{0,200})?>"
)
"""Elements that the client puts around the user's words."""
_REASONS: dict[str, Literal["completed", "interrupted", "error"]] = {
    "success": "completed",
    "completed": "completed",
    "aborted": "interrupted",
    "error": "error",
}
"""How a turn ended, by the words of all stores."""
_ROOTED = re.compile(r"[A-Za-z]:[\\/]")
_NO_WORD = re.compile(r"[^A-Za-z0-9]+")
_PATHS = ("path", "file_path", "target_file", "targetFile", "filePath", "relativeWorkspacePath")
_PATH_LISTS = ("paths", "files")
_FOLDERS = ("target_directory", "working_directory", "cwd")
_WRITTEN = ("contents", "content", "new_string", "code_edit", "prompt", "plan")


class Touched(msgspec.Struct, frozen=True):
    """The fields of a `ToolCall` that come from a call's arguments."""

    paths: tuple[str, ...] = ()
    command: str | None = None
    excerpt: str | None = None


class Names:
    """Gives the messages of one conversation their ids, in the order in which they were said."""

    def __init__(self, conversation: str) -> None:
        self._conversation = conversation
        self._said: Counter[str] = Counter()
        self.turn: str | None = None
        """The id of the last prompt."""

    def prompt(self, words: str) -> str:
        """The id of the next prompt."""
        self.turn = self._next(prompt_base(self._conversation, words))
        return self.turn

    def reply(self, text: str) -> str:
        """The id of the next message of the agent."""
        return self._next(reply_base(self._conversation, self.turn, text))

    def call(self, name: str, arguments: bytes) -> str:
        """The id of the next tool call."""
        return self._next(derived_id("call", self._conversation, self.turn, name, arguments))

    def _next(self, base: str) -> str:
        self._said[base] += 1
        return nth(base, self._said[base] - 1)


def prompt_base(conversation: str, words: str) -> str:
    """What the ids of prompts with these words have in common."""
    return derived_id("prompt", conversation, words)


def reply_base(conversation: str, turn: str | None, text: str) -> str:
    """What the ids of replies that begin like this have in common."""
    first = text.strip().split("\n", 1)[0].strip()
    return derived_id("reply", conversation, turn, first[:_FIRST_LINE_CHARS])


def nth(base: str, earlier: int) -> str:
    """An id for one of several that have the same base."""
    return f"{base}-{earlier}" if earlier else base


def mark_of(name: str) -> str:
    """A short mark for the id of a message, that tells those of one conversation apart."""
    return derived_id(name)[:_MARK_CHARS]


def next_id(told: dict[str, str], base: str) -> str:
    """An id for a message that no other one has that was told."""
    return nth(base, sum(1 for one in told.values() if one.partition("-")[0] == base))


def tell(told: dict[str, str], mark: str, text: str, most: int) -> None:
    """Remember the latest of what was told, each under its mark."""
    told[mark] = text
    while len(told) > most:
        del told[next(iter(told))]


def compaction_id(conversation: str, summary: str) -> str:
    """The id of a compaction, which several stores may tell of."""
    return derived_id("compaction", conversation, summary.strip())


def start_id(conversation: str, store: str) -> str:
    """The id of a conversation's beginning, as one store tells it: others know other things of it,
    whichever is read first."""
    return derived_id("start", conversation, store)


def moved(conversation: str, cwd: str, common: dict[str, Any]) -> Event:
    """The folder of a conversation."""
    identity = derived_id("cwd", conversation, cwd)
    return WorkspaceChanged(id=identity, cwd=cwd, **common)


def ended(
    names: tuple[str, str | None], last: str, status: str, common: dict[str, Any]
) -> Iterator[Event]:
    """The end of a turn, after the event `last`; by the conversation's and the turn's names."""
    conversation, turn = names
    reason = _REASONS.get(status)
    ids = numbered(derived_id("end", conversation, last, reason))
    if reason == "interrupted":
        yield Interrupted(id=next(ids), **common)
    yield TurnEnded(id=next(ids), reason=reason, turn=turn, **common)


def own_words(text: str) -> tuple[str, str]:
    """The user's own words in a text of the user's role, and what the client put beside them.

    Words stand in an element of their own; in old files without one they are what is left when the
    client's elements are gone.
    """
    begin = text.find(_QUERY)
    if begin < 0:
        return _without_injected(text)
    end = text.rfind(_QUERY_END)
    inner = text[begin + len(_QUERY) : end if end > begin else None]
    inner = re.sub(rf"{_QUERY_END}\s{{0,20}}{_QUERY}", "\n", inner)
    after = text[end + len(_QUERY_END) :] if end > begin else ""
    return inner.strip(), (text[:begin] + after).strip()


def _without_injected(text: str) -> tuple[str, str]:
    kept, gone, place = [], [], 0
    open_ended: set[str] = set()
    while match := _INJECTED.search(text, place):
        name = match[1]
        end = -1 if name in open_ended else text.find(f"</{name}>", match.end())
        if end < 0:
            open_ended.add(name)
            kept.append(text[place : match.end()])
            place = match.end()
            continue
        kept.append(text[place : match.start()])
        place = end + len(name) + 3
        gone.append(text[match.start() : place])
    kept.append(text[place:])
    return "".join(kept).strip(), "\n".join(gone)


def shown(text: str) -> str:
    """What the agent said, without the mark for thinking that is not shown."""
    stripped = text.strip()
    while stripped.endswith(_HIDDEN):
        stripped = stripped.removesuffix(_HIDDEN).rstrip()
    return stripped


def touched(arguments: msgspec.Raw) -> Touched:
    """What a tool call is about: files it names, its command line, what it writes."""
    if arguments is NULL:
        return Touched()
    data = mended(bytes(arguments))
    try:
        found = msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError, UnicodeError, ValueError):
        return Touched(excerpt=excerpt(data.decode("utf-8", "replace")) or None)
    command = found.get("command")
    written = next((found[name] for name in _WRITTEN if isinstance(found.get(name), str)), "")
    if not written and not isinstance(command, str) and found:
        written = data.decode("utf-8", "replace")
    return Touched(
        tuple(dict.fromkeys(_paths(found))),
        command if isinstance(command, str) else None,
        excerpt(written) or None,
    )


def sorted_arguments(arguments: msgspec.Raw) -> bytes:
    """A tool call's arguments in a form that does not depend on who wrote them down."""
    try:
        value = msgspec.json.decode(mended(bytes(arguments)))
        return msgspec.json.encode(value, order="sorted")
    except (msgspec.MsgspecError, RecursionError, UnicodeError, ValueError):
        return bytes(arguments)


def _paths(found: dict[str, Any]) -> Iterator[str]:
    named = [found.get(name) for name in (*_PATHS, *_FOLDERS)]
    for name in _PATH_LISTS:
        listed = found.get(name)
        named += listed if isinstance(listed, list) else []
    yield from (path for path in named if isinstance(path, str) and path)


def slug(path: str) -> str:
    """The name of a workspace's folder among the projects; many paths have the same."""
    return _NO_WORD.sub("-", path).strip("-")


def workspace_in(path: str, name: str) -> str | None:
    """The workspace whose folder is called `name`, if an absolute path lies in it."""
    windows = _ROOTED.match(path) is not None
    if not windows and not path.startswith("/"):
        return None
    whole = PureWindowsPath(path) if windows else PurePosixPath(path)
    if not slug(path).lower().startswith(name.lower()):
        return None
    places = [str(place) for place in (whole, *whole.parents)]
    return next((place for place in places if slug(place).lower() == name.lower()), None)


def homes(env: Environment) -> Sequence[PurePath]:
    """The folders that its command line and its agents keep their data in."""
    return env.roots(AGENT, env.home / ".cursor", env.variable_path("CURSOR_CONFIG_DIR"))
