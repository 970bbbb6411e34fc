"""The numbers of a text as keys, one for one quantity whatever it is written in."""

from __future__ import annotations

import re
from functools import lru_cache

from ctxd.extract.slot_numbers import Number
from ctxd.extract.slots import slots
from ctxd.policy.retention import TEXTS_REMEMBERED
from ctxd.retention.measured import as_often, decimal, rates, seconds_of
from ctxd.retention.tables import measures, units

_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|"
    r"forty|fifty|sixty|ninety|hundred|dozen|half|once|twice|quarter|every|each|zero|"
    r"a (?:day|week|month|year|minute|hour)|"
    r"hourly|daily|weekly|monthly|yearly|nightly|noon|midnight)\b",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"(?<![\d/.])1/(\d{1,6})(?![\d/])")
_HERTZ = re.compile(r"(?<![\d.])(\d{1,6}) ?hz\b", re.IGNORECASE)
_SPOKEN = re.compile(
    r"\b(half an?|a quarter of an|once (?:an?|each|every|per)|twice an?|every|each) "
    r"(second|minute|hour|day|week)\b",
    re.IGNORECASE,
)
_EVERY = re.compile(r"\b(?:every|each|per) (\d{1,5}(?:\.\d{1,3})? ?[a-z]{1,8})\b", re.IGNORECASE)
_HALVES = re.compile(
    r"\b(one|two|three|an?) (?:(second|minute|hour|day|week) and a half|"
    r"and a half (second|minute|hour|day|week)s?)\b",
    re.IGNORECASE,
)
_COUNTS = {"one": 1, "two": 2, "three": 3}
_SOME = {
    "half a": 0.5, "half an": 0.5, "a quarter of an": 0.25, "twice a": 0.5, "twice an": 0.5,
    "every": 1, "each": 1, "once a": 1, "once an": 1, "once each": 1, "once every": 1,
    "once per": 1,
}  # fmt: skip
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_ZERO = re.compile(r"\bzero\b|(?<![\w.,])0(?![\w.,])", re.IGNORECASE)


@lru_cache(maxsize=TEXTS_REMEMBERED)
def counted(text: str) -> frozenset[str]:
    """Return the numbers of a text as keys."""
    if _NUMBER.search(text) is None:
        return frozenset()
    numbers = slots(text).numbers
    found = {number_key(number) for number in numbers} | set(rates(text))
    for number in numbers:
        every = seconds_of(number.per) if not number.unit else 0
        if every and number.value > 0:
            found.update(as_often(every / number.value))
    fractions = (*_FRACTION.findall(text), *_HERTZ.findall(text))
    found |= {f"#s:{1 / int(rate):.6g}" for rate in fractions if int(rate)}
    for count, of, half in _HALVES.findall(text):
        whole = _COUNTS.get(count.casefold(), 1)
        found.add(f"#s:{(whole + 0.5) * _SECONDS[(of or half).casefold()]:.6g}")
    for some, of in _SPOKEN.findall(text):
        found.update(as_often(_SOME[some.casefold()] * _SECONDS[of.casefold()]))
    for every in _EVERY.findall(text):
        timed = (number for number in slots(every).numbers if number.unit == "s" and number.value)
        for number in timed:
            found.update(as_often(number.value))
    if _ZERO.search(text):
        found.add("#:0")
    return frozenset(found)


def number_key(number: Number) -> str:
    """Return a number as a key."""
    per = f"/{number.per}" if number.per else ""
    unit = number.unit or units().get(number.of, "")
    what, size = measures().get(unit, (number.unit, 1.0))
    value = decimal(number.value) if unit == "byte" else number.value * size
    return f"#{what}{per}:{value:.6g}"
