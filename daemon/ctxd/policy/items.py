"""The numbers of items: how they are heard, compared and kept."""

IDS_REMEMBERED = 100_000
"""Event ids remembered in one pass over a transcript to count repeats once: about 12 MB."""

ITEM_EVENT_ID_BYTES = 10
"""Bytes of an item event's id: 16 letters. Of a million events no two are alike by chance."""

SESSIONS_OVERHEARD = 16
"""Sessions of one store that a pass over it follows at a time. Stores hold one after the other."""

CONTEXT_FILE_BYTES = 256 * 1024
"""Read of one context file: agents read less of theirs."""

ECHO_TEXTS_REMEMBERED = 64
"""Texts whose lines are kept ready: those that the sessions of a day were given."""

JUDGED_AT_ONCE = 32
"""Exchanges judged in one step and one transaction, so that a live line waits for no more than
some hundredths of a second."""

REPOSITORIES_IN_MEMORY = 8
"""Repositories whose items are kept ready to compare new ones with: about 3 kB an item."""

ADAPT_VERDICTS = 150
"""Verdicts that are learned from, the last ones: those of some weeks. 2.5 ms each, once."""

ADAPT_LEFT_ALONE = 50
"""Items written unasked that are learned from since the user left them when rejecting others."""

ADAPT_LEFT_ALONE_WEIGHT = 0.3
"""What that counts in relation to a verdict. Without it, users who never accept but delete a wrong
line now and then would see less and less."""

ADAPT_SECONDS = 300.0
"""Shortest time between two looks for new verdicts: a review gives many at once."""

SESSIONS_TOLD_APART = 10_000
"""Sessions of one log of which is remembered whether they are the user's: more than the largest
databases of clients hold, in some 2 MB."""
