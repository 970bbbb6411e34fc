"""The agents whose hooks ctxd knows."""

from __future__ import annotations

from ctxd.hooks.claude_code import CLAUDE_CODE
from ctxd.hooks.codex import CODEX
from ctxd.hooks.copilot_cli import COPILOT_CLI
from ctxd.hooks.copilot_vscode import COPILOT_VSCODE
from ctxd.hooks.cursor import CURSOR
from ctxd.hooks.gemini import GEMINI
from ctxd.hooks.kiro import KIRO_CLI, KIRO_IDE
from ctxd.hooks.vendor import Vendor
from ctxd.hooks.windsurf import WINDSURF

VENDORS: tuple[Vendor, ...] = (
    CLAUDE_CODE,
    COPILOT_CLI,
    COPILOT_VSCODE,
    CODEX,
    GEMINI,
    CURSOR,
    KIRO_CLI,
    KIRO_IDE,
    WINDSURF,
)
"""In the order they are listed."""

BY_AGENT = {vendor.agent: vendor for vendor in VENDORS}
