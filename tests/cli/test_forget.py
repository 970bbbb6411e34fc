"""`ctxd forget`: an item is gone from all that ctxd keeps, and what cannot be reached is said."""

import contextlib
import json
import os
import shutil
import subprocess
import time

import msgspec
import pytest

from batches import batch
from cli.known import AGENT, DAY, LOG, SESSION, judged, known, open_ledger
from cli.running import plain, typing
from ctxd.item import Evidence
from ctxd.ledger import Ledger, LedgerInUseError, SessionRow
from ctxd_parsers.events import UserMessage
from git_repos import commit, git, new_repository, status

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
on_terminal = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")

SECRET = known("never name the customer Bluefinch", kind="constraint")
TABS = known("indent with tabs", 3, "u3")


@pytest.fixture
def root(home):
    """A repository whose AGENTS.md has the lines of two items."""
    folder = new_repository(home.path.resolve() / "api")
    row = SessionRow(agent=AGENT, id=SESSION, cwd=str(folder), spoken=True, last_event=DAY)
    words = UserMessage(agent=AGENT, session=SESSION, id="u2", text=SECRET.text)
    with open_ledger(home) as ledger:
        ledger.record(batch(words, path=LOG, sessions=[row]))
        ledger.settle([judged("u2", SECRET, repository=str(folder))])
        ledger.settle([judged("u3", TABS, repository=str(folder))])
    run = home.ctxd("apply", "--all", "--repo", folder)
    assert (run.code, run.err) == (0, "")
    assert SECRET.text in agents(folder)
    assert SECRET.text in record(folder)
    return folder


def agents(root):
    return (root / "AGENTS.md").read_text(encoding="utf-8")


def record(root):
    return (root / ".ctxd" / "items.jsonl").read_text(encoding="utf-8")


def kept(home):
    """Every byte that ctxd keeps of its own."""
    paths = (path for path in (home.path / "own").rglob("*") if path.is_file())
    return b"".join(path.read_bytes() for path in paths)


def forget(home, root, *arguments):
    return home.ctxd("forget", "--repo", root, *arguments)


