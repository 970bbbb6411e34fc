"""What ctxd does, shown on a repository and a home folder made up for it, both gone afterwards.

The sample session is held once more: its lines are appended to a log, as its client would, while
`ctxd run` follows it. What the user decided in it comes to stand in AGENTS.md. `make demo` runs it.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

SAMPLE = Path(__file__).parent / "sample-session"
LOG = next(SAMPLE.glob("projects/*/*.jsonl"))
FORMER = "/home/dev/shop-api"
FILES = {
    "README.md": "# shop-api\n\nThe web shop's API.\n",
    "AGENTS.md": "# shop-api\n\n- Python 3.12, FastAPI. Run the tests with `make test`.\n"
    "- Keep handlers thin: logic goes to `shop/services`.\n",
    "CLAUDE.md": "@AGENTS.md\n",
}
PAUSE_SECONDS = 0.05
PATIENCE_SECONDS = 40


class Stage:
    """A home folder with a repository in it, and ctxd's own files apart."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.shop = self.home / "shop-api"
        self.shop.mkdir(parents=True)
        nobody = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        own = {"HOME": str(self.home), "USERPROFILE": str(self.home)}
        self.variables = os.environ | nobody | own | {"CTXD_HOME": str(folder / "ctxd")}

    def run(self, *command: str) -> str:
        """What a command prints, run in the repository."""
        done = subprocess.run(
            command, cwd=self.shop, env=self.variables, capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr

    def ctxd(self, *arguments: str) -> tuple[str, ...]:
        """A command line of ctxd."""
        return (sys.executable, "-m", "ctxd", *arguments)

    def show(self, *command: str) -> None:
        """Run a command as if it were typed."""
        shown = ("ctxd", *command[3:]) if command[0] == sys.executable else command
        say(f"\n$ {' '.join(shown)}\n{self.run(*command)}")

    def waiting(self) -> str:
        """The short id of the constraint that waits for review."""
        rows = map(json.loads, self.run(*self.ctxd("items", "--json")).splitlines())
        found = [row for row in rows if row["waits_for_review"]]
        return min(found, key=lambda row: row["severity"])["short_id"] if found else "--all"

    def make_repository(self) -> None:
        """A repository with one commit."""
        for name, text in FILES.items():
            (self.shop / name).write_text(text, encoding="utf-8")
        named = ("-c", "user.name=dev", "-c", "user.email=dev@example.org")
        self.run("git", "init", "-q", "-b", "main")
        self.run("git", "add", "-A")
        self.run("git", *named, "commit", "-q", "-m", "begin")

    def hold_session(self) -> None:
        """Append the lines of the sample session to a log, as said now and here."""
        log = self.home / ".claude" / "projects" / "-home-shop-api" / LOG.name
        log.parent.mkdir(parents=True)
        here = json.dumps(str(self.shop))[1:-1]
        for line in LOG.read_text(encoding="utf-8").splitlines():
            row = json.loads(line.replace(FORMER, here))
            if "timestamp" in row:
                now = datetime.now(UTC).isoformat(timespec="milliseconds")
                row["timestamp"] = now.replace("+00:00", "Z")
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            time.sleep(PAUSE_SECONDS)

    def wait_until_written(self) -> None:
        """Wait until AGENTS.md has changed and stays as it is."""
        path, began, before = self.shop / "AGENTS.md", time.monotonic(), ""
        while time.monotonic() - began < PATIENCE_SECONDS:
            text = path.read_text(encoding="utf-8")
            if text == before != FILES["AGENTS.md"]:
                return
            before = text
            time.sleep(PAUSE_SECONDS * 60)


def say(text: str) -> None:
    """Print some text at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def main() -> int:
    """Run the demo; 1 when nothing was written."""
    with tempfile.TemporaryDirectory(prefix="ctxd-demo-") as folder:
        stage = Stage(Path(os.path.realpath(folder)))
        stage.make_repository()
        say("\nThe same session once more, live, while `ctxd run` follows it: about 15 seconds\n")
        daemon = subprocess.Popen(stage.ctxd("run"), env=stage.variables, cwd=stage.home)
        try:
            while daemon.poll() is None and "not running" in stage.run(*stage.ctxd("ping")):
                time.sleep(PAUSE_SECONDS)
            stage.hold_session()
            stage.wait_until_written()
            stage.show(*stage.ctxd("status"))
            stage.show(*stage.ctxd("items"))
            say(
                "\nWhat is not plain enough to be written unasked waits for a word of the user's:\n"
            )
            stage.show(*stage.ctxd("apply", stage.waiting()))
            stage.show("git", "status", "--short")
            stage.show("git", "diff")
        finally:
            daemon.terminate()
            daemon.wait()
        return int((stage.shop / "AGENTS.md").read_text(encoding="utf-8") == FILES["AGENTS.md"])


if __name__ == "__main__":
    sys.exit(main())
