"""The numbers of the ledger."""

TEXT_CHARS = 32_000
"""Longest text of one event that the ledger keeps; the log itself holds the rest."""

LEDGER_BYTES = 512 * 1024 * 1024
"""Size above which the oldest events of ended sessions are pruned. Items are never pruned."""

EVENT_DAYS = 90
"""Age above which events of ended sessions may be pruned, once the ledger is over its size."""

KINDS_REMEMBERED = 100
"""Unknown kinds, or reasons of damage, told apart for one agent; more are counted as one."""

KIND_CHARS = 80
"""Longest name of an unknown kind that is kept: it comes from the log."""

EXCHANGE_EVENTS = 64
"""Events of one proposal, answer or reply: an answer answers what was said last."""

REDACT_MARGIN_CHARS = 8192
"""Searched for secrets behind the end of a text that is cut: a private key that begins before the
end has to be known by what follows."""

REPEATED_TEXT_CHARS = 200
"""Texts up to this length are tool names, paths and options, and come again and again."""

REPEATED_TEXTS = 4096
"""How many of them are remembered as free of secrets: about 1 MB."""

LEDGER_BUSY_SECONDS = 1.0
"""Wait for another program that has the ledger locked, such as somebody looking into it."""

LEDGER_CACHE_BYTES = 8 * 1024 * 1024
"""Pages that SQLite keeps in memory."""

LEDGER_LOG_BYTES = 16 * 1024 * 1024
"""The write-ahead log is cut to this after it grew: a first import makes it large."""

SUSPICIONS = 3
"""How often in a row a ledger may look damaged and be found sound before it is begun anew."""

LEDGERS_ASIDE = 3
"""Damaged ledgers that are kept; the oldest go first."""

PENDING_CALLS_REMEMBERED = 4096
"""Tool calls whose excerpt is kept until their result tells whether it matters, over all sessions.
Forgotten ones keep theirs."""

LOOKUP_IDS = 400
"""Event ids looked up in one statement; SQLite takes at least 999 parameters."""

SESSIONS_NEVER_PRUNED = 2
"""Newest sessions of each repository that keep their events: what one goes on from."""

LEDGER_KEPT_SHARE = 0.9
"""Share of `LEDGER_BYTES` that pruning goes down to."""

EARLIER_MESSAGES = 8
"""Messages before a proposal that its answer may reach back to: "A" may answer a question of two
exchanges ago."""

SEARCH_WEIGHTS = (4.0, 1.0, 2.0)
"""How much a word counts that is found in an item's line, in what was said, and in its reason."""

ITEM_EVENT_GRAIN_SECONDS = 0.001
"""Time between two events of one item of which the later one counts, where the clock shows none."""

FORGOTTEN_WORDS_CHARS = 4
"""Words of a forgotten item that are crossed out in the messages it rests on; shorter ones, such as
"yes" or the letter of an option, tell nothing by themselves."""

FORGOTTEN_START_CHARS = 24
"""By so much of its beginning a forgotten item is known in a line that holds it cut."""
