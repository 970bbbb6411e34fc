"""Kiro, on the command line and as an editor. The setting `cleanup.periodDays`, which is not set
unless the user does, has it delete old sessions (from its documentation)."""

from __future__ import annotations

from ctxd.clients.client import Client, Kept, days, settings_of
from ctxd_parsers.environment import Environment

_SETTING = "cleanup.periodDays"


def _keeps(env: Environment) -> Kept | None:
    home = env.variable_path("KIRO_HOME") or env.home / ".kiro"
    file = home / "settings" / "cli.json"
    found = settings_of(file)
    within = found.get("cleanup")
    nested = within.get("periodDays") if isinstance(within, dict) else None
    chosen = days(found.get(_SETTING, nested))
    return None if chosen is None else Kept(chosen, _SETTING, str(file), chosen=True)


KIRO_CLI = Client(agent="kiro-cli", product="Kiro CLI", keeps=_keeps)
KIRO_IDE = Client(agent="kiro-ide", product="Kiro IDE")
