"""Claude Code. Its `cleanupPeriodDays` is 30 where nobody has set it; logs that were not written to
for so long are deleted, at a start or while it idles (measured: 2.0.77 at each start)."""

from __future__ import annotations

from ctxd.clients.client import Client, Kept, days, settings_of
from ctxd_parsers.environment import Environment

_OWN_DAYS = 30.0


def _keeps(env: Environment) -> Kept:
    home = env.variable_path("CLAUDE_CONFIG_DIR") or env.home / ".claude"
    file = home / "settings.json"
    chosen = days(settings_of(file).get("cleanupPeriodDays"))
    kept = _OWN_DAYS if chosen is None else chosen
    return Kept(kept, "cleanupPeriodDays", str(file), chosen is not None)


CLAUDE_CODE = Client(
    agent="claude-code",
    product="Claude Code",
    proven=(
        "1.0.35",
        "1.0.128",
        "2.0.37",
        "2.0.77",
        "2.1.63",
        "2.1.109",
        "2.1.197",
        "2.1.265",
        "2.1.332",
    ),
    keeps=_keeps,
)
