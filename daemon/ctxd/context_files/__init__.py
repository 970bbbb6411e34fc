"""What was decided, written into the files that agents read: planned first, then applied.

Bytes that belong to a human are never changed. What a human does to a line of ctxd's is a decision
that the ledger follows, and a line once written is written again only when its item changes.
"""
