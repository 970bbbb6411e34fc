"""The event model: everything that can happen in a session, the same for every agent.

An event is one normalised thing that happened in a session. Parsers make events; nobody changes
them. They serialise as they are: one JSON object an event, told apart by its `event` field, and
that form is what the golden files hold and what `ctxd events --json` prints.

Words used in field names: a `call` is the client's id of one tool call, a `message` its id of one
model response (several events may come from one response), a `turn` its id of one user prompt and
what follows. None always means "the log does not say", never zero or empty.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

Origin = Literal["typed", "queued", "answer", "refusal", "plan_feedback", "command_arguments"]
"""How the user's words reached the agent.

`typed`: an ordinary prompt. `queued`: typed while the agent was working. `answer`: to a question
dialog, picked or typed. `refusal`: said when turning down a tool call. `plan_feedback`: said about
a proposed plan. `command_arguments`: what follows a slash command, compaction focus included.
"""

Start = Literal["startup", "resume", "fork", "clear", "rewind", "compaction", "sub_agent", "import"]
"""How a session began or went on.

`fork` and `rewind` start from a copy of another session's records, `clear` replaces a session whose
context the user emptied, `compaction` continues one from its summary under a new id, `import` was
converted from another store.
"""

Trigger = Literal["manual", "auto"]
Status = Literal["ok", "error", "refused", "interrupted"]


class Event(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="event", gc=False
):
    """What every event carries."""

    agent: str
    """The agent product, one of the names of the registry's parsers (`claude-code`, ...)."""
    session: str
    """The agent's own id of the session; sub-agents carry their parent's."""
    id: str
    """Stable and unique within the agent: the same record gives the same id each time it is read,
    in whatever file it was copied to. Consumers drop a repeated id."""
    time: datetime | None = None
    """When it happened, in UTC. Not monotonic within a transcript."""
    span: tuple[int, int] | None = None
    """Byte offsets [start, end) of the record in its transcript; None where a store has none."""
    sub_agent: str | None = None
    """Id of the sub-agent it happened in; None for the user's own conversation."""


class SessionStarted(Event, frozen=True, kw_only=True, tag=True):
    """A session began, or went on after it had ended."""

    how: Start = "startup"
    cwd: str | None = None
    """Absolute working directory as the client wrote it, or a URI where it is remote."""
    repository: str | None = None
    """`owner/name`, where the client itself names the hosted repository."""
    branch: str | None = None
    client: str | None = None
    """Which front end: `cli`, `sdk-cli`, `vscode`, `zed`, ..."""
    client_version: str | None = None
    model: str | None = None
    parent: str | None = None
    """Id of the session this one was copied, forked or spawned from."""


class WorkspaceChanged(Event, frozen=True, kw_only=True, tag=True):
    """The session's working directory or branch is another from here on."""

    cwd: str | None = None
    branch: str | None = None
    repository: str | None = None


class SessionTitled(Event, frozen=True, kw_only=True, tag=True):
    """The session got a title, from the user or made by the agent. The last one counts."""

    title: str
    by: Literal["user", "agent"] = "agent"