class TestEverywhere:
    def test_nothing_of_it_is_left_anywhere(self, home, root):
        assert b"Bluefinch" in kept(home)
        run = forget(home, root, SECRET.id[:4], "--yes")
        assert (run.code, run.err) == (0, "")
        assert b"Bluefinch" not in kept(home)
        assert "Bluefinch" not in agents(root) + record(root)
        assert TABS.text in agents(root)
        assert TABS.text in record(root)
        assert home.ctxd("search", "bluefinch", "--everywhere", "--json").out == ""
        assert git(root, "ls-files") == "readme.txt"

    def test_what_was_done_is_told_and_what_cannot_be_reached(self, home, root):
        run = forget(home, root, SECRET.id, "--yes")
        told = run.out[run.out.index("forgot ") :]
        assert told.splitlines() == [
            f"forgot {SECRET.id}",
            "  took it out of `~/api/AGENTS.md`",
            "  took it out of `~/api/.ctxd/items.jsonl`",
            "  1 edit of context files that showed it cannot be undone any more",
            "ctxd cannot reach:",
            f"  claude-code's own log {LOG}",
            "  commits that hold its line in a context file, or in `.ctxd/items.jsonl`",
            "  clones and other machines that have taken it up",
            "  what else was said of it in its session, and lines you moved out of ctxd's block",
        ]

    def test_it_does_not_come_back_from_its_log_or_the_record(self, home, root):
        old = record(root)
        forget(home, root, SECRET.id, "--yes")
        (root / ".ctxd" / "items.jsonl").write_text(old, encoding="utf-8")
        with open_ledger(home) as ledger:
            ledger.settle([judged("u2", SECRET, repository=str(root))])
        assert home.ctxd("apply", "--all", "--repo", root).code == 0
        assert SECRET.text not in agents(root)
        assert b"Bluefinch" not in kept(home)

    def test_a_scan_does_not_bring_it_up_again(self, sample_home):
        found = sample_home.ctxd("scan", "--items", "--json")
        [one, *others] = json.loads(found.out)["items"]
        with open_ledger(sample_home) as ledger:
            ledger.forget(one["repository"], one["id"])
        again = json.loads(sample_home.ctxd("scan", "--items", "--json").out)
        assert [item["id"] for item in again["items"]] == [item["id"] for item in others]
        assert sum(again["agents"][0]["items"].values()) == len(others)

    def test_what_git_has_of_the_record_stays_and_is_taken_back(self, home, root):
        commit(root, {path: (root / path).read_bytes() for path in (".ctxd/items.jsonl",)})
        run = forget(home, root, SECRET.id, "--yes")
        assert "  left 1 line of `.ctxd/items.jsonl` that git knows already" in run.lines
        lines = record(root).splitlines()
        assert len([line for line in lines if SECRET.id in line and "Bluefinch" in line]) == 1
        assert '"type":"retracted"' in lines[-1]
        assert "Bluefinch" not in lines[-1]
        assert "Bluefinch" not in agents(root)

    def test_a_record_too_large_to_look_through_is_left_whole(self, home, root):
        lines = record(root)
        filler = "".join(f'{{"of a later version": "{n:0200}"}}\n' for n in range(1500))
        commit(root, {".ctxd/items.jsonl": lines + filler})
        run = forget(home, root, SECRET.id, "--yes")
        assert (run.code, run.err) == (0, "")
        assert record(root).startswith(lines + filler)
        assert "Bluefinch" not in agents(root)

    def test_other_items_with_its_words_are_named(self, home, root):
        quote = Evidence("u2", "user", f"{SECRET.text}, and sign all commits")
        other = known("sign all commits", 5, "u5", more_evidence=(quote,))
        with open_ledger(home) as ledger:
            ledger.settle([judged("u5", other, repository=str(root))])
        run = forget(home, root, SECRET.id, "--yes")
        assert f"  another item with its words: {other.id}" in run.lines
        assert TABS.id not in run.out
        run = forget(home, root, other.id, "--yes")
        assert "another item" not in run.out
        assert b"Bluefinch" not in kept(home)

    def test_a_second_time_there_is_nothing_to_forget(self, home, root):
        forget(home, root, SECRET.id, "--yes")
        run = forget(home, root, SECRET.id, "--yes")
        assert (run.code, run.out) == (1, "")
        assert run.err.startswith("error: no item of this repository is named or holds ")

    def test_the_other_edits_can_still_be_taken_back(self, home, root):
        more = known("log in JSON", 8, "u8")
        forget(home, root, SECRET.id, "--yes")
        with open_ledger(home) as ledger:
            ledger.settle([judged("u8", more, repository=str(root))])
        assert home.ctxd("apply", "--all", "--repo", root).code == 0
        assert home.ctxd("undo", more.id).code == 0
        assert more.text not in agents(root)

    def test_edits_of_another_repository_where_the_same_was_said_can_be_taken_back(
        self, home, root
    ):
        other = new_repository(home.path.resolve() / "web")
        row = SessionRow(agent=AGENT, id="other", cwd=str(other), spoken=True, last_event=DAY)
        same = known(SECRET.text, kind="constraint")
        same = msgspec.structs.replace(same, session="other")
        with open_ledger(home) as ledger:
            ledger.record(batch(path="/other.jsonl", sessions=[row]))
            ledger.settle([judged("u9", same, repository=str(other))])
        assert home.ctxd("apply", "--all", "--repo", other).code == 0
        assert same.id == SECRET.id
        assert SECRET.text in agents(other)
        run = forget(home, root, SECRET.id, "--yes")
        assert "  1 edit of context files that showed it cannot be undone any more" in run.lines
        assert SECRET.text not in agents(root)
        assert home.ctxd("undo", SECRET.id).code == 0
        assert not (other / "AGENTS.md").exists()

    def test_while_git_merges_it_is_not_forgotten_halfway(self, home, root):
        (root / ".git" / "MERGE_HEAD").write_text(git(root, "rev-parse", "HEAD"), encoding="utf-8")
        before = agents(root), record(root)
        run = forget(home, root, SECRET.id, "--yes")
        assert run.code == 1
        assert "error: its line in `AGENTS.md` cannot be taken out now" in run.err
        assert (agents(root), record(root)) == before
        (root / ".git" / "MERGE_HEAD").unlink()
        assert forget(home, root, SECRET.id, "--yes").code == 0
        assert "Bluefinch" not in agents(root)
        assert b"Bluefinch" not in kept(home)

    def test_a_worktree_that_is_gone_is_no_trouble(self, home, root):
        shutil.rmtree(root)
        assert home.ctxd("forget", SECRET.id, "--yes").code == 0
        assert b"Bluefinch" not in kept(home)


