"""What the stores of Kiro (and of Amazon Q, which it grew out of) have in common.

Values nested in a record that are decoded on their own, what tool arguments name, and the fixed
texts that the client writes under the user's or the model's role (read in the sources of
aws/amazon-q-developer-cli, crates/agent and crates/chat-cli).
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from ctxd_parsers.decoding import Damage, RowDecoder
from ctxd_parsers.parser import ProcessSign, Record
from ctxd_parsers.values import excerpt

T = TypeVar("T", bound=msgspec.Struct)

NULL = msgspec.Raw(b"null")
"""Default of fields that are decoded later: what is never looked at is never built."""

INTERRUPTED_REPLY = "Tool uses were interrupted, waiting for the next user prompt"
"""Written as the model's reply when the user stops running tools."""
TIMEOUT_REPLY = "Response timed out - message took too long to generate"
"""Written as the model's reply when its stream timed out; a prompt of the client's follows."""
CANCELLED_RESULT = "Tool use was cancelled by the user"
DENIED_RESULT = "Tool use was denied by the user."

CLIENT_PROMPTS = frozenset(
    {
        "You took too long to respond - try to split up the work into smaller steps.",
        (
            "The generated tool was too large, try again but this time split up the work "
            "between multiple tool uses"
        ),
        "The conversation history has overflowed, clearing state",
        "In a few words, summarize our conversation so far.",
        "The user interrupted the tool execution.",
        "I deny this tool request. Ask a follow up question clarifying the expected action",
    }
)
"""Prompts that the client sends in the user's place."""

_CLIENT_PREFIXES = ("[SYSTEM NOTE: This is an automated", "--- CONTEXT ENTRY BEGIN ---")
_FAILURES = (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError)
_EDIT_FIELDS = ("newStr", "new_str", "modifiedContent", "content", "file_text", "text", "prompt")


class Nested(Generic[T]):
    """Decodes a value inside a record; what of it cannot be read keeps its default."""

    def __init__(self, row: type[T]) -> None:
        self._row = row
        self._decode = msgspec.json.Decoder(row).decode
        self._repair = RowDecoder(row, marks=())

    def __call__(self, raw: msgspec.Raw | bytes) -> T:
        """Return the struct of a JSON object; one of defaults for anything else."""
        if raw is NULL:
            return self._row()
        try:
            return self._decode(raw)
        except _FAILURES:
            pass
        for _, row in self._repair.rows([Record(bytes(raw))]):
            if not isinstance(row, Damage):
                return row
        return self._row()


class _Box(msgspec.Struct):
    text: str = ""


class _Link(msgspec.Struct):
    name: str = ""
    uri: str = ""


class _Lock(msgspec.Struct):
    pid: int = 0


class Arguments(msgspec.Struct):
    """What tools of any store take, as far as it says which files or command they touch."""

    path: Any = None
    filePath: Any = None
    file_path: Any = None
    targetFile: Any = None
    file: Any = None
    paths: Any = None
    files: Any = None
    operations: Any = None
    command: Any = None
    newStr: msgspec.Raw = NULL
    new_str: msgspec.Raw = NULL
    modifiedContent: msgspec.Raw = NULL
    content: msgspec.Raw = NULL
    file_text: msgspec.Raw = NULL
    text: msgspec.Raw = NULL
    prompt: msgspec.Raw = NULL


class Touched(msgspec.Struct, frozen=True):
    """The fields of a `ToolCall` that come from a call's arguments."""

    paths: tuple[str, ...] = ()
    command: str | None = None
    excerpt: str | None = None


_as_text = msgspec.json.Decoder(str).decode
_as_items = msgspec.json.Decoder(list[msgspec.Raw]).decode
_boxed = Nested(_Box)
_as_link = msgspec.json.Decoder(_Link).decode
_lock = Nested(_Lock)
_arguments = Nested(Arguments)
_SHELLS = frozenset({"shell", "execute_bash", "execute_cmd", "execute_pwsh", "runCommand"})


def text(raw: msgspec.Raw | bytes) -> str:
    """Return the text of a JSON string, however damaged; nothing for any other value."""
    if raw is NULL:
        return ""
    try:
        return _as_text(raw)
    except msgspec.ValidationError:
        return ""
    except _FAILURES:
        return _boxed(b'{"text":' + bytes(raw) + b"}").text


def items(raw: msgspec.Raw | bytes) -> list[msgspec.Raw]:
    """Return the values of a JSON array, undecoded; nothing for any other value."""
    if raw is NULL:
        return []
    try:
        return _as_items(raw)
    except _FAILURES:
        return []


def is_client_text(prompt: str) -> bool:
    """Whether a prompt's text is one that the client writes itself."""
    stripped = prompt.strip()
    return (
        stripped in CLIENT_PROMPTS
        or stripped.startswith(_CLIENT_PREFIXES)
        or not stripped.replace(CANCELLED_RESULT, "").strip()
    )


def linked_resource(part: str) -> str | None:
    """The URI of a text that is nothing but a link to a resource, as the client writes it out."""
    try:
        link = _as_link(part)
    except _FAILURES:
        return None
    return link.uri if link.name else None


def touched(tool: str, arguments: msgspec.Raw) -> Touched:
    """Tell what a tool call is about: files it names, its command line, what it writes.

    `command` is a command line only for tools that run one: the file tools use the same word for
    what they do (`create`, `strReplace`).
    """
    found = _arguments(arguments)
    command = found.command if isinstance(found.command, str) and tool in _SHELLS else None
    written = next((value for name in _EDIT_FIELDS if (value := text(getattr(found, name)))), "")
    if not written and command is None and bytes(arguments) not in (b"null", b"{}", b""):
        written = bytes(arguments).decode("utf-8", "replace")
    return Touched(tuple(_paths(found)), command, excerpt(written) or None)


def _paths(found: Arguments) -> list[str]:
    named = [found.path, found.filePath, found.file_path, found.targetFile, found.file]
    for many in (found.paths, found.files, found.operations):
        entries = many if isinstance(many, list) else []
        named += [entry.get("path") if isinstance(entry, dict) else entry for entry in entries]
    return list(dict.fromkeys(path for path in named if isinstance(path, str) and path))


def lock_sign(data: bytes) -> ProcessSign | None:
    """Return what a `.lock` (`{"pid":…,"started_at":…}`) tells; None when it names no process."""
    pid = _lock(data).pid
    return ProcessSign(pid) if pid else None
