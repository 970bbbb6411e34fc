"""One edit is done whole and verified, with a receipt that takes it back, or not at all."""

import os
import stat
import sys
import time

import pytest

import unprivileged
from ctxd.context_files.apply import apply, undo
from ctxd.context_files.folder import Folder
from ctxd.context_files.receipts import Receipts
from ctxd.context_files.refusals import ChangedError, NotYetError, RefusedError
from ctxd.context_files.values import Change, Edit
from git_repos import commit, new_repository, status

posix = pytest.mark.skipif(os.name == "nt", reason="needs modes and links")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

OLD, NEW = b"# Rules\n\nuse tabs\n", b"# Rules\n\nuse tabs\nno new dependency\n"


@pytest.fixture
def repo(tmp_path):
    repository = new_repository(tmp_path.resolve() / "api")
    commit(repository, {"AGENTS.md": OLD})
    return repository


@pytest.fixture
def receipts(tmp_path):
    return Receipts(tmp_path / "state" / "receipts")


def edit(path="AGENTS.md", before=OLD, after=NEW):
    return Edit(path, before, after, (Change("abcd2345", "add", "no new dependency"),))


def at_once(change, repo, receipts):
    return apply(change, repo, receipts, quiet_seconds=0.0)


def names(folder):
    return sorted(os.listdir(folder))


def refusal(repo, receipts, change):
    with pytest.raises(RefusedError) as refused:
        at_once(change, repo, receipts)
    return refused.value.code


def test_an_edit_replaces_the_content_and_leaves_nothing_beside_it(repo, receipts):
    receipt = at_once(edit(), repo, receipts)
    assert (repo / "AGENTS.md").read_bytes() == NEW
    assert names(repo) == [".git", "AGENTS.md", "readme.txt"]
    assert status(repo) == {"AGENTS.md": " M"}
    assert (receipt.before, receipt.after, receipt.items) == (OLD, NEW, ("abcd2345",))


def test_an_edit_makes_a_file_that_was_not_there(repo, receipts):
    at_once(edit("CLAUDE.md", None, b"@AGENTS.md\n"), repo, receipts)
    assert (repo / "CLAUDE.md").read_bytes() == b"@AGENTS.md\n"
    assert status(repo) == {"CLAUDE.md": "??"}


def test_a_file_that_appeared_meanwhile_is_not_overwritten(repo, receipts):
    with pytest.raises(ChangedError):
        at_once(edit(before=None), repo, receipts)
    assert (repo / "AGENTS.md").read_bytes() == OLD
    assert receipts.all() == receipts.all("begun") == []


def test_applied_twice_is_applied_once(repo, receipts):
    at_once(edit(), repo, receipts)
    before = os.stat(repo / "AGENTS.md")
    assert at_once(edit(), repo, receipts) is None
    after = os.stat(repo / "AGENTS.md")
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)
    assert len(receipts.all()) == 1


def test_a_changed_file_is_left_and_the_difference_is_told(repo, receipts):
    (repo / "AGENTS.md").write_bytes(OLD + b"mine\n")
    with pytest.raises(ChangedError) as changed:
        at_once(edit(), repo, receipts)
    assert (repo / "AGENTS.md").read_bytes() == OLD + b"mine\n"
    assert "+mine" in changed.value.diff
    assert changed.value.exit_code == 5
    assert receipts.all() == receipts.all("begun") == []


def test_a_file_that_changed_a_moment_ago_waits(repo, receipts):
    with pytest.raises(NotYetError) as wait:
        apply(edit(), repo, receipts, quiet_seconds=30.0)
    assert wait.value.code == "wait.quiet"
    assert (repo / "AGENTS.md").read_bytes() == OLD


def test_a_file_saved_under_an_old_time_waits_too(repo, receipts):
    os.utime(repo / "AGENTS.md", (1e9, 1e9))
    with pytest.raises(NotYetError):
        apply(edit(), repo, receipts, quiet_seconds=30.0)


def test_a_time_in_the_far_future_is_no_reason_to_wait_for_ever(repo, receipts):
    time.sleep(0.05)
    (repo / "AGENTS.md").touch()
    future = time.time() + 10 * 365 * 86400
    os.utime(repo / "AGENTS.md", (future, future))
    time.sleep(0.1)
    apply(edit(), repo, receipts, quiet_seconds=0.05)
    assert (repo / "AGENTS.md").read_bytes() == NEW


