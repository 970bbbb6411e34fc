"""The numbers of the second reader: a language model that the user chose."""

READER_CALL_SECONDS = 180.0
"""Longest time for one call. Agents in headless mode take a quarter of a minute to start and answer
a full chunk in one or two."""

READER_OUTPUT_BYTES = 4 * 1024 * 1024
"""Most that a program may say on either of its outputs before it is ended: an answer has at most
some 10 kB, an agent's log of how it came by it some 100."""

READER_CALLS_A_DAY = 100
"""Calls a day unless the settings say otherwise: eight long sessions, or a hundred short ones."""

READER_TOKENS_A_DAY = 1_000_000
"""Tokens a day, in and out. More than as many full calls as above take."""

READER_MONEY_A_DAY = 2.0
"""US dollars a day; they count as far as the backend or the settings tell a price."""

READER_BACKOFF_SECONDS = 60.0
"""First wait after calls that failed by themselves; doubled with each that follows."""

READER_BACKOFF_MOST_SECONDS = 4 * 3600.0
"""Longest such wait. Outages end within hours, and whoever mends one sees it the same day."""

READER_TRIES = 8
"""So often a session is begun again after failures of the backend before it is left; on demand it
can be read any time."""

READER_STANDS_SECONDS = 24 * 3600.0
"""A trouble that only the user can end is tried again after so long, or when the settings change:
a login or a credit may come back without either."""

READER_WORK_SECONDS = 30 * 60.0
"""Longest life of the process that reads a session, whatever its calls do: it is ended with all it
started, and what is left of the session is taken up later."""

READER_SILENCE_SECONDS = 60.0
"""Beyond the longest call, so long may that process say nothing: reading the exchanges of the
longest session takes seconds."""

READER_STOP_SECONDS = 2.0
"""It may end itself so long after it was asked to; then its whole process group is killed."""

READER_AHEAD_SECONDS = 120.0
"""A session whose compaction is ahead is only read when by the pace of earlier calls it is done
within so long: summaries take one to two minutes."""

READER_CALL_GUESSED_SECONDS = 45.0
"""Pace of a call while none was made yet."""

READER_LINE_BYTES = 16 * 1024 * 1024
"""Longest line that the process may tell the daemon. Findings of a full chunk have some 50 kB."""

READER_PROMPT_TOKENS_AROUND = 200
"""Tokens beside instructions and text that a call takes at least: its frame and the schema's."""

READER_ASKED_SESSIONS = 50
"""Sessions of a repository that are queued when it is asked to be read, the newest first: more
would take days of any budget."""
