"""The rows of Claude Code's transcripts, and what one row tells by itself.

Pure functions of a row: whose words it holds, what a tool call touches, how a call ended. Facts
were measured with clients 1.0.35 to 2.1.332; the version behind a rule stands where the rule does.
Bulk (tool output, tool arguments, snapshots) is `msgspec.Raw`: skipped, and decoded only if needed.
"""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

from ctxd_parsers.values import Count

_NOTHING = msgspec.Raw()
_NULL = msgspec.Raw(b"null")


class RowOrigin(msgspec.Struct, gc=False):
    """Who caused a user row [>=2.1.197]."""

    kind: str | None = None


class Copied(msgspec.Struct, rename="camel", gc=False):
    """Where a row stood before `/branch` or a fork copied it."""

    session_id: str | None = None


class Block(msgspec.Struct, gc=False):
    """A content block of a message; each row of a response holds one."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = _NOTHING
    tool_use_id: str | None = None
    content: msgspec.Raw = _NOTHING
    is_error: bool | None = None
    title: str | None = None


class Message(msgspec.Struct, gc=False):
    """The API message inside a user or assistant row."""

    content: str | list[Block] = ""
    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: msgspec.Raw = _NOTHING


class Attachment(msgspec.Struct, rename="camel", gc=False):
    """Context that the client put around a turn [logged from 2.1.109 on]."""

    type: str = ""
    prompt: msgspec.Raw = _NOTHING
    command_mode: str | None = None
    origin: RowOrigin | str | None = None
    is_meta: bool | None = None
    source_uuid: str | None = msgspec.field(default=None, name="source_uuid")
    files: msgspec.Raw = _NOTHING
    content: msgspec.Raw = _NOTHING
    path: str | None = None
    filename: str | None = None
    snippet: str | None = None
    hook_name: str | None = None
    hook_event: str | None = None
    call_ids: msgspec.Raw = _NOTHING


class Row(msgspec.Struct, rename="camel", gc=False):
    """Any line of a transcript. Key order differs between versions and means nothing."""

    type: str = ""
    uuid: str = ""
    parent_uuid: str | None = None
    session_id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    is_sidechain: bool | None = None
    agent_id: str | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    is_api_error_message: bool | None = None
    prompt_id: str | None = None
    prompt_source: str | None = None
    row_source: str | None = None
    turn_origin: str | None = None
    permission_mode: str | None = None
    thinking_metadata: msgspec.Raw = _NOTHING
    origin: RowOrigin | str | None = None
    message: Message | None = None
    tool_use_result: msgspec.Raw = _NOTHING
    tool_denial_kind: str | None = None
    user_feedback: str | None = None
    summarize_metadata: msgspec.Raw = _NOTHING
    request_session_id: str | None = None
    forked_from: Copied | None = None
    attachment: Attachment | None = None
    rendered: msgspec.Raw = _NOTHING
    subtype: str | None = None
    content: str | list[Block] | None = None
    compact_metadata: msgspec.Raw = _NOTHING
    microcompact_metadata: msgspec.Raw = _NOTHING
    command_run: msgspec.Raw = _NOTHING
    operation: str | None = None
    reason: str | None = None
    command_uuid: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    relocated_cwd: str | None = None


def names(text: str) -> frozenset[str]:
    """The words of a text, for tables of names too long to be lists."""
    return frozenset(text.split())


def decoded(raw: msgspec.Raw) -> Any:
    """The plain value of a part that was skipped; None when it is absent or no JSON."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def mapping(value: Any) -> dict[str, Any]:
    """`value` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listing(value: Any) -> list[Any]:
    """`value` when it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def text_of(value: Any) -> str | None:
    """`value` when it is a text."""
    return value if isinstance(value, str) else None


def number_of(value: Any) -> int | None:
    """`value` as a count; None for anything that is none."""
    return int(value) if isinstance(value, (int, float)) and abs(value) < 2**53 else None


def texts(value: Any) -> tuple[str, ...]:
    """The texts of a list, or of a single text."""
    if isinstance(value, str):
        return (value,)
    return tuple(item for item in listing(value) if isinstance(item, str))


def plain_text(content: str | list[Block] | None) -> str:
    """The text of a content that is decoded."""
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in content or () if block.text)


def joined_text(value: Any) -> str:
    """The text of a content that is a text or a list of blocks."""
    if isinstance(value, str):
        return value
    blocks = [mapping(block).get("text") for block in listing(value)]
    return "\n".join(text for text in blocks if isinstance(text, str))


# Whose words.

_INJECTED = re.compile(
    r"<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>.*?</\1>\s*", re.DOTALL
)
"""Blocks that stand inside prompts: reminders up to 2.0.x, editor state from the IDE extensions."""

