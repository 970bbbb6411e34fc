"""The labelled exchanges that the shipped model is trained on, as exchanges and labels.

`exchanges/*.jsonl`, an object a line: what the agent said, what the user answered, and the items
that a careful reader keeps of it. All of it was written for this project. Lines of one `session`
follow each other; `group` tells which belong together when some are held back for a test.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from ctxd.extract.exchange import Spoken
from ctxd_parsers.events import (
    AssistantMessage,
    Option,
    QuestionAnswered,
    UserMessage,
)

FOLDER = Path(__file__).parent / "exchanges"
_EARLIER = 4


class Label(NamedTuple):
    """One item that a careful reader keeps."""

    kind: str
    quote: str
    proposal_quote: str
    statement: str
    authority: str
    durability: str
    sure: int

    @classmethod
    def of(cls, row: dict[str, Any]) -> Label:
        """Return the label that a row of the exchanges, or of gold, holds."""
        return cls(
            row["kind"],
            row.get("quote") or "",
            row.get("proposal_quote") or "",
            row["statement"],
            row["authority"],
            row["durability"],
            row["sure"],
        )

    @property
    def asked(self) -> bool:
        """Whether it must be found: the user's word or approval, and not spent at once."""
        return (
            self.authority in ("user", "confirmed")
            and self.durability in ("repo", "task")
            and self.sure >= 2
        )


class Example(NamedTuple):
    """One exchange with its labels."""

    id: str
    group: str
    block: str
    """Examples of one block are kept together in cross-validation: versions of one exchange."""
    spoken: Spoken
    labels: tuple[Label, ...]


def examples(folder: Path = FOLDER) -> list[Example]:
    """Return all examples, in the order of their files."""
    found: list[Example] = []
    for path in sorted(folder.glob("*.jsonl")):
        found += _file(path)
    return found


def _file(path: Path) -> list[Example]:
    found: list[Example] = []
    session, earlier = "", []
    for number, line in enumerate(path.read_text(encoding="utf-8").strip().split("\n")):
        row: dict[str, Any] = json.loads(line)
        if row["origin"] == "none":
            continue
        if row.get("session", path.stem) != session or path.stem in ("a", "b"):
            session, earlier = row.get("session", path.stem), []
        spoken = _spoken(row, path.stem, tuple(earlier[-_EARLIER:]))
        earlier += [
            e for e in (*spoken.proposal, *spoken.answer) if not isinstance(e, QuestionAnswered)
        ]
        group = row.get("group", path.stem)
        block = f"{group}-{number // 40}" if "session" not in row else row["session"].rstrip("b")
        found.append(Example(row["id"], group, block, spoken, tuple(map(Label.of, row["items"]))))
    return found


def _spoken(row: dict[str, Any], name: str, earlier: tuple[Any, ...]) -> Spoken:
    key = row["id"]
    common = {"agent": "train", "session": row.get("session", name)}
    said = (
        (AssistantMessage(id=f"{key}-a", text=row["assistant"], **common),)
        if row["assistant"]
        else ()
    )
    answer: tuple[Any, ...] = tuple(
        QuestionAnswered(
            id=f"{key}-q{number}",
            question=dialog["question"],
            options=tuple(
                Option(o["label"], o.get("description") or None) for o in dialog.get("options", ())
            ),
            chosen=tuple(dialog.get("chosen") or ()),
            text=dialog.get("text") or None,
            call=key,
            **common,
        )
        for number, dialog in enumerate(row.get("dialog") or ())
    )
    if not answer:
        answer = (UserMessage(id=f"{key}-u", text=row["user"], origin=row["origin"], **common),)
    return Spoken("train", common["session"], answer, said, earlier, not said)
