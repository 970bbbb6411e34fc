"""The numbers of the daemon, each with its unit and its reason. No other module holds one."""

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

STALE_LOOP_SECONDS = 60.0
"""A loop whose last tick is older hangs: status says so, and the service manager restarts it."""

UNREAD_WARNING_SECONDS = 600.0
"""A live log that grew for so long without anything being understood is a warning."""

STOP_SECONDS = 5.0
"""A stop takes no longer than this; what is not done by then is done at the next start."""

CLOCK_JUMP_SECONDS = 60.0
"""Wall and monotonic time that part by more have seen a suspend or a changed clock."""

TEXT_CHARS = 32_000
"""Longest text of one event that the ledger keeps; the log itself holds the rest."""

LEDGER_BYTES = 512 * 1024 * 1024
"""Size above which the oldest events of ended sessions are pruned. Items are never pruned."""

EVENT_DAYS = 90
"""Age above which events of ended sessions may be pruned, once the ledger is over its size."""

CLIENT_SECONDS = 2.0
"""How long either side of the control socket waits for the other."""

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

KINDS_REMEMBERED = 100
"""Unknown kinds, or reasons of damage, told apart for one agent; more are counted as one."""

KIND_CHARS = 80
"""Longest name of an unknown kind that is kept: it comes from the log."""

CRASH_FILES = 20
"""Tracebacks kept; the oldest go first."""

PROGRESS_DELAY_SECONDS = 0.5
"""Work shorter than this shows no progress bar."""

PROGRESS_STEP_SECONDS = 0.1
"""Time between two drawings of the progress bar."""

SHORT_ID_CHARS = 8
"""Fewest characters of a session id shown; more where two sessions would look the same."""

SESSIONS_SHOWN = 20
"""Sessions listed for people unless they ask for another number."""

EXCEPTIONS_SHOWN = 8
"""Lines of one kind of exception shown for people; `--json` has all."""

TITLE_CHARS = 120
"""Characters kept of a first message that stands in for a session's title."""

IDS_REMEMBERED = 100_000
"""Event ids remembered in one pass over a transcript to count repeats once: about 12 MB."""

FLUSH_SECONDS = 4.0
"""Longest that a request to read everything up to now may take: agents' hooks wait for it."""

LEDGER_RETRY_SECONDS = 5.0
"""Wait before the ledger is written again after its disk was full or failed."""

WINDOW_ENTRIES = 2000
"""Events with words that one session's window holds as ids: a window of a million tokens has fewer.
About 90 kB stored; the oldest words of the agent go first."""

EXCHANGE_EVENTS = 64
"""Events of one proposal, answer or reply: an answer answers what was said last."""

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

AGENTS_SHOWN = 6
"""Agents named by `ctxd` alone, so that its answer stays on one screen."""

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

PRUNE_HOUR = 4
"""Hour of the local day at which the ledger is pruned."""

STATUS_SESSIONS = 200
"""Newest sessions among which status looks for those that have not ended."""

STATUS_COMPACTIONS = 3
"""Compactions of a session that status lists; `--session` has all."""

STATUS_FAILURES = 3
"""Files that cannot be read named by status; more are counted."""

STATUS_REDRAW_SECONDS = 2.0
"""How often `ctxd status --watch` draws anew."""

WATCH_RETRY_SECONDS = 300.0
"""How often folders that did not fit into the system's limit of watches are watched anew: the limit
may have been raised, and each try costs a walk over all of them."""

ITEM_ID_BYTES = 5
"""Bytes of an item's id: 8 letters in a context file's line. With 10,000 items in a repository the
chance of any two being alike is 1 in 20,000."""

WRAP_COLUMNS_MIN = 68
"""A line after which the next word would still have fitted into so many columns was ended by
whoever wrote it; others may have been wrapped."""

WRAP_COLUMNS_MAX = 130
"""Editors and terminals wrap before this; a longer line ends where its writer ended it."""

ITEM_EVENT_ID_BYTES = 10
"""Bytes of an item event's id: 16 letters. Of a million events no two are alike by chance."""

CUE_SENTENCE_CHARS = 2000
"""Part of a sentence whose words are looked at for cues: what a person types as one is shorter."""

CUE_CHUNK_CHARS = 48
"""Longest run of characters without a space that is taken as a word: hashes and addresses are
longer."""

