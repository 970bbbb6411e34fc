"""Whatever a path says, what is written lies inside the worktree and outside of git's folders."""

import os

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ctxd.context_files.refusals import RefusedError
from ctxd.context_files.targets import is_git_name, target_of
from git_repos import new_repository

NAMES = ("AGENTS.md", "docs", "out", "up", "git", "loop", "inner", "gone", ".git", "..", ".", "")
ODD_NAMES = (".GIT", ".git ", ".git.", "git~1", ".git::$INDEX_ALLOCATION", "\\..\\x", "a\0b", "~")
PARTS = st.one_of(st.sampled_from((*NAMES, *ODD_NAMES)), st.text(min_size=1, max_size=8))


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    base = tmp_path_factory.mktemp("targets").resolve()
    root = new_repository(base / "shop")
    (root / "docs").mkdir()
    for name, target in (
        ("out", base),
        ("up", ".."),
        ("git", ".git"),
        ("loop", "loop"),
        ("gone", "nowhere"),
        ("docs/back", "../docs"),
        ("docs/passwd", "/etc/passwd"),
    ):
        (root / name).symlink_to(target)
    new_repository(root / "inner")
    return root


@pytest.mark.skipif(os.name == "nt", reason="needs links")
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PARTS, min_size=1, max_size=5).map("/".join))
@example("out/AGENTS.md")
@example("git/config")
@example("docs/back/back/AGENTS.md")
@example("inner/AGENTS.md")
@example("/etc/passwd")
@example("x" * 5000)
def test_a_target_is_inside_or_refused(root, path):
    try:
        target = target_of(root, path)
    except RefusedError:
        return
    real = os.path.realpath(root / target.path)
    assert real == str(root / target.path), "no link is left in it"
    assert real.startswith(f"{root}{os.sep}")
    assert not any(map(is_git_name, target.path.split("/")))
    assert not target.path.startswith("inner/")


@pytest.mark.parametrize(
    "name", [".git", ".GIT", ".git.", ".git ", "GIT~1", ".g\u200dit", ".git:x"]
)
def test_names_that_some_system_takes_for_gits_folder(name):
    assert is_git_name(name)


@pytest.mark.parametrize("name", [".github", ".gitignore", "git", ".git2", "AGENTS.md"])
def test_names_that_are_only_like_it(name):
    assert not is_git_name(name)
