"""The records of a Codex rollout, as far as they are read, under the log's own names.

Every field has a default, so that a record of any client version, or a damaged one, gives a row.
"""

from __future__ import annotations

from msgspec import Raw, Struct

from ctxd_parsers.values import Count


class Row(Struct, frozen=True):
    """The envelope of every line."""

    timestamp: str = ""
    ordinal: Count | None = None
    """Place in the thread's history; only in "paginated" files (since 0.17x, or migrated)."""
    type: str = ""
    payload: Raw = Raw(b"{}")


class Kind(Struct, frozen=True):
    """What tells the payloads of one type apart."""

    type: str = ""


class Git(Struct, frozen=True):
    """The repository that a session was started in."""

    branch: str | None = None
    repository_url: str | None = None


class Base(Struct, frozen=True):
    """Where the history that a file goes on from ends."""

    thread_id: str = ""
    """The thread, or the segment of it, that holds the end."""
    end_ordinal_exclusive: Count = 0


class Spawn(Struct, frozen=True):
    """Who started a sub-agent's thread."""

    parent_thread_id: str | None = None


class SubAgent(Struct, frozen=True):
    """A sub-agent's kind, where it is more than a name."""

    thread_spawn: Spawn = Spawn()


class Source(Struct, frozen=True):
    """Where a thread comes from, where it is more than a front end's name."""

    subagent: SubAgent | str | None = None
    internal: str | None = None


class Meta(Struct, frozen=True):
    """`session_meta`."""

    id: str = ""
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    source: Source | str | None = None
    thread_source: str | None = None
    git: Git = Git()
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    history_base: Base | None = None


class Context(Struct, frozen=True):
    """`turn_context`."""

    cwd: str | None = None
    model: str | None = None


class Piece(Struct, frozen=True):
    """A part of a message's content, of an item or of what a tool gives back."""

    type: str = ""
    text: str = ""
    path: str | None = None
    name: str | None = None
    image_url: str | None = None


class Labels(Struct, frozen=True):
    """What the client notes about a message (kinds since 0.171)."""

    content_item_kinds: tuple[str, ...] = ()


class Action(Struct, frozen=True):
    """What a `local_shell_call` or a `web_search_call` does."""

    command: tuple[str, ...] = ()
    query: str | None = None


class Response(Struct, frozen=True):
    """`response_item`."""

    type: str = ""
    id: str | None = None
    role: str = ""
    content: list[Piece] | None = None
    internal_chat_message_metadata_passthrough: Labels = Labels()
    name: str = ""
    call_id: str = ""
    arguments: str = ""
    input: str = ""
    action: Action = Action()
    output: str | Output | list[Piece] | None = None


class Output(Struct, frozen=True):
    """What a tool gave back, in its long form."""

    content: str = ""


class Item(Struct, frozen=True):
    """The item of an `item_completed`."""

    type: str = ""
    id: str = ""
    content: list[Piece] | None = None
    text: str = ""
    summary_text: tuple[str, ...] = ()
    fragments: list[Piece] | None = None
    status: str | None = None


class Tokens(Struct, frozen=True):
    """Tokens of one response, or of all."""

    input_tokens: Count | None = None
    cached_input_tokens: Count | None = None
    cache_write_input_tokens: Count | None = None
    output_tokens: Count | None = None
    total_tokens: Count | None = None


class Info(Struct, frozen=True):
    """What a `token_count` tells."""

    total_token_usage: Tokens = Tokens()
    last_token_usage: Tokens = Tokens()
    model_context_window: Count | None = None


class Happening(Struct, frozen=True):
    """`event_msg`."""

    type: str = ""
    message: str = ""
    kind: str | None = None
    """Old clients: whose words a `user_message` holds."""
    images: list[str] | None = None
    local_images: list[str] | None = None
    text: str = ""
    turn_id: str = ""
    root_turn_id: str | None = None
    """Since 0.171, and not in turns that were migrated."""
    turn_attribution: Kind | None = None
    """None for turns that no prompt started, such as a compaction that was asked for."""
    reason: str = ""
    num_turns: Count = 0
    call_id: str = ""
    status: str | None = None
    item: Item = Item()
    info: Info | None = None


class Compacted(Struct, frozen=True):
    """`compacted`."""

    message: str = ""
    replacement_history: list[Response] | None = None


class Arguments(Struct, frozen=True):
    """What tools of this client are called with."""

    cmd: str | None = None
    command: str | tuple[str, ...] | None = None
    path: str | None = None
    file_path: str | None = None
    dir_path: str | None = None
    input: str | None = None
    patch: str | None = None


class Choice(Struct, frozen=True):
    """One choice of a question."""

    label: str = ""
    description: str | None = None


class Question(Struct, frozen=True):
    """One question that was put to the user."""

    id: str = ""
    question: str = ""
    options: list[Choice] | None = None


class Questions(Struct, frozen=True):
    """The arguments of `request_user_input`."""

    questions: list[Question] = []


class Answer(Struct, frozen=True):
    """The answers to one question: labels, and notes behind `user_note: `."""

    answers: tuple[str, ...] = ()


class Answers(Struct, frozen=True):
    """What `request_user_input` gives back."""

    answers: dict[str, Answer] = {}


class Ended(Struct, frozen=True):
    """How a command ended, in the form of older clients."""

    exit_code: Count | None = None


class Reported(Struct, frozen=True):
    """The output of a command, in the form of older clients."""

    metadata: Ended = Ended()


class Title(Struct, frozen=True):
    """A line of `session_index.jsonl`."""

    id: str = ""
    thread_name: str = ""