CUE_CHUNKS_REMEMBERED = 8192
"""Words whose tokens are kept ready: those of a week's prompts. About 2 MB."""

ITEM_CHARS = 300
"""Characters of an item's line: one that is longer is a page, and nobody reads pages of rules."""

MESSAGE_CHARS = 20_000
"""Of a user's message that is read for items: more is a paste, whatever it looks like."""

MESSAGE_SENTENCES = 60
"""Sentences of one message that are looked at."""

CANDIDATE_SENTENCES = 5
"""Sentences in a row that may be one item."""

PROPOSAL_CHARS = 4000
"""Of an agent's message that an answer may refer to: its end, where it asks."""

PROPOSAL_MESSAGES = 3
"""Messages of the agent that an answer may reach back over."""

PROPOSAL_POINTS = 60
"""Points of one message of the agent, the last ones counting."""

POINT_CHARS = 400
"""Characters of one point; a longer one is a page."""

LISTED_POINTS = 8
"""The longest list that one word of approval settles point by point."""

NAMED_POINTS = 4
"""Points that an answer names by their words."""

EARLIER_MESSAGES = 8
"""Messages before a proposal that its answer may reach back to: "A" may answer a question of two
exchanges ago."""

PASTE_CHARS_MIN = 60
"""Shorter messages and quotations are never taken as pasted."""

PASTE_CONTRAST = 3
"""Marks of formal writing, of six, by which a paragraph in the message of somebody who types
casually is another hand's."""

PASTE_RETURN_WORDS = 25
"""A paragraph behind a paste that is no longer than this may be the user's own again."""

PASTE_STYLE_CHARS = 2000
"""Characters of a paragraph by which its style is judged."""

PASTE_THIN_WORDS = 3
"""Paragraphs of so few words are buttons and names of a copied page, when there are many."""

PASTE_THIN_GROUPS = 16
"""And many means this."""

ITEMS_A_MESSAGE = 8
"""Items that one message of the user makes at most: more is a specification, which is a file."""

ITEM_OVERLAP = 0.5
"""Share of a candidate's content words that another one already says: then it says the same."""

SESSIONS_OVERHEARD = 16
"""Sessions of one store that a pass over it follows at a time. Stores hold one after the other."""

SEARCH_WEIGHTS = (4.0, 1.0, 2.0)
"""How much a word counts that is found in an item's line, in what was said, and in its reason."""

CUE_SENTENCES_REMEMBERED = 1024
"""Sentences whose reading is kept: the acts and the cues of one are asked for one after the other.
About 1 MB."""

CUE_SHORT_TOKENS = 6
"""A sentence of no more words and marks than this leans on what went before it."""

LABEL_ANSWER_CHARS = 300
"""Longest answer searched for picked options; a longer one names them with their words."""

PART_NUMBER_GAP = 3
"""Points that a numbered reply may skip between two it answers; a larger step is another number."""

REASON_CHARS = 200
"""Characters of an item's reason."""

SCOPE_NAMES = 6
"""Paths and symbols that an item is said to be about."""

LEAST_PROBABILITY = 0.17
"""Below it a candidate is not kept for review: of ten such, fewer than two would be items. On
repositories never seen this keeps two thirds of what a reader keeps, and half of it is right."""

SHORTEST_STEM_CHARS = 3
"""No ending is taken off a word when less than this would be left."""

STEMS_REMEMBERED = 16_384
"""Words whose stem is kept ready: the vocabulary of a large repository. About 2 MB."""

SLOT_TEXT_CHARS = 4000
"""Part of a statement that is compared with others; real ones have 20 to 400 characters."""

SLOT_CHUNK_CHARS = 200
"""Part of a run without blanks that tells it from others."""

BOUND_REACH_WORDS = 5
"""Words between "at most" and its number."""

LIST_REACH_WORDS = 5
"""Words after a comma among which an "or" shows that a list goes on."""

LOG_PAIRS = 4
"""`key=value` in one line from which on it is a log's."""

LOG_LINE_CHARS = 2000
"""Characters of a line in which they are looked for."""

TAB_COLUMNS = 4
"""Columns of a tab, as Markdown counts them."""

CODE_COLUMNS = 4
"""Indentation that makes code of a paragraph, as in Markdown."""

BOLD_HEADING_LEVEL = 7
"""A line that is bold from end to end is a heading below the six that Markdown has."""

