"""Which repository a working directory is in: checked against what git itself says."""

import os
import shutil
import subprocess

import pytest

from ctxd.repositories import Repository, is_remote, repository_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

NAMED = ("-c", "user.name=dev", "-c", "user.email=dev@example.org", "-c", "commit.gpgsign=false")


def git(folder, *arguments):
    command = ["git", "-C", str(folder), *NAMED, "-c", "protocol.file.allow=always", *arguments]
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=variables)
    return done.stdout.strip()


@pytest.fixture
def base(tmp_path):
    """A folder known by its real path, as git prints paths."""
    return tmp_path.resolve()


@pytest.fixture
def checkout(base):
    return new_repository(base / "api")


def new_repository(folder):
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / "src" / "deep" / "a.py").write_text("a = 1\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "start")
    return folder


def agrees_with_git(cwd):
    found = repository_of(str(cwd))
    common = (cwd / git(cwd, "rev-parse", "--git-common-dir")).resolve()
    top = git(cwd, "rev-parse", "--show-toplevel")
    return (str(found.common), str(found.worktree)) == (str(common), top)


def test_a_folder_deep_in_a_checkout_belongs_to_it(checkout):
    assert repository_of(str(checkout / "src" / "deep")) == Repository(
        common=checkout / ".git", home=checkout, worktree=checkout
    )
    assert agrees_with_git(checkout / "src" / "deep")


def test_a_linked_worktree_belongs_to_the_main_checkout(checkout, base):
    git(checkout, "worktree", "add", "-q", "-b", "try", str(base / "api-try"))
    assert repository_of(str(base / "api-try" / "src")) == Repository(
        common=checkout / ".git", home=checkout, worktree=base / "api-try"
    )
    assert agrees_with_git(base / "api-try" / "src")


def test_worktrees_around_a_bare_repository_are_one_repository(checkout, base):
    project = base / "project"
    git(base, "clone", "-q", "--bare", str(checkout), str(project / ".bare"))
    (project / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
    git(project, "worktree", "add", "-q", str(project / "main"), "main")
    git(project, "worktree", "add", "-q", "-b", "new", str(project / "new"))
    expected = {"common": project / ".bare", "home": project}
    assert repository_of(str(project)) == Repository(**expected, worktree=project)
    for name in ("main", "new"):
        folder = project / name / "src"
        assert repository_of(str(folder)) == Repository(**expected, worktree=project / name)
        assert agrees_with_git(folder)


def test_worktrees_of_a_bare_repository_elsewhere_are_one_repository(checkout, base):
    git(base, "clone", "-q", "--bare", str(checkout), str(base / "api.git"))
    git(base / "api.git", "worktree", "add", "-q", str(base / "work"), "main")
    assert repository_of(str(base / "work")) == Repository(
        common=base / "api.git", home=base / "api.git", worktree=base / "work"
    )
    assert repository_of(str(base / "api.git")).common == base / "api.git"


def test_a_submodule_is_a_repository_of_its_own_also_in_a_worktree(checkout, base):
    library = new_repository(base / "library")
    git(checkout, "submodule", "--quiet", "add", str(library), "vendor/library")
    submodule = checkout / "vendor" / "library"
    found = repository_of(str(submodule / "src"))
    assert (found.home, found.worktree) == (submodule, submodule)
    assert agrees_with_git(submodule / "src")
    git(submodule, "worktree", "add", "-q", "-b", "side", str(base / "library-side"))
    assert repository_of(str(base / "library-side")).home == submodule


def test_a_history_kept_apart_belongs_to_its_checkout(base):
    (base / "site").mkdir()
    (base / "histories").mkdir()
    git(base / "site", "init", "-q", f"--separate-git-dir={base / 'histories' / 'site'}")
    found = repository_of(str(base / "site"))
    assert (found.home, found.worktree) == (base / "site", base / "site")
    assert found.common == base / "histories" / "site"


def test_a_nested_repository_wins_over_the_one_around_it(checkout):
    inner = new_repository(checkout / "tools" / "inner")
    assert repository_of(str(inner / "src")).home == inner


def test_the_inside_of_a_git_folder_belongs_to_its_checkout(checkout):
    assert repository_of(str(checkout / ".git" / "hooks")).home == checkout


def test_a_way_through_a_link_leads_to_the_same_repository(checkout, base):
    (base / "link").symlink_to(checkout / "src", target_is_directory=True)
    assert repository_of(str(base / "link" / "deep")).home == checkout


def test_a_repository_is_found_without_running_git(checkout, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert repository_of(str(checkout)).home == checkout


@pytest.mark.parametrize(
    "cwd",
    [
        "",
        "relative/path",
        "/does/not/exist",
        "/with\0nul",
        "C:\\Users\\dev\\api",
        "vscode-remote://ssh-remote+host/home/dev/api",
        "/" + "x" * 5000,
        "/half/\ud83c",
    ],
)
def test_what_is_no_folder_here_is_in_no_repository(cwd):
    assert repository_of(cwd) is None


def test_a_folder_outside_of_any_repository_is_in_none(base):
    assert repository_of(str(base)) is None


@pytest.mark.parametrize(
    "content", [b"", b"gitdir: \n", b"gitdir: /gone", b"\0\xff" * 9000, b"nonsense"]
)
def test_a_broken_git_file_is_passed_over(base, content):
    (base / "broken").mkdir()
    (base / "broken" / ".git").write_bytes(content)
    assert repository_of(str(base / "broken")) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_git_file_that_is_a_fifo_is_not_waited_on(base):
    (base / "odd").mkdir()
    os.mkfifo(base / "odd" / ".git")
    assert repository_of(str(base / "odd")) is None


def test_a_loop_of_links_ends(base):
    (base / "loop").symlink_to(base / "loop")
    assert repository_of(str(base / "loop" / "x")) is None


def test_remote_folders_are_told_from_local_ones():
    assert is_remote("vscode-remote://wsl+ubuntu/home/dev")
    assert not is_remote("/home/dev")
    assert not is_remote("C:/Users/dev")
