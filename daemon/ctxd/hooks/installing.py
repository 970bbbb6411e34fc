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
from ctxd.errors import UserError
from ctxd.hooks import configuration, editing, jsonc
from ctxd.hooks.command import client_command
from ctxd.hooks.records import Record, Records, digest
from ctxd.hooks.vendor import File, Moment, Vendor, Words
from ctxd.hooks.versions import ClientVersion
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

    def __init__(self, places: Places, now: datetime) -> None:
        self._places = places
        self._now = now
        self.records = Records(places.state / "hooks")

    def words(self, vendor: Vendor, moment: Moment) -> Words:
        """The words of the command of a hook."""
        event = moment.event if moment.tell else ""
        return client_command(vendor.calls or vendor.agent, self._places, event)

    def install(self, vendor: Vendor, file: File, version: ClientVersion) -> Step:
        """What puts an agent's hooks into a file; raise UserError where it cannot be."""
        moments = moments_of(vendor, file, version)
        target = target_of(Path(file.path))
        with _Explained(target.path):
            text = _text(target.before)
            fresh = configuration.installed(
                text, file, moments, lambda moment: self.words(vendor, moment)
            )
            after = configuration.encoded(fresh, target.before)
            if fresh == text:
                after = target.before or after
            record = self._record(target, vendor, file, after)
        if version.text:
            versions = {**record.versions, vendor.agent: version.text}
            record = msgspec.structs.replace(record, versions=versions)
        known = self.records.of(record.path)
        if known is not None and msgspec.structs.replace(known, time=record.time) == record:
            record = known
        return Step(target=target, after=after, record=record, remembers=record != known)

    def uninstall(self, vendor: Vendor, file: File) -> Step:
        """What takes an agent's hooks out of a file; they stay where they serve another one."""
        target = target_of(Path(file.path))
        record = self.records.of(str(target.path))
        if record is not None:
            others = tuple(agent for agent in record.agents if agent != vendor.agent)
            if others and vendor.agent in record.agents:
                record = msgspec.structs.replace(record, agents=others)
                note = f"its hooks stay: they serve {' and '.join(others)} as well"
                return Step(
                    target=target, after=target.before, record=record, remembers=True, note=note
                )
        with _Explained(target.path):
            after = _cleared(target, file, record)
        return Step(target=target, after=after, record=None, remembers=record is not None)

    def do(self, step: Step) -> None:
        """Do a step; raise as `write` does."""
        folder = self._places.state / "hooks"
        path = str(step.target.path)
        folders = folders_for(step.target.path) if step.after is not None else []
        if step.record is not None:
            known = self.records.of(path)
            made = known.folders if known else tuple(map(str, folders))
            self.records.keep(msgspec.structs.replace(step.record, folders=made))
        if step.changes:
            make_folders(folders)
            write(step.target, step.after, Receipts(folder / "writes"))
        if step.record is None:
            known = self.records.of(path)
            self.records.drop(path)
            if known is not None and step.after is None:
                remove_folders([Path(name) for name in known.folders])

    def _record(self, target: Target, vendor: Vendor, file: File, after: bytes) -> Record:
        """What to remember of a file with hooks of ours in it."""
        known = self.records.of(str(target.path))
        before = target.before
        if known is not None and before is not None and digest(before) == known.after:
            before = known.before
        elif before is not None:
            before = _cleared(target, file, known)
        text = _text(before)
        data = jsonc.parse(text).data if text is not None else {}
        agents = (*(known.agents if known else ()), vendor.agent)
        return Record(
            path=str(target.path),
            agents=tuple(dict.fromkeys(agents)),
            versions=known.versions if known else {},
            time=self._now,
            before=before,
            after=digest(after),
            kept=tuple(sorted(configuration.empties(text), key=str)),
            added=tuple(key for key in file.form.whole if key not in data),
        )


def moments_of(vendor: Vendor, file: File, version: ClientVersion) -> Sequence[Moment]:
    """The moments to register; raise UserError for a client that is too old for any."""
    known = vendor.known_by(version.numbers)
    moments = [m for m in (file.moments or vendor.moments) if known(m)]
    if not moments:
        least = ".".join(map(str, vendor.first_version))
        raise UserError(
            f"{vendor.product} {version.text} has no hooks that ctxd can use",
            f"update it to {least} or later; without hooks ctxd follows its logs all the same",
        )
    return moments


def _text(data: bytes | None) -> str | None:
    return None if data is None else configuration.decoded(data)


def _cleared(target: Target, file: File, record: Record | None) -> bytes | None:
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
    is_made = record is not None and record.before is None
    if is_made and configuration.holds_nothing(fresh, file.form):
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
        if isinstance(error, editing.ShapeError):
            raise UserError(
                f"{error}, in `{self._path}`", "mend the file; nothing was written"
            ) from error