ALIGNED_STEM_CHARS = 5
"""Shorter words that differ by a letter are two words, not one with a typo."""

NUMBER_TOLERANCE = 1e-9
"""Relative difference that comes from a change of units, not from another number."""

POLARITY_SHARE = 0.5
"""Share of the common words that one side denies and the other affirms, from which on the two
statements say the opposite."""

PASTE_WORDY = 20
"""Words of a paragraph from which on it is longer than what is typed in passing."""

PASTE_THIN_SHARE = 0.12
"""Share of a copied page's groups that are so thin, at least."""

PASTE_INTRO_CHARS = 160
"""Characters before a paste among which it is announced."""

SOFT_WORD_WEIGHT = 0.25
"""Weight of a word like "new" or "existing", which narrows a statement little."""

SPARE_WORDS = 0.5
"""Weight of content words that either side may have alone while both say the same."""

REFINED_WORDS = 2
"""Fewest common content words of a statement and one that says it more precisely."""

BROADER_SHARE = 1.0
"""Added content words of a refinement in relation to the common ones; with more it is another
statement that only begins alike."""

NARROWER_SHARE = 0.6
"""Share of a known statement's content words that a shorter restatement repeats."""

RECONCILED_CANDIDATES = 40
"""Known items that a new one is compared with in full, those with most words in common first."""

CLAUSE_WORDS = 3
"""Words on each side of dots or a dash, at least, between which a sentence ends there."""

CONTEXT_FILE_BYTES = 256 * 1024
"""Read of one context file: agents read less of theirs."""

ECHO_TEXTS_REMEMBERED = 64
"""Texts whose lines are kept ready: those that the sessions of a day were given."""

JUDGED_AT_ONCE = 32
"""Exchanges judged in one step and one transaction, so that a live line waits for no more than
some hundredths of a second."""

PENDING_MOST = 20_000
"""Exchanges left waiting while history is read: beyond this some are judged after each step, so
that the ledger does not fill with what waits. Each takes about 1 kB there."""

OVERTURN_PROBABILITY = 0.5
"""From here on a statement may overturn a known one that is plain. Below it, it is more likely than
not no statement at all, and would take a rule out of force that holds."""

LANGUAGE_CHARS = 4000
"""Of a message whose language is told: enough to be sure."""

ITEM_SHORT_ID_CHARS = 4
"""Fewest characters of an item's id shown; more where two items would look the same."""

SEARCH_SHOWN = 20
"""Items found that are shown for people unless they ask for another number."""

SHOWN_TEXT_CHARS = 1200
"""Characters of one text of an exchange that `ctxd show` prints without `--full`: about a screen."""

LIKELY_ITEMS_SHOWN = 4
"""Items named when what was typed may mean several."""

TURNED_DOWN_SHARE = 0.75
"""Share of the words behind an "instead of" that a known statement wants when it is the one meant."""

BANNED_SHARE = 0.8
"""The same for the words of a prohibition; with more words of its own it forbids something else."""

BANNED_WORDS = 2
"""Fewest content words that a prohibition takes from what it overturns, if none is an identifier."""

BANNED_WANTED_SHARE = 0.4
"""Share of a known statement's words that must be told when what it wants is turned down."""

BANNED_MANY_WORDS = 3
"""Content words from which on this share is enough for a prohibition."""

BANNED_FEW_SHARE = 0.6
"""The share for fewer words."""

RESTATED_WORDS = 3
"""Fewest content words of a statement that says a known one again and leaves something out."""

PASTE_THREAD_MAILS = 3
"""Heads and ends of mails from which on a thread was pasted, of which none is the user's word."""

PASTE_FRAGMENT_WORDS = 3
"""A line of so few words behind a paste is a label of it unless it is an order or a slip."""

REPOSITORIES_SHOWN = 12
"""Repositories with items that a scan lists for people; `--json` has all."""

REJECTED_OPTIONS = 6
"""Options turned down that are kept with a decision."""

PLAIN_DIALOG = 0.5
"""Least probability of a dialog's answer that is written unasked."""

PLAIN_WORDS = 0.6
"""The same of the user's own words: of ten such, nine were right on repositories never seen."""

POINTING_WORDS = 3
"""Most content words of a text in which an "it" stands for all that matters."""

