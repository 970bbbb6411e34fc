"""Hooks of the Codex CLI.

Measured with 0.144 and 0.171 from npm: `hooks.json` in its home has Claude's shape; 0.98 and older
have no hooks. SessionStart comes with source `compact` after each compaction, and what it returns
reaches the first request after it; so does what UserPromptSubmit returns. The output of PreCompact
is ignored. SessionEnd is not called when the process is ended by a signal, and longer timeouts than
3 s there are complained of.

A new or changed hook runs only once the user has trusted it: the terminal's client asks for that at
its start ("Hooks need review"), and `/hooks` in it shows them; elsewhere they are left out without
a word. Nothing may record that trust but the user. `[features] hooks = false` in `config.toml`
(`codex_hooks`, as it was called) turns hooks off. Of longer text than 10,000 characters only head
and tail reach the model.
"""

from __future__ import annotations

import tomllib
from pathlib import Path, PurePath
from typing import Any

from ctxd.hooks.vendor import File, Form, Moment, Vendor, grouped
from ctxd.policy.hooks import END_HOOK_SECONDS, FLUSH_HOOK_SECONDS
from ctxd_parsers.environment import Environment

_FORM = Form(entry=grouped)


def _home(env: Environment) -> PurePath:
    return env.variable_path("CODEX_HOME") or env.home / ".codex"


def _off(env: Environment, _data: Any) -> str:
    """Whether the client's own settings turn hooks off; what is damaged does not tell."""
    try:
        settings = tomllib.loads(Path(_home(env) / "config.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError):
        return ""
    features = settings.get("features")
    if not isinstance(features, dict) or features.get("hooks", features.get("codex_hooks", True)):
        return ""
    return "`config.toml` turns hooks off, under `[features]`"


CODEX = Vendor(
    agent="codex",
    product="Codex",
    package="@openai/codex",
    programs=("codex",),
    first_version=(0, 144),
    moments=(
        Moment(event="PreCompact", use="reads on to the last word", seconds=FLUSH_HOOK_SECONDS),
        Moment(
            event="SessionStart",
            use="gives back what a compaction dropped, and tells a new session what is open",
        ),
        Moment(event="UserPromptSubmit", use="gives back what is still owed with your prompt"),
        Moment(event="SessionEnd", use="learns that the session is over", seconds=END_HOOK_SECONDS),
    ),
    user_files=lambda env: (File(_home(env) / "hooks.json", _FORM),),
    project_files=lambda project: (File(project / ".codex" / "hooks.json", _FORM),),
    homes=lambda env: (_home(env),),
    off=_off,
    notes=(
        "its hooks run once you trust them: `codex` asks at its start, `/hooks` in it shows them",
    ),
    project_notes=("keep `.codex/hooks.json` out of commits: it names files of this machine",),
)
