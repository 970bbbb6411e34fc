"""The agents whose logs are read."""

from __future__ import annotations

from ctxd.clients.claude_code import CLAUDE_CODE
from ctxd.clients.client import Client
from ctxd.clients.codex import CODEX
from ctxd.clients.copilot import COPILOT_CLI, COPILOT_VSCODE
from ctxd.clients.cursor import CURSOR
from ctxd.clients.gemini import GEMINI_CLI
from ctxd.clients.kiro import KIRO_CLI, KIRO_IDE
from ctxd.clients.windsurf import WINDSURF

CLIENTS: tuple[Client, ...] = (
    CLAUDE_CODE,
    CODEX,
    COPILOT_CLI,
    COPILOT_VSCODE,
    CURSOR,
    GEMINI_CLI,
    KIRO_CLI,
    KIRO_IDE,
    WINDSURF,
)
"""In the order they are listed."""
