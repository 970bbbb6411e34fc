"""Homes to run `ctxd` in, and whole outputs kept beside the tests."""

import shutil
from pathlib import Path

import pytest

from cli.running import SAMPLE, Home

SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.fixture
def home(tmp_path) -> Home:
    """A home without any logs."""
    folder = tmp_path / "home"
    folder.mkdir()
    return Home(folder)


@pytest.fixture
def sample_home(home) -> Home:
    """A home with the sample session where its agent keeps it."""
    shutil.copytree(SAMPLE / "projects", home.path / ".claude" / "projects")
    return home


@pytest.fixture
def snapshot(regen):
    """Compares a whole output with the file of that name; `--regen` writes it as golden files."""

    def compare(name: str, text: str) -> None:
        path = SNAPSHOTS / f"{name}.txt"
        if (regen and not path.exists()) or regen == "force":
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no snapshot {path}; `pytest --regen` writes it"
        assert text == path.read_text(encoding="utf-8")

    return compare
