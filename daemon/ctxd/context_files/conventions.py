"""Which files agents read: the one table of their conventions.

Names of products stand here as data about the files of a repository, and nowhere else in this
package. What each agent reads was measured or read in its source; see the notes of each line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from ctxd_parsers.events import Trigger

HOME = "AGENTS.md"
"""The file that most agents read."""
GITHUB = frozenset({"copilot-cli", "copilot-vscode"})
OLD_CLAUDE = "claude-code, old"
"""Read no AGENTS.md, whatever else is there."""
TAUGHT_GEMINI = "gemini-cli, taught"
"""Reads AGENTS.md since its settings name it."""


class Convention(msgspec.Struct, frozen=True, kw_only=True):
    """A file, and who reads it at the start of a session."""

    path: str
    readers: frozenset[str]
    """Agents that read it always, whatever else is there."""
    unless: Mapping[str, tuple[str, ...]] = {}
    """Agents that read it as long as none of certain other files is there, each with these."""
    imports: str = ""
    """How a line of it brings in another file, with `{path}`; empty where nothing does."""


CONVENTIONS = (
    Convention(
        path=HOME,
        readers=GITHUB | {"cursor", "kiro-cli", "kiro-ide", "windsurf", TAUGHT_GEMINI},
        unless={
            "claude-code": ("CLAUDE.md", ".claude/CLAUDE.md"),
            "codex": ("AGENTS.override.md",),
        },
    ),
    Convention(
        path="CLAUDE.md",
        readers=GITHUB | {"claude-code", OLD_CLAUDE},
        imports="@{path}",
    ),
    Convention(
        path=".claude/CLAUDE.md",
        readers=frozenset({"claude-code", OLD_CLAUDE}),
        imports="@{path}",
    ),
    Convention(
        path="GEMINI.md",
        readers=frozenset({"gemini-cli", "copilot-cli"}),
        imports="@{path}",
    ),
    Convention(path=".github/copilot-instructions.md", readers=GITHUB),
)
"""Those that may be the home of the items, in the order in which they are preferred."""

BY_PATH = {convention.path: convention for convention in CONVENTIONS}


READ_AT_MOST = {"codex": 32_768}
"""Bytes that an agent reads of all files called HOME on its way to the working directory together,
with the user's own; what is behind is cut in mid-line (measured: `project_doc_max_bytes`)."""


class RuleFolder(msgspec.Struct, frozen=True):
    """A folder of rule files, each for the paths that its first lines name."""

    path: str
    suffix: str
    key: str
    """The key of a file's first lines that holds the patterns of paths."""
    readers: frozenset[str]


RULE_FOLDERS = (
    RuleFolder(".claude/rules", ".md", "paths", GITHUB | {"claude-code", OLD_CLAUDE}),
    RuleFolder(".github/instructions", ".instructions.md", "applyTo", GITHUB),
    RuleFolder(".kiro/steering", ".md", "fileMatchPattern", frozenset({"kiro-cli", "kiro-ide"})),
    RuleFolder(".cursor/rules", ".mdc", "globs", frozenset({"cursor"})),
    RuleFolder(".windsurf/rules", ".md", "globs", frozenset({"windsurf"})),
    RuleFolder(".devin/rules", ".md", "globs", frozenset({"windsurf"})),
)

NESTED_READERS = frozenset({"claude-code", "copilot-cli", "cursor", "windsurf", TAUGHT_GEMINI})
"""Agents that read the HOME of a folder when they touch a file in it."""

HANDS_OFF = (
    "AGENTS.override.md",
    "CLAUDE.local.md",
    ".cursorrules",
    ".windsurfrules",
)
"""Files that agents read and ctxd never writes: private ones, and forms given up."""

AfterCompaction = Literal["reread", "next prompt", "as at start", "each request", "unknown"]
"""What an agent does about its context files after a compaction. `reread`: reads them from disk
again. `next prompt`: does so with the user's next prompt. `as at start`: still has them as they
were when its process started, whatever has become of them. `each request`: reads them for each
request."""

_AFTER: dict[str, tuple[tuple[tuple[int, ...], Trigger | None, AfterCompaction], ...]] = {
    # Measured with 1.0.128, 2.0.77, 2.1.63, 2.1.109, 2.1.197, 2.1.265 and 2.1.332.
    "claude-code": (
        ((), "manual", "reread"),
        ((2, 1, 332), "auto", "reread"),
        ((2, 1, 109), "auto", "next prompt"),
        ((), "auto", "as at start"),
        ((), None, "next prompt"),
    ),
    "copilot-cli": (((), None, "as at start"),),  # measured with 1.0.102
    "copilot-vscode": (((), None, "each request"),),  # its source: collected for each request
    "codex": (((), None, "as at start"),),  # measured: the state after it holds the old text
    "gemini-cli": (((), None, "as at start"),),  # measured
    "cursor": (((), None, "each request"),),  # its makers: a watcher takes changes up
    # The editor's compactions are not told; the command line copies what a summary hangs on.
    "windsurf": (((), None, "as at start"),),
}
"""By agent: from which version on, at which trigger (None: any), what it does; the first that fits
counts. An agent that is not here was not measured."""

_OLD = {"claude-code": ((2, 1, 277), OLD_CLAUDE)}
_TAUGHT = {"gemini-cli": (".gemini/settings.json", TAUGHT_GEMINI)}
_FILE_NAMES = re.compile(r'"(?:contextF|f)ileName"\s*:\s*(\[[^\]]{0,1000}\]|"[^"]{0,200}")')


def reads(agent: str, path: str, there: frozenset[str]) -> bool:
    """Whether an agent reads a file, given the paths of those that are there."""
    convention = BY_PATH.get(path)
    if convention is None:
        return False
    others = convention.unless.get(agent)
    return agent in convention.readers or (others is not None and there.isdisjoint(others))


def reader(agent: str, version: str | None) -> str:
    """The name under which this table knows an agent of a version; an unknown one is a new one."""
    first, name = _OLD.get(agent, ((), agent))
    numbers = _numbers(version)
    return name if numbers and numbers < first else agent


def after_compaction(agent: str, version: str | None, trigger: Trigger | None) -> AfterCompaction:
    """What an agent of a version does about its context files after a compaction; an unknown
    version is a new one."""
    numbers = _numbers(version)
    for since, wanted, does in _AFTER.get(agent, ()):
        if wanted in (None, trigger) and (not numbers or numbers >= since):
            return does
    return "unknown"


def _numbers(version: str | None) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d{1,9}", version or "")[:3])


def settings_of(agent: str) -> str | None:
    """The settings file, in a repository or the home folder, that may teach an agent to read the
    HOME; None when nothing has to."""
    return _TAUGHT[agent][0] if agent in _TAUGHT else None


def taught(agent: str, settings: str) -> str:
    """The name of an agent that has these settings."""
    names = _FILE_NAMES.findall(settings)
    is_taught = agent in _TAUGHT and any(f'"{HOME}"' in name for name in names)
    return _TAUGHT[agent][1] if is_taught else agent
