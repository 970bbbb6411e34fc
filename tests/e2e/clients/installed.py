"""Which real clients are installed: `make clients` puts them into `.clients` by npm."""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from e2e.daemon import ROOT

CLIENTS = Path(os.environ.get("CTXD_TEST_CLIENTS") or ROOT / ".clients")


class Installed(NamedTuple):
    """One version of one client."""

    name: str
    version: str
    command: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


CLAUDE_CODE = ("2.1.332", "2.1.197", "2.0.77")
"""The newest that was driven; the last one that Node 20 gets; one that is a script for Node."""
COPILOT = ("1.0.102",)
GEMINI = ("0.61.0",)
CODEX = ("0.171.0",)


def claude_code(version: str) -> Installed | None:
    folder = CLIENTS / f"claude-code-{version}" / "node_modules" / "@anthropic-ai"
    native = folder / "claude-code-linux-x64" / "claude"
    script = folder / "claude-code" / "cli.js"
    if native.exists():
        return Installed("claude-code", version, (str(native),))
    if script.exists() and (node := shutil.which("node")):
        return Installed("claude-code", version, (node, str(script)))
    return None


def copilot(version: str) -> Installed | None:
    folder = CLIENTS / f"copilot-{version}" / "node_modules" / "@github"
    native = folder / "copilot-linux-x64" / "copilot"
    return Installed("copilot-cli", version, (str(native),)) if native.exists() else None


def gemini(version: str) -> Installed | None:
    script = CLIENTS / f"gemini-{version}" / "node_modules" / ".bin" / "gemini"
    node = shutil.which("node")
    return (
        Installed("gemini-cli", version, (node, str(script))) if script.exists() and node else None
    )


def codex(version: str) -> Installed | None:
    folder = CLIENTS / f"codex-{version}" / "node_modules" / "@openai"
    native = next(folder.glob("codex-linux-*/vendor/*/bin/codex"), None)
    return Installed("codex", version, (str(native),)) if native else None


def find(agent: str, version: str) -> Installed | None:
    """One version of an agent's client, where it is installed."""
    known = {
        "claude-code": claude_code,
        "codex": codex,
        "copilot-cli": copilot,
        "gemini-cli": gemini,
    }
    return known[agent](version)


TMUX = shutil.which("tmux") is not None


def missing() -> str:
    """Why no client can be driven here; empty when it can."""
    if any(CLIENTS.glob("*/node_modules")):
        return ""
    return f"no clients in {CLIENTS}: make clients (needs npm)"