LEAST_SHARE = 0.3
"""Share of the content words of one of two statements that must be common before they are compared
in full: below it no rule finds them related."""

WORDS_REMEMBERED = 8192
"""Spellings of words whose token is kept ready. About 2 MB."""

ITEM_EVENT_GRAIN_SECONDS = 0.001
"""Time between two events of one item of which the later one counts, where the clock shows none."""

REVERSAL_TEXT_CHARS = 4000
"""Part of a user's message in which reversals are looked for: longer ones are specifications."""

REVERSAL_OBJECT_WORDS = 12
"""Words behind "undo" that may name what is undone."""

REVERSAL_PROPOSAL_CHARS = 4000
"""End of what the agent said last that tells what its work was about."""

NAMED_SHARE = 0.6
"""Share of the naming words of a reversal that stand in the item it means."""

PROPOSAL_WORDS = 2
"""Content words that an item and the agent's last words have in common when these are about it."""

ECHO_WORDS = 2
"""Shorter sentences are no echo of anything: a yes is a yes."""

ECHO_RUN_WORDS = 3
"""Words in a hashed run. Two changed words in ten leave four runs of eight."""

ECHO_SHARE = 0.85
"""Share of a sentence's words that stand in the source it repeats."""

ECHO_REACH_WORDS = 4
"""Words around a passage in which a "never" belongs to it."""

ECHO_SENTENCE_CHARS = 1000
"""Part of a sentence that is compared."""

ECHO_SOURCE_CHARS = 512 * 1024
"""Part of a source that is read: the longest context files have 40 kB, summaries 30 kB."""

SLOTS_REMEMBERED = 512
"""Statements whose slots are kept ready: an item is compared, and then known. About 2 MB."""

LEAST_MESSAGE_SCORE = -1.6
"""Log-odds that a message settles anything, below which its words are not looked at closely: no
candidate of such a message came near `LEAST_PROBABILITY`."""

SENTENCES_LOOKED_AT = 8
"""Sentences of one message around which candidates are weighed: as many as it can have items."""

LANGUAGE_SCRIPT_SHARE = 0.4
"""Words in another script for each Latin one from which on the script tells the language:
developers' sentences in Chinese are full of English names."""

LANGUAGE_SCORE = 0.99
"""Words of one language alone from which on it is told; a word of two languages counts a half."""

LANGUAGE_UNCOVERED_SCORE = 1.5
"""The same for a language without cue tables: reporting a session as not covered is worse than
reading two words of it as English."""

LANGUAGE_LEAD = 0.3
"""Words by which a language must be ahead of the next one."""

LANGUAGE_FEW_WORDS = 2
"""An answer of no more words than this is told by a single word that several languages have."""

REPLY_CHARS = 20_000
"""Part of a message that is searched for numbered points: nobody answers more by hand."""

CONTEXT_BUDGET_TOKENS = 1500
"""Size of the block in a context file. Agents send these files with every request, and rules
beyond a page are followed less well."""

LANGUAGES_REMEMBERED = 64
"""Language codes whose cue table is found at once: there are fewer."""

CUE_READINGS_REMEMBERED = 8192
"""Combinations of cues whose names and acts are kept: most sentences show one of these. About 6 MB
when full."""

CUE_PICK_TOKENS = 24
"""Longest sentence that is searched for a picked option, in words and marks: a longer one says it
in words."""

LABEL_HIGHEST = 12
"""Highest number of an option; numbers above count something else."""

EDITED_FILE_BYTES = 8 * 1024 * 1024
"""A context file larger than this is left alone: the largest that are read whole have 40 kB."""

CONTEXT_QUIET_SECONDS = 2.0
"""A context file is written when it has not changed for so long. With this and a comparison no save
of an editor was lost in 54 races, without it 76 of 330."""

GIT_SECONDS = 10.0
"""Longest wait for one answer of git: it takes milliseconds, on a cold network disk a second."""

GIT_LAID_SECONDS = 1.0
"""Git writes its index and its log so soon after the files of a checkout. An editor's or an IDE's
look at a file that was saved by hand comes later."""

RECEIPTS_KEPT = 1000
"""Receipts of edits that can be undone; the oldest go first."""

RECEIPT_BYTES = 64 * 1024 * 1024
"""Room for them all."""

APPLY_WAIT_SECONDS = 5.0
"""Wait for another process of ctxd that applies an edit: it takes some 20 ms."""

