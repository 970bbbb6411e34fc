"""The Copilot CLI as a reader: one question on its standard input, answered without any tool.

Measured with 1.0.102. The login, the model and the provider are the user's. Everything else of his
is switched off for the call: instructions, hooks (by settings in the call's own folder, for which
that folder has to be trusted, for the call alone), and MCP servers, each by its name, since it
starts all it knows and waits for them. A tool that the model calls all the same is told not to
exist. It has no form for an answer to be held to, adds some 1,700 tokens of its own, and keeps the
session in its store, where ctxd knows it as its own. What it took stands in a file that it writes.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ctxd.hooks.copilot_cli import COPILOT_CLI
from ctxd.reader import programs
from ctxd.reader.complaints import COMMON, ended, sign, told
from ctxd.reader.mentions import hidden, shown
from ctxd.reader.values import Ask, Choice, Command, Finished, ReaderError, Ready, Reply

_TITLE = "Copilot CLI"
_WANTED = programs.Wanted(called="it", first=(1, 0, 102), update="run `copilot update`")
"""The first version that was tried."""
_USAGE = "usage.json"
_OPTIONS = (
    "--silent",
    *("--output-format", "json"),
    *("--stream", "off"),
    "--no-color",
    "--no-custom-instructions",
    "--disable-builtin-mcps",
    "--no-ask-user",
    "--available-tools=none",
    "--deny-tool=shell",
    "--deny-tool=write",
    "--deny-tool=url",
    "--no-remote",
    "--no-auto-update",
    "--disable-client-telemetry",
    "--trust-folder",
    *("--log-dir", "logs"),
    *("--usage-output-file", _USAGE),
)
_FILES = {".github/copilot/settings.local.json": '{"disableAllHooks": true}'}
_CLEARED = (
    "COPILOT_ALLOW_ALL",
    "COPILOT_ASSISTED_APPROVAL",
    "COPILOT_CUSTOM_INSTRUCTIONS_DIRS",
    "COPILOT_PROMPT_MODE_EXTENSIONS",
    "COPILOT_PROMPT_MODE_REPO_HOOKS",
    "COPILOT_PROMPT_MODE_WORKSPACE_MCP",
    "COPILOT_SKILLS_DIRS",
)
"""Variables that would let something in again."""
_SERVER_FILES = (
    "mcp-config.json",
    "settings.json",
    "installed-plugins/*/.mcp.json",
    "installed-plugins/*/*/.mcp.json",
    "installed-plugins/*/plugin.json",
    "installed-plugins/*/*/plugin.json",
)
"""Below its home: where servers have their names."""
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})
_FILTERED = "The model returned no content because the response was blocked by content filtering."
_SIGNS = (
    sign(
        r"no authentication information|'/login'|run /login",
        "account",
        "is not logged in: start `copilot` and log in",
    ),
    sign(
        r"authentication failed|\(http 401\)",
        "key",
        "is not logged in, or its key is not taken",
    ),
    sign(r"\(http 404\)", "account", "does not have the model it was asked for"),
    sign(r"unexpected argument|unknown option", "account", "is too old for this: update it"),
    sign(r"premium request|ai credit", "account", "has no credit left"),
    sign(r"no response was returned", "malformed", "gave an empty answer"),
    *COMMON,
)


class _Event(msgspec.Struct):
    """A line of what it prints."""

    type: str = ""
    data: dict[str, Any] = {}


class _Usage(msgspec.Struct, rename="camel"):
    input_tokens: int = 0
    output_tokens: int = 0


class _Metrics(msgspec.Struct):
    usage: _Usage = msgspec.field(default_factory=_Usage)


class _Took(msgspec.Struct):
    """The file that says what it took."""

    models: dict[str, _Metrics] = msgspec.field(name="modelMetrics", default_factory=dict)


class CopilotCliBackend:
    """See the module."""

    name = "copilot-cli"
    title = "Copilot CLI"
    needs_key = False

    def sends_to(self, choice: Choice) -> str:
        """GitHub, unless the CLI is set up with another provider."""
        del choice
        host = urlsplit(os.environ.get("COPILOT_PROVIDER_BASE_URL", "")).hostname
        if host in _HERE:
            return ""
        if host:
            return f"`{host}`, the provider that your Copilot CLI is set up with"
        return "GitHub, and whoever runs the model for it, through your Copilot login"

    def ready(self, choice: Choice) -> Ready:
        """By the program and its version."""
        return programs.ready(COPILOT_CLI, choice, _WANTED)

    def command(self, ask: Ask, choice: Choice) -> Command:
        """`copilot` with the question on its standard input."""
        program = programs.find(COPILOT_CLI.programs, choice)
        options = list(_OPTIONS)
        if choice.model:
            options += ["--model", choice.model]
        for name in sorted(_servers()):
            options += [f"--disable-mcp-server={name}"]
        return Command(
            argv=[program, *options],
            stdin=hidden(ask.prompt),
            env={
                **programs.variables(program),
                **COPILOT_CLI.quiet,
                **dict.fromkeys(_CLEARED, ""),
            },
            files=_FILES,
            answer_file=_USAGE,
        )

    def reply(self, finished: Finished) -> Reply:
        """Its last message; what went wrong stands in an event, or is printed before any."""
        events = list(_events(finished.stdout))
        said = [one.data for one in events if one.type == "assistant.message"]
        failed = [one.data for one in events if one.type == "session.error"]
        if failed or finished.code:
            complaint = _text(failed[-1], "message") if failed else finished.stderr
            raise told(complaint, _TITLE, _SIGNS) or ended(finished, _TITLE)
        text = shown(_text(said[-1], "content")).strip() if said else ""
        if text == _FILTERED:
            raise ReaderError("refused", f"{_TITLE} does not want to answer this")
        if not text:
            raise ReaderError("malformed", f"{_TITLE} gave an empty answer")
        took = _took(finished.answer)
        return Reply(
            text=text,
            model=_text(said[-1], "model"),
            input_tokens=sum(one.usage.input_tokens for one in took) if took else None,
            output_tokens=sum(one.usage.output_tokens for one in took) if took else None,
        )


def _events(stdout: str) -> Iterator[_Event]:
    for line in stdout.splitlines():
        with contextlib.suppress(msgspec.MsgspecError, RecursionError):
            yield msgspec.json.decode(line, type=_Event)


def _took(text: str) -> list[_Metrics]:
    """What each model took."""
    try:
        return list(msgspec.json.decode(text, type=_Took).models.values())
    except (msgspec.MsgspecError, RecursionError):
        return []


def _text(data: dict[str, Any], name: str) -> str:
    found = data.get(name)
    return found if isinstance(found, str) else ""


def _servers() -> set[str]:
    """Names of the servers that it would start."""
    home = Path(os.environ.get("COPILOT_HOME") or Path.home() / ".copilot")
    names: set[str] = set()
    for pattern in _SERVER_FILES:
        for path in home.glob(pattern):
            with contextlib.suppress(OSError, ValueError, AttributeError, RecursionError):
                servers = json.loads(path.read_text(encoding="utf-8")).get("mcpServers")
                names |= set(servers) if isinstance(servers, dict) else set()
    return names


BACKEND = CopilotCliBackend()
