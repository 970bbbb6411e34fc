"""Hooks of Copilot's chat in VS Code.

Its agent customisation reference names `~/.claude/settings.json` and, of a repository,
`.github/hooks/*.json`, `.claude/settings.json` and `.claude/settings.local.json`. So the hooks of
the first serve both: what stands there is registered once, under names that both know, and the
payload tells which of the two called. SessionEnd is none of its events. What UserPromptSubmit and
SessionStart return is added as context; PreCompact's output is ignored, and it is called only where
the chat itself summarises. Matchers are not looked at. Its version does not matter, so the client
is not asked: where it is a remote one, that could fetch a server.
"""

from __future__ import annotations

import msgspec

from ctxd.hooks.claude_code import CLAUDE_CODE
from ctxd_parsers.copilot_vscode_places import user_folders

COPILOT_VSCODE = msgspec.structs.replace(
    CLAUDE_CODE,
    agent="copilot-vscode",
    product="VS Code",
    calls="claude-code",
    with_others=("claude-code",),
    package="",
    programs=(),
    first_version=(),
    user_files=lambda env: CLAUDE_CODE.user_files(env)[:1],
    homes=user_folders,
    notes=("it runs the hooks of `~/.claude/settings.json`: one entry serves Claude Code, too",),
)
