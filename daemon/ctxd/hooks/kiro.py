"""Hooks of Kiro's engine of today, in the IDE from 1.0 and the CLI from 3.0 on.

From its documentation; no client could be run. Both read every file in `~/.kiro/hooks` and in
`.kiro/hooks` of a project, with one list of hooks that name their triggers; so ctxd has a file of
its own, for both. What a command prints is added to the conversation when it ends with 0.
PreCompact and PostCompact came with CLI 3.1.0 and IDE 1.4.121: the first may hold a compaction up,
the output of the second is added once the summary stands. Where both are installed the older one
decides what is registered.

The CLI's earlier engine keeps hooks in the files of custom agents, tells none of a compaction, and
does not say in a payload which session it is of: nothing can be given back there. Nor does the IDE
before 1.0, whose hooks are made in its own editor.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import msgspec

from ctxd.hooks.shell import here
from ctxd.hooks.vendor import File, Form, Moment, Vendor, Version, Words
from ctxd.policy.hooks import FLUSH_HOOK_SECONDS
from ctxd_parsers.environment import Environment


def _entry(moment: Moment, words: Words) -> dict[str, Any]:
    return {
        "name": f"ctxd-{moment.event}",
        "trigger": moment.event,
        "action": {"type": "command", "command": here(words)},
        "timeout": moment.seconds,
        "enabled": True,
    }


_FORM = Form(entry=_entry, by_event=False, whole={"version": "v1"})
_OWN_FILE = "ctxd.json"


def _home(env: Environment) -> PurePath:
    return env.variable_path("KIRO_HOME") or env.home / ".kiro"


def _moments(compaction: Version) -> tuple[Moment, ...]:
    """All moments, those of a compaction from a version on."""
    return (
        Moment(
            event="PreCompact",
            use="reads on to the last word",
            since=compaction,
            seconds=FLUSH_HOOK_SECONDS,
        ),
        Moment(event="PostCompact", use="gives back what the compaction dropped", since=compaction),
        Moment(event="SessionStart", use="tells a new session what is open"),
        Moment(event="UserPromptSubmit", use="gives back what is still owed with your prompt"),
    )


KIRO_CLI = Vendor(
    agent="kiro-cli",
    product="Kiro CLI",
    calls="kiro",
    with_others=("kiro-ide",),
    programs=("kiro-cli",),
    first_version=(3,),
    old_are_blind=True,
    moments=_moments((3, 1)),
    user_files=lambda env: (File(_home(env) / "hooks" / _OWN_FILE, _FORM),),
    project_files=lambda project: (File(project / ".kiro" / "hooks" / _OWN_FILE, _FORM),),
    homes=lambda env: (_home(env) / "sessions", _home(env) / "settings"),
    project_notes=("keep `.kiro/hooks/ctxd.json` out of commits: it names files of this machine",),
)

KIRO_IDE = msgspec.structs.replace(
    KIRO_CLI,
    agent="kiro-ide",
    product="Kiro",
    with_others=("kiro-cli",),
    programs=("kiro",),
    first_version=(1,),
    moments=_moments((1, 4, 121)),
    homes=lambda env: (env.config_home / "Kiro",),
)
