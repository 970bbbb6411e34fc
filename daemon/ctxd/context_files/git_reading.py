"""What git knows of a worktree, asked of git itself and only ever read.

Every call forgoes optional locks, so that no `index.lock` comes from here; runs none of the
repository's programs (hooks, file system monitors); fetches nothing; and ends within a bounded
time. Where git does not answer, the caller learns why and writes nothing.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from ctxd.errors import CtxdError
from ctxd.policy.context_files import EDITED_FILE_BYTES, GIT_SECONDS
from ctxd.terminal import one_line

_OPTIONS = ("--no-optional-locks", "--no-pager")
_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_ELSEWHERE = re.compile(
    r"GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|"
    r"NAMESPACE|PREFIX|SHALLOW_FILE|GRAFT_FILE|CONFIG_PARAMETERS|CONFIG_COUNT|TRACE\w*)"
)
"""Variables of a git command that started us: they name another repository, or a log to write."""
_READ_ONLY = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # older versions of git know no GIT_NO_LAZY_FETCH
    "LC_ALL": "C",
}
_ENTRY = re.compile(
    rb"(?P<tag>[A-Za-z?]) \d+ (?P<oid>[0-9a-f]+) (?P<stage>\d)\t(?P<path>[^\0]+)\0"
    rb"(?:\s+ctime: [^\n]*\n\s+mtime: (?P<seconds>\d+):(?P<nanoseconds>\d+)\n(?:  [^\n]*\n)*)?"
)


class GitError(CtxdError):
    """Git is not there, does not trust the repository, or did not answer in time."""


class Tracked(msgspec.Struct, frozen=True):
    """A file as git's index has it."""

    oid: str
    mtime_ns: int
    """Modification time of the file that git last compared with its own; 0 where unknown."""
    absent: bool = False
    """Whether it is not checked out on purpose: of a sparse checkout."""

    def holds(self, data: bytes) -> bool:
        """Whether these bytes are the indexed ones, line ends as the system writes them or not."""
        return self.oid in (self._oid_of(data), self._oid_of(data.replace(b"\r\n", b"\n")))

    def _oid_of(self, data: bytes) -> str:
        blob = b"blob %d\0%s" % (len(data), data)
        if len(self.oid) == hashlib.sha256().digest_size * 2:
            return hashlib.sha256(blob).hexdigest()
        return hashlib.sha1(blob, usedforsecurity=False).hexdigest()


def ignored(root: Path, paths: Collection[str]) -> frozenset[str]:
    """Which of the paths below a worktree git ignores; a tracked file is not ignored."""
    if not paths:
        return frozenset()
    listed = b"".join(b"./%s\0" % os.fsencode(path) for path in sorted(paths))  # never a magic one
    answer = _ask(root, ("check-ignore", "-z", "--stdin"), listed, accepted=(0, 1))
    return frozenset(os.fsdecode(name).removeprefix("./") for name in answer.split(b"\0") if name)


def tracked(root: Path, paths: Collection[str], name: str) -> Mapping[str, Tracked]:
    """The paths that are in git's index, and all files of a name, with what it says of them."""
    wanted = [f":(literal){path}" for path in sorted(paths)]
    command = ("ls-files", "-z", "-t", "--stage", "--debug", "--")
    answer = _ask(root, (*command, *wanted, f":(glob)**/{name}"))
    return {os.fsdecode(entry["path"]): _tracked(entry) for entry in _ENTRY.finditer(answer)}


def head(root: Path) -> str:
    """The commit that is checked out; empty before the first one."""
    command = ("rev-parse", "--quiet", "--verify", "HEAD^{commit}")
    return _ask(root, command, accepted=(0, 1)).decode("ascii", "replace").strip()


def committed(root: Path, commit: str, path: str) -> bytes | None:
    """A file as it is in a commit; None when it is not, or is larger than a context file."""
    try:
        size = int(_ask(root, ("cat-file", "-s", f"{commit}:{path}")) or b"0")
        return _ask(root, ("cat-file", "blob", f"{commit}:{path}")) if _sane(size) else None
    except (GitError, ValueError):
        return None


def follows(root: Path, earlier: str, later: str) -> bool:
    """Whether a commit is a descendant of another one, or the same."""
    if earlier == later:
        return True
    try:
        _ask(root, ("merge-base", "--is-ancestor", earlier, later))
    except GitError:
        return False
    return True


def _sane(size: int) -> bool:
    return size <= EDITED_FILE_BYTES


def _tracked(entry: re.Match[bytes]) -> Tracked:
    seconds, nanoseconds = entry["seconds"] or b"0", entry["nanoseconds"] or b"0"
    mtime_ns = int(seconds) * 1_000_000_000 + int(nanoseconds)
    return Tracked(entry["oid"].decode("ascii"), mtime_ns, absent=entry["tag"] in b"Ss")


def _ask(
    root: Path, arguments: Sequence[str], given: bytes = b"", accepted: Collection[int] = (0,)
) -> bytes:
    git = shutil.which("git")
    if git is None:
        raise GitError("git is not installed", "install git")
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, no shell, literal paths
            [git, *_OPTIONS, *_PROGRAMS, "-C", str(root), *arguments],
            input=given,
            capture_output=True,
            check=False,
            env=_environment(),
            timeout=GIT_SECONDS,
            creationflags=_NO_WINDOW,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git does not answer: {one_line(str(error))}", "try again later") from error
    if done.returncode not in accepted:
        said = one_line(done.stderr.decode("utf-8", "replace").partition("\n")[0])
        raise GitError(f"git refuses to read: {said.removeprefix('fatal: ')}", "ask `git status`")
    return done.stdout


_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0) if sys.platform == "win32" else 0


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not _ELSEWHERE.fullmatch(name)}
    return kept | _READ_ONLY
