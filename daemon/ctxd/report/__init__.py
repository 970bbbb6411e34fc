"""Sessions as a picture: how the window filled, where it was cut, and what each item came to there.

The values are gathered from the ledger once (`gathering`), printed by `ctxd timeline`, and laid out
(`drawing`) and written as one HTML file (`page`) by `ctxd report`.
"""
