"""Hooks of one agent put into its configuration, or taken out: planned first, then done.

A plan is a value that can be shown; doing it keeps what stood there, so that taking the hooks out
again leaves the file as it was, byte for byte, unless somebody else has changed it since.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from ctxd.context_files.receipts import Receipts
from ctxd.context_files.values import Edit
from ctxd.errors import CtxdError, UserError
from ctxd.hooks import configuration, editing, jsonc
from ctxd.hooks.command import client_command
from ctxd.hooks.records import Record, Records, digest
from ctxd.hooks.vendor import File, Form, Moment, Vendor, Words
from ctxd.hooks.writing import (
    Target,
    folders_for,
    make_folders,
    remove_folders,
    target_of,
    write,
)
from ctxd.places import Places
from ctxd.terminal import path_text


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done to one file."""

    target: Target
    after: bytes | None
    """What will stand there; None: no file."""
    record: Record | None
    """What to remember of it; None: nothing any more."""
    remembers: bool = False
    """Whether what is remembered changes."""
    note: str = ""
    """What there is to say besides the change."""

    @property
    def changes(self) -> bool:
        """Whether the file changes at all."""
        return self.after != self.target.before

    @property
    def matters(self) -> bool:
        """Whether anything is done at all, be it only to remember something else."""
        return self.changes or self.remembers

    def diff(self) -> str:
        """The change as a unified diff."""
        name = path_text(self.target.path).lstrip("/")
        return Edit(name, self.target.before, self.after or b"").diff() if self.changes else ""


class Installer:
    """Writes hooks for one installation of ctxd."""

    def __init__(self, places: Places, now: datetime, project: str = "") -> None:
        self._places = places
        self._now = now
        self._project = project
        self._records = Records(places.state / "hooks")
        self.steps: dict[Path, Step] = {}
        """What is planned, by file: of files that serve several agents, one step for all."""

    def words(self, vendor: Vendor, moment: Moment) -> Words:
        """The words of the command of a hook."""
        event = moment.event if moment.tell else ""
        return client_command(vendor.calls or vendor.agent, self._places, event)

    def install(self, vendor: Vendor, file: File, moments: Sequence[Moment], version: str) -> Step:
        """What puts hooks for these moments, and for no others, into a file of an agent; raise
        UserError where it cannot be. `version` of its client may be empty."""
        target = self._target(Path(file.path))
        with _Explained(target.path):
            text = _text(target.before)
            fresh = configuration.installed(
                text, file.form, moments, lambda moment: self.words(vendor, moment)
            )
            after = configuration.encoded(fresh, target.before)
            if fresh == text:
                after = target.before or after
            known = self.record(target.path)
            record = self._record(target, known, file.form, after)
        versions = {**record.versions, vendor.agent: version} if version else record.versions
        agents = tuple(dict.fromkeys((*record.agents, vendor.agent)))
        record = msgspec.structs.replace(record, agents=agents, versions=versions)
        if known is not None and msgspec.structs.replace(known, time=record.time) == record:
            record = known
        return self._planned(Step(target=target, after=after, record=record), known)

    def uninstall(self, agent: str, path: Path, product: str) -> Step:
        """What takes an agent's hooks out of a file; they stay where they serve another one."""
        target = self._target(path)
        known = self.record(target.path)
        others = _others(known, agent)
        if known is not None and others:
            note = f"{product}: its hooks stay, since they serve {' and '.join(others)} as well"
            fewer = msgspec.structs.replace(known, agents=others)
            step = Step(target=target, after=target.before, record=fewer, note=note)
            return self._planned(step, known)
        with _Explained(target.path):
            after = _cleared(target, known)
        return self._planned(Step(target=target, after=after, record=None), known)

    def record(self, path: Path) -> Record | None:
        """What is remembered of a file, as it will be when all that is planned is done."""
        step = self.steps.get(path)
        return step.record if step is not None else self._records.of(str(path))

    def records(self) -> list[Record]:
        """All that is remembered."""
        return self._records.all()

    def do(self, step: Step) -> None:
        """Do a step; raise as `write` does, and then nothing has changed."""
        path = step.target.path
        known = self._records.of(str(path))
        folders = folders_for(path) if step.after is not None else []
        try:
            if step.record is not None:
                made = known.folders if known else tuple(map(str, folders))
                self._records.keep(msgspec.structs.replace(step.record, folders=made))
            if step.changes:
                make_folders(folders)
                write(step.target, step.after, Receipts(self._places.state / "hooks" / "writes"))
        except CtxdError:
            self._remember(path, known)
            remove_folders(folders)
            raise
        if step.record is None:
            self._remember(path, None)
            if known is not None and step.after is None:
                remove_folders([Path(name) for name in known.folders])

    def _remember(self, path: Path, record: Record | None) -> None:
        """Have this record of a file, or none."""
        if record is None:
            self._records.drop(str(path))
        else:
            self._records.keep(record)

    def _target(self, path: Path) -> Target:
        """A file as it will be when all that is planned is done."""
        target = target_of(path)
        step = self.steps.get(target.path)
        return target if step is None else Target(target.path, step.after)

    def _planned(self, step: Step, known: Record | None) -> Step:
        """The step, taken into what is planned."""
        step = msgspec.structs.replace(step, remembers=step.record != known)
        before = self.steps.get(step.target.path)
        whole = step
        if before is not None:
            remembers = before.remembers or step.remembers
            whole = msgspec.structs.replace(step, target=before.target, remembers=remembers)
        self.steps[step.target.path] = whole
        return step

    def _record(self, target: Target, known: Record | None, form: Form, after: bytes) -> Record:
        """What to remember of a file with hooks of ours in it."""
        before = _cleared(target, known)
        text = _text(before)
        data = jsonc.parse(text).data if text is not None else {}
        return Record(
            path=str(target.path),
            agents=known.agents if known else (),
            versions=known.versions if known else {},
            time=self._now,
            before=before,
            after=digest(after),
            kept=tuple(sorted(configuration.empties(text), key=str)),
            added=tuple(key for key in form.whole if key not in data),
            folders=known.folders if known else (),
            project=self._project,
        )


def _others(record: Record | None, agent: str) -> tuple[str, ...]:
    """The other agents that the hooks of a file are there for, if they are for this one, too."""
    if record is None or agent not in record.agents:
        return ()
    return tuple(other for other in record.agents if other != agent)


def _text(data: bytes | None) -> str | None:
    return None if data is None else configuration.decoded(data)


def _cleared(target: Target, record: Record | None) -> bytes | None:
    """The file without hooks of ours; None where nothing is left of what ctxd had made."""
    data = target.before
    if data is None:
        return None
    if record is not None and digest(data) == record.after:
        return record.before
    text = configuration.decoded(data)
    kept = frozenset(record.kept) if record else frozenset()
    added = record.added if record else ()
    fresh = configuration.uninstalled(text, kept, added)
    if fresh == text:
        return data
    if record is not None and record.before is None and configuration.holds_nothing(fresh):
        return None
    return configuration.encoded(fresh, data)


class _Explained:
    """Turns what is wrong with a file into words for its owner."""

    def __init__(self, path: Path) -> None:
        self._path = path_text(path)

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, jsonc.BrokenError):
            raise UserError(
                f"`{self._path}` is no JSON: {error}", "mend the file; nothing was written"
            ) from error
        if isinstance(error, UnicodeEncodeError):
            raise UserError(
                "the path of ctxd, or of its folders, is no UTF-8", "install it elsewhere"
            ) from error
        if isinstance(error, editing.ShapeError):
            raise UserError(
                f"{error}, in `{self._path}`", "mend the file; nothing was written"
            ) from error
