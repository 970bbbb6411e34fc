"""Tool calls of Claude Code: what they touch, how they ended, and what the user said about them.

Pure functions of a row. Outputs and arguments are decoded only where a decision may stand in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from ctxd_parsers.claude_code_rows import (
    Block,
    Row,
    blocks,
    decoded,
    is_at_least,
    is_human,
    is_interruption,
    joined_text,
    listing,
    mapping,
    prompt_words,
    text_of,
    texts,
)
from ctxd_parsers.events import Option, Status
from ctxd_parsers.limits import EXCERPT_CHARS
from ctxd_parsers.values import excerpt

_UTF8_BYTES = 4
"""Most bytes that one character takes in UTF-8."""

# How a tool call ended.

_REFUSED = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action",
    "The agent proposed a plan that was rejected by the user",
)
_SAID = "the user said:\n"
_AFTERTHOUGHT = "\n\nNote: The user's next message may contain"
"""A reminder to the model that some versions add behind the user's words."""
_UNSAID = (
    "The user wants to clarify these questions.",
    "The user has indicated they have provided enough answers for the plan interview.",
)
"""What the client says for a user who leaves a question dialog to talk, before the answers given
so far [measured in 2.1.109 and 2.1.332; the second in its source]."""
_GIVEN = re.compile(r'^- "(.*)"\n +Answer: (.*)$', re.MULTILINE)
_APPROVED = "## Approved Plan:\n"
_LOST = "[Tool call interrupted: the session ended before"
"""Made up by a resume after a crash [2.1.332], with a placeholder reply."""


class Answer(msgspec.Struct, frozen=True):
    """The user's answer to one question of a dialog."""

    question: str
    options: tuple[Option, ...]
    chosen: tuple[str, ...]
    text: str | None

    @property
    def words(self) -> str:
        """What was picked and typed, as words."""
        return "\n".join([*([", ".join(self.chosen)] if self.chosen else []), *texts(self.text)])


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """How a tool call ended."""

    call: str
    status: Status
    words: str | None = None
    """What the user said with the decision about the call."""
    lost: bool = False
    """Made up by a resume: the session had died in the call."""
    answers: tuple[Answer, ...] = ()
    """What was answered in a question dialog before the user left it."""


def _comment(row: Row, block: Block) -> str:
    """What the user typed with a decision: a refusal has a field for it [>=2.1.265], an approval a
    text behind the result [measured from 2.1.63 on]."""
    parts = blocks(row.message)
    if len(parts) == 1 or row.is_meta or not is_human(row.origin, row.prompt_source):
        return (row.user_feedback or "").strip()
    results = [part for part in parts if part.type == "tool_result"]
    beside = parts if block is results[-1] else ()
    said = [prompt_words(part.text) for part in beside if part.type == "text" and part.text]
    return "\n".join(filter(None, [row.user_feedback, *said])).strip()


def approved_plan(row: Row, block: Block) -> str | None:
    """The plan as the user approved it: in a field, or quoted in the text."""
    told = text_of(mapping(decoded(row.tool_use_result)).get("plan"))
    return told or joined_text(decoded(block.content)).partition(_APPROVED)[2] or None


def outcome(row: Row, block: Block) -> Outcome:
    """How the call of a result ended; only results that went wrong are looked into.

    From 2.1.265 on a field tells that the user refused. Before, only the text does, which a tool
    that fails on purpose could imitate; so it counts for those clients alone.
    """
    call, words = block.tool_use_id or "", _comment(row, block) or None
    denial = row.tool_denial_kind
    if not block.is_error and denial is None:
        return Outcome(call, "ok", words)
    text = joined_text(decoded(block.content))
    if denial == "interrupted" or is_interruption(text):
        return Outcome(call, "interrupted", words, lost=text.startswith(_LOST))
    is_told_by_text = not is_at_least(row.version, (2, 1, 265)) and text.startswith(_REFUSED)
    if denial == "user-rejected" or is_told_by_text:
        said = words or text.partition(_SAID)[2].partition(_AFTERTHOUGHT)[0].strip()
        if said.startswith(_UNSAID):
            given = tuple(Answer(asked, (), (), answer) for asked, answer in _GIVEN.findall(said))
            return Outcome(call, "refused", answers=given)
        return Outcome(call, "refused", said or None)
    return Outcome(call, "error" if block.is_error else "ok", words)


