"""One step of following a transcript, whatever it is stored as.

Nothing is remembered here between two steps: all of it is in the checkpoint, to be stored together
with the events. So a step can be repeated after a crash, and gives the same events again.
"""

from __future__ import annotations

from ctxd.tail.checkpoint import Checkpoint, Stamp, stamp_of, unchanged
from ctxd.tail.documents import follow_document
from ctxd.tail.lines import Budget, follow_lines
from ctxd.tail.rows import follow_rows
from ctxd.tail.step import SettlingError, Step
from ctxd_parsers.limits import MAX_RECORD_BYTES
from ctxd_parsers.parser import Storage
from ctxd_parsers.reading import Transcript

__all__ = ["Checkpoint", "SettlingError", "Stamp", "Step", "follow", "stamp_of", "unchanged"]


def follow(
    transcript: Transcript,
    checkpoint: Checkpoint | None,
    budget: int,
    longest: int = MAX_RECORD_BYTES,
) -> Step:
    """What is new in a transcript since its checkpoint; from the start when that is None.

    Reads about `budget` bytes; of a record longer than `longest` bytes only the length is told.
    Raise SettlingError while a document is being written, BusyError while a database is locked, and
    any other OSError when the transcript cannot be read.
    """
    if transcript.storage is Storage.SNAPSHOT:
        return follow_document(transcript, checkpoint)
    if transcript.storage is Storage.SQLITE:
        return follow_rows(transcript, checkpoint, budget)
    return follow_lines(transcript, checkpoint, Budget(budget, longest))