class TestNames:
    def test_words_name_an_item_where_one_alone_holds_them(self, home, root):
        run = forget(home, root, "customer", "bluefinch", "--yes")
        assert run.code == 0
        assert "Bluefinch" not in agents(root)

    def test_words_of_several_items_are_not_guessed_at(self, home, root):
        more = known("name no customer in logs", 8, "u8")
        with open_ledger(home) as ledger:
            ledger.settle([judged("u8", more, repository=str(root))])
        run = forget(home, root, "customer", "--yes")
        assert (run.code, run.out) == (1, "")
        assert run.err.startswith("error: 2 items hold `customer`: ")
        assert SECRET.text in agents(root)

    def test_an_unknown_id_among_several_forgets_none(self, home, root):
        assert forget(home, root, SECRET.id, "zzzz", "--yes").code == 1
        assert SECRET.text in agents(root)

    def test_several_are_forgotten_at_once(self, home, root):
        assert forget(home, root, SECRET.id, TABS.id, "--yes").code == 0
        assert home.ctxd("items", "--all", "--json", "--repo", root).out == ""
        assert TABS.text not in agents(root)


class TestAsking:
    def test_where_nobody_can_be_asked_nothing_is_forgotten(self, home, root):
        run = forget(home, root, SECRET.id)
        assert run.code == 2
        assert run.err == (
            "error: there is no terminal to ask on\n\n"
            "hint: add `--yes` to forget without a question\n"
        )
        assert SECRET.text in agents(root)

    @on_terminal
    def test_it_asks_before_and_takes_only_a_yes(self, home, root, snapshot):
        for key in ("", "n", "yep", "\x04"):
            run = typing(home, 80, "forget", SECRET.id, "--repo", str(root), keys=[key])
            assert run.code == 0
            assert "nothing was forgotten" in run.out
            assert SECRET.text in agents(root)
        run = typing(home, 80, "forget", SECRET.id, "--repo", str(root), keys=["y"])
        assert run.code == 0
        assert SECRET.text not in agents(root)
        snapshot("forget-80", plain(run.out))


@contextlib.contextmanager
def daemon(home):
    process = subprocess.Popen(
        home.command("run"), env=home.variables, cwd=home.path, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 30
        while home.ctxd("ping").code != 0:
            assert time.monotonic() < deadline
        yield
    finally:
        process.terminate()
        assert process.wait(30) == 0


def test_the_daemon_forgets_where_one_runs(home, root):
    with daemon(home):
        with pytest.raises(LedgerInUseError):
            Ledger.open(home.path / "own" / "state" / "ledger.sqlite3")
        assert forget(home, root, SECRET.id, "--yes").code == 0
        assert "Bluefinch" not in agents(root)
        assert home.ctxd("review", "reject", TABS.id, "--repo", root).code == 0
        assert home.ctxd("items", "--json", "--repo", root).out == ""
    assert b"Bluefinch" not in kept(home)
    assert set(status(root)) <= {"AGENTS.md", ".ctxd/.gitattributes", ".ctxd/items.jsonl"}


def test_reading_the_whole_log_again_does_not_bring_it_back(sample_home):
    def found():
        rows = sample_home.ctxd("items", "--all", "--json", "--repo", "/home/dev/shop-api").lines
        return {row["id"]: row["text"] for row in map(json.loads, rows)}

    sample_home.variables["CTXD_HOME"] = str(sample_home.path / "own")
    with daemon(sample_home):
        assert sample_home.ctxd("flush").code == 0
        before = found()
        gone = min(before)
        assert sample_home.ctxd("forget", gone, "--yes").code == 0
        assert found().keys() == before.keys() - {gone}
    [log] = sample_home.path.glob(".claude/projects/*/*.jsonl")
    copy = log.with_suffix(".new")
    copy.write_bytes(log.read_bytes())
    copy.replace(log)
    moved = log.with_name("0a0a0a0a-0000-4000-8000-000000000000.jsonl")
    moved.write_bytes(log.read_bytes())
    with daemon(sample_home):
        assert sample_home.ctxd("flush").code == 0
        assert found().keys() == before.keys() - {gone}
