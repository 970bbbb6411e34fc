"""Gemini CLI: measured with 0.61.

PreCompress is left out: it fires before every request of the model, and what is said at it is
ignored. So is what is said when a session is started by clearing another one: that is no moment
here, since what is said at one counts as told.

From half of its window on, the client compresses it with the next prompt, after that prompt's
BeforeAgent and before the request: what the compression is about to drop is told there and then,
since the prompt is put behind the summary. Who has changed `model.compressionThreshold` has it with
the prompt after that.
"""

from __future__ import annotations

from ctxd.hooks.payloads import Talk
from ctxd.hooks.shapes import specific

TALK = Talk(
    agents=("gemini-cli",),
    moments={
        "BeforeAgent": "prompt_submitted",
        "SessionStart": "session_started",
        "SessionEnd": "session_ended",
    },
    started={"clear": None},
    compacts_at=50.0,
    heard={"session_started": specific, "prompt_submitted": specific},
)