_NOTICES = (
    "<task-notification>",
    "<bash-notification>",
    "<agent-notification>",
    "<teammate-message",
    "<background-task-",
    "<mcp-resource-update",
    "<mcp-polling-update",
    "<fork-boilerplate>",
    "<session-start-hook>",
    "<user-prompt-submit-hook>",
    "<post-tool-use-hook>",
    "<system-reminder>",
    '{"task_id":"',
)
"""Beginnings of what is put into the queue or under the user's role by the client alone; the last
one is how the start of a task stands in the queue of clients before 2.1.97."""
_ELEMENTS = ("<local-command-", "<command-", "<bash-")
"""Rows of commands, which are elements from end to end; a prompt may begin with the same tags."""
_CLOSING_TAG = re.compile(r"</[\w-]+>\Z")
_CAVEATS = (
    "<local-command-caveat>",
    "Caveat: The messages below were generated by the user while running local commands",
)
_SUMMARY = "This session is being continued from a previous conversation that ran out of context"
_UNMARKED = (*_CAVEATS, _SUMMARY, "Stop hook feedback:\n", "SubagentStop hook feedback:\n")
"""How texts of the client begin that rows of old clients do not mark as such [hooks: 1.0.128]."""
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]\n]*\]")
_TYPED = ("typed", "queued", "suggestion_accepted")
"""Prompt sources [>=2.1.197] whose text is what the user typed, whatever it looks like."""
_COMMAND_NAME = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_COMMAND_ARGS = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
_MEMORY = re.compile(r"<user-memory-input>(.*?)</user-memory-input>", re.DOTALL)
_SETTINGS = names(
    """
    add-dir agents clear color config cd doctor effort exit export fast help hooks ide login
    logout mcp memory model output-style permissions plugin quit rename resume statusline
    terminal-setup theme vim
    """
)
"""Built-in commands whose arguments set something and say nothing to the agent."""


class Command(msgspec.Struct, frozen=True):
    """A slash command as the client logs it."""

    name: str
    arguments: str
    spoken: bool
    """Whether the arguments are words to the agent, not a setting."""


def is_human(origin: RowOrigin | str | None, prompt_source: str | None = None) -> bool:
    """Whether the user caused a row; those that do not say [<2.1.197, SDK] count as the user's, and
    those that say it in a way not known do if they are prompts."""
    if isinstance(origin, RowOrigin):
        origin = origin.kind or ("human" if prompt_source else "unknown")
    return origin in (None, "human") and prompt_source != "system"


def is_users(row: Row) -> bool:
    """Whether a user row's text may hold words of the user."""
    return not (
        row.is_meta
        or row.tool_use_result not in (_NOTHING, _NULL)
        or row.is_visible_in_transcript_only
        or row.row_source == "harness"
        or not is_human(row.origin, row.prompt_source)
    )


def is_queued_by_user(attachment: Attachment) -> bool:
    """Whether a queued command is a prompt of the user, no shell command or notification."""
    by_user = is_human(attachment.origin) and not attachment.is_meta
    return by_user and attachment.command_mode in (None, "prompt")


def is_typed(row: Row) -> bool:
    """Whether the client says that the text is what the user typed [>=2.1.197]."""
    return row.prompt_source in _TYPED


def is_prompt(row: Row) -> bool:
    """Whether a row has one of the fields that clients put on prompts alone [1.0.128, and all but
    SDK sessions up to 2.0.x]."""
    return bool(
        row.prompt_source or row.permission_mode or row.thinking_metadata not in (_NOTHING, _NULL)
    )


def is_caveat(row: Row) -> bool:
    """Whether a meta row warns of the output of a command of the user, which follows."""
    text = row.message.content if row.message else None
    return isinstance(text, str) and text.startswith(_CAVEATS)


def is_element(text: str) -> bool:
    """Whether a text is a command or its output as the client writes it."""
    return text.startswith(_ELEMENTS) and _CLOSING_TAG.search(text, len(text) - 99) is not None


def is_unmarked_summary(row: Row) -> bool:
    """Whether a row reads like a summary, for clients that do not say so."""
    content = row.message.content if row.message else ""
    return isinstance(content, str) and content.startswith(_SUMMARY) and not is_prompt(row)


def prompt_words(text: str, row: Row | None = None) -> str | None:
    """The user's own words in the text of a prompt; None when it holds none.

    The client says of what it writes itself, by the row or by the text; where the row says that
    the user typed it, the text may look like anything.
    """
    own = text
    if "</system-reminder>" in text or "</ide_" in text:
        own = _INJECTED.sub("", text).strip()
    start = own.strip()
    if start.startswith("<user-memory-input>"):
        found = _MEMORY.match(start)
        return found[1].strip() or None if found else None
    if focus(start) is not None or is_interruption(start):
        return None
    if row and is_typed(row):
        return (own if start else text) if text.strip() else None
    if not start or start.startswith(_NOTICES) or is_element(start):
        return None
    is_marked = row is not None and is_prompt(row)
    return own if is_marked or not start.startswith(_UNMARKED) else None