def answers(row: Row) -> Iterator[Answer]:
    """The answers that a result of AskUserQuestion holds."""
    result = mapping(decoded(row.tool_use_result))
    given, notes = mapping(result.get("answers")), mapping(result.get("annotations"))
    for question in map(mapping, listing(result.get("questions"))):
        asked = text_of(question.get("question"))
        answer = given.get(asked) if asked else None
        if asked is None or answer is None:
            continue
        options = tuple(_options(question))
        chosen, typed = _picked(answer, options, several=question.get("multiSelect") is True)
        noted = texts(mapping(notes.get(asked)).get("notes"))
        own = dict.fromkeys(filter(None, [*typed, *noted]))  # 2.1.109 notes what was typed too
        if chosen or own:
            yield Answer(asked, options, chosen, "\n".join(own) or None)


def _options(question: dict[str, Any]) -> Iterator[Option]:
    for option in map(mapping, listing(question.get("options"))):
        if label := text_of(option.get("label")):
            yield Option(label, text_of(option.get("description")))


def _picked(
    answer: Any, options: tuple[Option, ...], *, several: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels in an answer and what was typed; several are joined by commas, which labels may
    hold themselves."""
    labels = [option.label for option in options]
    if not several or not isinstance(answer, str):
        given = texts(answer)
        return tuple(g for g in given if g in labels), tuple(g for g in given if g not in labels)
    rest, found = answer, []
    for label in sorted(labels, key=len, reverse=True):
        if match := re.search(rf"(?:^|, ){re.escape(label)}(?=$|, )", rest):
            found.append(label)
            rest = rest[: match.start()] + rest[match.end() :]
    rest = rest.removeprefix(", ")
    return tuple(label for label in labels if label in found), (rest,) if rest else ()


# What a tool call touches.


class _Edit(msgspec.Struct, gc=False):
    new_string: str | None = None


class _Arguments(msgspec.Struct, gc=False):
    file_path: str | None = None
    notebook_path: str | None = None
    path: str | None = None
    command: str | None = None
    new_string: str | None = None
    content: str | None = None
    new_source: str | None = None
    edits: list[_Edit] | None = None


class Touch(msgspec.Struct, frozen=True, gc=False):
    """Paths, command and excerpt of a tool call."""

    paths: tuple[str, ...] = ()
    command: str | None = None
    excerpt: str | None = None


_decode_arguments = msgspec.json.Decoder(_Arguments).decode


def touch(raw: msgspec.Raw) -> Touch:
    """What the arguments of a tool call name. Tools of others may use the same names otherwise."""
    try:
        given = _decode_arguments(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        given = _lenient_arguments(raw)
    paths = tuple(p for p in (given.file_path, given.notebook_path, given.path) if p)
    new = given.new_string
    if new is None:
        new = given.content if given.content is not None else given.new_source
    if new is None and given.edits:
        new = given.edits[0].new_string
    if new is not None:
        return Touch(paths, given.command, excerpt(new))
    return Touch(paths, given.command, None if given.command else _raw_excerpt(raw))


def _lenient_arguments(raw: msgspec.Raw) -> _Arguments:
    values = mapping(decoded(raw))
    return _Arguments(
        file_path=text_of(values.get("file_path")),
        notebook_path=text_of(values.get("notebook_path")),
        path=text_of(values.get("path")),
        command=text_of(values.get("command")),
        new_string=text_of(values.get("new_string")),
        content=text_of(values.get("content")),
        new_source=text_of(values.get("new_source")),
    )


def _raw_excerpt(raw: msgspec.Raw) -> str | None:
    start = memoryview(raw)[: _UTF8_BYTES * EXCERPT_CHARS].tobytes()
    return excerpt(start.decode("utf-8", "ignore")) if start not in (b"", b"{}", b"null") else None
