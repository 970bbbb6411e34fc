"""Hooks of Cursor.

From its documentation as of May 2026 (version 3); no client could be run. `hooks.json` has a flat
list for each event. Names that came in between were refused by older ones (`sessionStart`), and no
list tells when each came: so nothing for versions before 3. preCompact only observes, and no event
is known to take text for the model; its rule files are read again at once when they change. Hooks
of Claude's settings are taken over when it is told to, and fire beside these.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from ctxd.hooks.shell import here
from ctxd.hooks.vendor import File, Form, Moment, Vendor, Words
from ctxd_parsers.environment import Environment


def _entry(_moment: Moment, words: Words) -> dict[str, Any]:
    return {"command": here(words)}


_FORM = Form(entry=_entry, whole={"version": 1})


def _home(env: Environment) -> PurePath:
    return env.variable_path("CURSOR_CONFIG_DIR") or env.home / ".cursor"


CURSOR = Vendor(
    agent="cursor",
    product="Cursor",
    programs=("cursor",),
    first_version=(3,),
    moments=(
        Moment(event="preCompact", use="reads on to the last word"),
        Moment(event="sessionEnd", use="learns that the session is over"),
    ),
    user_files=lambda env: (File(_home(env) / "hooks.json", _FORM),),
    project_files=lambda project: (File(project / ".cursor" / "hooks.json", _FORM),),
    homes=lambda env: (_home(env),),
    limits=(
        "its hooks take no text: what a compaction dropped comes back with its rule files alone",
        "a compaction is known once a database holds its summary; transcripts have no trace of it",
    ),
    project_notes=("keep `.cursor/hooks.json` out of commits: it names files of this machine",),
)