class Paste(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A part of a user message that was pasted, not typed."""

    start: int
    """Offset of the first character in the message's text."""
    end: int
    """Offset behind the last character."""
    path: str | None = None
    """File that holds the pasted text when the message only holds a placeholder."""


class UserMessage(Event, frozen=True, kw_only=True, tag=True):
    """Words of the user, and of nobody else.

    What a client injects under the user's role (reminders, hook and command output, tool results,
    summaries, notifications, attached files) never becomes one.
    """

    text: str
    origin: Origin = "typed"
    turn: str | None = None
    call: str | None = None
    """The tool call that was refused or answered, for origins that have one."""
    pasted: tuple[Paste, ...] = ()
    attachments: tuple[str, ...] = ()
    """Paths or names of what was attached or mentioned; images without a name as `image`."""


class AssistantMessage(Event, frozen=True, kw_only=True, tag=True):
    """Text the agent said to the user."""

    text: str
    message: str | None = None
    model: str | None = None
    failed: bool = False
    """True when the client shows an API error or a placeholder of its own as the reply."""


class Reasoning(Event, frozen=True, kw_only=True, tag=True):
    """The model's readable thinking; encrypted or empty thinking gives no event."""

    text: str
    message: str | None = None


class ToolCall(Event, frozen=True, kw_only=True, tag=True):
    """The agent asked for a tool. Holds what it touches, not its bulk."""

    call: str
    name: str
    paths: tuple[str, ...] = ()
    """Files or folders named by the arguments, as written there."""
    command: str | None = None
    """Shell command line, for tools that run one."""
    excerpt: str | None = None
    """Start of the new text of an edit, or of the arguments of other tools, cut at
    `limits.EXCERPT_CHARS`."""
    message: str | None = None


class ToolResult(Event, frozen=True, kw_only=True, tag=True):
    """A tool call ended. Its output is left in the log: it is never anybody's word."""

    call: str
    status: Status | None = None


class Option(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One choice a question dialog offered."""

    label: str
    description: str | None = None


class QuestionAnswered(Event, frozen=True, kw_only=True, tag=True):
    """The user answered one question of a dialog. A `UserMessage` of origin `answer` with the same
    `call` carries the same words as words."""

    question: str
    options: tuple[Option, ...] = ()
    chosen: tuple[str, ...] = ()
    """Labels the user picked."""
    text: str | None = None
    """What the user typed instead of, or beside, picking."""
    call: str | None = None


class PlanDecided(Event, frozen=True, kw_only=True, tag=True):
    """The user approved or turned down a plan. Words given with it come as a `UserMessage` of
    origin `plan_feedback` with the same `call`."""

    approved: bool
    plan: str | None = None
    """Full text of the plan as it was shown."""
    choice: str | None = None
    """Label of the way on that the user picked, where a client offers several."""
    call: str | None = None


class ContextFileLoaded(Event, frozen=True, kw_only=True, tag=True):
    """A context file (AGENTS.md, CLAUDE.md, a rule, steering, memory) entered the window."""

    path: str
    scope: Literal["managed", "user", "project", "local", "memory"] | None = None
    reason: Literal["start", "compaction", "nested", "changed"] | None = None
    text: str | None = None
    """Its text as the model got it."""


class ContextInjected(Event, frozen=True, kw_only=True, tag=True):
    """Text that a hook, skill or the client itself put before the model: never anybody's word,
    but part of what the window holds."""

    source: Literal["hook", "skill", "client"]
    text: str
    name: str | None = None
    """The hook event or the skill's name."""


class Usage(Event, frozen=True, kw_only=True, tag=True):
    """Tokens of one model response. A later one with the same `message` replaces the earlier."""

    message: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    """Input that was not read from or written to a cache."""
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    context_tokens: int | None = None
    """Tokens in the window after this response."""
    window_tokens: int | None = None
    """The most the window can hold."""
    context_percent: float | None = None
    """Share of the window in use, for clients that tell only that; 0 to 100."""


class CompactionStarted(Event, frozen=True, kw_only=True, tag=True):
    """A summary is being made; what follows is not in it. Not every client tells."""

    trigger: Trigger | None = None
    cause: str | None = None
    attempt: str | None = None


class Compaction(Event, frozen=True, kw_only=True, tag=True):
    """The window was replaced by a summary. With `sub_agent` set it was that sub-agent's window,
    not the user's."""

    trigger: Trigger | None = None
    cause: str | None = None
    """The client's own, finer word for the trigger."""
    summary: str | None = None
    """None when it is not stored or not readable; `readable` tells which."""
    readable: bool = True
    """False when a summary exists but is encrypted or otherwise opaque."""
    kept: tuple[str, ...] | None = None
    """Ids of the earlier events that stay in the window word for word; () means none do."""
    instructions: str | None = None
    """What the user asked the summary to focus on."""
    tokens_before: int | None = None
    tokens_after: int | None = None
    messages_removed: int | None = None
    duration_ms: int | None = None
    attempt: str | None = None
    """Same as in the `CompactionStarted` that announced it."""


class CompactionFailed(Event, frozen=True, kw_only=True, tag=True):
    """A compaction was tried and nothing was removed."""

    trigger: Trigger | None = None
    reason: str | None = None
    attempt: str | None = None


class Truncated(Event, frozen=True, kw_only=True, tag=True):
    """Part of the window was dropped without any summary: old tool results, or whole messages."""

    calls: tuple[str, ...] = ()
    """Tool calls whose results went; messages themselves stayed."""
    messages_removed: int | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None


class Cleared(Event, frozen=True, kw_only=True, tag=True):
    """The window was emptied without a summary; the same session goes on."""


class Withdrawn(Event, frozen=True, kw_only=True, tag=True):
    """The user took back part of the session: everything from `since` up to here.

    None for `since` means that the client rewrote the transcript: what was read before and no
    longer stands in it is what was taken back.
    """

    since: str | None = None
    """Id of the first event taken back; all later ones up to this event went with it."""
    until: str | None = None
    """Id of the first event after `since` that was not taken back, when not this event itself."""
    reason: Literal["rewind", "cancelled", "reverted"] = "rewind"


class Interrupted(Event, frozen=True, kw_only=True, tag=True):
    """The user stopped the agent."""

    call: str | None = None


class TurnEnded(Event, frozen=True, kw_only=True, tag=True):
    """The agent is done with a turn and waits."""

    reason: Literal["completed", "interrupted", "error"] | None = None
    turn: str | None = None


class SessionEnded(Event, frozen=True, kw_only=True, tag=True):
    """The log says that the session ended. Never final: a resume reopens it."""

    reason: str | None = None


class Unknown(Event, frozen=True, kw_only=True, tag=True):
    """A record of a kind this parser does not know."""

    record_kind: str
    client_version: str | None = None


class Unparsed(Event, frozen=True, kw_only=True, tag=True):
    """Bytes that could not be decoded as a record."""

    reason: str


AnyEvent = (
    SessionStarted
    | WorkspaceChanged
    | SessionTitled
    | UserMessage
    | AssistantMessage
    | Reasoning
    | ToolCall
    | ToolResult
    | QuestionAnswered
    | PlanDecided
    | ContextFileLoaded
    | ContextInjected
    | Usage
    | CompactionStarted
    | Compaction
    | CompactionFailed
    | Truncated
    | Cleared
    | Withdrawn
    | Interrupted
    | TurnEnded
    | SessionEnded
    | Unknown
    | Unparsed
)
"""The tagged union, for decoding stored events."""
