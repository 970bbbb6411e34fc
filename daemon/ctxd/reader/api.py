"""Puts one question to an API and says what came back: `python -m ctxd.reader.api NAME`.

A process of its own, so that the clients' libraries are in no other and one that hangs can be
killed. It reads the question from its standard input, finds the key itself, asks once, and prints
one JSON object: the reply, or the trouble. Neither holds a key, nor any text that a server sent
with a failure: servers repeat what they were sent.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, cast

import msgspec

from ctxd.policy.reader import READER_OUTPUT_BYTES, READER_PROCESS_BYTES
from ctxd.reader import keys
from ctxd.reader.backends.registry import backend
from ctxd.reader.values import Ask, Choice, Finished, ReaderError, Reply, Trouble

if TYPE_CHECKING:
    from ctxd.reader.backends.api_backend import ApiBackend

_CUT_OUT = "[key]"


class Question(msgspec.Struct, frozen=True):
    """What the process is given."""

    ask: Ask
    choice: Choice


class Failure(msgspec.Struct, frozen=True):
    """What it says when there is no reply: the parts of a ReaderError."""

    trouble: Trouble
    message: str
    retry_after: float | None = None


class _Said(msgspec.Struct, frozen=True):
    reply: Reply | None = None
    failure: Failure | None = None


def answered(question: Question) -> Reply:
    """Ask the API that was chosen; raise ReaderError."""
    choice = question.choice
    asked = cast("ApiBackend", backend(choice.backend))
    key = None
    try:
        key = asked.key(choice)
        reply = asked.call(question.ask, choice, key)
    except ReaderError as error:
        message = _without(key, error.message)
        raise ReaderError(error.trouble, message, error.retry_after) from None
    if len(reply.text) > READER_OUTPUT_BYTES:
        raise ReaderError("malformed", "the answer is far longer than was asked for")
    text, model = _without(key, _shown(reply.text)), _shown(reply.model)
    return msgspec.structs.replace(reply, text=text, model=model)


def said(finished: Finished) -> Reply:
    """The reply that such a process printed; raise ReaderError."""
    try:
        told = msgspec.json.decode(finished.stdout, type=_Said)
    except msgspec.DecodeError:
        raise ReaderError("broken", f"its process ended with {finished.code}") from None
    if told.failure:
        raise ReaderError(told.failure.trouble, told.failure.message, told.failure.retry_after)
    if not told.reply:
        raise ReaderError("broken", "its process said nothing")
    return told.reply


def _shown(text: str) -> str:
    """A text without halves of characters, which an answer that was cut may end with."""
    return text.encode("utf-8", "replace").decode()


def _without(key: keys.Key | None, text: str) -> str:
    return text.replace(key.secret, _CUT_OUT) if key else text


def _outcome(given: bytes) -> _Said:
    try:
        return _Said(reply=answered(msgspec.json.decode(given, type=Question)))
    except ReaderError as error:
        return _Said(failure=Failure(error.trouble, error.message, error.retry_after))
    except Exception as error:  # noqa: BLE001 a library's defect, whose words may hold what was asked
        return _Said(failure=Failure("broken", f"the library fails: {_kind(error)}"))


def _kind(error: BaseException) -> str:
    return f"{type(error).__module__}.{type(error).__name__}"


def _stay_small() -> None:
    """An answer without end ends this process, not the machine's memory."""
    if sys.platform == "win32":
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = READER_PROCESS_BYTES
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, most))


def _hush() -> None:
    """Libraries write requests into logs and quote them in warnings."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")


def main(arguments: list[str]) -> int:
    """Answer the question on standard input."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m ctxd.reader.api NAME < QUESTION\n")
        return 2
    _hush()
    _stay_small()
    printed: Any = msgspec.json.encode(_outcome(sys.stdin.buffer.read()))
    sys.stdout.buffer.write(printed + b"\n")
    sys.stdout.buffer.flush()
    # A thread of a keyring that hangs is not waited for.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
