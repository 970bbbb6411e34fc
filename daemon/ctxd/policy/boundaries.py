"""The numbers of recording what compactions left."""

GIVEN_AHEAD_SECONDS = 120.0
"""An agent may be given items so long before or after the time that the log tells of a compaction,
and they count as given at it: a client may run its hooks before it writes the summary down."""

LIVE_BOUNDARY_SECONDS = 300.0
"""A compaction read later than this after it happened is history: nobody is told of it. Stores that
are saved as a whole show one up to a minute late, a busy machine some seconds more."""

BOUNDARIES_AT_ONCE = 8
"""Compactions judged in one step, so that a live line never waits for long: each takes some 10 ms
before the first item is looked for."""

VERDICTS_AT_ONCE = 100
"""No further compaction is begun in a step after so many items: each takes 1 to 3 ms."""

RECORD_PASSAGE_CHARS = 400
"""Part of a deciding passage, or of a request, that a record keeps."""

WHY_CHARS = 160
"""Part of a verdict's reason that a record keeps."""

FILES_KEPT = 50
"""Files not named by a summary that a record keeps; the last touched ones say most."""

FILE_CHARS = 300
"""Longest path of such a file that is kept."""

NOTICES_KEPT = 500
"""Notices that are remembered, so that none is sent twice; the oldest go first."""

ANCESTORS = 4
"""Sessions that a fork's window may reach back into, each the parent of the one before."""

REQUEST_CHARS = 600
"""Part of the user's last request that is looked for afterwards: what is asked stands at its start
or is the whole of it."""

REQUEST_WORDS = 4
"""Words from which on a message asks for something by itself; "go on" and "yes, do" do not."""

REQUEST_REACH = 200
"""Events at the end of a window that the last request is looked for among."""

LISTENERS_TOLD_AT_ONCE = 16
"""Records that those who listen get in one step: after a kill some may be left over."""

FILES_LOOKED_AT = 5000
"""Tool calls between two compactions whose files are looked at: the longest real stretch has 1,200.
"""

NEAR_FULL_PERCENT = 75.0
"""Share of a window in use from which on a compaction is expected: clients begin at 75 to 80 %."""

NEAR_FULL_SHARE = 0.9
"""Where the limit is not known: share of what was in the window at its last compaction."""
