"""Measures in one unit, and rates as intervals: one quantity is one key however it is written.

"0.8 m/s" is "80 cm/s", 200 µm are 0.2 mm, "six rounds a minute" is "every 10 s", and a constant in
code is what it comes to: `90 * 24 * 3600 * 1000`. What is not known stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

_SMALLER = re.compile(
    r"(?<![\w.,])(\d{1,6}(?:\.\d{1,6})?) ?(?:(m|cm|mm)/s\b|(µm|μm|um|micrometres?|micrometers?)\b)",
    re.IGNORECASE,
)
_MILLIMETRES = {"m": 1000.0, "cm": 10.0, "mm": 1.0}
_MICROMETRE = 0.001
_OFTEN = re.compile(
    r"\b(\d{1,5}|two|three|four|five|six|ten|twelve|twenty|thirty|sixty)(?: [a-z]{2,20}){1,4}?"
    r" (?:an?|per|each|every) (second|minute|hour|day)\b",
    re.IGNORECASE,
)
_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "twelve": 12,
          "twenty": 20, "thirty": 30, "sixty": 60}  # fmt: skip
_SECONDS = {"s": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600,
            "d": 86400, "day": 86400}  # fmt: skip
_SHORT = ("s", "min", "h", "d")
_PRODUCT = re.compile(r"(?<![\w.*])\d{1,9}(?: ?\*{1,2} ?\d{1,9}){1,6}(?![\w*]|\.\d)")
_FACTOR = re.compile(r"(\d+)(?: ?\*\* ?(\d{1,2})(?!\d))?")
_LARGEST = 1e18
_BINARY = tuple((1024**power, 1000**power) for power in (4, 3, 2, 1))


def in_one_unit(text: str) -> str:
    """Return a text with speeds in millimetres a second and small lengths in millimetres."""
    return _SMALLER.sub(_smaller, text) if "/s" in text or "m" in text else text


def decimal(size: float) -> float:
    """Return a size of memory as if a kilobyte had a thousand bytes: both are written alike."""
    for binary, whole in _BINARY:
        if size >= binary and size % binary == 0:
            return size / binary * whole
    return size


def rates(text: str) -> Iterator[str]:
    """Yield the intervals of "six rounds of polling a minute" and what constants come to."""
    for times, of in _OFTEN.findall(text):
        count = _WORDS.get(times.casefold()) or int(times)
        if count:
            yield from as_often(_SECONDS[of.casefold()] / count)
    for found in _PRODUCT.findall(text) if "*" in text else ():
        value = prod(_powers(found))
        if value < _LARGEST:
            yield from (f"#s:{value:.6g}", f"#s:{value / 1000:.6g}")
            yield from (f"#byte:{decimal(value):.6g}", f"#:{value:.6g}")


def as_often(seconds: float) -> Iterator[str]:
    """Yield the keys of what happens every so many seconds."""
    yield f"#s:{seconds:.6g}"
    for per in _SHORT:
        yield f"#/{per}:{_SECONDS[per] / seconds:.6g}"


def seconds_of(per: str) -> int:
    """Return the seconds that a rate is counted by, 0 for what is no time."""
    return _SECONDS.get(per, 0)


def _powers(found: str) -> Iterator[float]:
    for base, power in _FACTOR.findall(found):
        yield min(float(base) ** int(power or 1), _LARGEST)


def _smaller(found: re.Match[str]) -> str:
    if found[2]:
        return f"{float(found[1]) * _MILLIMETRES[found[2].casefold()]:g} mm/s"
    return f"{float(found[1]) * _MICROMETRE:g} mm"