@linux
def test_a_file_that_a_program_has_open_for_writing_waits(repo, receipts):
    with (repo / "AGENTS.md").open("ab"):
        with pytest.raises(NotYetError) as wait:
            at_once(edit(), repo, receipts)
        assert wait.value.code == "wait.writer"
    with (repo / "AGENTS.md").open("rb"):  # a reader disturbs nobody
        assert at_once(edit(), repo, receipts)


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664, 0o755])
def test_the_mode_is_kept_and_comes_back(repo, receipts, mode):
    os.chmod(repo / "AGENTS.md", mode)
    receipt = at_once(edit(), repo, receipts)
    assert stat.S_IMODE(os.stat(repo / "AGENTS.md").st_mode) == mode
    undo(receipt, receipts)
    assert stat.S_IMODE(os.stat(repo / "AGENTS.md").st_mode) == mode
    assert (repo / "AGENTS.md").read_bytes() == OLD


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs the superuser")
def test_the_owner_is_kept(repo, receipts):
    os.chown(repo / "AGENTS.md", 1234, 2345)
    at_once(edit(), repo, receipts)
    status = os.stat(repo / "AGENTS.md")
    assert (status.st_uid, status.st_gid) == (1234, 2345)


@linux
def test_labels_of_a_file_are_kept(repo, receipts):
    try:
        os.setxattr(repo / "AGENTS.md", "user.note", b"by hand")
    except OSError:
        pytest.skip("the file system knows no labels")
    at_once(edit(), repo, receipts)
    assert os.getxattr(repo / "AGENTS.md", "user.note") == b"by hand"


@posix
@pytest.mark.parametrize(("folder_mode", "mode"), [(0o755, 0o644), (0o700, 0o600), (0o775, 0o664)])
def test_a_new_file_is_open_to_whom_its_folder_is(repo, receipts, folder_mode, mode):
    os.chmod(repo, folder_mode)
    at_once(edit("CLAUDE.md", None), repo, receipts)
    assert stat.S_IMODE(os.stat(repo / "CLAUDE.md").st_mode) == mode


@posix
def test_a_read_only_file_is_left(repo, receipts):
    os.chmod(repo / "AGENTS.md", 0o444)
    assert refusal(repo, receipts, edit()) == "refused.read-only"
    assert (repo / "AGENTS.md").read_bytes() == OLD


@posix
def test_a_read_only_folder_is_told_with_a_hint():
    def story(base):
        repository = new_repository(base / "api")
        commit(repository, {"AGENTS.md": OLD})
        os.chmod(repository, 0o555)
        receipts = Receipts(base / "receipts")
        with pytest.raises(RefusedError) as refused:
            at_once(edit(), repository, receipts)
        os.chmod(repository, 0o755)
        assert refused.value.code == "refused.system"
        assert "permission denied" in refused.value.message
        assert refused.value.hint
        assert (repository / "AGENTS.md").read_bytes() == OLD
        assert receipts.all("begun") == []

    unprivileged.run(story)


@posix
def test_a_link_is_kept_and_its_target_edited_once(repo, receipts):
    (repo / "CLAUDE.md").symlink_to("AGENTS.md")
    receipt = at_once(edit("CLAUDE.md"), repo, receipts)
    assert os.readlink(repo / "CLAUDE.md") == "AGENTS.md"
    assert (repo / "AGENTS.md").read_bytes() == NEW
    assert receipt.path == "AGENTS.md"
    assert at_once(edit("AGENTS.md"), repo, receipts) is None


@posix
def test_a_link_to_nothing_is_left(repo, receipts):
    (repo / "CLAUDE.md").symlink_to(repo / "docs" / "gone.md")
    assert refusal(repo, receipts, edit("CLAUDE.md", None)) == "refused.dangling"
    assert names(repo) == [".git", "AGENTS.md", "CLAUDE.md", "readme.txt"]


@posix
def test_a_link_out_of_the_worktree_is_not_followed(repo, receipts, tmp_path):
    (tmp_path / "dotfiles.md").write_bytes(OLD)
    (repo / "CLAUDE.md").symlink_to(tmp_path / "dotfiles.md")
    (repo / "docs").symlink_to(tmp_path, target_is_directory=True)
    assert refusal(repo, receipts, edit("CLAUDE.md")) == "refused.outside"
    assert refusal(repo, receipts, edit("docs/dotfiles.md")) == "refused.outside"
    assert refusal(repo, receipts, edit("docs/new.md", None)) == "refused.outside"
    assert (tmp_path / "dotfiles.md").read_bytes() == OLD


@posix
def test_a_linked_folder_inside_the_worktree_is_followed(repo, receipts):
    (repo / "real").mkdir()
    (repo / "real" / "AGENTS.md").write_bytes(OLD)
    (repo / "docs").symlink_to("real", target_is_directory=True)
    receipt = at_once(edit("docs/AGENTS.md"), repo, receipts)
    assert receipt.path == "real/AGENTS.md"
    assert (repo / "real" / "AGENTS.md").read_bytes() == NEW


