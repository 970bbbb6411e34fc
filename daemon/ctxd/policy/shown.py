"""The numbers of what is printed."""

STALE_LOOP_SECONDS = 60.0
"""A loop whose last tick is older hangs: status says so, and the service manager restarts it."""

UNREAD_WARNING_SECONDS = 600.0
"""A live log that grew for so long without anything being understood is a warning."""

CRASH_FILES = 20
"""Tracebacks kept; the oldest go first."""

PROGRESS_DELAY_SECONDS = 0.5
"""Work shorter than this shows no progress bar."""

SESSIONS_SHOWN = 20
"""Sessions listed for people unless they ask for another number."""

EXCEPTIONS_SHOWN = 8
"""Lines of one kind of exception shown for people; `--json` has all."""

FLUSH_SECONDS = 4.0
"""Longest that a request to read everything up to now may take: agents' hooks wait for it."""

AGENTS_SHOWN = 6
"""Agents named by `ctxd` alone, so that its answer stays on one screen."""

STATUS_SESSIONS = 200
"""Newest sessions among which status looks for those that have not ended."""

STATUS_COMPACTIONS = 3
"""Compactions of a session that status lists; `--session` has all."""

STATUS_FAILURES = 3
"""Files that cannot be read named by status; more are counted."""

STATUS_LINES = 19
"""Lines of `ctxd status`: with the prompt it fits the smallest terminals in use, of 24, and those
that editors open below a text."""

STATUS_SESSIONS_SHOWN = 8
"""Open sessions that status lists where there is room; `ctxd sessions` has all."""

STATUS_WARNINGS_SHOWN = 3
"""Warnings that status lists where there is room; `ctxd doctor` has all."""

STATUS_WARNING_LINES = 2
"""Lines of one warning's message; `ctxd doctor` has all of it."""

STATUS_REDRAW_SECONDS = 2.0
"""How often `ctxd status --watch` draws anew."""

ITEM_SHORT_ID_CHARS = 4
"""Fewest characters of an item's id shown; more where two items would look the same."""

SEARCH_SHOWN = 20
"""Items found that are shown for people unless they ask for another number."""

SHOWN_TEXT_CHARS = 1200
"""Characters of one text of an exchange that `ctxd show` prints without `--full`: about a
screen."""

LIKELY_ITEMS_SHOWN = 4
"""Items named when what was typed may mean several."""

REPOSITORIES_SHOWN = 12
"""Repositories with items that a scan lists for people; `--json` has all."""

WORKTREES_SHOWN = 6
"""Worktrees that `ctxd status` names: those written to last, and those that need the user."""

REVIEW_TEXT_CHARS = 400
"""Of each text around an item, as `ctxd review` shows it: question, answer and what there is to
decide stand on one screen together."""

LOG_SHOWN = 20
"""Lines of `ctxd log` without `-n`: about a screen."""

LOG_POLL_SECONDS = 1.0
"""How often `ctxd log -f` looks for what is new: people do not read faster."""

DISK_WARNING_BYTES = 500_000_000
"""Free space below which `ctxd doctor` warns: about what the ledger may grow to."""

COMPACTION_ITEMS_SHOWN = 12
"""Dropped items of one compaction that are listed; JSON has all."""

COMPACTION_FILES_SHOWN = 6
"""Files not named by its summary, the last touched first."""

COMPACTION_REQUEST_CHARS = 160
"""Part of the last request that is shown."""

RECENT_LOGS = 40
"""Newest logs whose beginnings `ctxd` alone looks into, to tell where their sessions ran: some
milliseconds each at most."""

RECENT_EVENTS = 50
"""Events at the beginning of a log among which the session's folder is told."""

REPOSITORIES_NAMED = 3
"""Repositories that `ctxd` alone names; the rest is counted."""

LATE_LOOP_SECONDS = 15.0
"""Three heartbeats: with an older one nobody can say that all is well."""

SETTING_LIKENESS = 0.75
"""How much alike an environment variable and a setting's are, from 0 to 1, when one was meant for
the other."""

CONFIG_COLUMNS = 100
"""Longest line of the configuration file that is begun from: editors show as many."""

READINGS_SHOWN = 5
"""Sessions that wait for the second reader which `ctxd reader` names; the rest is counted."""

READING_LOOK_SECONDS = 0.5
"""How often `ctxd read` looks how far it is."""

READING_PING_SECONDS = 5.0
"""How often it asks whether the daemon is still there."""
