"""What a record of Gemini CLI holds, and whose words it is.

Read in the client's code (0.61) and seen in logs of the real client: under the user's role stand
the project's context files, what hooks returned, contents of files named with `@`, the output of
shell commands run with `!`, prompts of slash commands, nudges and steering. Of these only the text
that was typed is the user's: `displayContent` where the client sent something else than that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct, field

from ctxd_parsers.decoding import RowDecoder
from ctxd_parsers.events import Origin, Status
from ctxd_parsers.values import Count, derived_id, excerpt

ACKNOWLEDGED = "Got it. Thanks for the additional context!"
"""Written as the model's reply to a summary."""
CANCELLED = "Request cancelled."
_SNAPSHOT = "<state_snapshot>"
_CONTEXT = "<session_context>"
_HOOK = "<hook_context>"
_REFERENCED = (
    "--- Content from referenced files ---",
    "--- Content from referenced context ---",
)
_CLIENT_PREFIXES = (
    _CONTEXT,
    _SNAPSHOT,
    "/",
    "?",
    "System: Please continue.",
    "System: Potential loop detected.",
    "[System: You previously ",
    "[System: You successfully ",
    "I ran the following shell command:",
    "Here is the user's editor context",
    "Here is a summary of changes in the user's editor context",
    "Background execution update:",
    "You are an AI agent that brings the power of Gemini",
)
_COMMENTS = ("//", "/*")
"""What begins like this is no slash command to the client, and is sent."""
_CLIENT_TEXTS = frozenset({"Please continue."})
_STEERED = re.compile(
    r"\s*User (?:hints|steering update):\n<user_input>\n(.*)\n</user_input>", re.DOTALL
)
_NAMED = re.compile(r"\s*Content from @(.+):\s*\Z")
_FILE, _FILE_END = "--- Context from: ", "--- End of Context from: "
_FOUND, _FOUND_END = (
    "--- Newly Discovered Project Context ---\n",
    "--- End Project Context ---",
)
_REFUSED = re.compile(r"User denied execution|did not allow")
_MOST_FILES = 64
"""Context files told of one text; a real one holds a handful."""
_DIRECTORY = re.compile(r"\*\*Workspace Directories:\*\*\n +- (.+)")
_EDITS = ("new_string", "content", "fact", "plan", "prompt", "query", "instruction")
_PATHS = ("file_path", "absolute_path", "path", "dir_path", "plan_path", "plan_filename")


class Thought(Struct):
    """A summary of the model's thinking."""

    subject: str = ""
    description: str = ""


class Tokens(Struct):
    """Usage as the API told it: `input` includes what was cached."""

    input: Count | None = None
    output: Count | None = None
    cached: Count | None = None
    thoughts: Count | None = None
    total: Count | None = None


class Call(Struct):
    """A tool call, recorded when it is over."""

    id: str = ""
    name: str = ""
    args: Any = None
    status: str = ""
    result: Any = None
    timestamp: str | None = None


class Message(Struct, rename="camel"):
    """A message, as a line of its own or in a list of all."""

    id: str = ""
    timestamp: str | None = None
    type: str = ""
    content: Any = None
    display_content: Any = None
    thoughts: list[Thought] | None = None
    tokens: Tokens | None = None
    model: str | None = None
    tool_calls: list[Call] | None = None


class Patch(Struct, rename="camel"):
    """What a `$set` changes."""

    messages: list[Message] | None = None
    session_id: str | None = None
    summary: str | None = None
    last_updated: str | None = None


class Row(Message, rename="camel"):
    """A line of any kind, or a whole document of the old format."""

    session_id: str = ""
    project_hash: str = ""
    start_time: str | None = None
    kind: str = ""
    summary: str | None = None
    messages: list[Message] | None = None
    patch: Patch | None = field(name="$set", default=None)
    rewind: str | None = field(name="$rewindTo", default=None)


