"""Every log that a real client wrote, followed while it grows: the events of the whole, once."""

import random
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from ctxd_parsers.parser import Storage
from ctxd_parsers.reading import Transcript
from golden import case_name, cases, transcripts
from notes import Follower


def copied(case: Path, folder: Path) -> list[Transcript]:
    """The logs of a case in another place, with their side files."""
    shutil.copytree(case / "log", folder / "log")
    found = []
    for transcript in transcripts(case):
        if transcript.storage is Storage.LINES:
            path = folder / "log" / transcript.path.relative_to(case / "log")
            found.append(Transcript(path, transcript.parser))
    return found


def whole(transcript: Transcript) -> list:
    """Read at once; a last line without its newline when the file rests."""
    follower = Follower(transcript)
    return [*follower.step().events, *follower.step().events]


def grown(transcript: Transcript, cuts: list[int]) -> list:
    data = transcript.path.read_bytes()
    transcript.path.write_bytes(b"")
    follower, events = Follower(transcript), []
    for start, end in pairwise([0, *cuts, len(data)]):
        with transcript.path.open("ab") as file:
            file.write(data[start:end])
        events += follower.step().events
        assert not follower.steps[-1].again
        follower.steps.clear()
    return [*events, *follower.step().events]


@pytest.mark.parametrize("case", cases(), ids=case_name)
def test_a_log_grown_in_pieces_gives_the_events_of_the_whole(case, tmp_path):
    chance = random.Random(case_name(case))
    for transcript in copied(case, tmp_path):
        size = transcript.path.stat().st_size
        cuts = sorted(chance.sample(range(size), min(12, size)))
        expected = whole(transcript)
        assert grown(transcript, cuts) == expected


def smallest() -> list[tuple[Path, str]]:
    """One log of each parser."""
    found: dict[str, tuple[int, Path, str]] = {}
    for case in cases():
        for transcript in transcripts(case):
            name, size = transcript.parser.name, transcript.path.stat().st_size
            relative = str(transcript.path.relative_to(case / "log"))
            if transcript.storage is Storage.LINES and size > 500:
                found[name] = min(found.get(name, (size, case, relative)), (size, case, relative))
    return [(case, relative) for _, case, relative in found.values()]


@pytest.mark.long
@pytest.mark.parametrize(("case", "name"), smallest(), ids=lambda value: getattr(value, "name", ""))
def test_a_log_grown_byte_by_byte_gives_the_events_of_the_whole(case, name, tmp_path):
    """Every prefix is read, and then one byte more: inside characters, escapes and line ends."""
    found = {str(t.path.relative_to(tmp_path / "log")): t for t in copied(case, tmp_path)}
    transcript = found[name]
    expected = whole(transcript)
    assert expected
    assert grown(transcript, list(range(1, transcript.path.stat().st_size))) == expected
