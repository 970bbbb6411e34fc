"""Notices on the desktop: one a compaction that dropped what was agreed, and true word of whether
it was shown.

What is told and when is decided in the daemon; each notice is sent by a process of its own, which
lives for a tenth of a second. A desktop that hangs, or a library that leaks, is never the daemon's.
"""
