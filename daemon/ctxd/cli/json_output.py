"""Results as JSON on stdout: UTF-8 whatever the locale, keys sorted, nothing else beside it."""

from __future__ import annotations

import sys

import msgspec

from ctxd.terminal import visible_json


def print_json(value: msgspec.Struct) -> None:
    """Write one object on one line."""
    print_line(msgspec.json.encode(value, order="sorted"))


def print_line(data: bytes) -> None:
    """Write one line of JSON as it is; on a terminal with what would act on it escaped."""
    if sys.stdout.isatty():
        data = visible_json(data)
    sys.stdout.buffer.write(data + b"\n")