LINES = RowDecoder(Row, marks=())
DOCUMENTS = RowDecoder(Row, marks=("\0",))  # a torn document holds no whole one


class Words(Struct, frozen=True):
    """What a message of the user's role comes to."""

    text: str = ""
    """The user's own words."""
    origin: Origin = "typed"
    attachments: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    """What hooks added."""
    has_context: bool = False
    """It holds the client's own first message, alone or run together with others."""
    signs: tuple[str, ...] = ()
    """Tell the message when it stands in a list again under another id: the whole, and its parts,
    since the client runs messages of one role together."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The signs of its parts; none where it has but one."""
        return self.signs[1:]


def words(message: Message) -> Words:
    """Tell apart the user's words and what the client put beside them."""
    found = _Sorted(message.content)
    plain, shown = "".join(found.own), _text(message.display_content)
    text, origin = _whose(shown or plain)
    if found.has_results:
        text, origin = "\n".join(filter(None, map(_steering, found.own))), "queued"
    whole = [plain] if plain.strip() else found.hooks[:1]
    parts = found.own if len(found.own) > 1 else []
    return Words(
        text,
        origin,
        tuple(dict.fromkeys(found.files)),
        tuple(found.hooks),
        found.has_context,
        tuple(derived_id("user", part) for part in [*whole, *parts]),
    )


class _Sorted:
    """The parts of a message of the user's role, by what they are."""

    def __init__(self, content: Any) -> None:
        self.own: list[str] = []
        self.hooks: list[str] = []
        self.files: list[str] = []
        self.has_context = self.has_results = False
        self._referenced = False
        for part in _parts(content):
            if isinstance(part, dict) and part.get("functionResponse"):
                self.has_results = True
            elif isinstance(part, dict) and (part.get("inlineData") or part.get("fileData")):
                self.files += [] if self._referenced else ["image"]
            else:
                self._take(_part_text(part))

    def _take(self, text: str) -> None:
        start = text.lstrip()
        if start.startswith(_HOOK):
            inner = start.removeprefix(_HOOK).rstrip().removesuffix("</hook_context>")
            self.hooks.append(inner)
        elif start.startswith(_CONTEXT):
            self.has_context = True
        elif start.startswith(_REFERENCED):
            self._referenced = True
        elif not self._referenced:
            self.own.append(text)
        elif named := _NAMED.match(text):
            self.files.append(named[1])


def _whose(text: str) -> tuple[str, Origin]:
    """The user's part of a text, and how it came."""
    stripped = text.strip()
    if steered := _steering(stripped):
        return steered, "queued"
    is_client = stripped in _CLIENT_TEXTS or stripped.startswith(_CLIENT_PREFIXES)
    if is_client and not stripped.startswith(_COMMENTS):
        return "", "typed"
    return (text, "typed") if stripped else ("", "typed")


def command_arguments(message: Message) -> str:
    """What followed a slash command whose prompt was sent in its place."""
    shown = _text(message.display_content).strip()
    is_command = shown.startswith("/") and not shown.startswith(_COMMENTS)
    return "".join(shown.split(None, 1)[1:]) if is_command else ""


def _steering(text: str) -> str:
    found = _STEERED.match(text)
    return found[1] if found else ""


def said(message: Message) -> str:
    """The text of a message of the model's or the client's."""
    return _text(message.content)


def calls(message: Message) -> list[Call]:
    """The tool calls of a model's message, wherever it has them."""
    asked = [part.get("functionCall") for part in _parts(message.content) if isinstance(part, dict)]
    found = [
        Call(id=_str(one.get("id")), name=_str(one.get("name")), args=one.get("args"))
        for one in asked
        if isinstance(one, dict)
    ]
    return message.tool_calls or found


def sign(message: Message) -> str:
    """As in `Words.signs`, for a message of the model's; empty when it shows nothing."""
    text, made = said(message), [call.id or call.name for call in calls(message)]
    return derived_id("model", text, *made) if text.strip() or made else ""


