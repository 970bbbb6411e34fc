"""What agents call at certain moments, and what they get for an answer.

Nothing of ctxd depends on hooks: they make it quicker, and give an agent back what its compaction
dropped. A hook never delays an agent by more than a moment, and never breaks it.
"""
