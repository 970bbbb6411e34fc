"""What each command loads: what is heavy is loaded by the commands that need it, and by no other.

A command starts a hundred times a day, some from shell prompts; what it loads is most of what it
takes. tests/bench/startup.py measures it.
"""

import json
import subprocess
import sys

import pytest

from cli.known import fill
from cli.running import SAMPLE
from ctxd.cli.group import ALL

HEAVY = (
    "apscheduler",
    "ctxd.extract",
    "filelock",
    "jeepney",
    "jinja2",
    "multiprocessing",
    "numpy",
    "pydantic",
    "rich",
    "tiktoken",
    "tomlkit",
    "tomllib",
    "watchdog",
)
LIGHT = {
    "--version": {"click", "msgspec", "ctxd.cli"},
    "-h": {"msgspec", "ctxd_parsers", "sqlite3"},
    "ping": {"sqlite3"},
}
"""What these, which are asked the most, do not load either."""
SETTINGS = {"pydantic", "tomllib"}
"""Settings, checked."""
READING = {"multiprocessing", "ctxd.extract", "numpy"}
"""Logs read in several processes, and understood."""
NEEDS = {
    "compactions": set(),
    "config show": SETTINGS | {"tomlkit"},
    "diff": SETTINGS | {"tiktoken", "ctxd.extract"},
    "doctor": SETTINGS | {"filelock"},
    "events PATH": set(),
    "hook status": {"tomllib"},
    "items": set(),
    "log": set(),
    "paths": set(),
    "ping": set(),
    "read 5b0e --dry-run": SETTINGS | {"tiktoken", "ctxd.extract", "numpy"},
    "reader": SETTINGS | {"ctxd.extract"},
    "report -o out.html": {"jinja2"},
    "review": set(),
    "scan --no-items": READING | {"filelock"},
    "scan": READING | {"filelock"},
    "schema status-1": set(),
    "search limits": set(),
    "service status": {"filelock"},
    "sessions": {"multiprocessing"},
    "show ukbmaw4t": set(),
    "status": set(),
    "status --json": set(),
    "status --short": set(),
    "timeline 5b0e": set(),
    "undo": set(),
}
"""What each command may load of it."""
CODE = """
import json, sys
from ctxd.__main__ import main
sys.argv[0] = "ctxd"
heavy = json.loads(sys.argv.pop())
try:
    main()
except SystemExit:
    pass
loaded = {name for name in heavy if name in sys.modules}
sys.stderr.write("\\nLOADED" + json.dumps(sorted(loaded)) + "\\n")
"""


def loaded(home, line, names=HEAVY):
    """Which of these modules a command line loads."""
    words = [str(SAMPLE) if word == "PATH" else word for word in line.split()]
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words, json.dumps(sorted(names))],
        env=home.variables,
        cwd=home.path,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )
    told = done.stderr.decode().rpartition("LOADED")
    assert told[1], done.stderr.decode()
    return set(json.loads(told[2]))


@pytest.mark.parametrize("line", NEEDS)
def test_a_command_loads_nothing_heavy_that_it_does_not_need(home, line):
    fill(home)
    assert loaded(home, line) <= NEEDS[line]


@pytest.mark.parametrize("line", LIGHT)
def test_what_is_asked_often_loads_less_still(home, line):
    fill(home)
    assert loaded(home, line, LIGHT[line]) == set()


@pytest.mark.parametrize("line", ["items", "status", "show ukbmaw4t", "paths"])
def test_a_command_that_reads_does_not_load_what_writes(home, line):
    fill(home)
    assert loaded(home, line, {"ctxd.ledger.writer"}) == set()
    if line == "status":
        assert loaded(home, line, {"ctxd.secret_names", "hashlib"}) == set()


@pytest.mark.parametrize("line", ["status", "status --short", "doctor", "show ukbmaw4t", "items"])
@pytest.mark.parametrize("said", ["", '[reader]\nbackend = "off"\nmodel = "m"\n', "# reader\n"])
def test_of_a_reader_nothing_is_loaded_while_it_is_off(home, line, said):
    fill(home)
    file = home.path / "own" / "config" / "config.toml"
    file.parent.mkdir()
    file.write_text(said, encoding="utf-8")
    assert loaded(home, line, {"ctxd.reader"}) == set()
    if line != "doctor":
        assert loaded(home, line, {"pydantic"}) == set()


@pytest.mark.parametrize("command", sorted(ALL))
def test_the_help_of_a_command_loads_nothing_heavy(home, command):
    assert loaded(home, f"{command} -h") == set()


def test_what_is_called_heavy_is_there_to_be_loaded(home):
    fill(home)
    assert loaded(home, "items --color always", ("rich",)) == {"rich"}
    assert loaded(home, "config show", ("pydantic",)) == {"pydantic"}
