"""ctxd as users have it: built as a wheel and installed into a virtual environment apart."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def build(source: Path, folder: Path) -> Path:
    """The wheel of a source tree; it stands in the folder then, with the source distribution."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), "."]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    return wheel


def install(package: Path, folder: Path, python: str | None = None) -> Path:
    """The interpreter of a fresh virtual environment with that package in it."""
    subprocess.run([python or sys.executable, "-m", "venv", str(folder)], check=True)
    interpreter = folder / "bin" / "python"
    add(package, interpreter)
    return interpreter


def add(package: Path, interpreter: Path) -> None:
    """Install or upgrade it there."""
    words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
    command = [str(interpreter), *words, str(package)]
    apart = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, env=apart, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def python_for_everybody() -> str | None:
    """A Python that other users than this one can start; None when there is none."""
    for name in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        path = Path(os.path.realpath(name))
        reachable = path.exists() and all(one.stat().st_mode & 0o001 for one in path.parents)
        if reachable and shutil.which(name) and _is_new_enough(name):
            return name
    return None


def _is_new_enough(python: str) -> bool:
    code = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))"
    done = subprocess.run([python, "-c", code], capture_output=True, check=False)
    return done.returncode == 0
