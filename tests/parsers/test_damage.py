"""Damage in a line log, of every kind seen in real ones, costs the damaged bytes and nothing else.

The shapes come from bug reports of the clients and their readers: NUL runs after a crash, lines
torn and glued by two writers, raw newlines in strings, byte order marks, Windows line ends.
"""

import pytest

from ctxd_parsers.events import Unknown, Unparsed
from ctxd_parsers.framing import Framer
from ctxd_parsers.parser import Storage
from ctxd_parsers.reading import read_companions
from ctxd_parsers.registry import PARSERS
from golden import cases, transcripts

BETWEEN = {
    "a line of NULs": b"\0" * 512,
    "garbage": b"!!! not a log line",
    "a torn line": b'{"type":"pr-link","sessionId":"x","prNu',
    "numbers, texts, lists, null": b'42\n"str"\n[]\nnull',
    "empty lines": b"\n   \n\r",
    "deep nesting": b'{"type":' + b'{"x":' * 100_000 + b"1" + b"}" * 100_000 + b"}",
    "a raw newline in a string": b'{"type":"user","message":{"content":"one\ntwo"},"id":"z"}',
    "invalid UTF-8": b'{"\xff\xfe\x80',
}
GLUED = {
    "NULs before a record": b"\0" * 300,
    "a torn record before a whole one": b'{"type":"pr-link","sessionId":"x","prNu',
    "a torn string before a whole record": b'{"kind":"user","text":"and then he sa',
}


def line_samples():
    """A few small transcripts of every line store."""
    return list(_samples())


def _samples():
    for parser in PARSERS:
        found = [
            transcript
            for case in cases()
            for transcript in transcripts(case)
            if transcript.parser.name == parser.name and transcript.storage is Storage.LINES
        ]
        by_size = sorted(found, key=lambda transcript: transcript.path.stat().st_size)
        for transcript in [found for found in by_size if records_of(found) > 3][:4]:
            yield pytest.param(transcript, id=f"{parser.name}-{transcript.path.parent.name[:20]}")


def records_of(transcript):
    return transcript.path.read_bytes().count(b"\n")


def events(transcript, data):
    """What the damaged log gives, as far as it does not speak of the damage itself."""
    companions = read_companions(transcript.parser, transcript.path)
    state = transcript.parser.begin(transcript.path, companions)
    return list(transcript.parser.parse(Framer().feed(data), state))


def content(found):
    import msgspec

    kept = [event for event in found if not isinstance(event, (Unparsed, Unknown))]
    return [msgspec.structs.replace(event, span=None) for event in kept]


def lines_of(transcript):
    data = transcript.path.read_bytes()
    return data[: data.rfind(b"\n")].split(b"\n")


@pytest.mark.parametrize("transcript", line_samples())
@pytest.mark.parametrize("damage", BETWEEN.values(), ids=BETWEEN.keys())
def test_damage_between_records_leaves_all_records(transcript, damage):
    lines = lines_of(transcript)
    whole = b"\n".join(lines) + b"\n"
    for place in {1, len(lines) // 2, len(lines)}:
        damaged = b"\n".join([*lines[:place], damage, *lines[place:]]) + b"\n"
        found = events(transcript, damaged)
        assert content(found) == content(events(transcript, whole))
        if damage.strip():
            assert any(isinstance(event, Unparsed) for event in found)


@pytest.mark.parametrize("transcript", line_samples())
@pytest.mark.parametrize("damage", GLUED.values(), ids=GLUED.keys())
def test_a_record_behind_damage_on_its_line_is_read(transcript, damage):
    lines = lines_of(transcript)
    whole = b"\n".join(lines) + b"\n"
    for place in {1, len(lines) // 2}:
        damaged = b"\n".join([*lines[:place], damage + lines[place], *lines[place + 1 :]]) + b"\n"
        found = events(transcript, damaged)
        assert content(found) == content(events(transcript, whole))
        assert any(isinstance(event, Unparsed) for event in found)


@pytest.mark.parametrize("transcript", line_samples())
def test_two_records_without_a_newline_between_are_both_read(transcript):
    lines = lines_of(transcript)
    place = len(lines) // 2
    glued = [*lines[: place - 1], lines[place - 1] + lines[place], *lines[place + 1 :]]
    found = events(transcript, b"\n".join(glued) + b"\n")
    assert content(found) == content(events(transcript, b"\n".join(lines) + b"\n"))


@pytest.mark.parametrize("transcript", line_samples())
@pytest.mark.parametrize(
    "rewrite",
    [
        lambda lines: b"\xef\xbb\xbf" + b"\n".join(lines) + b"\n",
        lambda lines: b"\r\n".join(lines) + b"\r\n",
        lambda lines: b"\n".join(lines) + b"\n" + b"\0" * 1728,
        lambda lines: b"\n".join(lines) + b"\n" + lines[-1][: len(lines[-1]) // 2],
    ],
    ids=["byte order mark", "CRLF", "trailing NULs", "unfinished last line"],
)
def test_odd_beginnings_ends_and_line_ends_change_nothing(transcript, rewrite):
    lines = [line.removesuffix(b"\r") for line in lines_of(transcript)]
    whole = b"\n".join(lines) + b"\n"
    assert content(events(transcript, rewrite(lines))) == content(events(transcript, whole))


@pytest.mark.parametrize("transcript", line_samples())
def test_records_appended_behind_trailing_nuls_are_read(transcript):
    lines = lines_of(transcript)
    place = len(lines) // 2
    data = b"\n".join(lines[:place]) + b"\n" + b"\0" * 1728 + b"\n".join(lines[place:]) + b"\n"
    whole = b"\n".join(lines) + b"\n"
    assert content(events(transcript, data)) == content(events(transcript, whole))
