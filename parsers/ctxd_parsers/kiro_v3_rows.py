"""The rows of Kiro's third engine, as far as `kiro_v3` reads them.

Every field has a default, bulk stays undecoded, and what is of an unexpected type is left out.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from ctxd_parsers.decoding import RowDecoder
from ctxd_parsers.kiro import NULL, Nested, items, text
from ctxd_parsers.values import Count

_HOOK = re.compile(r"<HOOK_INSTRUCTION>(.*?)</HOOK_INSTRUCTION>", re.DOTALL)


class Row(msgspec.Struct):
    """A line."""

    id: str = ""
    timestamp: str = ""
    payload: msgspec.Raw = NULL


class Payload(msgspec.Struct):
    """What a row says; which fields it has depends on `type`."""

    type: str = ""
    content: msgspec.Raw = NULL
    source: str | None = None
    kind: str | None = None
    contextItems: msgspec.Raw = NULL
    images: msgspec.Raw = NULL
    documents: msgspec.Raw = NULL
    steeringDocuments: msgspec.Raw = NULL
    meta: msgspec.Raw = msgspec.field(default=NULL, name="_meta")
    operationType: str | None = None
    executionId: str | None = None
    subExecutionId: str | None = None
    toolCallId: str = ""
    toolName: str = ""
    args: msgspec.Raw = NULL
    filePath: str | None = None
    status: str | None = None
    success: bool | None = None
    stopReason: str | None = None
    effectiveFromMessageId: str = ""
    metadata: msgspec.Raw = NULL
    subSessionId: str = ""
    subAgentName: str | None = None
    prompt: str = ""
    name: str | None = None
    output: msgspec.Raw = NULL
    interactionType: str | None = None
    question: str = ""
    options: msgspec.Raw = NULL
    outcome: str | None = None
    selectedOption: str | None = None
    key: str | None = None
    value: msgspec.Raw = NULL
    category: str | None = None
    message: str = ""


class Choice(msgspec.Struct):
    """An option of a dialog: what selects it, and what the user reads."""

    key: str
    label: str
    description: str | None = None
    rejects: bool = False


class Dialog(msgspec.Struct):
    """A question or approval that waits for the user."""

    approval: bool
    question: str
    choices: list[Choice] = []
    answered: bool = False
    """True when the answer comes as the tool's result."""


class Tombstone(msgspec.Struct):
    """A compaction whose summary has not come yet."""

    id: str
    time: str
    removed: int | None = None


class Kiro(msgspec.Struct):
    """The client's own notes on a row."""

    notification: Any = None
    workflow: Any = None
    refusal: Any = None


class Meta(msgspec.Struct):
    """Notes on a row."""

    kiro: Kiro = msgspec.field(default_factory=Kiro)


class Named(msgspec.Struct):
    """A context item, attached document, steering file or option."""

    id: str = ""
    uri: str = ""
    name: str = ""
    displayName: str = ""
    content: msgspec.Raw = NULL
    scope: str | None = None
    optionId: str = ""
    title: str = ""
    description: str | None = None
    kind: str = ""


class Removed(msgspec.Struct):
    """Notes on a tombstone."""

    truncatedMessageCount: Count | None = None


class ContextUsage(msgspec.Struct):
    """How full the window is."""

    usagePercentage: float | None = None


class Repository(msgspec.Struct):
    """A hosted repository the session is bound to."""

    name: str | None = None
    branch: str | None = None


class Session(msgspec.Struct):
    """`session.json`."""

    id: str = ""
    title: str = ""
    titleSetByUser: bool = False
    workspacePaths: msgspec.Raw = NULL
    createdAt: str = ""
    parentSessionId: str | None = None
    createdReason: str | None = None
    modelId: str | None = None
    repositories: msgspec.Raw = NULL


ROWS = RowDecoder(Row, marks=("id", "timestamp", "payload"))
as_payload = Nested(Payload)
as_meta = Nested(Meta)
as_named = Nested(Named)
as_removed = Nested(Removed)
as_context_usage = Nested(ContextUsage)
as_repository = Nested(Repository)
as_session = Nested(Session)


def is_injected(row: Payload, identity: str) -> bool:
    """Tell rows of the user's role that nobody typed.

    `kind` is an old mark of notifications; prompts of a workflow's steps carry the workflow.
    """
    kiro = as_meta(row.meta).kiro
    return (
        row.source not in (None, "", "chat", "steer")
        or identity.startswith("wf-progress-")
        or bool(row.kind or kiro.notification or kiro.workflow)
    )


def without_hooks(content: str) -> tuple[str, list[str]]:
    """A prompt's own words, and what hooks put into it."""
    added = _HOOK.findall(content)
    return (_HOOK.sub("", content).strip() if added else content), added


def tombstone_of(summary: str) -> str:
    """The id of the tombstone that a summary's row belongs to."""
    return f"tombstone_summarize_{summary.removeprefix('summary_')}"


def attachments(row: Payload) -> tuple[str, ...]:
    """List what was attached to a prompt."""
    listed = [as_named(raw) for raw in [*items(row.contextItems), *items(row.documents)]]
    names = [item.uri or item.name for item in listed]
    return (*(name for name in names if name), *("image" for _ in items(row.images)))


def choices(row: Payload) -> list[Choice]:
    """List the options of a dialog: approvals and questions write them in different shapes."""
    found = []
    for raw in items(row.options):
        option = as_named(raw)
        label = option.name or option.title or option.optionId or text(raw)
        rejects = option.kind.startswith("reject")
        found.append(Choice(option.optionId or label, label, option.description, rejects))
    return found