GIT_CONFIG_BYTES = 256 * 1024
"""Part of a repository's own configuration that is read; it has some hundred bytes."""

REPOSITORIES_IN_MEMORY = 8
"""Repositories whose items are kept ready to compare new ones with: about 3 kB an item."""

ADAPT_OFFSET = 0.2
"""How much users, and repositories of one user, differ in what they keep of what looks alike, as a
standard deviation in log-odds. Both together told later sessions best with 0.3, as measured over
the sessions of 18 repositories and users."""

ADAPT_SOURCE = 0.15
"""The same of one source of candidates (own words, dialogs, proposals) beside the others."""

ADAPT_MESSAGE = 0.15
"""The same of a weight in the model of the message; from 0.5 on it told them worse than none."""

ADAPT_CANDIDATE = 0.12
"""The same of a weight in the model of the candidate; from 0.3 on it told them worse."""

ADAPT_REACH = 2.5
"""Most that all verdicts together move the model, in those standard deviations: a user who rejects
whatever is shown goes on seeing the likeliest, and so can still turn the model round."""

ADAPT_LEAST = 0.001
"""A smaller change of a weight is none."""

ADAPT_HALF_LIFE_DAYS = 180.0
"""A verdict counts half as much as one that came so much later."""

ADAPT_VERDICTS = 150
"""Verdicts that are learned from, the last ones: those of some weeks. 2.5 ms each, once."""

ADAPT_PLAIN = 0.3
"""How far, in log-odds, a user's verdicts can bring an item that is not likely enough to be written
unasked. Over the later sessions of seven repositories 45 of 45 were right so, without it 34 of 34."""

ADAPT_LEFT_ALONE = 50
"""Items written unasked that are learned from since the user left them when rejecting others."""

ADAPT_LEFT_ALONE_WEIGHT = 0.3
"""What that counts in relation to a verdict. Without it, users who never accept but delete a wrong
line now and then would see less and less."""

ADAPT_SECONDS = 300.0
"""Shortest time between two looks for new verdicts: a review gives many at once."""

RIDGE_PASSES = 50
"""Passes over the answers of a regression, if it does not settle before; 10 is usual."""

RIDGE_TOLERANCE = 1e-5
"""A pass that changes no answer's pull by more is the last."""

REPLY_WORDS = 8
"""Content words up to which the answer to one of several points is read together with its point;
with more it says itself what is settled."""

RIDER_CHARS = 160
"""Of what a short answer adds to what it approves or picks: "2, but never without a timeout"."""

CONTEXT_LINE_CHARS = 600
"""Part of an item's text that its line holds: extraction makes none longer than half of this."""

CONTEXT_OPTION_CHARS = 80
"""Part of a rejected option that a line names: its name; the full record has its drawback."""

CONTEXT_OPTIONS = 3
"""Rejected options that a line names."""

CONTEXT_SCOPES = 3
"""Paths and symbols that a line names, of those its words do not."""

CONTEXT_WRAPPED_LINES = 20
"""Lines into which an editor may have wrapped one item: 600 characters at 40 columns."""

CONTEXT_REWORDING_SHARE = 0.5
"""Share of words that two lines with one id have in common when one is the other reworded. Below
it somebody has made a new rule from the line and left the id behind it."""

CONTEXT_LOW_WATER_SHARE = 0.6
"""Share of the budget that a full block is brought down to, so that room is made seldom: what
leaves changes the lines below it, and with them what agents' providers have cached."""

TOKEN_COUNTS_REMEMBERED = 4096
"""Lines whose tokens are known without counting again: the blocks of a hundred repositories."""

TOKEN_BYTES_ESTIMATED = 3
"""Bytes of text a token, where the vocabulary is missing: fewer than any language has on average,
so that the estimate is rather too high."""

LONGEST_TOKEN_BYTES = 128
"""No token of the vocabulary is longer."""

CONTEXT_RULES_READ = 1000
"""Lines of a repository's context files that an item is compared with before it is added; agents
follow no more. Each takes about half a millisecond, once."""

CONTEXT_TEXTS_REMEMBERED = 4
"""Repositories whose rules are kept ready for it."""

RULE_HEAD_LINES = 100
"""First lines of a rule file that may say for which paths it is; it has a handful."""

RULE_PATTERNS = 64
"""Patterns of paths of one rule file that are looked at."""

