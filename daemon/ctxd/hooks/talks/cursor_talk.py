"""Cursor, as its documentation has it: its hooks only observe, so nothing is said at any."""

from __future__ import annotations

from ctxd.hooks.payloads import Fields, Talk

TALK = Talk(
    agents=("cursor",),
    moments={
        "preCompact": "before_compaction",
        "beforeSubmitPrompt": "prompt_submitted",
        "sessionEnd": "session_ended",
    },
    fields=(Fields(session="conversation_id"), Fields()),
)
