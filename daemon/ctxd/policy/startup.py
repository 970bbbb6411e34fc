"""The numbers of how a command starts."""

GARBAGE_OBJECTS = 20_000
"""New objects after which the garbage collector looks for cycles, which it does after 700 of its
own accord: 140 times while a command is loaded, a twentieth of `ctxd status`, to find nothing."""
