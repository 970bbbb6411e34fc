"""Which backends there are: their names are known at once, each is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from ctxd.reader.values import Backend

MODULES = {
    "claude-code": "claude_code_backend",
    "copilot-cli": "copilot_cli_backend",
    "codex": "codex_backend",
    "gemini-cli": "gemini_cli_backend",
    "kiro-cli": "kiro_cli_backend",
    "anthropic": "anthropic_api_backend",
    "openai": "openai_api_backend",
    "bedrock": "bedrock_backend",
}
"""The module of this package that each stands in, as `BACKEND`."""

NAMES = tuple(MODULES)
"""As the settings name them."""


def backend(name: str) -> Backend:
    """The backend of that name; raise KeyError when there is none."""
    module = import_module(f"ctxd.reader.backends.{MODULES[name]}")
    return cast("Backend", module.BACKEND)
