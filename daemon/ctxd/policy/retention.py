"""The numbers of judging what a compaction left of an item."""

JUDGED_CHARS = 2_000_000
"""Part of a text that is looked at: a summary has 1 to 30 thousand characters, a kept tail more."""

PASSAGE_CHARS = 600
"""Longest sentence that is looked at whole; a longer one is cut at a blank."""

WINDOW_PASSAGES = 3
"""Sentences of one list item or paragraph that may state an item together."""

WINDOW_CHARS = 900
"""Longest run of sentences that is looked at together."""

CANDIDATE_PASSAGES = 4
"""Passages an item is compared with closely: those that share most with it."""

CONTEXT_WORDS = 12
"""Words of the line above a list item that say what it is about."""

TEXTS_REMEMBERED = 8192
"""Passages and items whose words are kept ready: those of some twenty summaries."""

MATCHED_PASSAGES = 12
"""Passages whose words are compared one by one: those with most rare words in common."""

LENGTH_PENALTY = 0.0006
"""Share of common words that a character costs: of two passages that say it, the shorter one."""

DECIDING_POWER = 4
"""How much more the likeliest passage counts than the next."""

KEPT_SHARE = 0.5
"""Likelihood from which an item counts as kept, chosen on summaries that were left out."""

QUOTE_WORDS = 4
"""Fewest content words with which what somebody said is looked for by itself: not "yes, do it"."""

QUOTED_SHARE = 0.55
"""Share of those words that a passage must have; a quotation survives as one or not at all."""

THIN_WORDS = 5
"""Content words from which a statement that is kept leaves some of them behind."""

THIN_SHARE = 0.4
"""Share of them below which it is hardly the same statement."""

THIN = 0.7
"""What such a likeness leaves of its likelihood."""

DECIDING_PASSAGES = 3
"""Passages that are judged: the likeliest to decide."""

CLASHING_SHARE = 0.35
"""Share of an item's words from which a passage that says something else is about it."""

VERBATIM = 0.9
"""Likelihood with which an item is kept that stands there word for word and is not taken back."""

LONG_PASSAGE = 250
"""Characters of a passage from which common words tell half as much of it."""

BESIDE_PASSAGES = 8
"""Passages behind one that are looked at for what its block says next."""

MEANING_WEIGHT = 0.5
"""What a common group of words counts for against a common word, when passages are looked up."""

MEANING_LIKENESS = (0.1, 0.4)
"""How surely a word is meant by another of its group: at least, and more the rarer the group."""

ALIAS_LIKENESS = 0.9
"""How surely a word is meant by one that differs by a letter or an ending."""

CONTEXT_LIKENESS = 0.8
"""How surely a word is meant that stands in the line above a passage."""

EXACT_LIKENESS = 0.85
"""Likeness from which a word itself stands there."""

COMMON_WEIGHT = 0.3
"""What a word counts for that stands everywhere in a text; a rare one counts for 1."""

RARE_WEIGHT = 1 - COMMON_WEIGHT

ALIKE_CHARS = 5
"""Shorter words that differ by a letter are two words."""

ALIKE_ENDING = 3
"""Letters that an ending may add to a word."""

ALIKE_START = 5
"""Letters with which two names in code begin when one may be a slip for the other."""

ALIKE_LETTERS = 3
"""Letters that one of them may be longer."""

WHOLE_SHARE = 0.95
"""Share of an item's own words from which a passage has all of them."""

COUNTING_SHARE = 0.4
"""Share of an item's own words from which another number in a report is that of the item."""

CHANGED_SHARE = 0.35
"""Likelihood from which an item counts as changed where no single sign shows that it is."""

MEASURED_SHARE = 0.45
"""Share of an item's words from which a passage with its measures is about what it measures."""

COMPARED_PARTS = 12
"""Parts of a sentence that are compared with each other; what is longer is no sentence."""

NAME_WEIGHT = 1.5
"""What a name or a number counts for against another word."""

ASIDE_WEIGHT = 0.6
"""What a word counts for in a clause that binds nothing."""

REMARK_WEIGHT = 0.4
"""The same in a remark ("we had that once")."""

VAGUE_WEIGHT = 0.5
"""The same for a word like "new" or one that gives a reason."""

SPELLED_NUMBERS = 21
"""First number that nobody spells out."""

FOREIGN_TOKENS = 60
"""Words of a text that show its language."""

SHOWN_WORDS = 2
"""Small words of a language that show it; one alone may be a name."""

HEAD_CHARS = 5
"""Shortest known word that a compound of another language begins with."""

TAIL_CHARS = 4
"""Shortest known word that one ends with."""

LONGEST_WORD = 40
"""What is longer is no word that could be taken apart."""

SWAPPED_WORDS = 4
"""Fewest common words with which two things can have changed places."""

ABOUT_SHARE = 0.12
"""Share of an item's words below which no passage is about it, and none is looked at closely."""

BARE_SHARE = 0.2
"""Share of an item's words below which what a passage says is of something else."""

VETOES = {
    "clash": 0.4,
    "has weak near": 0.6,
    "cut": 0.3,
    "number gone": 0.7,
    "once unbound": 0.7,
    "bound gone": 0.7,
    "number part": 0.8,
}
"""Signs that a passage which decides hardly keeps an item, and what each leaves of the likelihood
that it does. The strongest counts. Each was seen with one kept item in ten or fewer."""

LEANING = {"changed": 1.1, "weakened": 1.5, "lost": 0.8}
"""Weights of the other answers: most passages say nothing of an item, and the forest leans towards
that."""

VERBATIM_WORDS = 3
"""Fewest content words of a quotation that is found word for word."""

OPPOSED_SHARE = 0.9
"""Share of an item's words that stand in a passage which allows what the item forbids, or the other
way round: with fewer it is rather about something else."""

REPLACEMENT_CHARS = 2000
"""Part of a text in which "use X instead" is looked for; passages have some hundred characters."""
