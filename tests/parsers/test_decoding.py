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


class Row(msgspec.Struct):
    type: str = ""
    session: str = ""
    text: str = ""
    count: int | None = None


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
        (b'{"x":' * 5000 + b"1" + b"}" * 5000 + b"\n" + GOOD, ["(nested too deeply)", "first"]),
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
