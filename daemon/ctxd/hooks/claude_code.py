"""Hooks of Claude Code.

Measured with the clients from npm, 1.0.128 to 2.1.332: hooks stand in `settings.json`; those added
while a session runs are used from its next event on. A name that the client does not know has 1.0,
2.0 and 2.1.63 run no hook at all, without a word, and can hold the start of the terminal's client
in all: hence only names that every one of them knows, and nothing for older ones.
What PreCompact prints is appended to what the summariser is told (all of them, `/compact` and
automatic alike), and the compaction waits for it. SessionStart, with source `compact`, is called
before the summary is logged, and what it returns stands in the very next request. UserPromptSubmit
is the way in without a compaction. PreCompact was reported not to be called in 2.1.105 to 2.1.114
on Windows; logs are followed in any case. `disableAllHooks` in the file turns all of them off.

VS Code runs the hooks of the user's file, too, and Cursor takes some over when it is told to.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Any

from ctxd.hooks.vendor import File, Form, Moment, Vendor, grouped
from ctxd.policy.hooks import FLUSH_HOOK_SECONDS
from ctxd_parsers.environment import Environment

_FORM = Form(entry=grouped)


def _home(env: Environment) -> PurePath:
    return env.variable_path("CLAUDE_CONFIG_DIR") or env.home / ".claude"


def _user_files(env: Environment) -> tuple[File, ...]:
    """The user's settings, and those of further accounts that are kept beside the first."""
    others = sorted(projects.parent for projects in Path(env.home).glob(".claude?*/projects"))
    homes = dict.fromkeys([_home(env), *others])
    return tuple(File(home / "settings.json", _FORM) for home in homes)


def _project_files(project: PurePath) -> tuple[File, ...]:
    """The settings of a project that are the user's own; git ignores them where the client has seen
    to it, which it does when it makes the file."""
    return (File(project / ".claude" / "settings.local.json", _FORM),)


def _off(_env: Environment, data: Any) -> str:
    is_off = isinstance(data, dict) and data.get("disableAllHooks") is True
    return "`disableAllHooks` is set in the same file: no hook runs" if is_off else ""


CLAUDE_CODE = Vendor(
    agent="claude-code",
    product="Claude Code",
    package="@anthropic-ai/claude-code",
    programs=("claude",),
    quiet={"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
    first_version=(1, 0, 128),
    moments=(
        Moment(
            event="PreCompact",
            use="reads on to the last word, and asks for what has to hold to be kept verbatim",
            seconds=FLUSH_HOOK_SECONDS,
        ),
        Moment(
            event="SessionStart",
            use="gives back what a compaction dropped, and tells a new session what is open",
        ),
        Moment(event="UserPromptSubmit", use="gives back what is still owed with your prompt"),
        Moment(event="SessionEnd", use="learns that the session is over"),
    ),
    user_files=_user_files,
    project_files=_project_files,
    homes=lambda env: (_home(env),),
    off=_off,
    project_notes=(
        "keep `.claude/settings.local.json` out of commits: it names files of this machine",
    ),
)
