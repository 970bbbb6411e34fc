"""The numbers of comparing statements with each other."""

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

ALIGNED_STEM_CHARS = 5
"""Shorter words that differ by a letter are two words, not one with a typo."""

NUMBER_TOLERANCE = 1e-9
"""Relative difference that comes from a change of units, not from another number."""

POLARITY_SHARE = 0.5
"""Share of the common words that one side denies and the other affirms, from which on the two
statements say the opposite."""

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

TURNED_DOWN_SHARE = 0.75
"""Share of the words behind an "instead of" that a known statement wants when it is
the one meant."""

BANNED_SHARE = 0.8
"""The same for the words of a prohibition; with more words of its own it forbids something else."""

BANNED_WORDS = 2
"""Fewest content words that a prohibition takes from what it overturns, if none is an
identifier."""

BANNED_WANTED_SHARE = 0.4
"""Share of a known statement's words that must be told when what it wants is turned down."""

BANNED_MANY_WORDS = 3
"""Content words from which on this share is enough for a prohibition."""

BANNED_FEW_SHARE = 0.6
"""The share for fewer words."""

RESTATED_WORDS = 3
"""Fewest content words of a statement that says a known one again and leaves something out."""

POINTING_WORDS = 3
"""Most content words of a text in which an "it" stands for all that matters."""

LEAST_SHARE = 0.3
"""Share of the content words of one of two statements that must be common before they are compared
in full: below it no rule finds them related."""

WORDS_REMEMBERED = 8192
"""Spellings of words whose token is kept ready. About 2 MB."""

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