def is_context(message: Message) -> bool:
    """Whether it is the client's own first message."""
    return message.type == "user" and words(message).has_context


def is_summary(message: Message, following: Message | None) -> bool:
    """Whether it is what a compaction put in the place of what was before.

    A model asked for a `<state_snapshot>` may answer with something before it, or without one.
    """
    if message.type != "user" or is_context(message):
        return False
    answer = following.type == "gemini" and said(following) if following else ""
    return answer == ACKNOWLEDGED or said(message).lstrip().startswith(_SNAPSHOT)


def loaded_files(message: Message) -> Iterator[tuple[str, str]]:
    """Paths and texts of the context files in the client's first message."""
    return _files(said(message))


def directory(message: Message) -> str | None:
    """The first workspace folder that the client's first message names."""
    found = _DIRECTORY.search(said(message))
    return found[1].strip() if found else None


def discovered_files(result: Any) -> Iterator[tuple[str, str]]:
    """Paths and texts of context files that came with a tool's output."""
    for part in _parts(result):
        response = part.get("functionResponse") if isinstance(part, dict) else None
        answer = response.get("response") if isinstance(response, dict) else None
        text = answer.get("output") if isinstance(answer, dict) else None
        text = text if isinstance(text, str) else _part_text(part)
        if text.rstrip().endswith(_FOUND_END) and _FOUND in text:
            yield from _files(text[text.rindex(_FOUND) :])


def output(call: Call) -> str:
    """What a tool gave back, as one text."""
    for part in _parts(call.result):
        response = part.get("functionResponse") if isinstance(part, dict) else None
        answer = response.get("response") if isinstance(response, dict) else None
        if isinstance(answer, dict):
            return _str(answer.get("output")) or _str(answer.get("error"))
    return _text(call.result)


def _files(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    for _ in range(_MOST_FILES):
        start = text.find(_FILE, position)
        if start < 0:
            return
        path, mark, _ = text[start + len(_FILE) : start + len(_FILE) + 4200].partition(" ---\n")
        begin = start + len(_FILE) + len(path) + len(mark)
        end = text.find(f"\n{_FILE_END}{path} ---", begin - 1) if mark and "\n" not in path else -1
        if end < 0:
            position = start + len(_FILE)
            continue
        yield path, text[begin:end]
        position = end + len(_FILE_END)


def status(call: Call) -> Status | None:
    """How a tool call ended."""
    if call.status == "cancelled":
        return "refused" if _REFUSED.search(output(call)) else "interrupted"
    return {"success": "ok", "error": "error"}.get(call.status)  # type: ignore[return-value]


class Touched(Struct, frozen=True):
    """The fields of a `ToolCall` that come from the arguments."""

    paths: tuple[str, ...] = ()
    command: str | None = None
    excerpt: str | None = None


def touched(call: Call) -> Touched:
    """Tell what a tool call is about."""
    args = call.args if isinstance(call.args, dict) else {}
    many = args.get("paths")
    named = [args.get(name) for name in _PATHS] + (many if isinstance(many, list) else [])
    paths = tuple(dict.fromkeys(path for path in named if path and isinstance(path, str)))
    command = args.get("command")
    if command and isinstance(command, str):
        return Touched(paths, command)
    written = next((args[name] for name in _EDITS if _str(args.get(name))), "")
    if not written and args:
        written = msgspec.json.encode(args).decode("utf-8", "replace")
    return Touched(paths, None, excerpt(written) or None)


def _parts(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [] if content is None else [content]


def _part_text(part: Any) -> str:
    if isinstance(part, dict):
        return "" if part.get("thought") else _str(part.get("text"))
    return _str(part)


def _text(content: Any) -> str:
    return "".join(map(_part_text, _parts(content)))


def _str(value: Any) -> str:
    return value if isinstance(value, str) else ""
