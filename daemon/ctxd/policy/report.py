"""The numbers of `ctxd timeline` and `ctxd report`."""

TIMELINE_POINTS = 400
"""Measurements of a window that are kept: more than a screen has columns to draw them in."""

TIMELINE_LINES = 40
"""Items drawn for one session, those that a compaction dropped and the most binding first: a page
that can still be taken in; the others are counted."""

LANES_OPEN = 14
"""Items of a session that a report shows before a reader asks for more: about a screen."""

TIME_MARKS = 6
"""Moments of a session that are written below its window: as many as stay readable side by side."""

LOG_REREAD_SECONDS = 4.0
"""Longest that the logs of one session are read again for the tokens in its window, which the
ledger does not keep. Logs of 100 MB take less; past it the compactions alone tell."""

REPORT_REREAD_SECONDS = 20.0
"""The same for all sessions of a report together: whoever asked is waiting."""

REPORT_SESSIONS = 12
"""Sessions in a report, the newest with a compaction or an item first in line."""

REPORT_ITEMS = 500
"""Items in a report's list: about a megabyte, which a browser searches without a pause."""

REPORT_QUOTES = 4
"""Quotes of an item's evidence in a report: the words that bind it, and what they lean on."""

REPORT_TEXT_CHARS = 1200
"""Of one quote or passage in a report: about a screen."""

TIMELINE_BAR_CELLS = (16, 80)
"""Fewest and most columns of a terminal that a window is drawn in."""

TIMELINE_BAR_SHARE = 0.55
"""Share of a terminal's width that it takes, so that the items' words have the rest."""

TIMELINE_BAR_ROWS = 5
"""Lines of a terminal that it is high."""

TABLE_ROWS = 40
"""Measurements in the table beside a window's picture; about a screen."""

CUTS_NAMED = 5
"""Compactions written out beside a window's picture, as many as fit its height; a table has all."""

MARK_BYTES = 512
"""Of a file that is to be replaced, looked at for the mark of a report."""

REPORT_NAME = "ctxd-report.html"
"""File that `ctxd report` writes unless it is told another."""
