"""Hooks of the Copilot CLI.

Measured with 1.0.102: files of any name in `~/.copilot/hooks` are read in every folder, trusted or
not; those in `.github/hooks` of a repository only where the user trusts it. So ctxd has a file of
its own and touches nobody else's. A hook gets no name of its event in its payload, hence the
command says it. The compaction waits for preCompact, whose output is ignored. What
userPromptSubmitted returns is added to that prompt, what postToolUse returns to the tool's result:
the only way back in while a turn runs, since no instruction file is read again in a running
process. What sessionStart returns (first prompt, and on resuming) is gone after the next
compaction. sessionEnd is called after each turn of `-p` and of editors, so it is a hint only.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from ctxd.hooks.shell import posix, powershell
from ctxd.hooks.vendor import File, Form, Moment, Vendor, Words
from ctxd.policy.hooks import FLUSH_HOOK_SECONDS
from ctxd_parsers.environment import Environment

_OWN_FILE = "ctxd.json"


def _entry(moment: Moment, words: Words) -> dict[str, Any]:
    return {
        "type": "command",
        "bash": posix(words),
        "powershell": powershell(words),
        "timeoutSec": moment.seconds,
    }


_FORM = Form(entry=_entry, whole={"version": 1})


def _home(env: Environment) -> PurePath:
    return env.variable_path("COPILOT_HOME") or env.home / ".copilot"


COPILOT_CLI = Vendor(
    agent="copilot-cli",
    product="Copilot CLI",
    package="@github/copilot",
    programs=("copilot",),
    quiet={"COPILOT_AUTO_UPDATE": "false"},
    moments=(
        Moment(
            event="preCompact",
            use="reads on to the last word",
            seconds=FLUSH_HOOK_SECONDS,
            tell=True,
        ),
        Moment(event="sessionStart", use="tells a new session what is open", tell=True),
        Moment(
            event="userPromptSubmitted",
            use="gives back what a compaction dropped with your prompt",
            tell=True,
        ),
        Moment(
            event="postToolUse",
            use="gives it back while the agent works, behind a tool's result",
            tell=True,
        ),
        Moment(event="sessionEnd", use="learns that the turn is over", tell=True),
    ),
    user_files=lambda env: (File(_home(env) / "hooks" / _OWN_FILE, _FORM),),
    project_files=lambda project: (File(project / ".github" / "hooks" / _OWN_FILE, _FORM),),
    homes=lambda env: (_home(env),),
    project_notes=(
        "it runs hooks of a repository only where you trust its folder",
        "keep `.github/hooks/ctxd.json` out of commits: it names files of this machine",
    ),
)
