"""Items written into real repositories: each into its one place, whatever the repository is like.

The cases are those that other memory tools got wrong in public: files in a hundred folders, links
overwritten, half a file deleted, writes in the middle of a merge.
"""

import os
import subprocess

import pytest

from ctxd.context_files.apply import apply, undo
from ctxd.context_files.plan import plan
from ctxd.context_files.receipts import Receipts
from ctxd.context_files.refusals import NotYetError
from ctxd.context_files.values import Edit, Rules
from ctxd.context_files.view import look
from git_repos import commit, git, new_repository, status
from rule_files import codes, standing
from session_events import NOON

posix = pytest.mark.skipif(os.name == "nt", reason="needs links")

TEXT = "# Shop\n\n- Run the tests with `make test`.\n"
BAN = standing("never log request bodies", kind="constraint")
FORMS = standing("forms validate on blur", kind="constraint", scope=("packages/web/src/form.ts",))


class Checkout:
    """A worktree, and what ctxd remembers of it from one look to the next."""

    def __init__(self, root, agents=()):
        self.root, self.agents = root, agents
        self.receipts = Receipts(root.parent / f".{root.name}.receipts")
        self.memory, self.head = {}, ""

    def plan(self, *states):
        self.view = look(self.root, self.agents, known=list(self.memory), last_head=self.head)
        return plan(self.view, states, Rules(now=NOON), self.memory)

    def write(self, *states):
        """Look, plan, and apply what is planned; return the plan."""
        planned = self.plan(*states)
        for edit in planned.edits:
            apply(edit, self.root, self.receipts, quiet_seconds=0.0)
        self.memory, self.head = dict(planned.memory), self.view.head or self.head
        return planned


@pytest.fixture
def base(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path.resolve()


@pytest.fixture
def repo(base):
    return new_repository(base / "shop")


def text(root, path="AGENTS.md"):
    return (root / path).read_bytes().decode()


def files(folder):
    found = (path for path in folder.rglob("*") if ".git" not in path.relative_to(folder).parts)
    return {path.relative_to(folder).as_posix() for path in found if not path.is_dir()}


class TestOneFile:
    def test_is_made_only_when_there_is_something_to_say(self, repo):
        checkout = Checkout(repo, ("claude-code", "codex"))
        assert checkout.write().edits == ()
        assert checkout.write(standing("what a day", kind="intent")).edits == ()
        assert files(repo) == {"readme.txt"}
        checkout.write(BAN)
        assert files(repo) == {"readme.txt", "AGENTS.md"}
        assert BAN.item.id in text(repo)

    def test_is_all_that_a_hundred_folders_get(self, repo):
        for number in range(100):
            folder = repo / "pkg" / f"p{number}"
            folder.mkdir(parents=True)
            (folder / "a.py").write_bytes(b"a\n")
            (folder / "b.py").write_bytes(b"b\n")
        before = files(repo)
        scoped = [
            standing(f"package {n} stays as small as it is", scope=(f"pkg/p{n}/a.py",))
            for n in range(0, 100, 10)
        ]
        Checkout(repo, ("cursor", "claude-code")).write(BAN, *scoped)
        assert files(repo) - before == {"AGENTS.md"}

    def test_keeps_its_time_when_nothing_changes(self, repo):
        checkout = Checkout(repo)
        checkout.write(BAN)
        before = os.stat(repo / "AGENTS.md")
        for _ in range(3):
            assert checkout.write(BAN).edits == ()
        after = os.stat(repo / "AGENTS.md")
        assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)

    def test_is_never_one_that_git_ignores(self, repo):
        commit(repo, {".gitignore": "AGENTS.md\nCLAUDE.md\nGEMINI.md\n"})
        planned = Checkout(repo, ("claude-code", "gemini-cli")).write(BAN)
        assert files(repo) == {".gitignore", "readme.txt"}
        assert "file.unusable" in codes(planned)

    @pytest.mark.parametrize(
        "data",
        [
            TEXT.replace("\n", "\r\n").encode(),
            b"\xef\xbb\xbf" + TEXT.encode(),
            TEXT.rstrip("\n").encode(),
            "# Gr\u00fc\u00dfe\n".encode("latin-1"),
            b"a\r\nb\nc\rd\n",
        ],
        ids=["crlf", "bom", "no-end", "latin-1", "mixed"],
    )
    def test_keeps_every_byte_of_others(self, repo, data):
        commit(repo, {"AGENTS.md": data})
        checkout = Checkout(repo)
        checkout.write(BAN)
        now = (repo / "AGENTS.md").read_bytes()
        assert BAN.item.id.encode() in now
        assert now.startswith(data)
        undo(checkout.receipts.all()[0], checkout.receipts)
        assert (repo / "AGENTS.md").read_bytes() == data
        assert status(repo) == {}


