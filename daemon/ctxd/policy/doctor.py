"""The numbers of `ctxd doctor`: together they keep it under three seconds."""

DOCTOR_SECONDS = 2.5
"""Longest that whatever may hang is waited for, all of it together."""

DOCTOR_CLIENT_SECONDS = 1.0
"""Longest that all agents' clients together may take to tell their versions; those from npm have it
written down, and a log tells the rest."""

DOCTOR_LEDGER_SECONDS = 1.0
"""Longest that the ledger is checked: SQLite reads some 500 MB in that time."""

DOCTOR_LEDGER_STEPS = 20_000
"""Steps of SQLite's own machine between two looks at the clock: under a millisecond."""

DOCTOR_WAL_BYTES = 64_000_000
"""A write-ahead log that has grown beyond this is not folded back into the ledger: it stays under
5 MB while all goes well."""

DOCTOR_CLOCK_SECONDS = 24 * 3600.0
"""How far the clock may be behind the newest file of ctxd itself: zones and builds of today explain
less."""

DOCTOR_AHEAD_SECONDS = 600.0
"""How far the newest log may be ahead of the clock."""

DOCTOR_LOG_BYTES = 256 * 1024
"""End of the daemon's log that is looked through: some weeks of a quiet daemon."""

DOCTOR_LOG_SECONDS = 24 * 3600.0
"""How old a warning in it may be to count."""

DOCTOR_LOG_LINES = 200
"""Last lines of it in a report."""

DOCTOR_NAMED = 3
"""Findings of one kind that are told one by one; the rest is counted."""

DOCTOR_WORKTREES = 200
"""Worktrees that are looked at, those that were known first."""

DOCTOR_LOGS_KEPT_DAYS = 7.0
"""A client that deletes its logs sooner may do so before ctxd has read them: a daemon that was off
over a week of holidays finds nothing."""

DOCTOR_WATCH_SHARE = 0.8
"""Part of the system's watches that ctxd may need before it is a warning: others watch, too."""

DOCTOR_FOLDERS = 100_000
"""Folders that are counted at most: more than any limit of watches that a system comes with."""

DOCTOR_HEAD_BYTES = 4096
"""Beginning of a program on the PATH that tells whose it is."""

DOCTOR_SETTINGS_BYTES = 1024 * 1024
"""Largest settings file of a client that is read; they have some kilobytes."""

DOCTOR_LOCK_SECONDS = 600.0
"""Age at which git's `index.lock` was left behind by a git that was killed: hardly any command
holds it for longer than a minute."""
