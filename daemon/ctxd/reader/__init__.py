"""A language model as a second reader of sessions: off until the user chooses one.

What it is shown are exchanges that were redacted before they were stored; what it answers counts
only as far as the words it quotes stand where it says they do.
"""
