"""Hooks of the Gemini CLI.

Measured with 0.28, 0.38 and 0.61 from npm: hooks stand in `settings.json`, which may have comments;
timeouts are in milliseconds. What BeforeAgent returns is added to the prompt, and what SessionStart
returns when a session is started; nothing is called after a compression. PreCompress is left out:
it is called before every request of the model, compressed or not, and its output is ignored, so it
would cost more than it tells. SessionEnd is called twice. `hooksConfig.enabled` turns hooks off.
Hooks of a project are asked about once. `GEMINI_CLI_HOME` stands in for the home folder.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from ctxd.hooks.shell import here
from ctxd.hooks.vendor import File, Form, Moment, Vendor, Words
from ctxd_parsers.environment import Environment


def _entry(moment: Moment, words: Words) -> dict[str, Any]:
    hook = {"name": "ctxd", "type": "command", "command": here(words)}
    return {"matcher": "*", "hooks": [{**hook, "timeout": moment.seconds * 1000}]}


_FORM = Form(entry=_entry)


def _home(env: Environment) -> PurePath:
    return (env.variable_path("GEMINI_CLI_HOME") or env.home) / ".gemini"


def _off(_env: Environment, data: Any) -> str:
    settings = data.get("hooksConfig") if isinstance(data, dict) else None
    is_off = isinstance(settings, dict) and settings.get("enabled") is False
    return "`hooksConfig.enabled` is false in the same file: no hook runs" if is_off else ""


GEMINI = Vendor(
    agent="gemini-cli",
    product="Gemini CLI",
    package="@google/gemini-cli",
    programs=("gemini",),
    first_version=(0, 28),
    moments=(
        Moment(event="SessionStart", use="tells a new session what is open"),
        Moment(event="BeforeAgent", use="gives back what a compression dropped with your prompt"),
        Moment(event="SessionEnd", use="learns that the session is over"),
    ),
    user_files=lambda env: (File(_home(env) / "settings.json", _FORM),),
    project_files=lambda project: (File(project / ".gemini" / "settings.json", _FORM),),
    homes=lambda env: (_home(env),),
    off=_off,
    project_notes=(
        "it asks you once whether it may run the hooks of a project",
        "keep `.gemini/settings.json` out of commits: it names files of this machine",
    ),
)
