"""The numbers of the second reader: a language model that the user chose."""

READER_CALL_SECONDS = 300.0
"""Longest time for one call. Agents in headless mode take a quarter of a minute to start and answer
a full chunk in one or two; a small model on a laptop's processor, at 40 tokens a second, needs over
three for the question alone. Nobody waits for it."""

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

READER_STOP_SECONDS = 2.5
"""It may end itself so long after it was asked to, the program that it runs first; then its whole
process group is killed."""

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

READER_CALL_TOKENS = 8000
"""Most tokens that one call sends, instructions and schema included, counted with cl100k_base:
small local models have windows of so many, and cost and care per call stay foreseeable."""

READER_CALL_TURNS = 17
"""Exchanges that a call takes at least where there are so many, the agent's words cut as needed: a
session of 200 turns needs no more than 12 calls."""

READER_ANSWER_TOKENS = 4000
"""Most tokens of an answer: some 25 items. The longest answers measured had half of it."""

READER_USER_TOKENS = 700
"""Of the user's words of one exchange that are shown: a written specification's first page."""

READER_AGENT_TOKENS = 450
"""Of the agent's words before an answer that has content of its own."""

READER_PROPOSAL_TOKENS = 1000
"""The same before a short answer ("yup, A"), whose content stands in them."""

READER_CARRIED_TOKENS = 500
"""Of items from earlier in the session that a call is told: what may be overturned."""

READER_NOTE_CHARS = 240
"""Of a note to an exchange, such as an option with its description."""

READER_MARK_TOKENS = 32
"""That the lines between the agent's and the user's words take, and white space."""

AGENT_MESSAGE_CHARS = 12_000
"""End of an agent's message of which parts are chosen: where it asks and proposes."""

READER_CANDIDATES = 4
"""Items understood offline that are shown with an exchange, the likeliest."""

READER_CANDIDATES_LEAN = 1
"""The same where room is short."""

READER_CANDIDATE_CHARS = 140
"""Of such an item's line: enough to know it by, its words stand above it."""

READER_NOTES = 8
"""Notes to an exchange, such as the options of a dialog."""

READER_NOTES_LEAN = 2
"""The same where room is short."""

READER_CUT_TOKENS = 12
"""Room below which not even the beginning of a paragraph is shown: it would say nothing."""

READER_CUT_SHARE = 0.85
"""Of the characters that a paragraph's tokens would allow, what is shown of one that is cut:
tokens are not equally long."""

READER_REFUSALS_TOLD = 12
"""Faults of an answer that a reader is told when it is asked once more."""

READER_ANSWER_CHARS = 200_000
"""Part of an answer that is looked at: the longest that were asked for have some 20,000."""

READER_OBJECTS_TRIED = 400
"""Places in an answer at which JSON is looked for when it does not begin there: of more, nothing
is an answer."""

READER_QUOTE_CHARS = 600
"""Longest quote: a paragraph. With more, any statement would find its words in it."""

READER_NEAR_TURNS = 3
"""Exchanges that a proposal may stand before the words that accept it."""

READER_TURN_ITEMS = 12
"""Items that one exchange makes at most: a numbered reply may settle ten points."""

READER_STATEMENT_SHARE = 0.3
"""Share of a statement's content words, as stems, that must stand in the sentences it quotes. With
the next one, 72 of 100 statements of careful annotators pass, who were not told to keep to the
words of their quotes, and 2 of 100 that belong to other words of the same session. Half of the
words would pass 47 and 1."""

READER_SHOWN_SHARE = 0.5
"""The same in all that was shown of the exchange, where the things meant are named."""

READER_RELATED_SHARE = 0.2
"""Below this share a statement is about something else than what it quotes, and the item goes with
it; between the two the words quoted take its place."""

READER_WORDED_CONTENT = 3
"""Content words that a quote must have to stand for itself where a statement does not pass."""

READER_SURE_PLAIN = 2
"""How sure a reader must be of what was also understood offline to have it written unasked."""

READER_SURE_ALONE = 3
"""The same where the reader alone found it, in the user's own words."""

READER_PLAIN_PROBABILITY = 0.35
"""Least offline probability of an item that is written unasked because a reader agrees."""

READER_AGREED_WEIGHT = 0.6
"""Part of the way to 1 that a reader's agreement raises a probability."""

READER_REFUTED_WEIGHT = 0.3
"""Factor on the offline probability of an item that a reader says is none."""

READER_ALONE_PROBABILITY = {1: 0.4, 2: 0.7, 3: 0.85}
"""Probability of an item that a reader alone found, by how sure it says it is."""

READER_SAME_SHARE = 0.6
"""Share of content words that an offline item and a finding of the same words have in common when
they are the same item."""

READER_OWN_SHARE = 0.8
"""Share of a statement's content words that the user's own quote has when it is written unasked
though only a reader found it."""

READER_GRACE_SECONDS = 2.0
"""After a program was told to end, until it is ended by force. Agents write their session to disk
then, which takes them tenths of a second."""

READER_LEFTOVER_SECONDS = 1.0
"""So long the outputs of a program that has ended are waited for: who still holds them got away."""

READER_FOLDERS = 8
"""Folders for calls at the same time: the daemon has one, tests of a backend by hand the others.
They are used again, since some agents keep a note of every folder that they ran in."""

READER_FAILURES = 2
"""Calls in a row that may fail by themselves before the rest of a session is left for later: one
may be of a question that the backend cannot digest."""

READER_PACES_KEPT = 10
"""Latest calls by whose time the next ones are judged: models and networks change within a day."""