@posix
def test_both_names_of_a_file_show_the_new_content(repo, receipts):
    os.link(repo / "AGENTS.md", repo / "CLAUDE.md")
    receipt = at_once(edit(), repo, receipts)
    assert (repo / "CLAUDE.md").read_bytes() == NEW
    assert os.path.samefile(repo / "AGENTS.md", repo / "CLAUDE.md")
    undo(receipt, receipts)
    assert (repo / "CLAUDE.md").read_bytes() == (repo / "AGENTS.md").read_bytes() == OLD
    assert os.path.samefile(repo / "AGENTS.md", repo / "CLAUDE.md")
    assert names(repo) == [".git", "AGENTS.md", "CLAUDE.md", "readme.txt"]


@posix
def test_a_file_with_a_name_elsewhere_is_left(repo, receipts, tmp_path):
    os.link(repo / "AGENTS.md", tmp_path / "shared.md")
    assert refusal(repo, receipts, edit()) == "refused.hard-link"
    assert (tmp_path / "shared.md").read_bytes() == OLD


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (".git/config", "refused.git"),
        (".GIT/hooks/pre-commit", "refused.git"),
        ("docs/.git/AGENTS.md", "refused.git"),
        ("git~1/config", "refused.git"),
        (".g\u200cit/config", "refused.git"),
        ("../AGENTS.md", "refused.path"),
        ("docs/../../AGENTS.md", "refused.path"),
        ("/etc/passwd", "refused.path"),
        ("", "refused.path"),
        ("a\0b", "refused.path"),
        ("missing/AGENTS.md", "refused.folder"),
        ("readme.txt/AGENTS.md", "refused.folder"),
    ],
)
def test_a_place_that_is_not_to_be_written_is_refused(repo, receipts, path, code):
    assert refusal(repo, receipts, edit(path, None)) == code


def test_another_repository_inside_this_one_is_not_written(repo, receipts):
    inner = new_repository(repo / "tools" / "inner")
    commit(inner, {"AGENTS.md": OLD})
    assert refusal(repo, receipts, edit("tools/inner/AGENTS.md")) == "refused.repository"


def test_a_folder_inside_a_worktree_is_no_root(repo, receipts):
    (repo / "src").mkdir()
    assert refusal(repo / "src", receipts, edit(before=None)) == "refused.root"


@pytest.mark.parametrize("place", [".gitignore", ".git/info/exclude"])
def test_what_git_ignores_is_not_written(repo, receipts, place):
    (repo / place).write_text("CLAUDE.md\nAGENTS.md\n", encoding="utf-8")
    assert refusal(repo, receipts, edit("CLAUDE.md", None)) == "refused.ignored"
    assert at_once(edit(), repo, receipts), "what is tracked is not ignored"


@posix
@pytest.mark.parametrize("kind", ["folder", "fifo"])
def test_what_is_no_file_is_left(repo, receipts, kind):
    os.unlink(repo / "AGENTS.md")
    if kind == "folder":
        (repo / "AGENTS.md").mkdir()
    else:
        os.mkfifo(repo / "AGENTS.md")
    assert refusal(repo, receipts, edit()) == "refused.unreadable"


def test_a_folder_without_git_can_be_written(tmp_path, receipts):
    folder = tmp_path.resolve() / "notes"
    folder.mkdir()
    (folder / "AGENTS.md").write_bytes(OLD)
    at_once(edit(), folder, receipts)
    assert (folder / "AGENTS.md").read_bytes() == NEW


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\r\nb\r\n", b"a\r\nb\r\nc\r\n"),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfa\nb\n"),
        (b"no end", b"no end\nb"),
        ("gr\u00fc\u00dfe\n".encode("latin-1"), "gr\u00fc\u00dfe\nb\n".encode("latin-1")),
        (b"a\nb\r\nc\r", b"a\nb\r\nc\rd\n"),
        (b"<<<<<<< HEAD\na\n", b"<<<<<<< HEAD\na\nb\n"),
        (b"", b"a\n"),
        (b"x\n" * (5 * 1024 * 1024 // 2), b"x\n" * (5 * 1024 * 1024 // 2) + b"y\n"),
    ],
    ids=["crlf", "bom", "no-end", "latin-1", "mixed", "conflict", "empty", "5-MB"],
)
def test_all_bytes_are_written_as_planned_and_come_back(repo, receipts, before, after):
    (repo / "AGENTS.md").write_bytes(before)
    receipt = at_once(edit(before=before, after=after), repo, receipts)
    assert (repo / "AGENTS.md").read_bytes() == after
    undo(receipt, receipts)
    assert (repo / "AGENTS.md").read_bytes() == before


