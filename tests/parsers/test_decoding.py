"""Typed rows from damaged records: good records around damage are read, each fault counted."""

import json
import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxd_parsers.decoding import Damage, RowDecoder
from ctxd_parsers.framing import Framer
from ctxd_parsers.parser import Record


class Part(msgspec.Struct):
    text: str | None = None
    number: int | None = None


class Row(msgspec.Struct):
    type: str = ""
    session: str = ""
    text: str = ""
    count: int | None = None
    part: Part | None = None
    parts: str | list[Part] = ""
    path: list[str] = []


DECODER = RowDecoder(Row, marks=("type", "session"))
GOOD = b'{"type":"user","session":"s","text":"first"}'
NEXT = b'{"session":"s","type":"user","text":"second"}'


def rows(data: bytes) -> list[Row | Damage]:
    return [row for _, row in decoded(data)]


def decoded(data: bytes) -> list[tuple[Record, Row | Damage]]:
    return list(DECODER.rows(Framer().feed(data)))


def texts(data: bytes) -> list[str]:
    return [row.text if isinstance(row, Row) else f"({row.reason})" for row in rows(data)]


@pytest.mark.parametrize(
    ("damaged", "expected"),
    [
        (GOOD + b"\n" + b"\0" * 512 + b"\n" + NEXT, ["first", "(NUL bytes)", "second"]),
        (GOOD + b"\n" + b"\0" * 300 + NEXT, ["first", "(NUL bytes)", "second"]),
        (GOOD + b"\0" * 7 + b"\n" + NEXT, ["first", "second"]),
        (b"\xef\xbb\xbf" + GOOD + b"\n" + NEXT, ["first", "second"]),
        (GOOD + b"\r\n" + NEXT + b"\r", ["first", "second"]),
        (GOOD + NEXT, ["first", "second"]),
        (GOOD + b"  " + NEXT, ["first", "second"]),
        (b'{"type":"pr-link","session":"x","prNu' + NEXT, ["(torn record)", "second"]),
        (b'{"type":"user","session":"s","text":"cut in a str' + NEXT, ["(torn record)", "second"]),
        (GOOD + b'{"type":"user","sess', ["(torn record)", "first"]),
        (b'{"torn":{"type":"user"},"x' + NEXT, ["(torn record)", "second"]),
        (b"42\nnull\n[]\n" + GOOD, ["(not an object)"] * 3 + ["first"]),
        (b'"text"\n' + GOOD, ["(not an object)", "first"]),
        (b"\n   \n\t\n" + GOOD, ["first"]),
        (b"garbage\n" + GOOD, ["(not JSON)", "first"]),
        (
            b'{"x":' * 100_000 + b"1" + b"}" * 100_000 + b"\n" + GOOD,
            ["(nested too deeply)", "first"],
        ),
        (GOOD.replace(b"first", rb"cut \ud83c emoji"), ["cut \ufffd emoji"]),
        (
            GOOD.replace(b"first", rb"whole \ud83c\udf89 and \\ud83c"),
            ["whole \U0001f389 and \\ud83c"],
        ),
        (GOOD.replace(b"first", rb"\ude00\ud83d"), ["\ufffd\ufffd"]),
        (GOOD.replace(b"first", b"bad \xff\xfe byte"), ["bad \ufffd\ufffd byte"]),
        (GOOD.replace(b"first", "a\u2028b\u0085c".encode()), ["a\u2028b\u0085c"]),
        (b'{"type":"user","text":"a\nb","session":"s"}\n' + GOOD, ["(not JSON)"] * 2 + ["first"]),
    ],
)
def test_good_records_around_damage_are_read(damaged, expected):
    assert texts(damaged + b"\n") == expected


def test_a_field_of_another_type_costs_only_that_field():
    row = rows(b'{"type":"user","session":"s","text":["no","string"],"count":3}\n')[0]
    assert row == Row("user", "s", "", 3)


