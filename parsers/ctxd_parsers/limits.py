"""The numbers of the parser library, each with its unit and its reason."""

MAX_RECORD_BYTES = 64 * 1024 * 1024
"""Longest record that is decoded. Clients wrote lines of 20 MB (progress records holding whole
histories); 64 MiB leaves room and still bounds memory. Longer ones become `Unparsed`."""

MENDED_ITEMS = 200_000
"""Commas in a list that is read item by item because one of them has an unexpected type. Each item
costs microseconds and a hundred bytes: a record of 60 MB in which none fits took two minutes and
2 GB. Real lists of that kind are the blocks of one message, with their text."""

CHUNK_BYTES = 1024 * 1024
"""Bytes read at a time. Larger reads were not faster in the ingest benchmark and cost memory."""

HEAD_BYTES = 4096
"""Bytes of a file's start that a parser sees before it claims the file."""

COMPANION_BYTES = 8 * 1024 * 1024
"""Largest side file (session.json, workspace.json) that is read whole."""

EXCERPT_CHARS = 1000
"""Characters kept of a tool call's arguments: enough to say what was refused, not to store it."""

PENDING_CALLS = 256
"""Tool calls remembered until their result comes (questions, plans). Real sessions have a handful
open; the bound keeps a log that never answers them from growing the state."""

RESPONSES_REMEMBERED = 64
"""Model responses whose usage is remembered to leave out repeats: one response is several rows, and
rows of parallel sub-agents lie between them."""

HELD_EVENTS = 64
"""Events held back that were logged between the mark of a compaction and its summary. Real logs had
up to three; the bound keeps a log without the summary from growing the state."""

KEPT_EVENTS = 256
"""Events remembered while a compaction runs, as those that stay in the window word for word. The
longest one measured took twelve seconds and let a dozen pass."""

PROMPTS_REMEMBERED = 512
"""User prompts remembered to recognise a rewind. The longest real session seen had under 1,000, and
a rewind goes back a few; all of them are stored again with each line that is appended, about 80
bytes each."""

SQLITE_BUSY_SECONDS = 0.2
"""How long a read of another program's database waits for its lock before it is put off."""

SQLITE_PAGE_ROWS = 64
"""Row ids read in one short transaction, so that the owner of the database never waits on us."""

CONVERSATIONS_REMEMBERED = 64
"""Conversations of one database whose lineage is remembered, to tell what a new row continues. A
compaction follows its parent closely; one real database held 861, written in two months."""

MESSAGES_TAKEN_BACK = 256
"""Latest messages remembered where a log takes them back by their place in it. One client can; no
real log seen did, and a user goes back a few turns, so this bounds the state to some 12 kB."""
