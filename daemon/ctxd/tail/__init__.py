"""Following transcripts as they grow: which file it is, how far it was read, what is new."""
