"""The records of a Copilot CLI session log, as far as they are read, under the log's own names.

Every field has a default, so that a record of any client version, or a damaged one, gives a row.
What is bulky and rarely needed (tool output, arguments, whole prompts) stays undecoded.
"""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct

from ctxd_parsers.values import Count


class Row(Struct, frozen=True):
    """The envelope of every record."""

    type: str = ""
    id: str = ""
    timestamp: str = ""
    agentId: str | None = None
    """The sub-agent it happened in (since 1.0.61; before, only `parentToolCallId` tells)."""
    data: Raw = Raw(b"{}")


class Context(Struct, frozen=True):
    """Where a session works (`session.context_changed`)."""

    cwd: str | None = None
    branch: str | None = None
    repository: str | None = None
    pendingGitContext: bool = False
    """Set on a first notice whose branch is not known yet; a settled one always follows."""


class Start(Struct, frozen=True):
    """`session.start` and `session.resume`."""

    sessionId: str = ""
    copilotVersion: str | None = None
    selectedModel: str | None = None
    context: Context = Context()
    detachedFromSpawningParentSessionId: str | None = None
    """Set on headless runs that the client starts by itself when a session ends."""
    sessionWasActive: bool = False
    """A resume that only joined a session at work."""


class Prompt(Struct, frozen=True):
    """`user.message`."""

    content: str = ""
    source: str | None = None
    delivery: str | None = None
    agentMode: str | None = None
    isAutopilotContinuation: bool = False
    interactionId: str | None = None
    attachments: tuple[Raw, ...] = ()


class Attachment(Struct, frozen=True):
    """One of a prompt's attachments, of whatever type."""

    path: str | None = None
    filePath: str | None = None
    url: str | None = None
    displayName: str | None = None
    title: str | None = None
    mimeType: str = ""


class Reply(Struct, frozen=True):
    """`assistant.message` and `assistant.reasoning`."""

    messageId: str | None = None
    model: str | None = None
    content: str = ""
    reasoningText: str = ""
    toolRequests: tuple[Raw, ...] = ()
    parentToolCallId: str | None = None


class Request(Struct, frozen=True):
    """A tool call, as a reply asks for it or as the user ran it (`tool.user_requested`)."""

    toolCallId: str = ""
    toolName: str = ""
    name: str = ""
    arguments: Raw = Raw(b"{}")


class Arguments(Struct, frozen=True):
    """What tools of this client are called with."""

    path: str | None = None
    command: str | None = None
    new_str: str | None = None
    file_text: str | None = None
    input: str | None = None
    question: str = ""
    choices: tuple[str, ...] = ()


class Turn(Struct, frozen=True):
    """`assistant.turn_start` and `assistant.turn_end`."""

    interactionId: str | None = None
    parentToolCallId: str | None = None


class Failure(Struct, frozen=True):
    """Why a tool call failed."""

    code: str | None = None
    message: str = ""


class Done(Struct, frozen=True):
    """`tool.execution_complete`."""

    toolCallId: str = ""
    success: bool | None = None
    error: Failure = Failure()
    result: Raw = Raw(b"{}")
    parentToolCallId: str | None = None


class Output(Struct, frozen=True):
    """What a tool gave to the model, or a hook to the client."""

    content: str = ""
    additionalContext: str = ""


class Decision(Struct, frozen=True):
    """How a permission request ended."""

    kind: str = ""
    feedback: str = ""


class Permission(Struct, frozen=True):
    """`permission.requested` and `permission.completed`."""

    requestId: str = ""
    toolCallId: str | None = None
    permissionRequest: Request = Request()
    result: Decision = Decision()
    decisionSource: str | None = None


class Human(Struct, frozen=True):
    """`human_response.recorded`."""

    toolCallId: str | None = None
    actor: str = ""
    response: Raw = Raw(b"{}")


class Choice(Struct, frozen=True):
    """One value that a form's field may take."""

    const: str = ""
    title: str | None = None


class Field(Struct, frozen=True):
    """One field of a form."""

    title: str | None = None
    enum: tuple[str, ...] = ()
    oneOf: tuple[Choice, ...] = ()
    anyOf: tuple[Choice, ...] = ()
    items: Raw = Raw(b"{}")
    """What the values of a list may be; a field itself."""


class Schema(Struct, frozen=True):
    """A form."""

    properties: dict[str, Raw] = {}


class Response(Struct, frozen=True):
    """The answer in a `Human`, of each `responseKind`."""

    responseKind: str = ""
    message: str = ""
    content: dict[str, Any] = {}
    """The values of a form, by field."""
    requestedSchema: Schema = Schema()
    question: str = ""
    choices: tuple[str, ...] = ()
    answer: str = ""
    wasFreeform: bool = False
    approved: bool = False
    summary: str = ""
    planContent: str = ""
    selectedAction: str | None = None
    feedback: str = ""


class Spent(Struct, frozen=True):
    """What making a summary took."""

    duration: Count | None = None


class Compacted(Struct, frozen=True):
    """`session.compaction_start` and `session.compaction_complete`."""

    success: bool = False
    outcome: str = "applied"
    outcomeReason: str | None = None
    failureReason: str | None = None
    error: str = ""
    compactionAttemptId: str | None = None
    trigger: str | None = None
    currentTokens: Count | None = None
    preCompactionTokens: Count | None = None
    postCompactionTokens: Count | None = None
    tokenAccountingBasis: str | None = None
    systemTokens: Count = 0
    toolDefinitionsTokens: Count = 0
    messagesRemoved: Count | None = None
    summaryContent: str | None = None
    customInstructions: str = ""
    compactionTokensUsed: Spent = Spent()


class Lost(Struct, frozen=True):
    """`session.truncation` and `session.context_cleared`."""

    messagesRemovedDuringTruncation: Count | None = None
    preTruncationTokensInMessages: Count | None = None
    postTruncationTokensInMessages: Count | None = None
    initialMessage: str = ""


class Call(Struct, frozen=True):
    """Tokens of one model call."""

    model: str | None = None
    inputTokens: Count | None = None
    outputTokens: Count | None = None
    cacheReadTokens: Count | None = None
    cacheWriteTokens: Count | None = None
    maxPromptTokens: Count | None = None
    interactionType: str = "conversation-agent"


class Usage(Struct, frozen=True):
    """`session.usage_record`."""

    usage: Call = Call()


class Kind(Struct, frozen=True):
    """What a notification is about."""

    type: str = ""
    sourcePath: str = ""


class Notice(Struct, frozen=True):
    """`system.notification`."""

    kind: Kind = Kind()


class Hook(Struct, frozen=True):
    """`hook.end`."""

    hookType: str = ""
    output: Output = Output()


class Skill(Struct, frozen=True):
    """`skill.invoked` and `skill.invoked_ref`."""

    name: str = ""
    content: str = ""
    trigger: str | None = None


class Origin(Struct, frozen=True):
    """The repository of a session that came from elsewhere."""

    owner: str = ""
    name: str = ""
    branch: str | None = None


class Note(Struct, frozen=True):
    """The small session records: info, task_complete, handoff, shutdown, abort, error."""

    infoType: str = ""
    message: str = ""
    summary: str = ""
    reason: str = ""
    shutdownType: str | None = None
    success: bool = True
    outcome: str = "completed"
    remoteSessionId: str | None = None
    repository: Origin = Origin()
