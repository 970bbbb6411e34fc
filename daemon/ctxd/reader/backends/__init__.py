"""Where a reader is asked: one small file for each agent's program and each API."""
