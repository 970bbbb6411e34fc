"""Kiro, as its documentation has it: the IDE from 1.0 and the CLI from 3.0 on.

What a command prints is added to the conversation when it ends with 0, as it is; after a
compaction, once the summary stands. A payload of the CLI's earlier engine names no session, so
nothing comes of it.
"""

from __future__ import annotations

from ctxd.hooks.payloads import Talk
from ctxd.hooks.shapes import plain

TALK = Talk(
    agents=("kiro-cli", "kiro-ide"),
    moments={
        "PreCompact": "before_compaction",
        "PostCompact": "after_compaction",
        "SessionStart": "session_started",
        "UserPromptSubmit": "prompt_submitted",
    },
    logs_first=True,
    heard={"after_compaction": plain, "session_started": plain, "prompt_submitted": plain},
)