@pytest.mark.parametrize(
    ("field", "read"),
    [
        (b'"part":{"text":"kept","number":"three"}', {"part": Part("kept")}),
        (b'"part":{"text":{"new":"shape"},"number":3}', {"part": Part(None, 3)}),
        (b'"part":"no object"', {}),
        (
            b'"parts":[{"text":"a"},7,{"text":"b","number":[]},null]',
            {"parts": [Part("a"), Part("b")]},
        ),
        (b'"parts":{"text":"no list"}', {}),
        (b'"path":["a",7,"b"]', {}),
        (b'"part":{"text":"a"},"text":[]', {"part": Part("a")}),
    ],
)
def test_inside_a_field_too_another_type_costs_only_itself(field, read):
    (row,) = rows(b'{"type":"user","session":"s",' + field + b"}\n")
    assert row == Row("user", "s", **read)


INNER = b'{"type":"user","session":"s","text":"said elsewhere"}'


@pytest.mark.parametrize(
    ("torn", "expected"),
    [
        (b'{"type":"progress","history":[' + INNER + b',{"type":"us', ["(not JSON)"]),
        (b'{"type":"progress","last":' + INNER + b',"uuid":"', ["(not JSON)"]),
        (b'ogress","history":[' + INNER + b'],"uuid":"x"}', ["(not JSON)"]),
        (b'{"type":"progress","history":[' + INNER + b',{"a', ["(torn record)", "second"]),
        (b'ory":[' + INNER + b"," + INNER + b'],"uuid":"x"}', ["(torn record)", "second"]),
    ],
)
def test_what_stands_inside_a_torn_record_is_no_record(torn, expected):
    """Nested histories and tool arguments look like records and were said by somebody else."""
    glued = NEXT if "second" in expected else b""
    assert texts(torn + glued + b"\n") == expected


def test_whole_records_before_between_and_behind_torn_ones_are_read():
    third = NEXT.replace(b"second", b"third")
    line = GOOD + b'{"type":"pr' + NEXT + b'{"type":"li' + third + b'{"type":"x'
    assert texts(line + b"\n") == ["(torn record)", "first", "second", "third"]
    assert texts(GOOD + b"garbage\n") == ["(torn record)", "first"]


def test_unknown_and_repeated_keys_are_no_damage():
    assert texts(b'{"type":"a","type":"user","session":"s","text":"x","new":{"deep":[1]}}\n') == [
        "x"
    ]


def test_numbers_beyond_the_machine_are_no_damage():
    assert texts(b'{"session":"s","type":"u","text":"x","count":1' + b"0" * 400 + b"}\n") == ["x"]


def test_the_span_of_a_glued_record_is_its_own():
    data = GOOD + b"\n" + b'{"type":"pr-link","session":"x","prNu' + NEXT + b"\n"
    spans = [(r.start, r.end) for r, row in decoded(data) if isinstance(row, Row)]
    assert [data[start:end].strip() for start, end in spans] == [GOOD, NEXT]


@given(st.binary(max_size=200))
def test_random_bytes_never_raise(data):
    rows(data + b"\n")


@given(st.text(max_size=40), st.integers(0, 200))
def test_a_record_behind_any_torn_prefix_of_another_is_read(text, cut):
    whole = json.dumps({"type": "user", "session": "s", "text": text, "list": [{"type": "x"}]})
    torn = whole.encode()[: cut % len(whole)]
    assert rows(torn + NEXT + b"\n")[-1] == Row("user", "s", "second")


@pytest.mark.parametrize(
    "junk",
    [b'{"a":' * 400_000, b'{"a":[' + b'{"b":1},' * 250_000, b'{"' * 1_000_000, b"{" * 2_000_000],
)
def test_damage_of_any_shape_is_worked_through_in_bounded_time(junk):
    """Two megabytes of it end in seconds; what is guarded against is minutes and hours."""
    began = time.monotonic()
    assert isinstance(rows(junk + b"\n")[0], Damage)
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("item", [b"1", b"[]", b'{"text":1}'])
def test_a_huge_list_of_what_nobody_expects_costs_its_field_and_no_time(item):
    parts = b",".join([item] * (20_000_000 // len(item)))
    began = time.monotonic()
    (row,) = rows(b'{"type":"user","session":"s","text":"kept","parts":[' + parts + b"]}\n")
    assert row == Row("user", "s", "kept")
    assert time.monotonic() - began < 10
