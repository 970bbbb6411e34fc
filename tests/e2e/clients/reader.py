"""A real client asked as the reader: in a home of its own, as the daemon's child runs it."""

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from unittest.mock import patch

import msgspec

from ctxd.places import Places
from ctxd.reader import child
from ctxd.reader.answer import schema
from ctxd.reader.own import FOLDER, MARK
from ctxd.reader.values import Ask, Backend, Choice, Command, Finished, Reply
from e2e.clients.model_server import Failure, ModelServer, Request, Scripted
from e2e.clients.model_server import Reply as Said

ANSWER = '{"items": [], "not_items": ["c1"]}'
SECRET_WORDS = "Never round the prices of the Zweibrucken branch."
ASK = Ask(
    instructions=f"{MARK}\nRead what follows and answer with one JSON object.",
    text=f"user: {SECRET_WORDS}",
    schema=schema(),
    answer_tokens=500,
)
SERVICE_PATH = "/usr/local/bin:/usr/bin:/bin"
RECORDED = Path(__file__).parents[2] / "daemon" / "reader" / "said"
"""What clients said in these tests, for tests that run without them."""


def failure(status: int, told: object, **headers: str) -> Said:
    """A server that refuses."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    kind = ("content-type", "application/json")
    return Said(failure=Failure(status, json.dumps(told).encode(), (kind, *named)))


class Asked:
    """A backend, the client's home, and the model behind it."""

    def __init__(
        self, folder: Path, backend: Backend, model: ModelServer, variables: Mapping[str, str]
    ) -> None:
        self.backend = backend
        self.model = model
        self.home = folder / "home"
        self.places = Places.under(folder / "ctxd")
        self.folder = self.places.state / FOLDER
        self.variables = {
            "HOME": str(self.home),
            "PATH": SERVICE_PATH,
            "LANG": "C.UTF-8",
            "CTXD_HOME": str(folder / "ctxd"),
            **variables,
        }
        self.finished: Finished | None = None
        self.seen: list[str] = []
        """Command lines of all processes while the model was asked."""

    def install(self, name: str, program: str) -> None:
        """Put the program where a user has it, and where no service looks."""
        place = self.home / ".local" / "bin" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(program)

    @contextlib.contextmanager
    def environment(self) -> Iterator[None]:
        """The variables that the daemon has, and no others."""
        with patch.dict(os.environ, self.variables, clear=True):
            yield

    def command(self, ask: Ask = ASK, choice: Choice | None = None) -> Command:
        with self.environment():
            return self.backend.command(ask, choice or self.choice())

    def choice(self, model: str = "") -> Choice:
        return Choice(backend=self.backend.name, model=model)

    def run(
        self, *replies: Scripted, ask: Ask = ASK, model: str = "", seconds: float = 60.0
    ) -> Finished:
        """Ask, and return how the program ended."""
        self.model.requests.clear()
        self.model.replies.clear()
        self.model.replies.extend(replies)
        with self.environment():
            command = self.backend.command(ask, self.choice(model))
            self.finished = child.run(command, self.folder, seconds)
        return self.finished

    def ask(self, *replies: Scripted, **more: object) -> Reply:
        """Ask, and return what came of it; raise ReaderError."""
        return self.backend.reply(self.run(*replies, **more))  # type: ignore[arg-type]

    def watching(self, text: str) -> Scripted:
        """An answer at which it is noted what runs."""

        def answer(request: Request) -> Said:
            del request
            self.seen += command_lines()
            return Said(text)

        return answer

    def record(self, name: str, regen: str | None) -> None:
        """Keep what the client said, for tests without it."""
        path = RECORDED / self.backend.name / f"{name}.json"
        if (regen and not path.exists()) or regen == "force":
            path.parent.mkdir(parents=True, exist_ok=True)
            told = msgspec.json.encode(self.finished).decode()
            for place in (str(self.home), str(self.folder)):
                told = told.replace(place, "/home/dev")
            path.write_bytes(msgspec.json.format(told.encode(), indent=1) + b"\n")
        assert path.exists(), f"nothing recorded at {path}; `pytest --regen` writes it"

    def files(self) -> dict[str, bytes]:
        """All files in the client's home that are the user's own."""
        return {
            str(path.relative_to(self.home)): path.read_bytes()
            for path in self.home.rglob("*")
            if path.is_file() and path.suffix in {".toml", ".json", ".md"}
        }


def command_lines() -> list[str]:
    """Of all processes on this machine."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found.append((folder / "cmdline").read_text(errors="replace"))
    return found


def left_running(asked: Asked) -> list[str]:
    """Processes that still have the client's home, once those that end have had a moment."""
    until = time.monotonic() + 3
    while found := list(_having(f"HOME={asked.home}\0".encode())):
        if time.monotonic() > until:
            break
        time.sleep(0.05)
    return found


def _having(words: bytes) -> Iterator[str]:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if words in (folder / "environ").read_bytes():
                yield (folder / "cmdline").read_text(errors="replace")
