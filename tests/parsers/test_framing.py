"""Lines from bytes: nothing lost, nothing invented, however the bytes arrive."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ctxd_parsers.framing import TOO_LONG, Framer
from ctxd_parsers.parser import Record

line = st.binary(max_size=30).map(lambda data: data.replace(b"\n", b""))
log = st.lists(line, max_size=12).map(lambda parts: b"\n".join(parts))


def fed(data: bytes, cuts: list[int], **options: int) -> tuple[list[Record], Framer]:
    framer, records = Framer(**options), []
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for start, end in pairwise(places):
        records += framer.feed(data[start:end])
    return records, framer


@given(log, st.lists(st.integers(0, 400), max_size=8))
def test_records_do_not_depend_on_how_the_bytes_were_chunked(data, cuts):
    assert fed(data, cuts)[0] == fed(data, [])[0]


@given(log)
def test_every_whole_line_that_is_not_empty_is_a_record(data):
    records, _ = fed(data, [])
    expected = [part for part in data.split(b"\n")[:-1] if part not in {b"", b"\r"}]
    assert [record.data for record in records] == expected


@given(log, st.lists(st.integers(0, 400), max_size=8))
def test_a_span_cuts_its_record_out_of_the_log(data, cuts):
    for record in fed(data, cuts)[0]:
        assert data[record.start : record.end] == record.data + b"\n"


@given(log, st.lists(st.integers(0, 400), max_size=8))
def test_the_offset_is_where_the_unfinished_line_begins(data, cuts):
    _, framer = fed(data, cuts)
    assert framer.offset == data.rfind(b"\n") + 1
    assert framer.pending == len(data) - framer.offset


@given(log, log)
def test_reading_on_from_the_offset_gives_the_rest(first, second):
    records, framer = fed(first, [])
    resumed = Framer(framer.offset)
    more = list(resumed.feed((first + second)[framer.offset :]))
    assert records + more == fed(first + second, [])[0]


def test_an_unfinished_line_waits_until_its_newline_comes():
    framer = Framer()
    assert list(framer.feed(b'{"a":')) == []
    assert list(framer.feed(b"1}\n")) == [Record(b'{"a":1}', 0, 8)]


def test_the_tail_gives_the_last_line_that_has_no_newline():
    framer = Framer()
    list(framer.feed(b"one\ntwo"))
    assert list(framer.tail()) == [Record(b"two", 4, 7)]
    assert list(framer.tail()) == []


def test_unicode_line_separators_do_not_end_a_record():
    data = '{"text":"a\u2028b\u2029c\u0085d"}\n'.encode()
    assert [record.data for record in Framer().feed(data)] == [data[:-1]]


@given(st.lists(st.integers(0, 400), max_size=8))
def test_a_line_over_the_limit_is_counted_and_the_next_one_is_read(cuts):
    data = b"x" * 50 + b"\nshort\n" + b"y" * 41 + b"\nlast\n"
    records, framer = fed(data, cuts, limit=40)
    assert records == [
        Record(b"", 0, 51, damage=TOO_LONG),
        Record(b"short", 51, 57),
        Record(b"", 57, 99, damage=TOO_LONG),
        Record(b"last", 99, 104),
    ]
    assert framer.offset == len(data)


def test_an_endless_line_is_not_held_in_memory():
    framer = Framer(limit=1000)
    for _ in range(1000):
        assert list(framer.feed(b"z" * 1000)) == []
    assert framer.pending == 1_000_000
    assert sum(map(len, framer._parts)) <= 1000
    assert next(framer.feed(b"\n")).damage == TOO_LONG
