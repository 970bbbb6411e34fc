"""Cursor, as its documentation has it (version 3). Nothing that a hook says reaches the model: its
hooks are a sign that a summary is about to be made, or that a session is over."""

from __future__ import annotations

from ctxd.hooks.payloads import Fields, Talk

TALK = Talk(
    agents=("cursor",),
    moments={"preCompact": "before_compaction", "sessionEnd": "session_ended"},
    fields=(Fields(session="conversation_id"), Fields()),
)
