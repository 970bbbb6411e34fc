"""The Copilot CLI as a person or a program uses it, with a model server of ours behind it."""

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from e2e.clients.client import QUIET_SECONDS, Client
from e2e.clients.dialects import Completions
from e2e.clients.installed import Installed
from e2e.clients.model_server import ModelServer, Reply, Scripted, Tool
from e2e.clients.terminal import MARK, Terminal
from e2e.daemon import wait_until

SUMMARY = """<overview>
{}
</overview>
<history>
1. The user asked for work on the repository
</history>
<work_done>
</work_done>
<technical_details>
</technical_details>
<important_files>
</important_files>
<next_steps>
</next_steps>
<checkpoint_title>Work on the repository</checkpoint_title>"""
FULL = 58_000
"""Tokens of its window of 64,000 beyond which it compacts by itself."""


class CopilotCli(Client):
    """The client, however it is used."""

    agent = "copilot-cli"
    _logs = ".copilot/session-state/*/events.jsonl"
    _compacted = b'"session.compaction_complete"'

    def __init__(self, installed: Installed, folder: Path, **variables: str) -> None:
        super().__init__(installed, folder, ModelServer(Completions()), variables)
        settings = self.home / ".copilot"
        settings.mkdir(parents=True, exist_ok=True)
        chosen = {"banner": "never", "showTipsOnStartup": False, "autoUpdate": False}
        (settings / "settings.json").write_text(json.dumps(chosen), encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        return {
            **super().environment,
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_BASE_URL": f"{self.model.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "stub",
            "COPILOT_MODEL": "gpt-4.1",
            **self.variables,
        }

    @property
    def session(self) -> str:
        return self.logs[-1].parent.name

    def resume(self) -> None:
        self.start(f"--resume={self.session}")

    def command(self, *arguments: str) -> list[str]:
        quiet = ("--disable-client-telemetry", "--no-auto-update")
        return [*self.installed.command, *quiet, *arguments]

    def compacts_by_itself(self, summary: str) -> None:
        """It does so beside the next turn, and has the summary from the one after that."""
        super().compacts_by_itself(summary)
        done = self.compactions()
        self.say("Run them again.", "All pass.")
        self.wait_compacted(done)

    def expect(self, summary: str) -> None:
        super().expect(SUMMARY.format(summary))

    def fill(self, words: str) -> None:
        self.say(words, Reply("Done, as agreed.", tokens=FULL))


class CopilotTerminal(CopilotCli):
    """The client in a terminal: all that a person can say there."""

    def __init__(self, installed: Installed, folder: Path, **variables: str) -> None:
        super().__init__(installed, folder, **variables)
        self.terminal = Terminal(folder)

    def _wait(self, check: Callable[[], object], seconds: float, what: str) -> None:
        self.terminal.wait(check, seconds, what)

    def start(self, *arguments: str) -> None:
        command = self.command("--no-mouse", *arguments)
        self.terminal.start(command, self.repo, self.environment)
        trusted = False

        def ready() -> bool:
            nonlocal trusted
            if not trusted and self.terminal.shows("Confirm folder trust"):
                trusted = True
                time.sleep(QUIET_SECONDS)
                self.terminal.accept()
                return False
            return self.terminal.shows(rf"^ *{MARK}")

        self.terminal.wait(ready, 60, "the client is ready")
        time.sleep(0.5)

    def say(self, words: str, *replies: Scripted) -> None:
        self.model.replies.extend(replies)
        before = self.model.turns
        self.terminal.enter(words)
        self.wait_turn(before)

    def refuse(self, request: str, words: str) -> None:
        """Turn down a command that the agent wants to run, with words."""
        call = Tool("bash", {"command": "rm -rf build", "description": "Remove the build folder"})
        self.model.replies.extend([Reply("I clear the build folder.", (call,)), "Not done, then."])
        self.terminal.enter(request)
        self.terminal.wait_for("rm -rf build")
        before = self.model.turns
        self.terminal.choose(r"\d\. No")
        self.terminal.enter(words)
        self.wait_turn(before)

    def answer(self, request: str, question: str, options: tuple[str, str], words: str) -> None:
        """Answer a dialog of the agent's, by an option or with words of one's own."""
        schema = {
            "type": "object",
            "properties": {"choice": {"type": "string", "title": "Choice"}},
            "required": ["choice"],
        }
        if words in options:
            schema["properties"]["choice"]["enum"] = list(options)
        call = Tool("ask_user", {"message": question, "requestedSchema": schema})
        self.model.replies.extend([Reply("One question.", (call,)), "Noted."])
        self.terminal.enter(request)
        self.terminal.wait_for(re.escape(question))
        time.sleep(QUIET_SECONDS)
        before = self.model.turns
        if words in options:
            self.terminal.choose(re.escape(words))
            self.terminal.accept()
        else:
            self.terminal.enter(words)
        self.wait_turn(before)

    def queue(self, request: str, words: str) -> None:
        """Say something while the agent is at work."""
        asked, before = len(self.model.requests), self.model.turns
        read = Tool("view", {"path": str(self.repo / "readme.txt")})
        self.model.replies.extend([Reply("I look at it.", (read,), seconds=1.5), "Noted."])
        self.terminal.enter(request)
        wait_until(lambda: len(self.model.requests) > asked, 10, "the agent is at work")
        self.terminal.enter(words)
        self.wait_turn(before)

    def compact(self, summary: str) -> None:
        self.expect(summary)
        done = self.compactions()
        self.terminal.enter("/compact")
        self.wait_compacted(done)
        self.wait_quiet()

    def stop(self) -> None:
        if self.terminal.running:
            self.terminal.enter("/exit")
            self.terminal.wait(lambda: not self.terminal.running, 20, "the client ends")

    def close(self) -> None:
        self.terminal.close()
        super().close()


class CopilotProgram(CopilotCli):
    """The client as other programs use it: JSON-RPC on its standard input and output."""

    process: subprocess.Popen[bytes] | None = None

    def start(self, *arguments: str) -> None:
        with (self.home / "errors").open("ab") as errors:
            self.process = subprocess.Popen(
                self.command("--acp", "--allow-all"),
                cwd=self.repo,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        self._answers: dict[int, dict] = {}
        self._reader = threading.Thread(target=self._read, args=(self.process,), daemon=True)
        self._reader.start()
        about = {"name": "ctxd-tests", "version": "1"}
        self._call("initialize", protocolVersion=1, clientCapabilities={}, clientInfo=about)
        place = {"cwd": str(self.repo), "mcpServers": []}
        if arguments:
            self._session = arguments[0].partition("=")[2]
            self._call("session/load", sessionId=self._session, **place)
        else:
            self._session = self._call("session/new", **place)["sessionId"]

    def say(self, words: str, *replies: Scripted) -> None:
        self.model.replies.extend(replies)
        before = self.model.turns
        self._prompt(words)
        self.wait_turn(before)

    def compact(self, summary: str) -> None:
        self.expect(summary)
        done = self.compactions()
        self._prompt("/compact")
        self.wait_compacted(done)

    def stop(self) -> None:
        assert self.process is not None
        self.process.stdin.close()
        self.process.wait(20)
        self._reader.join(5)
        self.process.stdout.close()
        self.process = None

    def close(self) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.stop()
        super().close()

    def _prompt(self, words: str) -> None:
        prompt = [{"type": "text", "text": words}]
        self._call("session/prompt", sessionId=self._session, prompt=prompt)

    def _call(self, method: str, **parameters: object) -> dict:
        number = len(self._answers) + 1
        self._send({"id": number, "method": method, "params": parameters})
        answer = wait_until(lambda: self._answers.get(number), 60, method)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"] or {}

    def _send(self, message: dict) -> None:
        assert self.process is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
        self.process.stdin.flush()

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        for line in process.stdout:
            with contextlib.suppress(ValueError):
                message = json.loads(line)
                if "method" not in message and "id" in message:
                    self._answers[message["id"]] = message
