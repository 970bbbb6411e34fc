"""Cases of the parser tests: `tests/parsers/<agent>/<version>/<case>/`.

`log/` holds a log tree as a client left it, `events/` one golden file a transcript in it (each line
an event), `PROVENANCE` one line on where the log comes from. Dropping a folder in adds a case.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from ctxd_parsers.discovery import transcripts_under
from ctxd_parsers.events import Event
from ctxd_parsers.reading import Transcript, read_events

CASES = Path(__file__).parent / "parsers"


def cases() -> list[Path]:
    return sorted(log.parent for log in CASES.glob("*/*/*/log"))


def case_name(case: Path) -> str:
    return case.relative_to(CASES).as_posix()


def transcripts(case: Path) -> list[Transcript]:
    return sorted(transcripts_under(case / "log"), key=lambda found: found.path)


def golden_path(case: Path, transcript: Transcript) -> Path:
    relative = transcript.path.relative_to(case / "log")
    return case / "events" / relative.with_name(relative.name + ".events")


def golden_form(transcript: Transcript) -> str:
    return lines(read_events(transcript))


def lines(events: Iterator[Event]) -> str:
    return "".join(msgspec.json.encode(event).decode() + "\n" for event in events)
