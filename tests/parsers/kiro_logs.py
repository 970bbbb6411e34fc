"""What the tests of Kiro's stores share: the oracle, logs made in place, and hostile damage."""

import json
from pathlib import Path

from ctxd_parsers.events import UserMessage
from ctxd_parsers.framing import Framer
from ctxd_parsers.parser import Record
from ctxd_parsers.reading import Transcript, read_events
from golden import CASES

ORACLE = json.loads((CASES / "kiro" / "expected.json").read_text(encoding="utf-8"))["stores"]
LOST = {
    "never write the signing secret to any log": "signing secret",
    "why Celery was rejected": "Celery",
    "why Celery was rejected (broker, Redis failover)": "Celery",
    "410 Gone question": "410 Gone",
}
"""Facts that the oracle says a summary leaves out, by words that would state them."""


def log_of(generation: str) -> Path:
    return CASES / "kiro" / generation / "webhook_retries" / "log"


def read(parser, path, storage=None, tables=()):
    return list(read_events(Transcript(path, parser, storage or parser_storage(parser), tables)))


def parser_storage(parser):
    from pathlib import PurePosixPath

    from ctxd_parsers.environment import Environment

    return parser.sources(Environment("linux", PurePosixPath("/home/dev")))[0].storage


def of(events, *types):
    return [event for event in events if isinstance(event, types)]


def words(events):
    return [event.text for event in of(events, UserMessage)]


def parse(parser, path, data, companions=None):
    """The events of a line log's bytes, in which a last line without newline still waits."""
    state = parser.begin(path, companions or {})
    return list(parser.parse(Framer().feed(data), state))


def parse_document(parser, path, value, companions=None):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    state = parser.begin(path, companions or {})
    return list(parser.parse([Record(data, 0, len(data))], state))


def lines(*rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


NEWLINE = b"\n"


def hostile(prompt, torn):
    """Shapes of damage between the prompts BEFORE and AFTER, each with the words it should give.

    `prompt` makes the bytes of a prompt's line from its words, `torn` is the start of a record.
    """
    a, c, last = prompt("BEFORE"), prompt("AFTER"), prompt("LAST")
    odd = prompt("cut ODD here")
    all_three = ["BEFORE", "AFTER", "LAST"]

    def join(*parts):
        return NEWLINE.join(parts) + NEWLINE

    deep = b'{"kind":' + b'{"x":' * 100_000 + b"1" + b"}" * 100_000 + b"}"
    return {
        "clean": (join(a, c, last), all_three, 0),
        "NULs in the middle": (join(a, b"\0" * 512, c, last), all_three, 1),
        "NULs at the end": (join(a, c, last) + b"\0" * 1728, all_three, 0),
        "NULs before a record": (join(a, b"\0" * 300 + c, last), all_three, 1),
        "torn record glued to a whole one": (join(a, torn + c, last), all_three, 1),
        "two records on a line": (join(a, c + last), all_three, 0),
        "torn last record": (join(a, c) + last[: len(last) // 2], ["BEFORE", "AFTER"], 0),
        "byte order mark": (b"\xef\xbb\xbf" + join(a, c, last), all_three, 0),
        "Windows line ends": (join(a, c, last).replace(b"\n", b"\r\n"), all_three, 0),
        "lone surrogate": (
            join(a, odd.replace(b"ODD", rb"\ud83c"), c, last),
            ["BEFORE", "cut \ufffd here", "AFTER", "LAST"],
            0,
        ),
        "bad UTF-8": (
            join(a, odd.replace(b"ODD", b"\xff\xfe\x80"), c, last),
            ["BEFORE", "cut \ufffd\ufffd\ufffd here", "AFTER", "LAST"],
            0,
        ),
        "line separators in a string": (
            join(a, odd.replace(b"ODD", "x\u2028y\u2029z\x85".encode()), c, last),
            ["BEFORE", "cut x\u2028y\u2029z\x85 here", "AFTER", "LAST"],
            0,
        ),
        "values that are no records": (
            join(a, b"42", b'"str"', b"[]", b"null", c, last),
            all_three,
            4,
        ),
        "empty lines": (join(a, b"", b"   ", b"\r", c, b"", last), all_three, 0),
        "deep nesting": (join(a, deep, c, last), all_three, 1),
        "raw newline in a string": (
            join(a, odd.replace(b"ODD", b"\n"), c, last),
            all_three,
            2,
        ),
    }
