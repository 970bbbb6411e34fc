"""Claude Code: measured with versions 1.0.128 to 2.1.332.

What a PreCompact hook prints is appended to the summariser's instructions, as plain text. At the
start of a session after a compaction, the summary is not in the log yet, and what is said reaches
the very next request. Sub-agents' payloads carry an `agent_id`. VS Code runs the hooks of this
configuration as well, for chats of its own.
"""

from __future__ import annotations

from ctxd.hooks.payloads import Talk
from ctxd.hooks.shapes import plain, specific

TALK = Talk(
    agents=("claude-code", "copilot-vscode"),
    moments={
        "PreCompact": "before_compaction",
        "SessionStart": "session_started",
        "UserPromptSubmit": "prompt_submitted",
        "PostToolUse": "tool_done",
        "SessionEnd": "session_ended",
    },
    started={"compact": "after_compaction"},
    heard={
        "before_compaction": plain,
        "after_compaction": specific,
        "session_started": specific,
        "prompt_submitted": specific,
        "tool_done": specific,
    },
)
