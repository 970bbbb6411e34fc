"""Whose hooks ctxd answers, by the name that the hook's command gives.

Hooks of others are only a sign that something happens, which their logs tell as well.
"""

from __future__ import annotations

from collections.abc import Mapping

from ctxd.hooks.payloads import Talk
from ctxd.hooks.talks import (
    claude_code_talk,
    codex_talk,
    copilot_talk,
    cursor_talk,
    gemini_talk,
    kiro_talk,
)

TALKS: Mapping[str, Talk] = {
    "claude-code": claude_code_talk.TALK,
    "copilot-cli": copilot_talk.TALK,
    "copilot-vscode": copilot_talk.TALK,
    "codex": codex_talk.TALK,
    "cursor": cursor_talk.TALK,
    "gemini-cli": gemini_talk.TALK,
    "kiro": kiro_talk.TALK,
}
