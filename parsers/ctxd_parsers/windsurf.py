"""What the stores of Windsurf have in common: its editor, which is called Devin Desktop by now, and
the command line that goes with it.

Cascade, the editor's agent, keeps its conversations encrypted: those files are left alone. A hook
that the user switches on has it write them down as well (`windsurf_transcript`). The command line
has a database (`windsurf_devin`), and older versions a document at the end of each session
(`windsurf_devin_transcript`), which tells the same messages: each is named by its session, its
second and its words.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from ctxd_parsers.decoding import mended
from ctxd_parsers.values import derived_id, excerpt

AGENT = "windsurf"
NULL = msgspec.Raw(b"null")
"""Default of fields that are decoded later."""

_PATHS = ("path", "file_path", "absolute_path", "target_file", "directory", "directory_path")
_FOLDERS = ("cwd", "working_directory")
_COMMANDS = ("command", "command_line")
_WRITTEN = ("new_content", "content", "new_string", "new_str", "plan", "task")


class Touched(msgspec.Struct, frozen=True):
    """The fields of a `ToolCall` that come from a call's arguments."""

    paths: tuple[str, ...] = ()
    command: str | None = None
    excerpt: str | None = None


def start_id(session: str) -> str:
    """The id of a session's beginning."""
    return derived_id("start", session)


def message_id(kind: str, session: str, time: datetime | None, text: str) -> str:
    """The id of a message that several stores may tell; some know its time to the second only."""
    return derived_id(kind, session, _second(time), text.strip())


def call_id(session: str, time: datetime | None, call: str, name: str) -> str:
    """The id of a tool call that several stores may tell."""
    return derived_id("call", session, _second(time), call, name)


def result_id(session: str, call: str) -> str:
    """The id of a tool call's end."""
    return derived_id("result", session, call)


def _second(time: datetime | None) -> str:
    return time.replace(microsecond=0).isoformat() if time else ""


def plain(content: Any) -> str:
    """The text of a message, which is a text or a list of blocks."""
    if isinstance(content, str):
        return content.strip()
    blocks = content if isinstance(content, list) else []
    texts = [one.get("text") for one in blocks if isinstance(one, dict) and _is_text(one)]
    return "\n".join(text for text in texts if isinstance(text, str) and text).strip()


def images(content: Any) -> tuple[str, ...]:
    """The images of a message."""
    blocks = content if isinstance(content, list) else []
    kinds = [one.get("type") for one in blocks if isinstance(one, dict)]
    return tuple("image" for kind in kinds if isinstance(kind, str) and kind.startswith("image"))


def _is_text(block: dict[str, Any]) -> bool:
    return block.get("type") in ("text", "input_text", "output_text", None)


def touched(arguments: Any) -> Touched:
    """What a tool call is about: files it names, its command line, what it writes."""
    found = _arguments(arguments)
    if not found:
        text = arguments if isinstance(arguments, str) else ""
        return Touched(excerpt=excerpt(text) or None)
    command = next(_texts(found, _COMMANDS), None)
    written = next(_texts(found, _WRITTEN), "")
    if not written and command is None:
        written = msgspec.json.encode(found).decode()
    paths = tuple(dict.fromkeys(_texts(found, (*_PATHS, *_FOLDERS))))
    return Touched(paths, command, excerpt(written) or None)


def _arguments(arguments: Any) -> dict[str, Any]:
    """Arguments are an object, or the text of one."""
    if isinstance(arguments, str):
        try:
            arguments = msgspec.json.decode(mended(arguments.encode("utf-8", "replace")))
        except (msgspec.MsgspecError, RecursionError, UnicodeError, ValueError):
            return {}
    return arguments if isinstance(arguments, dict) else {}


def _texts(found: dict[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        value = found.get(name)
        if isinstance(value, str) and value:
            yield value


def decoded(raw: msgspec.Raw) -> Any:
    """The value of a part that was left undecoded; None for one that cannot be read."""
    try:
        return msgspec.json.decode(mended(bytes(raw)))
    except (msgspec.MsgspecError, RecursionError, UnicodeError, ValueError):
        return None
