"""Hooks of Windsurf's Cascade.

From its documentation; no client could be run. None of its events tells of a compaction or of a
session's start or end, and none takes text for the model. One of them,
`post_cascade_response_with_transcript`, has Cascade write each conversation to
`~/.windsurf/transcripts`, which it does not otherwise do: it is left to those who name this agent.
The file with hooks of JetBrains' plug-in is another one.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from ctxd.hooks.shell import here
from ctxd.hooks.vendor import File, Form, Moment, Vendor, Words
from ctxd_parsers.environment import Environment


def _entry(_moment: Moment, words: Words) -> dict[str, Any]:
    return {"command": here(words), "show_output": False}


_FORM = Form(entry=_entry)


def _home(env: Environment) -> PurePath:
    return env.home / ".codeium" / "windsurf"


WINDSURF = Vendor(
    agent="windsurf",
    product="Windsurf",
    programs=("windsurf",),
    moments=(
        Moment(
            event="post_cascade_response_with_transcript",
            use="has Cascade write its conversations to `~/.windsurf/transcripts`",
            tell=True,
        ),
    ),
    user_files=lambda env: (File(_home(env) / "hooks.json", _FORM),),
    project_files=lambda project: (File(project / ".windsurf" / "hooks.json", _FORM),),
    homes=lambda env: (_home(env),),
    by_all=False,
    limits=("it tells nobody of its compactions, so nothing can be given back to it",),
    notes=("with this hook it keeps its conversations in `~/.windsurf/transcripts`",),
    project_notes=("keep `.windsurf/hooks.json` out of commits: it names files of this machine",),
)
