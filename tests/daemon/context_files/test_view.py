"""A worktree is seen as it stands: links, pointers, ignored files, and what git is doing."""

import os
import time

import pytest

import unprivileged
from ctxd.context_files.view import look, place_of
from git_repos import commit, git, new_repository

posix = pytest.mark.skipif(os.name == "nt", reason="needs links and modes")

RULES = b"# Rules\n\n- use tabs\n"


@pytest.fixture
def base(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path.resolve()


@pytest.fixture
def repo(base):
    return new_repository(base / "api")


def kinds(view):
    return {path: file.kind for path, file in view.files.items()}


def write(folder, **files):
    for name, data in files.items():
        (folder / name.replace("_md", ".md")).write_bytes(data)


class TestFiles:
    def test_that_are_there_are_read_whole(self, repo):
        (repo / "AGENTS.md").write_bytes(b"\xef\xbb\xbfa\r\nb")
        view = look(repo)
        assert kinds(view) == {"AGENTS.md": "file"}
        assert view.files["AGENTS.md"].data == b"\xef\xbb\xbfa\r\nb"
        assert (view.root, view.state, view.writable) == (repo, "ok", True)
        assert view.head == git(repo, "rev-parse", "HEAD")

    def test_are_the_worktrees_own_wherever_in_it_one_looks(self, repo):
        write(repo, AGENTS_md=RULES)
        (repo / "src" / "deep").mkdir(parents=True)
        assert look(repo / "src" / "deep") == look(str(repo))

    def test_of_rules_are_seen_as_well(self, repo):
        for path in (
            ".claude/rules/web/forms.md",
            ".cursor/rules/style.mdc",
            ".github/instructions/api.instructions.md",
            ".kiro/steering/tech.md",
        ):
            commit(repo, {path: RULES})
        commit(repo, {".claude/rules/picture.png": b"\0", "docs/rules.md": RULES})
        assert set(look(repo).files) == {
            ".claude/rules/web/forms.md",
            ".cursor/rules/style.mdc",
            ".github/instructions/api.instructions.md",
            ".kiro/steering/tech.md",
        }

    def test_of_packages_are_seen_when_git_has_them(self, repo):
        commit(repo, {"packages/web/AGENTS.md": RULES})
        (repo / "node_modules" / "x").mkdir(parents=True)
        (repo / "node_modules" / "x" / "AGENTS.md").write_bytes(RULES)
        assert set(look(repo).files) == {"packages/web/AGENTS.md"}

    def test_once_written_and_gone_are_missing(self, repo):
        assert kinds(look(repo, known=["AGENTS.md"])) == {"AGENTS.md": "missing"}

    @posix
    def test_that_are_read_only_are_not_to_be_written(self, repo):
        write(repo, AGENTS_md=RULES)
        os.chmod(repo / "AGENTS.md", 0o444)
        file = look(repo).files["AGENTS.md"]
        assert (file.kind, file.data) == ("unusable", RULES)
        assert "mode" in file.why

    @posix
    @pytest.mark.parametrize("kind", ["folder", "fifo", "huge"])
    def test_that_are_none_are_not_waited_on(self, repo, kind):
        place = repo / "AGENTS.md"
        if kind == "folder":
            place.mkdir()
        elif kind == "fifo":
            os.mkfifo(place)
        else:
            place.write_bytes(b"x" * (9 * 1024 * 1024))
        file = look(repo).files["AGENTS.md"]
        assert (file.kind, file.data) == ("unusable", b"")
        assert file.why

    @posix
    def test_that_may_not_be_read_are_told(self):
        def story(folder):
            repository = new_repository(folder / "api")
            write(repository, AGENTS_md=RULES)
            os.chmod(repository / "AGENTS.md", 0)
            file = look(repository).files["AGENTS.md"]
            assert (file.kind, file.why) == ("unusable", "permission denied")

        unprivileged.run(story)


class TestOneTarget:
    """Four ways in which one file stands for another."""

    @posix
    def test_of_a_link(self, repo):
        write(repo, AGENTS_md=RULES)
        (repo / "CLAUDE.md").symlink_to("AGENTS.md")
        file = look(repo).files["CLAUDE.md"]
        assert (file.kind, file.link_to, file.data) == ("link", "AGENTS.md", RULES)

    @posix
    def test_of_a_link_the_other_way_round(self, repo):
        write(repo, CLAUDE_md=RULES)
        (repo / "AGENTS.md").symlink_to("CLAUDE.md")
        assert kinds(look(repo)) == {"AGENTS.md": "link", "CLAUDE.md": "file"}

    @posix
    def test_of_two_names_of_one_file(self, repo):
        write(repo, AGENTS_md=RULES)
        os.link(repo / "AGENTS.md", repo / "CLAUDE.md")
        view = look(repo)
        assert kinds(view) == {"AGENTS.md": "file", "CLAUDE.md": "link"}
        assert view.files["CLAUDE.md"].link_to == "AGENTS.md"

    @posix
    def test_of_a_link_to_any_file_of_the_worktree(self, repo):
        (repo / "docs").mkdir()
        (repo / "docs" / "rules.md").write_bytes(RULES)
        (repo / "CLAUDE.md").symlink_to("docs/rules.md")
        view = look(repo)
        assert kinds(view) == {"CLAUDE.md": "link", "docs/rules.md": "file"}
        assert view.files["CLAUDE.md"].link_to == "docs/rules.md"

    @posix
    def test_of_a_linked_folder(self, repo):
        (repo / "real").mkdir()
        (repo / "real" / "CLAUDE.md").write_bytes(RULES)
        (repo / ".claude").symlink_to("real", target_is_directory=True)
        assert look(repo).files[".claude/CLAUDE.md"].link_to == "real/CLAUDE.md"

    @pytest.mark.parametrize("text", [b"AGENTS.md", b"AGENTS.md\n", b"./AGENTS.md\r\n"])
    def test_of_a_file_that_holds_only_a_name(self, repo, text):
        write(repo, AGENTS_md=RULES, CLAUDE_md=text)
        file = look(repo).files["CLAUDE.md"]
        assert (file.kind, file.link_to) == ("pointer", "AGENTS.md")

    @pytest.mark.parametrize("text", [b"@AGENTS.md", b"\n@./AGENTS.md\n\n"])
    def test_of_a_file_that_only_imports(self, repo, text):
        write(repo, AGENTS_md=RULES, CLAUDE_md=text)
        file = look(repo).files["CLAUDE.md"]
        assert (file.kind, file.link_to) == ("import", "AGENTS.md")

    def test_of_an_import_in_a_folder(self, repo):
        (repo / ".claude").mkdir()
        (repo / ".claude" / "CLAUDE.md").write_bytes(b"@../AGENTS.md\n")
        assert look(repo).files[".claude/CLAUDE.md"].link_to == "AGENTS.md"

    @pytest.mark.parametrize(
        "text",
        [b"@AGENTS.md\nuse tabs\n", b"AGENTS.md says all\n", b"readme.txt", b"", b"`@AGENTS.md`"],
    )
    def test_is_not_of_a_file_that_says_more(self, repo, text):
        write(repo, AGENTS_md=RULES, CLAUDE_md=text)
        assert look(repo).files["CLAUDE.md"].kind == "file"

    @posix
    @pytest.mark.parametrize("target", ["AGENTS.md", "/gone/AGENTS.md", "CLAUDE.md"])
    def test_of_a_link_to_nothing_is_none(self, repo, target):
        (repo / "CLAUDE.md").symlink_to(target)
        assert look(repo).files["CLAUDE.md"].kind in ("dangling", "unusable")

    @posix
    @pytest.mark.parametrize("target", ["../dotfiles.md", ".git/config", "/etc/hostname"])
    def test_is_inside_the_worktree(self, repo, base, target):
        (base / "dotfiles.md").write_bytes(RULES)
        (repo / "CLAUDE.md").symlink_to(target)
        file = look(repo).files["CLAUDE.md"]
        assert (file.kind, file.data) == ("unusable", b"")

    def test_in_a_circle_is_none(self, repo):
        write(repo, AGENTS_md=b"CLAUDE.md\n", CLAUDE_md=b"@AGENTS.md\n")
        assert kinds(look(repo)) == {"AGENTS.md": "unusable", "CLAUDE.md": "unusable"}

    def test_over_two_steps_is_the_last(self, repo):
        write(repo, AGENTS_md=RULES, CLAUDE_md=b"@GEMINI.md\n", GEMINI_md=b"AGENTS.md")
        assert look(repo).files["CLAUDE.md"].link_to == "AGENTS.md"


class TestNotToBeMade:
    @pytest.mark.parametrize("place", [".gitignore", ".git/info/exclude"])
    def test_is_what_git_ignores(self, repo, place):
        (repo / place).write_text("AGENTS.md\nCLAUDE.md\n", encoding="utf-8")
        write(repo, CLAUDE_md=RULES)
        view = look(repo)
        assert kinds(view) == {"AGENTS.md": "barred", "CLAUDE.md": "unusable"}
        assert view.files["AGENTS.md"].why == view.files["CLAUDE.md"].why == "git ignores it"

    def test_is_not_what_git_keeps_although_it_would_ignore_it(self, repo):
        commit(repo, {"AGENTS.md": RULES, ".gitignore": "*.md\n"})
        assert look(repo).files["AGENTS.md"].kind == "file"

    def test_is_what_a_human_removed_and_git_still_has(self, repo):
        commit(repo, {"AGENTS.md": RULES})
        os.unlink(repo / "AGENTS.md")
        assert look(repo).files["AGENTS.md"].kind == "barred"

    def test_is_what_a_sparse_checkout_leaves_out(self, repo):
        commit(repo, {"AGENTS.md": RULES, "src/a.py": "a\n"})
        git(repo, "sparse-checkout", "set", "--no-cone", "src/")
        view = look(repo)
        assert not (repo / "AGENTS.md").exists()
        assert set(kinds(view).values()) == {"barred"}

    def test_of_a_sparse_checkout_is_used_where_it_is_there(self, repo):
        commit(repo, {"AGENTS.md": RULES, "src/a.py": "a\n", "docs/b.md": "b\n"})
        git(repo, "sparse-checkout", "set", "src")
        view = look(repo)
        assert view.files["AGENTS.md"].kind == "file"
        assert view.files["CLAUDE.md"].kind == "barred"

    def test_is_anything_where_there_is_no_git(self, base):
        (base / "notes").mkdir()
        write(base / "notes", CLAUDE_md=RULES)
        view = look(base / "notes")
        assert (view.root, view.state, view.writable) == (base / "notes", "ok", True)
        assert (view.files["CLAUDE.md"].kind, view.files["AGENTS.md"].kind) == ("file", "barred")


class TestGitAtWork:
    def stopped(self, repo, *command):
        with pytest.raises(Exception, match="returned non-zero"):
            git(repo, *command)

    @pytest.fixture
    def conflict(self, repo):
        """Two branches that do not merge."""
        commit(repo, {"AGENTS.md": RULES})
        git(repo, "checkout", "-q", "-b", "other")
        commit(repo, {"AGENTS.md": b"theirs\n"})
        git(repo, "checkout", "-q", "main")
        commit(repo, {"AGENTS.md": b"ours\n"})
        return repo

    @pytest.mark.parametrize(
        ("command", "state"),
        [
            (("merge", "other"), "merging"),
            (("rebase", "other"), "rebasing"),
            (("rebase", "--apply", "other"), "rebasing"),
            (("cherry-pick", "other"), "cherry-picking"),
            (("revert", "HEAD~1"), "reverting"),
        ],
    )
    def test_is_told_and_nothing_is_to_be_written(self, conflict, command, state):
        self.stopped(conflict, *command)
        view = look(conflict)
        assert (view.state, view.writable) == (state, False)
        assert view.why

    def test_in_a_bisection(self, conflict):
        git(conflict, "bisect", "start")
        git(conflict, "bisect", "bad")
        assert look(conflict).state == "bisecting"
        git(conflict, "bisect", "reset")
        assert look(conflict).state == "ok"

    def test_while_the_index_is_locked(self, repo):
        (repo / ".git" / "index.lock").write_bytes(b"")
        assert look(repo).state == "locked"
        os.unlink(repo / ".git" / "index.lock")
        assert look(repo).state == "ok"

    def test_in_one_worktree_is_none_in_another(self, conflict, base):
        git(conflict, "worktree", "add", "-q", "-b", "side", str(base / "side"))
        self.stopped(base / "side", "merge", "other")
        assert look(base / "side").state == "merging"
        assert look(conflict).state == "ok"
        assert look(base / "side").root == base / "side"

    def test_without_a_branch_waits(self, repo, base):
        git(repo, "worktree", "add", "-q", "--detach", str(base / "try"))
        view = look(base / "try")
        assert (view.state, view.writable) == ("detached", False)

    def test_before_the_first_commit(self, base):
        (base / "new").mkdir()
        git(base / "new", "init", "-q")
        write(base / "new", AGENTS_md=RULES)
        view = look(base / "new")
        assert (view.state, view.head, kinds(view)) == ("ok", "", {"AGENTS.md": "file"})


class TestLayouts:
    @pytest.mark.parametrize("absorbed", [True, False])
    def test_a_submodule_is_not_written_unasked(self, repo, base, absorbed):
        library = new_repository(base / "library")
        if absorbed:
            git(repo, "submodule", "--quiet", "add", str(library), "vendor/library")
        else:
            new_repository(repo / "vendor" / "library")
            git(repo, "submodule", "--quiet", "add", str(library), "vendor/library")
        view = look(repo / "vendor" / "library")
        assert (view.root, view.state) == (repo / "vendor" / "library", "submodule")
        assert look(repo).state == "ok"

    def test_a_repository_inside_another_is_no_submodule(self, repo):
        inner = new_repository(repo / "tools" / "inner")
        assert look(inner).state == "ok"

    def test_worktrees_around_a_bare_repository_are_written_each_for_itself(self, repo, base):
        commit(repo, {"AGENTS.md": RULES})
        project = base / "project"
        git(base, "clone", "-q", "--bare", str(repo), str(project / ".bare"))
        (project / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
        git(project, "worktree", "add", "-q", str(project / "main"), "main")
        git(project, "worktree", "add", "-q", "-b", "new", str(project / "new"))
        for name in ("main", "new"):
            view = look(project / name)
            assert (view.root, view.state) == (project / name, "ok")
            assert kinds(view) == {"AGENTS.md": "file"}
        view = look(project)
        assert (view.state, view.writable) == ("unusable", False)
        assert "bare" in view.why

    def test_a_bare_repository_has_nothing_to_write(self, repo, base):
        git(base, "clone", "-q", "--bare", str(repo), str(base / "api.git"))
        assert look(base / "api.git").state == "unusable"

    @pytest.mark.parametrize(
        "place",
        [
            "vscode-remote://ssh-remote+host/home/dev/api",
            "vscode-remote://wsl+ubuntu/home/dev",
            "\\\\wsl$\\Ubuntu\\home\\dev",
            "\\\\wsl.localhost\\Ubuntu\\home\\dev",
            "/gone/long/ago",
        ],
    )
    def test_what_is_not_here_is_listed_and_not_written(self, place):
        view = look(place)
        assert (view.state, view.writable, view.files) == ("unusable", False, {})
        assert view.why

    def test_the_home_folder_is_never_written(self, base):
        new_repository(base / "home")
        assert look(base / "home").state == "unusable"
        assert look(base).state == "unusable"
        (base / "home" / "code").mkdir()
        assert look(base / "home" / "code").root == base / "home"

    def test_a_repository_that_git_does_not_trust_is_told(self, repo, monkeypatch):
        monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        view = look(repo)
        assert (view.state, view.writable) == ("unusable", False)
        assert "dubious ownership" in view.why

    def test_a_system_without_git_is_told(self, repo, monkeypatch):
        monkeypatch.setenv("PATH", "")
        view = look(repo)
        assert (view.state, view.why) == ("unusable", "git is not installed")

    def test_variables_of_a_hook_name_no_other_repository(self, repo, base, monkeypatch):
        other = new_repository(base / "other")
        commit(repo, {"AGENTS.md": RULES})
        monkeypatch.setenv("GIT_DIR", str(other / ".git"))
        monkeypatch.setenv("GIT_WORK_TREE", str(other))
        monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
        view = look(repo)
        assert view.files["AGENTS.md"].kind == "file"
        monkeypatch.undo()
        assert view.head == git(repo, "rev-parse", "HEAD")


class TestWhereItemsGo:
    def test_to_the_worktree_the_session_ran_in(self, repo, base):
        git(repo, "worktree", "add", "-q", "-b", "try", str(base / "try"))
        place = place_of(str(base / "try"), str(repo))
        assert (place.folder, place.moved) == (str(base / "try"), False)

    def test_to_the_main_checkout_for_review_when_it_is_gone(self, repo, base):
        git(repo, "worktree", "add", "-q", "-b", "try", str(base / "try"))
        git(repo, "worktree", "remove", str(base / "try"))
        place = place_of(str(base / "try"), str(repo))
        assert (place.folder, place.moved) == (str(repo), True)

    def test_nowhere_else_when_it_is_on_another_machine(self, repo):
        remote = "vscode-remote://ssh-remote+host/home/dev/api"
        assert place_of(remote, str(repo)).folder == remote


class TestAgents:
    def test_are_known_by_what_their_settings_teach_them(self, repo):
        (repo / ".gemini").mkdir()
        settings = repo / ".gemini" / "settings.json"
        for text, name in (
            ('{"context": {"fileName": ["AGENTS.md", "GEMINI.md"]}}', "gemini-cli, taught"),
            ('{"contextFileName": "AGENTS.md"}', "gemini-cli, taught"),
            ('{"context": {"fileName": "OTHER.md"}, "x": "AGENTS.md"}', "gemini-cli"),
            ("{", "gemini-cli"),
        ):
            settings.write_text(text, encoding="utf-8")
            assert look(repo, ["gemini-cli", "codex"]).agents == {name, "codex"}

    def test_settings_in_the_home_folder_count_too(self, repo, base):
        folder = base / "home" / ".gemini"
        folder.mkdir(parents=True)
        text = '{"context": {"fileName": "AGENTS.md"}}'
        (folder / "settings.json").write_text(text, encoding="utf-8")
        assert look(repo, ["gemini-cli"]).agents == {"gemini-cli, taught"}


class TestWhatGitLaid:
    WITH = RULES + b"- no new dependency [abcd2345]\n"

    @pytest.fixture
    def head(self, repo):
        commit(repo, {"AGENTS.md": RULES})
        return look(repo).head

    def base_of(self, repo, head):
        return look(repo, last_head=head).files["AGENTS.md"].base

    def age(self, repo):
        """Let what git has written so far be long ago."""
        past = time.time() - 100
        for path in [*(repo / ".git").rglob("*"), repo / "AGENTS.md"]:
            if path.is_file():
                os.utime(path, (past, past))
        git(repo, "status")
        for path in (repo / ".git" / "index", *(repo / ".git" / "logs").rglob("*")):
            os.utime(path, (past, past))

    def test_is_nothing_when_a_hand_wrote(self, repo, head):
        write(repo, AGENTS_md=self.WITH)
        assert self.base_of(repo, head) is None

    def test_is_nothing_when_a_hand_took_the_last_change_back(self, repo, head):
        """The file is as git has it, but git did not put it there."""
        write(repo, AGENTS_md=self.WITH)
        self.age(repo)
        write(repo, AGENTS_md=RULES)
        assert self.base_of(repo, head) is None

    def test_is_nothing_when_git_only_looked_at_it_later(self, repo, head):
        write(repo, AGENTS_md=self.WITH)
        self.age(repo)
        write(repo, AGENTS_md=RULES)
        past = time.time() - 10
        os.utime(repo / "AGENTS.md", (past, past))
        git(repo, "status")
        assert self.base_of(repo, head) is None

    @pytest.mark.parametrize(
        "command", [("checkout", "--", "."), ("restore", "."), ("stash",), ("reset", "--hard")]
    )
    def test_is_what_stands_there_when_git_took_the_change_back(self, repo, head, command):
        self.age(repo)
        write(repo, AGENTS_md=self.WITH)
        git(repo, *command)
        assert self.base_of(repo, head) == RULES

    def test_is_the_new_branchs_version_after_a_switch(self, repo, head):
        git(repo, "checkout", "-q", "-b", "try")
        commit(repo, {"AGENTS.md": self.WITH})
        seen = look(repo).head
        git(repo, "checkout", "-q", "main")
        assert self.base_of(repo, seen) == RULES

    def test_is_the_last_seen_version_after_a_commit(self, repo):
        """What a later commit lacks, somebody took out."""
        commit(repo, {"AGENTS.md": self.WITH})
        seen = look(repo).head
        commit(repo, {"AGENTS.md": RULES})
        assert self.base_of(repo, seen) == self.WITH

    def test_is_empty_where_the_last_seen_commit_had_none(self, repo):
        seen = look(repo).head
        commit(repo, {"AGENTS.md": RULES})
        assert self.base_of(repo, seen) == b""

    def test_is_nothing_for_a_file_git_does_not_keep(self, repo):
        seen = look(repo).head
        commit(repo, {"src.py": "a\n"})
        write(repo, AGENTS_md=RULES)
        assert self.base_of(repo, seen) is None

    def test_is_seen_through_the_line_ends_of_another_system(self, repo, head):
        self.age(repo)
        git(repo, "config", "core.autocrlf", "true")
        os.unlink(repo / "AGENTS.md")
        git(repo, "checkout", "--", "AGENTS.md")
        assert (repo / "AGENTS.md").read_bytes() == RULES.replace(b"\n", b"\r\n")
        assert self.base_of(repo, head) == RULES.replace(b"\n", b"\r\n")


def test_looking_at_many_folders_makes_no_file(repo):
    for number in range(100):
        folder = repo / "pkg" / f"p{number}"
        folder.mkdir(parents=True)
        for name in ("a.py", "b.py"):
            (folder / name).write_bytes(b"x\n")
    before = snapshot(repo)
    for number in range(0, 100, 10):
        look(repo / "pkg" / f"p{number}", ["claude-code", "gemini-cli"])
    assert snapshot(repo) == before


def snapshot(folder):
    return {
        str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in folder.rglob("*")
    }


@posix
def test_programs_that_a_repository_names_are_not_run(repo):
    commit(repo, {"AGENTS.md": RULES})
    trap = repo / ".git" / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {repo / 'trapped'}\n", encoding="utf-8")
    os.chmod(trap, 0o755)
    git(repo, "config", "core.fsmonitor", str(trap))
    git(repo, "config", "filter.trap.clean", str(trap))
    (repo / ".gitattributes").write_text("*.md filter=trap\n", encoding="utf-8")
    write(repo, AGENTS_md=RULES + b"more\n")
    look(repo, last_head="0" * 40)
    assert not (repo / "trapped").exists()
    git(repo, "status")
    assert (repo / "trapped").exists(), "the trap works"
