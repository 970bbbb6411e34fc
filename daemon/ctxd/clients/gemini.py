"""The Gemini CLI. When it starts it deletes logs that are older than `general.sessionRetention`
says, 30 days where nobody has set it (from its source)."""

from __future__ import annotations

import re

from ctxd.clients.client import Client, Kept, settings_of
from ctxd_parsers.environment import Environment

_OWN_DAYS = 30.0
_AGE = re.compile(r"(\d{1,6})([hdwm])")
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0}


def _keeps(env: Environment) -> Kept | None:
    home = (env.variable_path("GEMINI_CLI_HOME") or env.home) / ".gemini"
    general = settings_of(home / "settings.json").get("general")
    found = general.get("sessionRetention") if isinstance(general, dict) else None
    retention = found if isinstance(found, dict) else {}
    if retention.get("enabled") is False:
        return None
    age = _AGE.fullmatch(str(retention.get("maxAge", "")))
    days = int(age[1]) * _DAYS[age[2]] if age else _OWN_DAYS
    setting = "general.sessionRetention.maxAge"
    return Kept(days, setting, str(home / "settings.json"), chosen=age is not None)


GEMINI_CLI = Client(
    agent="gemini-cli",
    product="Gemini CLI",
    proven=("0.28.2", "0.38.2", "0.39.1", "0.42.0", "0.45.2", "0.61.0"),
    keeps=_keeps,
)