class TestABrokenBlock:
    @pytest.fixture
    def checkout(self, repo):
        commit(repo, {"AGENTS.md": TEXT})
        checkout = Checkout(repo)
        checkout.write(BAN)
        return checkout

    def spoil(self, checkout, change):
        lines = text(checkout.root).splitlines(keepends=True)
        first = next(at for at, line in enumerate(lines) if "ctxd:1" in line)
        last = next(at for at, line in enumerate(lines) if "/ctxd" in line)
        spoiled = "".join(change(lines, first, last))
        assert spoiled != text(checkout.root)
        (checkout.root / "AGENTS.md").write_bytes(spoiled.encode())
        return spoiled

    @pytest.mark.parametrize(
        "change",
        [
            lambda lines, first, last: lines[:first] + lines[first + 1 :],
            lambda lines, first, last: lines[:last] + lines[last + 1 :],
            lambda lines, first, last: lines + lines[first : last + 1],
            lambda lines, first, last: [*lines[:first], lines[first], *lines[first:]],
            lambda lines, first, last: [
                *lines[:last],
                "<<<<<<< HEAD\n",
                "=======\n",
                ">>>>>>> theirs\n",
                *lines[last:],
            ],
            lambda lines, first, last: lines[:first] + lines[last + 1 :],
        ],
        ids=["no-begin", "no-end", "twice", "nested", "conflict", "removed"],
    )
    def test_is_left_and_told(self, checkout, change):
        spoiled = self.spoil(checkout, change)
        planned = checkout.write(BAN, standing("never call the payment service"))
        assert planned.edits == ()
        assert text(checkout.root) == spoiled
        assert {"block.broken", "block.stopped"}.intersection(codes(planned))

    def test_with_a_line_twice_is_healed(self, checkout):
        def twice(lines, first, last):
            doubled = next(line for line in lines if BAN.item.id in line)
            return [*lines[:last], doubled, *lines[last:]]

        self.spoil(checkout, twice)
        checkout.write(BAN)
        assert text(checkout.root).count(BAN.item.id) == 1


class TestOneTarget:
    """However one file stands for the other: the items are written once, and it goes on so."""

    def check(self, repo):
        checkout = Checkout(repo, ("claude-code", "codex"))
        checkout.write(BAN)
        assert text(repo).startswith(TEXT)
        assert text(repo).count(BAN.item.id) == 1
        assert checkout.write(BAN).edits == ()

    @posix
    def test_a_link(self, repo):
        commit(repo, {"AGENTS.md": TEXT})
        (repo / "CLAUDE.md").symlink_to("AGENTS.md")
        self.check(repo)
        assert os.readlink(repo / "CLAUDE.md") == "AGENTS.md"

    @posix
    def test_a_link_the_other_way_round(self, repo):
        commit(repo, {"CLAUDE.md": TEXT})
        (repo / "AGENTS.md").symlink_to("CLAUDE.md")
        self.check(repo)
        assert os.readlink(repo / "AGENTS.md") == "CLAUDE.md"
        assert not (repo / "CLAUDE.md").is_symlink()

    @pytest.mark.parametrize("pointer", [b"AGENTS.md", b"@AGENTS.md\n"], ids=["name", "import"])
    def test_a_file_with_nothing_but_the_other(self, repo, pointer):
        commit(repo, {"AGENTS.md": TEXT, "CLAUDE.md": pointer})
        self.check(repo)
        assert (repo / "CLAUDE.md").read_bytes() == pointer

    @posix
    def test_two_names_of_one_file(self, repo):
        commit(repo, {"AGENTS.md": TEXT})
        os.link(repo / "AGENTS.md", repo / "CLAUDE.md")
        self.check(repo)
        assert text(repo, "CLAUDE.md") == text(repo)
        assert os.path.samefile(repo / "AGENTS.md", repo / "CLAUDE.md")

    @posix
    def test_a_link_to_nothing_is_left(self, repo):
        (repo / "CLAUDE.md").symlink_to("/home/somebody/else/CLAUDE.md")
        Checkout(repo, ("claude-code",)).write(BAN)
        assert os.readlink(repo / "CLAUDE.md") == "/home/somebody/else/CLAUDE.md"
        assert BAN.item.id in text(repo)

    @posix
    def test_a_home_that_links_out_of_the_repository_is_left(self, repo, base):
        (base / "shared.md").write_bytes(TEXT.encode())
        (repo / "AGENTS.md").symlink_to(base / "shared.md")
        planned = Checkout(repo).write(BAN)
        assert (base / "shared.md").read_bytes() == TEXT.encode()
        assert files(repo) == {"AGENTS.md", "readme.txt"}
        assert "file.unusable" in codes(planned)


