"""The numbers of judging what a compaction left of an item."""

TEXT_CHARS = 2_000_000
"""Part of a text that is looked at: a summary has 1 to 30 thousand characters, a kept tail more."""

PASSAGE_CHARS = 600
"""Longest sentence that is looked at whole; a longer one is cut at a blank."""

WINDOW_PASSAGES = 3
"""Sentences of one list item or paragraph that may state an item together."""

WINDOW_CHARS = 900
"""Longest run of sentences that is looked at together."""

CANDIDATE_PASSAGES = 8
"""Passages an item is compared with closely: those that share most with it."""

CONTEXT_WORDS = 12
"""Words of the line above a list item that say what it is about."""
