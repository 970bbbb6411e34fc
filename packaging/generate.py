"""Writes what is made from the code: unit, launch agent, task, manual page, completions, pins.

`python packaging/generate.py` writes them anew; with `--check` it only tells which are stale, and
exits with 1 if any is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from click.shell_completion import get_completion_class
from locked import requirements
from manual import manual

from ctxd.cli.group import COMPLETION_VARIABLE, group
from ctxd.service_install.definition import Definition
from ctxd.service_install.launchd import LABEL, agent_text
from ctxd.service_install.systemd import unit
from ctxd.service_install.windows import task

HERE = Path(__file__).parent
_COMPLETIONS = {"bash": "ctxd.bash", "zsh": "_ctxd", "fish": "ctxd.fish"}
_BY_HAND = "`ctxd service install` writes one with the paths of this machine; by hand, mend them"


def made() -> Iterator[tuple[Path, str]]:
    """Each file with its text."""
    head = "# For packages: `ctxd service install` enables it and writes none of its own.\n"
    command = ("/usr/bin/ctxd", "run")
    yield HERE / "systemd" / "ctxd.service", head + unit(command, {})
    mac = _definition("/Users/YOU", "/opt/ctxd/bin/python", "/Users/YOU/Library/Logs/ctxd")
    yield HERE / "launchd" / f"{LABEL}.plist", agent_text(mac, _BY_HAND)
    home = "C:\\Users\\YOU"
    windows = _definition(home, "C:\\ctxd\\Scripts\\pythonw.exe", home)
    text = task(windows, "COMPUTER\\YOU", _BY_HAND).replace("UTF-16", "UTF-8")
    yield HERE / "windows" / "ctxd.xml", text
    yield HERE / "man" / "ctxd.1", manual()
    yield HERE / "requirements.txt", requirements()
    for shell, name in _COMPLETIONS.items():
        kind = get_completion_class(shell)
        yield HERE / "completions" / name, kind(group, {}, "ctxd", COMPLETION_VARIABLE).source()


def _definition(home: str, python: str, log: str) -> Definition:
    return Definition((python, "-P", "-m", "ctxd", "run"), {}, Path(home), Path(log))


def main() -> int:
    """Write them, or check them."""
    check = sys.argv[1:] == ["--check"]
    stale = [(path, text) for path, text in made() if _read(path) != text]
    for path, text in stale:
        sys.stdout.write(f"{'stale' if check else 'wrote'} {path.relative_to(HERE.parent)}\n")
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    return 1 if check and stale else 0


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
