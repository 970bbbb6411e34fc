"""Which files agents read: the one table of their conventions.

Names of products stand here as data about the files of a repository, and nowhere else in this
package. What each agent reads was measured or read in its source; see the notes of each line.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

HOME = "AGENTS.md"
"""The file that most agents read."""


class Convention(msgspec.Struct, frozen=True, kw_only=True):
    """A file, and who reads it at the start of a session."""

    path: str
    readers: frozenset[str]
    """Agents that read it always, whatever else is there."""
    unless: Mapping[str, str] = {}
    """Agents that read it as long as another file is not there, each with that file."""
    imports: str = ""
    """How a line of it brings in another file, with `{path}`; empty where nothing does."""
    limit_bytes: int | None = None
    """What agents cut it at."""


CONVENTIONS = (
    Convention(
        path=HOME,
        readers=frozenset(
            {
                "codex",
                "copilot-cli",
                "copilot-vscode",
                "cursor",
                "kiro-cli",
                "kiro-ide",
                "windsurf",
            }
        ),
        unless={"claude-code": "CLAUDE.md"},
        limit_bytes=32_768,
    ),
    Convention(
        path="CLAUDE.md",
        readers=frozenset({"claude-code", "copilot-cli", "copilot-vscode"}),
        imports="@{path}",
    ),
    Convention(path=".claude/CLAUDE.md", readers=frozenset({"claude-code"}), imports="@{path}"),
    Convention(path="GEMINI.md", readers=frozenset({"gemini", "copilot-cli"}), imports="@{path}"),
    Convention(
        path=".github/copilot-instructions.md",
        readers=frozenset({"copilot-cli", "copilot-vscode"}),
    ),
)
"""Those that may be the home of the items, in the order in which they are preferred."""

BY_PATH = {convention.path: convention for convention in CONVENTIONS}


def reads(agent: str, path: str, there: frozenset[str]) -> bool:
    """Whether an agent reads a file, given the paths of those that are there."""
    convention = BY_PATH.get(path)
    if convention is None:
        return False
    other = convention.unless.get(agent)
    return agent in convention.readers or (other is not None and other not in there)