READER_DAYS_KEPT = 400
"""Days whose accounts stay in the ledger: a year and the month it is compared with."""

READER_MESSAGE_CHARS = 300
"""Of why a call failed, as a backend says it: a line."""

READER_API_THINKING_TOKENS = 6000
"""Beside the answer, what a model of an API may think: models that reason take it out of the same
limit, and an answer that is cut off for that was paid for nothing. Nothing is spent by allowing."""

READER_CONNECT_SECONDS = 15.0
"""Longest wait for a connection to a server."""

READER_KEYRING_SECONDS = 5.0
"""Longest wait for the system's keyring: it answers in milliseconds, or waits for its user."""

READER_KEYRING_ASKED_SECONDS = 120.0
"""The same while the user stores a key, who may have to unlock it first."""

READER_KEY_CHARS = 8192
"""Longest key. They have some 100 characters, tokens of gateways a few thousand."""

READER_LOCAL_SECONDS = 0.5
"""Longest wait for a server on this machine to take a connection, when only asked whether it is
there."""

READER_REST_TURNS = 4
"""Exchanges at a session's end that go into the call before, for which their own would be dear."""

READER_BESIDE_SHARE = 0.6
"""The same of the words beside a statement: its reason, the options turned down with it."""

READER_SUMMARY_CHARS = 200_000
"""Start of a summary that is looked at: the longest real ones have 30 thousand characters."""

READER_SUMMARY_TOKENS = 4500
"""Texts after a compaction that are shown whole with every group of items; summaries of Claude Code
take 2 to 5 thousand tokens. Of longer ones so much is shown at least."""

READER_JUDGED_ITEMS = 24
"""Most items that one call about a compaction asks of: each takes some 60 tokens and is answered in
some 80."""

READER_JUDGED_ANSWER_TOKENS = 3000
"""Most tokens of an answer about a compaction."""

READER_ITEM_CHARS = 320
"""Of an item's line, and of each thing said, that is shown when it is asked of."""

READER_ITEM_QUOTES = 2
"""Quotes of an item, and options turned down with it, that are shown then."""

READER_ITEM_PASSAGES = 12
"""Lines of a text too long to be shown that are looked at for one item, the nearest."""

READER_LINE_CHARS = 600
"""Longest line of such a text that is shown as one."""

READER_PASSAGE_CHARS = 600
"""Longest passage that may decide: in a longer one there is something of everything."""

READER_PASSAGE_AROUND_CHARS = 300
"""Before and behind a passage that may say what it is about, within its paragraph and the line
above."""

READER_COMPLAINT_BYTES = 2000
"""Of what the process that reads wrote to standard error that go to the log: the end of a
traceback."""

READER_LOOK_SECONDS = 60.0
"""How often the readings that wait are looked at though none is due: a clock may have been set."""

READER_SPARE_WORDS = 2
"""Content words that a reader's line may leave out of the offline one and still say no more: then
the words that were said stay."""

READER_HERE_SECONDS = 0.5
"""Between two looks at a reading that a command waits for, when there is no word of it."""

READER_COMPLAINT_CHARS = 8000
"""Of what a program complains that is looked at; the reason stands in its first lines."""

READER_WAIT_TOLD_SECONDS = 24 * 3600.0
"""Longest wait that is taken from such a complaint."""

READER_PROCESS_BYTES = 1 << 30
"""Most memory of the process that asks an API; it takes some 80 MB."""

READER_UNNAMED_WEIGHT = 0.5
"""The same of one that the reader does not name, though it read the words."""

READER_ALONE_SECONDS = 15.0
"""So long another reading is waited for: one that was told to end does so within seconds."""

READER_TRIAL_SECONDS = 2.0
"""So long `ctxd reader test` waits for one: somebody sits in front of it."""

READER_OTHER_SECONDS = 60.0
"""Wait before it is tried again when the other one goes on."""

READER_CALL_MONEY = 1.0
"""US dollars after which an agent that counts them ends a call: the dearest models take half of it
for a full question, an answer and some thought."""

READER_THINKING_TOKENS = 12_000
"""Beside the answer, what an agent's model may say in one: it thinks first, and that counts."""

READER_TAKEN_UP = 200
"""Sessions looked at, the newest, for one that was over when an earlier run was killed."""

READER_WARY_SHARE = 0.75
"""Share of a statement's content words that must stand in the sentences it quotes when somebody
speaks to a reader in the same exchange."""

READER_WINDOW_TOKENS = 2048
"""Smallest context window that local servers give a model by themselves."""

READER_UNREAD_FACTOR = 1.2
"""A question that has so many times the tokens that a server says it read was not read whole:
vocabularies differ by less."""

READER_REST_MOST_SECONDS = 1800.0
"""Longest wait of all sessions after calls that failed by themselves: it may be of one session."""

READER_COVERED_SHARE = 0.6
"""Share of a quote's content words that a statement repeats when it says all of the quote and fills
in what "it" and "there" mean. 3 to 6 more of 100 statements pass by it, and less than 1 of those
that belong to other words."""

READER_TOLD_TOKENS = 100_000_000
"""A call that a backend says took more tokens took no such number: the longest windows have a
hundredth of it. Then they are estimated."""

READER_TOLD_MONEY = 1000.0
"""The same of US dollars: the dearest models take half a dollar for a call."""

READER_ANSWER_CONTENT = 2
"""Content words up to which words that approve nothing in so many words may still answer what was
proposed: "send it!", "the plan". With more they are about something of their own."""