MOMENT_CHARS = 600
"""Part of an item's words that is searched for what bounds it to a moment."""

RULE_FILES = 200
"""Rule files of one kind, and nested context files, that are looked at in one repository."""

RULE_FOLDERS_DEEP = 4
"""Levels of folders that rule files are looked for in."""

RECORD_BYTES = 8 * 1024 * 1024
"""Most that `.ctxd/items.jsonl` grows to: some 10,000 events, of years."""

RECORD_LINE_BYTES = 256 * 1024
"""A longer line of it is no event of ctxd's: those have about 1 kB."""

REPOSITORY_SETTINGS_BYTES = 64 * 1024
"""Part of a repository's `.ctxd.toml` that is read: it has a line or two."""

CONTEXT_LOOK_SECONDS = 10.0
"""How often the context files of known worktrees are looked at for changes: a few file times each.
Somebody who has deleted a line sees in `ctxd items` soon that this was understood."""

CONTEXT_SEARCH_SECONDS = 60.0
"""How often worktrees are looked for that hold a teammate's record: about 0.1 ms a folder in which
sessions ran."""

CONTEXT_WRITE_SECONDS = 10.0
"""Least time between two edits of the files of one worktree: what comes meanwhile goes together."""

CONTEXT_RETRY_SECONDS = 1.0
"""Wait before an edit is tried again for which the file was too fresh or held open."""

CONTEXT_GIT_SECONDS = 5.0
"""The same while git is in the middle of a merge or rebase: that takes minutes."""

CONTEXT_CONFLICTS = 3
"""So often in a row a file may have changed between plan and edit; then its edits wait for the
user."""

CONTEXT_REST_SECONDS = 600.0
"""And so long they do, if neither the user nor a new item comes first."""

WORKTREES_SHOWN = 6
"""Worktrees that `ctxd status` names: those written to last, and those that need the user."""

ANSWER_CHARS = 60
"""Of words that are neither yes nor no, and answer a question: longer ones speak for themselves."""

UNDO_SHOWN = 20
"""Edits that `ctxd undo` lists, the last ones: about a screen."""

DOUBT_CHARS = 2000
"""Part of an item's words that is searched for what must not be written unasked."""

RULE_WORDS = 3
"""Content words from which on a sentence that binds is an item of its own, whatever stands beside
it."""

REVIEW_TEXT_CHARS = 400
"""Of each text around an item, as `ctxd review` shows it: question, answer and what there is to
decide stand on one screen together."""

OPTION_CHARS = 200
"""Of what an option's description says it means, or costs."""

INERT_TEXTS_REMEMBERED = 1024
"""Item texts that are known to be inert: each plan of a worktree asks for all of its block's."""

FORGOTTEN_WORDS_CHARS = 4
"""Words of a forgotten item that are crossed out in the messages it rests on; shorter ones, such as
"yes" or the letter of an option, tell nothing by themselves."""

PICK_CHARS = 200
"""Start of a message in which an option is picked: what follows is talk about it."""

SETTLING_WORDS = 8
"""Content words up to which an approval or a pick means what was proposed: a longer one has its
own content."""

REASONED_WORDS = 14
"""The same of an option's number with the reason behind it."""

PLAIN_PICK = 0.5
"""The same of an option picked by its label."""

LOG_SHOWN = 20
"""Lines of `ctxd log` without `-n`: about a screen."""

LOG_POLL_SECONDS = 1.0
"""How often `ctxd log -f` looks for what is new: people do not read faster."""

CONTENTS_REMEMBERED = 2048
"""Texts whose content words are remembered: those of the last messages, each asked for thrice."""

ANSWERS_REMEMBERED = 256
"""Short answers whose picks are remembered: each is asked for by everything that reads it."""

LINES_REMEMBERED = 256
"""Lines of items whose names and bounds are remembered: each is asked for several times."""

POINTS_REMEMBERED = 64
"""Messages of agents whose points are remembered: each is looked at with the next two answers."""

FEATURE_NAMES_REMEMBERED = 8192
"""Sets of cues whose features are remembered: there are few, and every candidate has some."""

FEATURE_SENTENCES_REMEMBERED = 128
"""Sentences whose n-grams are remembered: asked for by the message, then by the sentence."""

PLAIN_RULE = 0.45
"""The same of a rule that says never or always outright."""
