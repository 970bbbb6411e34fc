"""Ids as people read and type them: as short as they can be and still tell."""

from __future__ import annotations

from collections.abc import Iterable

from ctxd.policy.daemon import SHORT_ID_CHARS


def short_ids(ids: Iterable[str], least: int = SHORT_ID_CHARS) -> dict[str, str]:
    """The shortest start of each id that no other one has, of a readable length."""
    ordered = sorted(set(ids))
    short = {}
    for index, own in enumerate(ordered):
        neighbours = ordered[max(index - 1, 0) : index] + ordered[index + 1 : index + 2]
        needed = max([_common_prefix(own, other) + 1 for other in neighbours], default=0)
        short[own] = own[: max(needed, least)]
    return short


def _common_prefix(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
