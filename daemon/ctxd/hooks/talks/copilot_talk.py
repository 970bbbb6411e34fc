"""Copilot: the CLI as measured with 1.0.102, and the chat of VS Code.

The CLI knows each event by two names. Under the one in camel case its payload has fields in camel
case, no name of the event, and what is said is taken flat; under the other one both are as in VS
Code, which shares the files. Nothing is heard before a compaction, and no event tells that it is
over: what was lost comes with the next prompt, or the next tool's result. Hooks are called for
sub-agents as well, as for sessions of their own, with an `agentId`.
"""

from __future__ import annotations

from ctxd.hooks.payloads import Fields, Moment, Talk
from ctxd.hooks.shapes import by_name

_MOMENTS: dict[str, Moment] = {
    "preCompact": "before_compaction",
    "sessionStart": "session_started",
    "userPromptSubmitted": "prompt_submitted",
    "postToolUse": "tool_done",
    "sessionEnd": "session_ended",
    "PreCompact": "before_compaction",
    "SessionStart": "session_started",
    "UserPromptSubmit": "prompt_submitted",
    "UserPromptSubmitted": "prompt_submitted",
    "PostToolUse": "tool_done",
    "SessionEnd": "session_ended",
}

TALK = Talk(
    agents=("copilot-cli", "copilot-vscode"),
    moments=_MOMENTS,
    fields=(
        Fields(session="sessionId", transcript="transcriptPath", sub_agent="agentId"),
        Fields(),
    ),
    heard={"session_started": by_name, "prompt_submitted": by_name, "tool_done": by_name},
)