def focus(text: str) -> str | None:
    """The arguments of a `/compact` written out as a prompt [logged so by 2.1.265]."""
    if text == "/compact" or text.startswith("/compact "):
        return text[len("/compact ") :].strip()
    return None


def is_interruption(text: str) -> bool:
    """Whether a text only says that the user pressed Esc."""
    return _INTERRUPTED.fullmatch(text.strip()) is not None


def command(row: Row, text: str) -> Command | None:
    """The slash command that a row logs, whichever of its tags comes first.

    From 2.1.332 on `rowSource` tells those that the client ran by itself, and in SDK sessions every
    row; but only those that reach the agent start a turn.
    """
    is_logged = text.startswith("<command-") and is_element(text.rstrip())
    name = _COMMAND_NAME.search(text) if is_logged else None
    if not name:
        return None
    arguments = _COMMAND_ARGS.search(text)
    plain = name[1].removeprefix("/")
    is_local = row.row_source == "local" and row.turn_origin is None
    spoken = plain == "compact" or not (is_local or plain in _SETTINGS)
    return Command(plain, arguments[1] if arguments else "", spoken)


def is_clear(row: Row) -> bool:
    """Whether a row logs `/clear`: among the first of the new session's file [>=1.0.128]."""
    text = row.message.content if row.message else None
    return isinstance(text, str) and text.startswith("<command-name>/clear</command-name>")


def blocks(message: Message | None) -> list[Block]:
    """The content blocks of a message; a plain text is one block."""
    if message is None:
        return []
    content = message.content
    return [Block(type="text", text=content)] if isinstance(content, str) else content


def attached(parts: list[Block]) -> tuple[str, ...]:
    """What was attached to a prompt inside the message itself."""
    return tuple(part.title or part.type for part in parts if part.type in ("image", "document"))


# Context files.

Scope = Literal["managed", "user", "project", "local", "memory"]
_SCOPES: dict[str, Scope] = {
    "Managed": "managed",
    "User": "user",
    "Project": "project",
    "Local": "local",
    "AutoMem": "memory",
}
_CONTEXT_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "MEMORY.md")
_LINE_NUMBER = re.compile(r"^ *\d+\t", re.MULTILINE)


def scope(kind: Any) -> Scope | None:
    """The scope that the client calls `kind`."""
    return _SCOPES.get(kind) if isinstance(kind, str) else None


def is_context_file(path: str | None) -> bool:
    """Whether a path is one of the files that hold instructions, and not just any file."""
    plain = (path or "").replace("\\", "/")
    return plain.rsplit("/", 1)[-1] in _CONTEXT_FILES or "/.claude/rules/" in plain


def without_line_numbers(snippet: str) -> str:
    """A file's text from how the Read tool shows it."""
    return _LINE_NUMBER.sub("", snippet)


def loaded_by_hook(text: str) -> tuple[str, str] | None:
    """Path and text of a context file that a built-in hook loaded [2.1.332: nested AGENTS.md]."""
    head, newline, rest = text.partition(":\n\n")
    path = head.removeprefix("Contents of ")
    return (path, rest) if newline and path != head and is_context_file(path) else None


# Usage and versions.


class _Usage(msgspec.Struct, gc=False):
    input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    output_tokens: Count | None = None


_decode_usage = msgspec.json.Decoder(_Usage).decode


def tokens(message: Message) -> list[int | None] | None:
    """Tokens of a response: fresh input, written to the cache, read from it, output; None when
    the client wrote none."""
    try:
        usage = _decode_usage(message.usage)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    counts = [
        usage.input_tokens,
        usage.cache_creation_input_tokens,
        usage.cache_read_input_tokens,
        usage.output_tokens,
    ]
    return counts if counts != [None] * 4 else None


def is_at_least(version: str | None, least: tuple[int, int, int]) -> bool:
    """Whether a row was written by a client of at least that version."""
    numbers = [int(part) for part in re.findall(r"\d+", version or "")[:3]]
    return tuple(numbers) >= least


def logs_attachments(version: str | None) -> bool:
    """Whether a client shows queued words that reached the agent in mid-turn by an attachment
    [2.1.109 does, 2.1.63 does not; attachments of others were seen from 2.1.97 on]."""
    return version is None or is_at_least(version, (2, 1, 97))


def logs_turn_ends(row: Row) -> bool:
    """Whether the client that wrote a row logs the end of each turn by a row of its own
    [interactive sessions from 2.1.197 on]."""
    return row.entrypoint == "cli" and is_at_least(row.version, (2, 1, 197))