def test_a_huge_file_is_left(repo, receipts):
    huge = b"x" * (9 * 1024 * 1024)
    (repo / "AGENTS.md").write_bytes(huge)
    assert refusal(repo, receipts, edit(before=huge)) == "refused.unreadable"


class TestUndo:
    def test_brings_back_the_bytes_and_says_so(self, repo, receipts):
        receipt = at_once(edit(), repo, receipts)
        back = undo(receipt, receipts)
        assert (repo / "AGENTS.md").read_bytes() == OLD
        assert status(repo) == {}
        assert back.undoes == receipt.id
        assert receipts.all("undone") == [receipt]

    def test_removes_a_file_that_the_edit_made(self, repo, receipts):
        receipt = at_once(edit("CLAUDE.md", None), repo, receipts)
        undo(receipt, receipts)
        assert names(repo) == [".git", "AGENTS.md", "readme.txt"]

    def test_of_an_undo_applies_the_edit_again(self, repo, receipts):
        receipt = at_once(edit("CLAUDE.md", None), repo, receipts)
        undo(undo(receipt, receipts), receipts)
        assert (repo / "CLAUDE.md").read_bytes() == NEW

    def test_twice_is_once(self, repo, receipts):
        receipt = at_once(edit(), repo, receipts)
        undo(receipt, receipts)
        undo(receipt, receipts)
        assert (repo / "AGENTS.md").read_bytes() == OLD

    @pytest.mark.parametrize("made", [False, True])
    def test_after_a_human_edit_refuses_with_the_difference(self, repo, receipts, made):
        change = edit("CLAUDE.md", None) if made else edit()
        receipt = at_once(change, repo, receipts)
        (repo / change.path).write_bytes(NEW + b"mine\n")
        with pytest.raises(ChangedError) as changed:
            undo(receipt, receipts)
        assert (repo / change.path).read_bytes() == NEW + b"mine\n"
        assert changed.value.diff.splitlines()[-1] == "+mine"
        assert receipts.all("done") == [receipt]

    def test_after_the_file_was_removed_refuses(self, repo, receipts):
        receipt = at_once(edit(), repo, receipts)
        os.unlink(repo / "AGENTS.md")
        with pytest.raises(ChangedError):
            undo(receipt, receipts)
        assert not (repo / "AGENTS.md").exists()


class Meanwhile:
    """Lets somebody do something right before a step of an edit."""

    def __init__(self, monkeypatch, step, *stories):
        original = getattr(Folder, step)
        left = list(stories)

        def hooked(folder, *arguments, **options):
            if left:
                left.pop(0)()
            return original(folder, *arguments, **options)

        monkeypatch.setattr(Folder, step, hooked)


@linux
class TestASaveBetweenComparisonAndExchange:
    MINE = OLD + b"mine\n"
    LATER = OLD + b"mine\nand later\n"

    @pytest.fixture
    def file(self, repo):
        return repo / "AGENTS.md"

    @pytest.fixture
    def lost(self, repo, receipts, monkeypatch, tmp_path):
        """Applies an edit while stories happen before its exchanges; the edit must give way and
        leave no trace. Returns the saves that were kept elsewhere."""

        def run(*stories):
            Meanwhile(monkeypatch, "exchange", *stories)
            with pytest.raises(ChangedError):
                at_once(edit(), repo, receipts)
            assert receipts.all() == receipts.all("begun") == []
            assert [name for name in names(repo) if "tmp" in name] == []
            return [path.read_bytes() for path in (tmp_path / "state").rglob("*.rescued")]

        return run

    def save(self, file, data):
        file.write_bytes(data)

    def save_by_rename(self, file, data):
        file.with_name("new").write_bytes(data)
        os.replace(file.with_name("new"), file)

    @pytest.mark.parametrize("how", ["save", "save_by_rename"])
    def test_stands(self, file, lost, how):
        assert lost(lambda: getattr(self, how)(file, self.MINE)) == []
        assert file.read_bytes() == self.MINE

    def test_of_the_same_bytes_as_another_file_stands_too(self, file, lost):
        """The new file may be one that its editor still holds."""
        lost(lambda: self.save_by_rename(file, OLD))
        assert file.read_bytes() == OLD

    def test_that_is_still_going_on_goes_on(self, file, lost):
        opened = []
        lost(lambda: opened.append(file.open("r+b")))
        with opened[0] as saving:
            saving.write(self.MINE)
        assert file.read_bytes() == self.MINE

    def test_of_a_link_in_its_place_keeps_the_link(self, file, lost, tmp_path):
        (tmp_path / "secret").write_bytes(b"secret")
        os.symlink(tmp_path / "secret", file.with_name("link"))
        lost(lambda: os.replace(file.with_name("link"), file))
        assert os.readlink(file) == str(tmp_path / "secret")
        assert (tmp_path / "secret").read_bytes() == b"secret"

    def test_by_an_editor_that_moves_the_old_file_away_goes_on(self, file, lost):
        lost(lambda: os.rename(file, file.with_name("AGENTS.md~")))
        assert not file.exists()
        assert file.with_name("AGENTS.md~").read_bytes() == OLD

    @pytest.mark.parametrize("how", ["save", "save_by_rename"])
    def test_and_a_later_one_on_top_of_ours_keeps_both(self, file, lost, how):
        stories = (
            lambda: self.save(file, self.MINE),
            lambda: getattr(self, how)(file, self.LATER),
        )
        assert lost(*stories) == [self.MINE]
        assert file.read_bytes() == self.LATER

    def test_and_a_removal_of_ours_brings_the_save_back(self, file, lost):
        assert lost(lambda: self.save(file, self.MINE), lambda: os.unlink(file)) == []
        assert file.read_bytes() == self.MINE


