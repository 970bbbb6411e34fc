"""The numbers of watching, reading and keeping time."""

RESCAN_SECONDS = 30.0
"""How often the disk is compared with what is known. File events are only hints: queues overflow
silently and network file systems send none."""

RESCAN_SHARE = 0.0015
"""Share of a processor that this may cost: with very many logs it is done less often."""

LONGEST_RESCAN_SECONDS = 60.0
"""But never less often than this."""

POLLING_RESCAN_SECONDS = 5.0
"""The same for roots that cannot be watched."""

TURN_BYTES = 4 * 1024 * 1024
"""Read of one transcript before the others get their turn."""

PREFIX_BYTES = 1024
"""Bytes of a file's start that tell it from another one of the same name and inode: 199 of 200
deleted and recreated files got a known inode again."""

BEFORE_BYTES = 64
"""Bytes before the position whose hash must still be there: catches a file that was cut and has
grown again past the position."""

SNAPSHOT_SETTLE_SECONDS = 0.2
"""A whole-file snapshot is read when its size and time have been the same for so long."""

UNFINISHED_SECONDS = 1.0
"""An unfinished last line that stays for so long is taken if it is whole JSON: some clients write
the newline with the next line, and a killed one never does."""

DEFECTS_LOGGED = 100
"""Different defects of ctxd that one run writes to its log; one that comes back is written once."""

BUSY_RETRY_SECONDS = 2.0
"""Wait before a database that its owner had locked is tried again."""

SET_ASIDE_SECONDS = 300.0
"""A file that failed is tried again when it changes, but not more often than this."""

LIVE_SECONDS = 120.0
"""A session with an event this recent is live, when nothing says more precisely."""

ENDED_SECONDS = 30 * 60.0
"""A session silent for so long has ended, when nothing says more precisely. A resume reopens it."""

STORM_SECONDS = 10.0
"""Compactions of one session closer together than this are one storm: clients retry."""

HEARTBEAT_SECONDS = 5.0
"""How often the loop writes that it is alive."""

STOP_SECONDS = 5.0
"""A stop takes no longer than this; what is not done by then is done at the next start."""

CLOCK_JUMP_SECONDS = 60.0
"""Wall and monotonic time that part by more have seen a suspend or a changed clock."""

CLIENT_SECONDS = 2.0
"""How long either side of the control socket waits for the other."""

CLIENTS_AT_ONCE = 64
"""Clients of the control socket that are served, and as many again that wait to be: an agent calls
a hook for each of the tools that it runs side by side, and a machine may run many agents. Each
takes a file descriptor, of which some systems allow 256."""

ACCEPT_RETRY_SECONDS = 0.5
"""Wait after the control socket could not take a connection, so that it does not spin."""

MAX_REQUEST_BYTES = 64 * 1024
"""Longest request or answer on the control socket."""

MAX_SOCKET_PATH_BYTES = 100
"""Longest path of a Unix socket: 104 bytes on macOS, 108 on Linux, with the closing NUL."""

LIVENESS_SECONDS = 1.0
"""How often the processes of sessions that are not ended are looked at."""

SILENT_LIVENESS_SECONDS = 15.0
"""The same for sessions without a process to look at, which only silence ends."""

SESSIONS_IN_MEMORY = 256
"""Sessions kept ready between two steps; others are read back from the ledger when they go on."""

SCAN_PARALLEL_BYTES = 8 * 1024 * 1024
"""A pass over less than this is done before other processes would have started."""

SCAN_BATCH_BYTES = 4 * 1024 * 1024
"""Small transcripts given to a process at once; a larger one goes alone."""

SCAN_PROGRESS_BYTES = 4 * 1024 * 1024
"""Bytes of one transcript between two steps of the progress bar."""

SILENT_TRANSCRIPT_BYTES = 100_000
"""A transcript larger than this without a single message is one whose format changed. Sessions
that were opened and left unused stay well below: a client writes up to 80 KB before any answer."""

PROGRESS_STEP_SECONDS = 0.1
"""Time between two drawings of the progress bar."""

SHORT_ID_CHARS = 8
"""Fewest characters of a session id shown; more where two sessions would look the same."""

TITLE_CHARS = 120
"""Characters kept of a first message that stands in for a session's title."""

LEDGER_RETRY_SECONDS = 5.0
"""Wait before the ledger is written again after its disk was full or failed."""

WINDOW_ENTRIES = 2000
"""Events with words that one session's window holds as ids: a window of a million tokens has fewer.
About 90 kB stored; the oldest words of the agent go first."""

BOUNDARIES_KEPT = 64
"""Compactions of one session that are remembered one by one; all are counted."""

COMPACTION_ATTEMPTS = 4
"""Compactions being made at the same time. Clients make one; a failed one may be left open."""

SUB_AGENTS_REMEMBERED = 128
"""Sub-agents of one session told apart; more are not counted."""

MAX_ID_CHARS = 128
"""Longest event id that a session remembers. Clients' ids have 16 to 60 characters."""

FACT_CHARS = 4096
"""Longest path, branch, title or model name kept of a session: the longest path of Linux."""

SIGN_BYTES = 65_536
"""Largest file by which a client shows that it has a session open. Real ones have under 1 kB."""

SIGN_SLACK_SECONDS = 120.0
"""A session with events this much later than its process was last seen is open in another one that
leaves no sign. Longer than the time between two looks and a client's last rows."""

SIGN_TRUST_SECONDS = 24 * 3600.0
"""A sign whose pid lives but cannot be proven to be the same process counts for so long after the
last event: after a crash and a restart another program may have that pid."""

LOG_BYTES = 1024 * 1024
"""Size at which the daemon's log is rotated."""

LOG_FILES = 3
"""Rotated logs kept."""

SNAPSHOT_TORN_SECONDS = 10.0
"""A document that is not whole JSON is taken as damaged, not as half written, when it was not
touched for so long."""

HINTS = 4096
"""Changed paths remembered between two turns of the loop. When there are more, a look at everything
is cheaper than at each of them."""

SNAPSHOT_LATE_SECONDS = 5.0
"""A document that is written all the time, and never the same for long enough, is read after so
long all the same."""

SECRET_NAME_CHARS = 48
"""Longest part of a name before the word that tells that it names a secret."""

SECRET_VALUE_CHARS = 512
"""Longest value of such a name that is looked at; longer secrets have shapes of their own."""

SECRET_SHORT_PASSWORD_CHARS = 4
"""Shortest quoted value of a password's name: shorter ones are labels and test data."""

SECRET_PASSWORD_CHARS = 6
"""Shortest value that is believed to be a secret where less speaks for it."""

SECRET_KEY_CHARS = 8
"""Shortest quoted value of a key's or token's name: what services hand out is longer."""

SECRET_LONG_NUMBER_CHARS = 12
"""Digits from which on a number is no limit, count or port."""

SECRET_LONG_KEY_CHARS = 32
"""From here on a mixed value is a key even if it could be a path: Base64 has slashes."""

TIME_GRAIN_SECONDS = 2.0
"""Two writes closer together than this may leave the same times on a file: FAT counts in steps of
two seconds, others in one, and kernels of today in hundredths."""

PRUNE_HOUR = 4
"""Hour of the local day at which the ledger is pruned."""

WATCH_RETRY_SECONDS = 300.0
"""How often folders that did not fit into the system's limit of watches are watched anew: the limit
may have been raised, and each try costs a walk over all of them."""

PENDING_MOST = 20_000
"""Exchanges left waiting while history is read: beyond this some are judged after each step, so
that the ledger does not fill with what waits. Each takes about 1 kB there."""
