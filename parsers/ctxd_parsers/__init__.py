"""Parsers for the session logs of coding agents: records in, events out.

The library stands alone and does no I/O but in `reading`, `discovery` and `sqlite_rows`. Start with
`discovery.find_transcripts` and `reading.read_events`; the event model is in `events`.
"""