class TestMonorepo:
    def test_an_item_goes_to_the_package_it_is_about_when_that_has_a_file(self, repo):
        commit(repo, {"AGENTS.md": TEXT, "packages/web/AGENTS.md": TEXT})
        Checkout(repo).write(BAN, FORMS)
        assert FORMS.item.id in text(repo, "packages/web/AGENTS.md")
        assert FORMS.item.id not in text(repo)
        assert BAN.item.id in text(repo)

    def test_else_it_stands_in_the_home_with_what_it_is_about(self, repo):
        commit(repo, {"AGENTS.md": TEXT, "packages/web/a.ts": "a\n"})
        Checkout(repo).write(FORMS)
        [line] = [line for line in text(repo).splitlines() if FORMS.item.id in line]
        assert "`packages/web/src/form.ts`" in line
        assert files(repo) == {"AGENTS.md", "packages/web/a.ts", "readme.txt"}


class TestWorktrees:
    def test_get_what_was_said_in_them_and_nothing_else(self, repo, base):
        commit(repo, {"AGENTS.md": TEXT})
        git(repo, "worktree", "add", "-q", "-b", "try", str(base / "try"))
        Checkout(base / "try").write(BAN)
        assert BAN.item.id in text(base / "try")
        assert text(repo) == TEXT
        assert (status(repo), status(base / "try")) == ({}, {"AGENTS.md": " M"})

    def test_around_a_bare_repository_are_written_like_any(self, repo, base):
        commit(repo, {"AGENTS.md": TEXT})
        project = base / "project"
        git(base, "clone", "-q", "--bare", str(repo), str(project / ".bare"))
        (project / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
        git(project, "worktree", "add", "-q", str(project / "main"), "main")
        Checkout(project / "main").write(BAN)
        assert BAN.item.id in text(project / "main")
        planned = Checkout(project).write(BAN)
        assert (planned.edits, codes(planned)) == ((), ["worktree.waiting"])
        assert {".bare", ".git", "main"} == {n for n in os.listdir(project) if "receipts" not in n}

    def test_without_a_branch_and_submodules_wait(self, repo, base):
        git(repo, "worktree", "add", "-q", "--detach", str(base / "try"))
        library = new_repository(base / "library")
        git(repo, "submodule", "--quiet", "add", str(library), "library")
        for root in (base / "try", repo / "library"):
            assert Checkout(root).write(BAN).edits == ()
            assert not (root / "AGENTS.md").exists()

    def test_of_a_part_only_get_no_file_that_is_not_checked_out(self, repo):
        commit(repo, {"AGENTS.md": TEXT, "src/a.py": "a\n"})
        git(repo, "sparse-checkout", "set", "--no-cone", "src/")
        assert Checkout(repo, ("claude-code",)).write(BAN).edits == ()
        assert files(repo) == {"src/a.py"}


class TestGitAtWork:
    """Nothing is written, and nothing is left beside what git is doing."""

    @pytest.fixture
    def branches(self, repo):
        commit(repo, {"AGENTS.md": TEXT})
        git(repo, "checkout", "-q", "-b", "other")
        commit(repo, {"readme.txt": "theirs\n"})
        git(repo, "checkout", "-q", "main")
        commit(repo, {"readme.txt": "ours\n"})
        return repo

    @pytest.mark.parametrize(
        ("start", "stop"),
        [
            (("merge", "other"), ("merge", "--abort")),
            (("rebase", "other"), ("rebase", "--abort")),
            (("cherry-pick", "other"), ("cherry-pick", "--abort")),
            (("bisect", "start", "HEAD", "HEAD~1"), ("bisect", "reset")),
        ],
        ids=["merge", "rebase", "cherry-pick", "bisect"],
    )
    def test_until_it_is_over(self, branches, start, stop):
        checkout = Checkout(branches)
        planned = checkout.plan(BAN)
        with_conflict = subprocess.CalledProcessError if start[0] != "bisect" else None
        try:
            git(branches, *start)
        except subprocess.CalledProcessError:
            assert with_conflict
        before = status(branches)
        with pytest.raises(NotYetError):
            apply(planned.edits[0], branches, checkout.receipts, quiet_seconds=0.0)
        assert checkout.write(BAN).edits == ()
        assert text(branches) == TEXT
        assert status(branches) == before
        git(branches, *stop)
        checkout.write(BAN)
        assert status(branches) == {"AGENTS.md": " M"}

    def test_while_it_holds_its_lock(self, repo):
        commit(repo, {"AGENTS.md": TEXT})
        checkout = Checkout(repo)
        planned = checkout.plan(BAN)
        (repo / ".git" / "index.lock").write_bytes(b"")
        with pytest.raises(NotYetError):
            apply(planned.edits[0], repo, checkout.receipts, quiet_seconds=0.0)
        assert checkout.write(BAN).edits == ()
        os.unlink(repo / ".git" / "index.lock")
        checkout.write(BAN)
        assert BAN.item.id in text(repo)

    def test_a_commit_amid_it_all_holds_what_stood_there(self, repo):
        commit(repo, {"AGENTS.md": TEXT})
        checkout = Checkout(repo)
        checkout.write(BAN)
        git(repo, "commit", "-q", "-am", "with the rule")
        assert checkout.write(BAN).edits == ()
        assert status(repo) == {}

    def test_a_line_that_a_stash_took_away_is_no_deletion(self, repo):
        commit(repo, {"AGENTS.md": TEXT})
        checkout = Checkout(repo)
        checkout.write(BAN)
        git(repo, "stash")
        planned = checkout.write(BAN)
        assert [event.type for event in planned.events] == []
        git(repo, "stash", "pop")
        checkout.write(BAN)
        assert text(repo).count(BAN.item.id) == 1

    def test_a_line_that_a_teammate_deleted_and_committed_is_one(self, repo, base):
        checkout = Checkout(repo)
        checkout.write(BAN)
        commit(repo, {"AGENTS.md": text(repo)})
        assert checkout.write(BAN).events == ()
        git(base, "clone", "-q", str(repo), str(base / "clone"))
        lines = text(base / "clone").splitlines(keepends=True)
        without = "".join(line for line in lines if BAN.item.id not in line)
        commit(base / "clone", {"AGENTS.md": without})
        git(repo, "pull", "-q", "--ff-only", str(base / "clone"), "main")
        planned = checkout.write(BAN)
        assert [(e.item, e.type) for e in planned.events] == [(BAN.item.id, "retracted")]


def test_an_edit_for_one_worktree_does_not_fit_another(repo, base):
    """Its precondition is the content, and it is refused where that differs."""
    commit(repo, {"AGENTS.md": TEXT})
    planned = Checkout(repo).plan(BAN)
    other = new_repository(base / "other")
    commit(other, {"AGENTS.md": "# Other\n"})
    edit = Edit("AGENTS.md", planned.edits[0].before, planned.edits[0].after)
    with pytest.raises(Exception, match="changed meanwhile"):
        apply(edit, other, Receipts(base / "receipts"), quiet_seconds=0.0)
    assert text(other) == "# Other\n"
