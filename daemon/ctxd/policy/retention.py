"""The numbers of judging what a compaction left of an item."""

TEXT_CHARS = 2_000_000
"""Part of a text that is looked at: a summary has 1 to 30 thousand characters, a kept tail more."""

PASSAGE_CHARS = 600
"""Longest sentence that is looked at whole; a longer one is cut at a blank."""

WINDOW_PASSAGES = 3
"""Sentences of one list item or paragraph that may state an item together."""

WINDOW_CHARS = 900
"""Longest run of sentences that is looked at together."""

CANDIDATE_PASSAGES = 5
"""Passages an item is compared with closely: those that share most with it."""

CONTEXT_WORDS = 12
"""Words of the line above a list item that say what it is about."""

TEXTS_REMEMBERED = 8192
"""Passages and items whose words are kept ready: those of some twenty summaries."""

MATCHED_PASSAGES = 14
"""Passages whose words are compared one by one: those with most rare words in common."""

LENGTH_PENALTY = 0.0006
"""Share of common words that a character costs: of two passages that say it, the shorter decides."""

DECIDING_POWER = 4
"""How much more the likeliest passage counts than the next."""

KEPT_SHARE = 0.5
"""Likelihood from which an item counts as kept. Chosen by leaving out one summary at a time."""

QUOTE_WORDS = 3
"""Fewest content words with which what somebody said is looked for by itself: "yes, do it" is not."""

QUOTED_SHARE = 0.55
"""Share of those words that a passage must have; a quotation survives as one or not at all."""

THIN_WORDS = 6
"""Content words from which a statement that is kept leaves some of them behind."""

THIN_SHARE = 0.33
"""Share of them below which it is hardly the same statement."""

THIN = 0.6
"""What such a likeness leaves of its likelihood."""

DECIDING_PASSAGES = 3
"""Passages that are judged: the likeliest to decide."""

CLASHING_SHARE = 0.35
"""Share of an item's words from which a passage that says something else is about it."""

VERBATIM = 0.9
"""Likelihood with which an item is kept that stands there word for word and is not taken back."""
