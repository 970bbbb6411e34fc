"""Numbers with their units, in one form whatever way they were written.

"4k", "4,000" and "4000" are one number; so are "72 h" and "three days". A number knows what is
counted per what ("40 times a day"), whether it is a limit from above or below, and whether it is
the one turned down ("15 minutes, not 20").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from ctxd.extract.slot_cues import CUES
from ctxd.extract.slot_tokens import Token
from ctxd.extract.slot_words import STOP, term_of


class Number(msgspec.Struct, frozen=True, gc=False):
    """A number as it binds."""

    value: float
    unit: str = ""
    """`s` for times, `byte` for sizes, `clock`, `date`, `%`, a currency, or empty for a count."""
    per: str = ""
    bound: str = ""
    """`max`, `min` or empty."""
    of: str = ""
    """Stem of what is counted, where the next word says it."""
    denied: bool = False
    beside: bool = False
    """Whether another number may hold as well: a prohibition or permission settles no value."""
    written: float = 0
    """The digits as they stand there, whatever their unit."""


_SECONDS: dict[str, float] = {
    "ms": 0.001, "millisecond": 0.001, "milliseconds": 0.001, "msec": 0.001, "millis": 0.001,
    "µs": 1e-6, "us": 1e-6, "microseconds": 1e-6, "ns": 1e-9,
    "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1,
    "min": 60, "mins": 60, "minute": 60, "minutes": 60, "m": 60,
    "h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600,
    "d": 86400, "day": 86400, "days": 86400, "w": 604800, "week": 604800, "weeks": 604800,
    "fortnight": 1209600, "month": 2592000, "months": 2592000,
    "quarter": 7776000, "year": 31536000, "years": 31536000, "yr": 31536000,
}  # fmt: skip
_BYTES = {
    name: 1024**power
    for power, names in enumerate(
        ("b byte bytes", "kb kib kilobyte kilobytes", "mb mib megabyte megabytes meg megs",
         "gb gib gig gigs g gigabyte gigabytes", "tb tib terabyte terabytes")
    )
    for name in names.split()
}  # fmt: skip
_FACTORS = {"k": 1e3, "thousand": 1e3, "mio": 1e6, "million": 1e6, "millions": 1e6,
            "bn": 1e9, "billion": 1e9, "dozen": 12, "hundred": 100}  # fmt: skip
_SAME_UNITS = {
    "percent": "%", "pct": "%", "dollar": "$", "dollars": "$", "usd": "$", "euro": "€",
    "euros": "€", "eur": "€", "cent": "ct", "cents": "ct", "pixel": "px", "pixels": "px",
    "metre": "metre", "metres": "metre", "meter": "metre", "meters": "metre", "km": "km",
    "mm": "mm", "cm": "cm", "px": "px", "em": "em", "rem": "rem", "dp": "dp", "pt": "pt",
    "fps": "fps", "hz": "hz", "khz": "khz", "mhz": "mhz", "ghz": "ghz", "°": "°", "bit": "bit",
    "bits": "bit", "x": "x", "times": "", "time": "", "ct": "ct", "%": "%", "$": "$",
    "€": "€", "£": "£", "mile": "mile", "miles": "mile", "mi": "mile",
}  # fmt: skip
_RATES = {"mph": "h", "kmh": "h", "rps": "s", "qps": "s", "rpm": "min",
          "hourly": "h", "daily": "d", "weekly": "w",
          "monthly": "month", "yearly": "year", "nightly": "d"}  # fmt: skip
_ABBREVIATED = {"rps": "", "qps": "", "rpm": "", "mph": "mile", "kmh": "km"}
_PER = {
    word: short
    for short, words in {
        "s": "s sec second seconds", "min": "min minute", "h": "h hr hour", "d": "d day night",
        "w": "w week", "month": "month", "year": "year", "user": "user", "file": "file",
        "request": "request req", "commit": "commit", "client": "client", "ip": "ip",
        "page": "page", "session": "session", "repo": "repo", "run": "run", "pr": "pr",
    }.items()
    for word in words.split()
}  # fmt: skip
_WORDS: dict[str, float] = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
_WORDS |= {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100,
           "once": 1, "twice": 2, "thrice": 3, "half": 0.5}  # fmt: skip
_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march", "april apr", "may", "june", "july",
         "august aug", "september sept sep", "october oct", "november nov", "december dec"), 1)
    for name in names.split()
}  # fmt: skip
UNITS = frozenset((*_SECONDS, *_BYTES, *_FACTORS, *_SAME_UNITS))
"""Words that change what a number says."""
_CLOCKS = {"midnight": 0.0, "noon": 12.0}
_SHAPE = re.compile(
    r"(?P<sign>[~≈<>≤≥=]{0,2})(?P<money>[$€£]?)(?P<value>\d[\d,]*(?:\.\d+)?)(?P<clock>:\d\d)?"
    r"(?:-(?P<to>\d[\d,]*(?:\.\d+)?))?-?(?P<unit>[a-zA-Zµ°%]{0,12})(?:/(?P<per>[a-z]{1,8}))?"
    r"(?P<more>\+?)"
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_PER_WORDS = frozenset({"per", "a", "an", "each", "every"})
_STARTS = frozenset((*_MONTHS, *_CLOCKS, *_RATES, *_WORDS, *_PER_WORDS))
"""Words with which a number may begin."""
_SIGNS = {"<": "max", "≤": "max", "<=": "max", ">": "min", "≥": "min", ">=": "min"}


class _Reading(msgspec.Struct):
    """A number while its words are read."""

    values: list[float]
    unit: str = ""
    factor: float = 1
    per: str = ""
    bound: str = ""
    of: str = ""


def number_at(tokens: Sequence[Token], at: int) -> tuple[list[Number], int]:
    """Return the numbers that begin at a token, and how many tokens they take; none: `[], 0`."""
    token = tokens[at]
    if token.kind != "number" and token.text not in _STARTS:
        return [], 0
    reading, used = _start(tokens, at)
    if reading is None:
        return [], 0
    used += _units(reading, tokens, at + used)
    used += _per(reading, tokens, at + used)
    numbers = [
        Number(
            value=value * reading.factor,
            unit=reading.unit,
            per=reading.per,
            bound=reading.bound,
            of=reading.of,
            written=value,
        )
        for value in reading.values
    ]
    return numbers, used


def rate_at(tokens: Sequence[Token], at: int) -> str:
    """Return the `per` that two tokens name ("per hour", "a day"), or an empty string."""
    word = _text(tokens, at)
    if word not in _PER_WORDS:
        return ""
    following = _text(tokens, at + 1)
    if word == "per" or following in _SECONDS:
        return _PER.get(following, "")
    return ""


def _start(tokens: Sequence[Token], at: int) -> tuple[_Reading | None, int]:
    token = tokens[at]
    if token.kind == "number":
        return _digits(token.text), 1
    if token.kind != "word":
        return None, 0
    if token.text in _MONTHS and (day := _day(tokens, at + 1)):
        return _Reading([_MONTHS[token.text] * 100 + day], "date"), 2
    following = _text(tokens, at + 1)
    if token.text in {"every", "each"} and _PER.get(following) in _SECONDS:
        return _Reading([1], "s", _SECONDS[_PER[following]]), 2
    return _spelled(token.text, following), 1


def _spelled(word: str, following: str) -> _Reading | None:
    counted = following in _SECONDS or following in _PER
    if word in _CLOCKS:
        return _Reading([_CLOCKS[word]], "clock")
    if word in _RATES and word not in _ABBREVIATED:
        return _Reading([1], "s", _SECONDS[_RATES[word]])
    if word in _WORDS and (word != "one" or counted):
        return _Reading([_WORDS[word]])
    if word in {"a", "an"} and following in _SECONDS and len(following) > 1:
        return _Reading([1])
    return None


def _digits(text: str) -> _Reading | None:
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        return None
    values = [_value(shape["value"])]
    if shape["to"]:
        values.append(_value(shape["to"]))
    reading = _Reading(values, bound=_SIGNS.get(shape["sign"], "min" if shape["more"] else ""))
    if shape["money"]:
        reading.unit = shape["money"]
    if shape["clock"]:
        reading.values = [values[0] + int(shape["clock"][1:]) / 60]
        reading.unit = "clock"
    if shape["per"]:
        reading.per = _PER.get(shape["per"], shape["per"])
    _unit(reading, "mio" if shape["unit"] == "M" else shape["unit"].casefold())
    return reading


def _value(digits: str) -> float:
    plain = digits.rstrip(",")
    if _THOUSANDS.fullmatch(plain.partition(".")[0]):
        return float(plain.replace(",", ""))
    whole, _, fraction = plain.partition(",")
    return float(f"{whole}.{fraction}") if fraction.isdigit() else float(whole)


def _unit(reading: _Reading, name: str) -> bool:
    """Take a unit; whether it is one."""
    if name in _SECONDS:
        reading.unit, reading.factor = "s", _SECONDS[name]
    elif name in _BYTES:
        reading.unit, reading.factor = "byte", _BYTES[name]
    elif name in _FACTORS:
        reading.factor *= _FACTORS[name]
    elif name in {"am", "pm"}:
        later = 12 if name == "pm" and reading.values[0] < 12 else 0  # noqa: PLR2004
        reading.values = [value + later for value in reading.values]
        reading.unit = "clock"
    elif name in _RATES:
        reading.per, reading.unit = _RATES[name], _ABBREVIATED.get(name, "")
    elif name in _SAME_UNITS:
        reading.unit = _SAME_UNITS[name] or reading.unit
    elif name:
        reading.of = "" if name in STOP or name in CUES else term_of(name)
        return False
    return bool(name)


def _units(reading: _Reading, tokens: Sequence[Token], at: int) -> int:
    """Take the unit that follows as a word; how many tokens it took."""
    word = _text(tokens, at)
    if not word or reading.unit == "clock":
        return 0
    if word in _MONTHS:
        reading.values = [_MONTHS[word] * 100 + reading.values[0]]
        reading.unit = "date"
        return 1
    single = len(word) == 1 and tokens[at].kind != "word"
    if not reading.unit and not single and _unit(reading, word):
        return 1
    if word in _FACTORS and _unit(reading, word):
        return 1
    return 0


def _per(reading: _Reading, tokens: Sequence[Token], at: int) -> int:
    per = rate_at(tokens, at)
    if not per:
        return 0
    reading.per = per
    return 2


def _day(tokens: Sequence[Token], at: int) -> int:
    if at >= len(tokens) or tokens[at].kind != "number":
        return 0
    digits = tokens[at].text
    return int(digits) if digits.isdigit() and len(digits) <= 2 else 0  # noqa: PLR2004


def _text(tokens: Sequence[Token], at: int) -> str:
    if at < len(tokens) and tokens[at].kind in {"word", "part"}:
        return tokens[at].text
    return ""
