"""Codex as a reader: `codex exec`, held to a schema, without tools, and leaving no session behind.

The user's own configuration stays in force, since the login and the provider stand in it. What of
it would act by itself is switched off for the call: MCP servers by name, hooks, the program that is
told of a turn's end, skills, the tools that come with features. The sandbox is read-only beside.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ctxd.hooks.codex import CODEX
from ctxd.reader import programs
from ctxd.reader.complaints import COMMON, ended, sign, told
from ctxd.reader.mentions import hidden, shown
from ctxd.reader.values import Ask, Choice, Command, Finished, ReaderError, Ready, Reply

_SCHEMA = "schema.json"
_ANSWER = "answer.json"
_OFF = (
    "apps",
    "browser_use",
    "code_mode_host",
    "computer_use",
    "goals",
    "hooks",
    "image_generation",
    "memories",
    "multi_agent",
    "multi_agent_v2",
    "plugins",
    "remote_plugin",
    "shell_snapshot",
    "shell_tool",
    "sleep_tool",
    "tool_suggest",
    "unified_exec",
    "view_image",
    "workspace_dependencies",
)
"""Features that bring tools, start something, or add to what the model is told."""
_SETTINGS = (
    "agents.enabled=false",
    "approval_policy=never",
    "tools.view_image=false",
    "web_search=disabled",
    "tools.web_search=false",
    "notify=[]",
    "project_doc_max_bytes=0",
    "include_collaboration_mode_instructions=false",
    "include_environment_context=false",
    "include_permissions_instructions=false",
    "include_apps_instructions=false",
    "skills.include_instructions=false",
    "skills.bundled.enabled=false",
    "history.persistence=none",
    "check_for_update_on_startup=false",
)
_WANTED = programs.Wanted(called="Codex", first=(0, 150), update="update Codex")
"""The first version that was tried and does all that is set here; 0.160 and 0.171 were tried too.
In 0.144 a model can begin agents and look at images, and the setting against it is no setting."""
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_SIGNS = (
    sign(r"missing environment variable", "key", "lacks the key of its provider"),
    sign(r"ran out of room", "long", "was asked more than its model takes"),
    sign(
        r"unexpected argument|agentroletoml", "account", "is too old for this: it has to be updated"
    ),
    sign(r"error loading config", "account", "does not take its own configuration"),
    sign(
        r"quota exceeded|not supported when using codex|do(?:es)? not have access",
        "account",
        "has no credit left, or not the model it was asked for",
    ),
    *COMMON,
)


class _Usage(msgspec.Struct):
    input_tokens: int = 0
    output_tokens: int = 0


class _Item(msgspec.Struct):
    type: str = ""
    text: str = ""


class _Error(msgspec.Struct):
    message: str = ""


class _Event(msgspec.Struct):
    type: str = ""
    item: _Item = msgspec.field(default_factory=_Item)
    usage: _Usage | None = None
    error: _Error | None = None
    message: str = ""


class CodexBackend:
    """See the module."""

    name = "codex"
    title = "Codex (codex exec)"
    needs_key = False

    def sends_to(self, choice: Choice) -> str:
        """OpenAI, unless Codex is set up with another provider."""
        del choice
        configured = _configuration()
        provider = str(configured.get("model_provider") or "openai")
        if provider != "openai":
            return f"`{provider}`, the provider that your Codex is set up with"
        if configured.get("openai_base_url") or os.environ.get("OPENAI_BASE_URL"):
            return "the server that your Codex is set up with"
        return "OpenAI, through your Codex login"

    def ready(self, choice: Choice) -> Ready:
        """By the program, its version and its login."""
        found = programs.ready(CODEX, choice, _WANTED)
        if found.is_ready and not _is_logged_in():
            hint = "run `codex login`"
            return Ready(is_ready=False, what=found.what, why_not="not logged in", hint=hint)
        return found

    def command(self, ask: Ask, choice: Choice) -> Command:
        """`codex exec` with the question on its standard input."""
        program = programs.find(CODEX.programs, choice)
        options = ["--json", "--ephemeral", "--skip-git-repo-check", "--sandbox", "read-only"]
        options += ["--color", "never", "--output-schema", _SCHEMA]
        options += ["--output-last-message", _ANSWER]
        if choice.model:
            options += ["--model", choice.model]
        for setting in (*_SETTINGS, *(f"features.{name}=false" for name in _OFF), *_servers_off()):
            options += ["-c", setting]
        return Command(
            argv=[program, "exec", *options, "-"],
            stdin=hidden(ask.prompt),
            env=programs.variables(program),
            files={_SCHEMA: json.dumps(ask.schema)},
            answer_file=_ANSWER,
        )

    def reply(self, finished: Finished) -> Reply:
        """Its last message; what went wrong stands in the events that it prints."""
        events = list(_events(finished.stdout))
        said = [one.item.text for one in events if one.item.type == "agent_message"]
        text = finished.answer.strip() or (said[-1] if said else "")
        usage = next((one.usage for one in reversed(events) if one.usage), None)
        failures = [one.error.message if one.error else one.message for one in events]
        complaint = next(filter(None, reversed(failures)), "")
        is_cut = "max_output_tokens" in complaint
        if finished.code and not is_cut:
            raise told(complaint or finished.stderr, "Codex", _SIGNS) or ended(finished, "Codex")
        if not text:
            raise ReaderError("malformed", "Codex gave an empty answer")
        return Reply(
            text=shown(text),
            input_tokens=usage.input_tokens if usage else None,
            output_tokens=usage.output_tokens if usage else None,
            cut=is_cut,
        )


def _events(stdout: str) -> Iterator[_Event]:
    for line in stdout.splitlines():
        with contextlib.suppress(msgspec.MsgspecError, RecursionError):
            yield msgspec.json.decode(line, type=_Event)


def _home() -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")


def _configuration(folder: Path | None = None) -> Mapping[str, Any]:
    """What stands in a configuration of Codex; nothing where it cannot be read."""
    try:
        text = ((folder or _home()) / "config.toml").read_text(encoding="utf-8")
        return tomllib.loads(text)
    except (OSError, ValueError):
        return {}


def _servers_off() -> Iterator[str]:
    """Each by its name, since one that is not there cannot be switched off."""
    names: set[str] = set()
    for folder in (_home(), Path("/etc/codex")):
        servers = _configuration(folder).get("mcp_servers")
        names |= set(servers) if isinstance(servers, dict) else set()
    if all(map(_PLAIN.fullmatch, names)):
        yield from (f"mcp_servers.{name}.enabled=false" for name in sorted(names))
    else:
        # A dot in a name would part it; a second table would take the place of the first.
        table = ",".join(f"{json.dumps(name)}={{enabled=false}}" for name in sorted(names))
        yield f"mcp_servers={{{table}}}"


def _is_logged_in() -> bool:
    """Whether there is a login, or it needs none that could be seen from here."""
    configured = _configuration()
    elsewhere = configured.get("model_provider", "openai") != "openai" or (
        configured.get("cli_auth_credentials_store", "file") != "file"
    )
    keys = ("CODEX_API_KEY", "OPENAI_API_KEY", "CODEX_ACCESS_TOKEN")
    return elsewhere or any(map(os.environ.get, keys)) or (_home() / "auth.json").exists()


BACKEND = CodexBackend()
