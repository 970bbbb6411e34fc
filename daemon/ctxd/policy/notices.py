"""The numbers of notices on the desktop."""

NOTICE_SETTLE_SECONDS = 0.4
"""Wait between a loss and its notice: the context file is written meanwhile, so that the notice can
say so."""

NOTICE_COOLDOWN_SECONDS = 60.0
"""After a notice the next one of the same urgency comes no sooner; what happens until then is one
digest. Clients compact again and again when a window is full of one large file."""

NOTICES_AN_HOUR = 3
"""Notices of one urgency in an hour; what happens beyond is one digest. More would be clicked away
unread. Critical ones are counted apart, so that none waits because of lesser ones."""

NOTICE_HOUR_SECONDS = 3600.0
"""The hour that this is counted over."""

NOTICE_GRACE_SECONDS = 60.0
"""For so long after its start the daemon may still find what happened while it did not run."""

NOTICE_FRESH_SECONDS = 120.0
"""What is older by its log is no news then: it is told by `ctxd status`, not on the desktop."""

NOTICE_ITEM_CHARS = 120
"""Of an item's words: about what a desktop shows in two lines."""

NOTICE_REPOSITORY_CHARS = 40
"""Of a repository's name."""

NOTICE_TITLE_CHARS = 80
"""Longest title: desktops show one line of it."""

NOTICE_BODY_CHARS = 600
"""Longest body, whatever it is made of."""

DIGEST_LINES = 3
"""Losses named in a digest; the rest is counted."""

NOTICE_CHILD_SECONDS = 8.0
"""After so long the process that sends a notice is ended, and the notice has failed. A desktop that
is there answers within some hundredths of a second, Windows' shell within two."""

NOTICE_ANSWER_SECONDS = 5.0
"""How long that process waits for the desktop: a notification daemon that has to be started first
takes one or two seconds."""

NOTICE_POLL_SECONDS = 0.05
"""How often it is looked at while it works: its answer wakes nobody."""

SECONDS_A_DAY = 24 * 3600
"""A worktree that is left to its user is told of once in so long."""

NOTICE_KEPT_SECONDS = 24 * 3600.0
"""Notices held back for longer are not sent any more, and status does not name those older."""

NOTICES_LOOKED_AT = 100
"""Newest notices among which those are found that were held back, or not shown."""

NOTICES_NAMED = 3
"""Notices that were not shown named by `ctxd status`; more are counted."""

QUIET_LOOK_SECONDS = 300.0
"""How often it is looked whether the quiet hours are over: by the wall clock, which can be set."""

NOTICE_TASTE_CHARS = 400
"""Of an item's words, searched for matters of taste."""
