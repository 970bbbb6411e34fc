"""The numbers of understanding."""

WRAP_COLUMNS_MIN = 68
"""A line after which the next word would still have fitted into so many columns was ended by
whoever wrote it; others may have been wrapped."""

WRAP_COLUMNS_MAX = 130
"""Editors and terminals wrap before this; a longer line ends where its writer ended it."""

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

PASTE_WORDY = 20
"""Words of a paragraph from which on it is longer than what is typed in passing."""

PASTE_THIN_SHARE = 0.12
"""Share of a copied page's groups that are so thin, at least."""

PASTE_INTRO_CHARS = 160
"""Characters before a paste among which it is announced."""

CLAUSE_WORDS = 3
"""Words on each side of dots or a dash, at least, between which a sentence ends there."""

LANGUAGE_CHARS = 4000
"""Of a message whose language is told: enough to be sure."""

PASTE_THREAD_MAILS = 3
"""Heads and ends of mails from which on a thread was pasted, of which none is the user's word."""

PASTE_FRAGMENT_WORDS = 3
"""A line of so few words behind a paste is a label of it unless it is an order or a slip."""

REJECTED_OPTIONS = 6
"""Options turned down that are kept with a decision."""

PLAIN_DIALOG = 0.5
"""Least probability of a dialog's answer that is written unasked."""

PLAIN_WORDS = 0.6
"""The same of the user's own words: of ten such, nine were right on repositories never seen."""

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

ADAPT_PLAIN = 0.3
"""How far, in log-odds, a user's verdicts can bring an item that is not likely enough to be written
unasked. Over the later sessions of seven repositories 45 of 45 were right so, without it 34 of
34."""

RIDGE_PASSES = 50
"""Passes over the answers of a regression, if it does not settle before; 10 is usual."""

RIDGE_TOLERANCE = 1e-5
"""A pass that changes no answer's pull by more is the last."""

REPLY_WORDS = 8
"""Content words up to which the answer to one of several points is read together with its point;
with more it says itself what is settled."""

RIDER_CHARS = 160
"""Of what a short answer adds to what it approves or picks: "2, but never without a timeout"."""

RIDER_WORDS = 3
"""Content words added to a yes from which on it is about them, not about what was said before."""

MOMENT_CHARS = 600
"""Part of an item's words that is searched for what bounds it to a moment."""

ANSWER_CHARS = 60
"""Of words that are neither yes nor no, and answer a question: longer ones speak for themselves."""

DOUBT_CHARS = 2000
"""Part of an item's words that is searched for what must not be written unasked."""

RULE_WORDS = 3
"""Content words from which on a sentence that binds is an item of its own, whatever stands beside
it."""

OPTION_CHARS = 200
"""Of what an option's description says it means, or costs."""

PICK_CHARS = 200
"""Start of a message in which an option is picked: what follows is talk about it."""

SETTLING_WORDS = 8
"""Content words up to which an approval or a pick means what was proposed: a longer one has its
own content."""

REASONED_WORDS = 14
"""The same of an option's number with the reason behind it."""

PLAIN_PICK = 0.5
"""The same of an option picked by its label."""

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

LEAST_CONTENT = 2
"""Content words that a candidate has at least, and that make a point named: one says nothing."""

BARE_WORDS = 3
"""Content words up to which a message is bare: what it means stands in what it answers."""

TELLING_WORDS = 4
"""Content words above which what was typed into a dialog says by itself what it is about."""

MEANING_CHARS = 140
"""Of an option's description that is kept as its meaning, in whole sentences."""

LONGEST_LINE = 1000
"""Characters behind which the end of a line is not looked for."""

FRAME_QUOTE_CHARS = 30
"""Shortest quotation behind "the issue says" that is taken as somebody else's: shorter ones are
names and labels that the user speaks about."""

FRAMES_A_MESSAGE = 50
"""Mails that are looked for in one message."""
