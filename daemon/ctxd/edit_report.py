"""What `ctxd diff --json` prints: the published form `ctxd.diff/1` (docs/json.md)."""

from __future__ import annotations

from typing import Literal

import msgspec

from ctxd.context_files.desk import Survey
from ctxd.context_files.values import Change, Edit, Notice


class PlannedEdit(msgspec.Struct, frozen=True):
    """One planned change of one file."""

    path: str
    is_new: bool
    """There is no such file yet."""
    diff: str
    """Unified, with undecodable bytes replaced."""
    changes: tuple[Change, ...]

    @classmethod
    def of(cls, edit: Edit) -> PlannedEdit:
        """The published form of an edit."""
        return cls(edit.path, edit.before is None, edit.diff(), edit.changes)


class DiffReport(msgspec.Struct, frozen=True, kw_only=True):
    """What would be written into the context files of one worktree."""

    schema: Literal["ctxd.diff/1"] = "ctxd.diff/1"
    root: str
    """The worktree."""
    repository: str
    mode: Literal["auto", "review", "off"]
    """What is written there unasked."""
    edits: tuple[PlannedEdit, ...]
    notices: tuple[Notice, ...]
    """What keeps something from being written, and what else is to be known."""
    waits_for_review: tuple[str, ...]
    """Ids of the items that could get a line once the user agrees."""

    @classmethod
    def of(cls, survey: Survey) -> DiffReport:
        """The published form of a survey."""
        return cls(
            root=str(survey.root),
            repository=survey.repository,
            mode=survey.allowed.mode,
            edits=tuple(map(PlannedEdit.of, survey.plan.edits)),
            notices=survey.plan.notices,
            waits_for_review=tuple(sorted(survey.review)),
        )