class TestWithoutAnExchange:
    @pytest.fixture(autouse=True)
    def none(self, monkeypatch):
        monkeypatch.setattr(Folder, "exchange", lambda *_: False)

    def test_the_edit_is_made_and_undone(self, repo, receipts):
        receipt = at_once(edit(), repo, receipts)
        assert (repo / "AGENTS.md").read_bytes() == NEW
        undo(receipt, receipts)
        assert (repo / "AGENTS.md").read_bytes() == OLD
        assert names(repo) == [".git", "AGENTS.md", "readme.txt"]

    def test_a_save_before_the_last_comparison_stands(self, repo, receipts, monkeypatch):
        mine = OLD + b"mine\n"
        Meanwhile(monkeypatch, "make", lambda: (repo / "AGENTS.md").write_bytes(mine))
        with pytest.raises(ChangedError):
            at_once(edit(), repo, receipts)
        assert (repo / "AGENTS.md").read_bytes() == mine
        assert names(repo) == [".git", "AGENTS.md", "readme.txt"]

    @posix
    def test_both_names_of_a_file_show_the_new_content(self, repo, receipts):
        os.link(repo / "AGENTS.md", repo / "CLAUDE.md")
        at_once(edit(), repo, receipts)
        assert (repo / "CLAUDE.md").read_bytes() == NEW
        assert os.path.samefile(repo / "AGENTS.md", repo / "CLAUDE.md")


def test_a_file_made_by_somebody_in_the_last_instant_stands(repo, receipts, monkeypatch):
    place = repo / "CLAUDE.md"
    Meanwhile(monkeypatch, "settle", lambda: place.write_bytes(b"mine\n"))
    with pytest.raises(ChangedError):
        at_once(edit("CLAUDE.md", None), repo, receipts)
    assert place.read_bytes() == b"mine\n"
    assert names(repo) == [".git", "AGENTS.md", "CLAUDE.md", "readme.txt"]


def test_a_save_before_an_undo_removes_the_file_stands(repo, receipts, monkeypatch):
    place = repo / "CLAUDE.md"
    receipt = at_once(edit("CLAUDE.md", None), repo, receipts)
    Meanwhile(monkeypatch, "replace", lambda: place.write_bytes(b"mine\n"))
    with pytest.raises(ChangedError):
        undo(receipt, receipts)
    assert place.read_bytes() == b"mine\n"
    assert names(repo) == [".git", "AGENTS.md", "CLAUDE.md", "readme.txt"]


def test_a_file_system_without_unnamed_files_serves_too(repo, receipts, monkeypatch):
    monkeypatch.setattr(Folder, "_make_unnamed", lambda *_: False)
    at_once(edit(), repo, receipts)
    assert (repo / "AGENTS.md").read_bytes() == NEW
    assert names(repo) == [".git", "AGENTS.md", "readme.txt"]


def test_two_processes_do_not_apply_at_once(repo, receipts, monkeypatch):
    monkeypatch.setattr("ctxd.context_files.receipts.APPLY_WAIT_SECONDS", 0.1)
    with receipts.locked(), pytest.raises(NotYetError) as wait:
        at_once(edit(), repo, receipts)
    assert wait.value.code == "wait.other"
