"""Codex: measured with 0.171. What is said at PreCompact and PostCompact is ignored; a session is
started anew after each compaction, and what is said then reaches the first request."""

from __future__ import annotations

from ctxd.hooks.payloads import Talk
from ctxd.hooks.shapes import specific

TALK = Talk(
    agents=("codex",),
    moments={
        "PreCompact": "before_compaction",
        "SessionStart": "session_started",
        "UserPromptSubmit": "prompt_submitted",
        "SessionEnd": "session_ended",
    },
    started={"compact": "after_compaction"},
    logs_first=True,
    heard={"after_compaction": specific, "session_started": specific, "prompt_submitted": specific},
)
