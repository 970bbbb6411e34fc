"""What is said in a session comes to stand in the repository's own files, and humans have the last
word on it."""

import json
import time

import pytest

from ctxd.context_files import record
from ctxd.ledger import Ledger
from ctxd.policy.context_files import CONTEXT_QUIET_SECONDS, CONTEXT_WRITE_SECONDS
from e2e.conversations import ClaudeCode, CopilotCli
from e2e.daemon import Daemon, wait_until
from git_repos import commit, git, new_repository, status

BAN = "Never log request bodies, not even at debug level."
OTHER_BAN = "Never call the payment service from a migration."
OWN = "# shop\n\n- Run the tests with `make test`.\n"


@pytest.fixture
def daemon(tmp_path):
    daemon = Daemon(tmp_path)
    yield daemon
    daemon.close()
    assert "defect" not in daemon.log


@pytest.fixture
def root(tmp_path):
    root = new_repository(tmp_path / "shop")
    commit(root, {"AGENTS.md": OWN})
    return root


def text(root, name="AGENTS.md"):
    path = root / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


def says(daemon, root, words, name="one", client=CopilotCli):
    """A session in which the user says something."""
    talk = client(daemon.home, name, cwd=str(root))
    talk.user("Look at the code first.")
    talk.assistant("It is a shop.")
    talk.user(words)
    return talk


def written(root, words, seconds=20.0):
    wait_until(lambda: words in text(root), seconds, f"{words} in AGENTS.md")


def quiet(daemon):
    """Wait until all is read, judged and looked at, and what follows is done."""
    daemon.flush()
    time.sleep(CONTEXT_QUIET_SECONDS + 1.5)
    daemon.flush()
    time.sleep(0.5)


def states(daemon):
    with Ledger.reader(daemon.ledger) as reader:
        return {kept.state.text: kept.state.status for kept in reader.items(statuses=())}


def without(root, words):
    """Delete the line with these words, as an editor would."""
    lines = text(root).splitlines(keepends=True)
    (root / "AGENTS.md").write_text(
        "".join(line for line in lines if words not in line), encoding="utf-8"
    )


def test_what_the_user_says_stands_in_the_file_and_git_sees_nothing_else(daemon, root):
    daemon.start()
    before = (root / ".git" / "index").read_bytes()
    says(daemon, root, BAN)
    written(root, "Never log request bodies")
    wait_until(lambda: record.read(root), 5, "the record")
    assert text(root).startswith(OWN)
    assert set(status(root)) == {"AGENTS.md", ".ctxd/.gitattributes", ".ctxd/items.jsonl"}
    assert all(code.strip() in {"M", "??"} for code in status(root).values())
    assert (root / ".git" / "index").read_bytes() == before
    [event] = [e for e in record.read(root).events if e.content and "bodies" in e.content.text]
    assert f"[{event.item}]" in text(root)


@pytest.mark.long
def test_an_unchanged_file_is_not_written_again(daemon, root):
    daemon.start()
    talk = says(daemon, root, BAN)
    written(root, "Never log request bodies")
    quiet(daemon)
    before = (root / "AGENTS.md").stat().st_mtime_ns
    known = (root / record.PATH).stat().st_mtime_ns
    talk.assistant("Understood.")
    talk.user("thanks")
    quiet(daemon)
    daemon.stop()
    daemon.start()
    quiet(daemon)
    assert (root / "AGENTS.md").stat().st_mtime_ns == before
    assert (root / record.PATH).stat().st_mtime_ns == known


@pytest.mark.long
def test_a_line_that_was_deleted_never_comes_back(daemon, root):
    daemon.start()
    talk = says(daemon, root, BAN, client=ClaudeCode)
    written(root, "Never log request bodies")
    without(root, "Never log request bodies")
    wait_until(lambda: "retracted" in states(daemon).values(), 30, "retracted")
    daemon.stop()
    talk.rewrite()
    daemon.start()
    talk.assistant("Understood.")
    talk.user("go on")
    quiet(daemon)
    says(daemon, root, OTHER_BAN, "two")
    written(root, "payment service", CONTEXT_WRITE_SECONDS + 20)
    assert "Never log request bodies" not in text(root)
    assert states(daemon)[BAN] == "retracted"


@pytest.mark.long
def test_a_line_that_was_edited_is_the_wording_from_then_on(daemon, root):
    daemon.start()
    says(daemon, root, BAN)
    written(root, "Never log request bodies")
    edited = text(root).replace("Never log request bodies, not", "Bodies are never logged, not")
    (root / "AGENTS.md").write_text(edited, encoding="utf-8")
    wanted = "Bodies are never logged, not even at debug level."
    wait_until(lambda: wanted in states(daemon), 30, "the wording")
    quiet(daemon)
    assert text(root) == edited


@pytest.mark.long
def test_removed_markers_mean_stop_until_the_user_says_enable(daemon, root):
    daemon.start()
    says(daemon, root, BAN)
    written(root, "Never log request bodies")
    (root / "AGENTS.md").write_text(OWN, encoding="utf-8")
    wait_until(lambda: "markers were removed" in daemon.ctxd("status").stdout, 30, "the status")
    says(daemon, root, OTHER_BAN, "two")
    quiet(daemon)
    assert text(root) == OWN
    assert states(daemon)[BAN] == "active"
    done = daemon.ctxd("enable", "--repo", str(root))
    assert (done.returncode, done.stderr) == (0, "")
    written(root, "payment service", CONTEXT_WRITE_SECONDS + 20)
    assert "Never log request bodies" in text(root)


def test_history_is_only_proposed_and_written_when_the_user_says_so(daemon, root):
    says(daemon, root, BAN, "before")
    time.sleep(0.1)
    daemon.start()
    quiet(daemon)
    assert text(root) == OWN
    assert not (root / ".ctxd").exists()
    rows = daemon.ctxd("items", "--json", "--repo", str(root)).stdout.splitlines()
    [row] = [row for row in map(json.loads, rows) if "bodies" in row["text"]]
    shown = daemon.ctxd("diff", row["id"], "--repo", str(root))
    assert f"+- {BAN} [{row['id']}]\n" in shown.stdout
    assert text(root) == OWN
    done = daemon.ctxd("apply", row["short_id"], "--repo", str(root))
    assert (done.returncode, done.stdout) == (0, "wrote 1 line to `AGENTS.md`\n")
    assert BAN in text(root)
    assert record.read(root).items == {row["id"]}


@pytest.mark.parametrize(
    ("mine", "theirs", "mode"),
    [
        ('write = "review"\n', "", "review"),
        ("", 'write = "review"\n', "review"),
        ('write = "review"\n', 'write = "auto"\n', "review"),
        ("", 'write = "of', "review"),
        ("", 'write = "off"\n', "off"),
    ],
)
def test_a_mode_narrows_what_is_written(daemon, root, mine, theirs, mode):
    daemon.settings(mine)
    if theirs:
        commit(root, {".ctxd.toml": theirs})
    daemon.start()
    says(daemon, root, BAN)
    wait_until(lambda: BAN in states(daemon), 20, "the item")
    quiet(daemon)
    assert text(root) == OWN
    assert status(root) == {}
    proposed = daemon.ctxd("diff", "--repo", str(root))
    assert f"+- {BAN}" in proposed.stdout
    listed = daemon.status_json()["worktrees"]
    assert [one["standing"] for one in listed] == (["proposed"] if mode == "review" else [])
    done = daemon.ctxd("apply", "--all", "--repo", str(root))
    assert done.returncode == 0, done.stderr
    assert BAN in text(root)


def test_nothing_is_written_during_a_merge_and_all_of_it_afterwards(daemon, root):
    git(root, "checkout", "-q", "-b", "side")
    commit(root, {"readme.txt": "theirs\n"})
    git(root, "checkout", "-q", "main")
    commit(root, {"readme.txt": "ours\n"})
    with pytest.raises(Exception, match="merge"):
        git(root, "merge", "-q", "side")
    daemon.start()
    says(daemon, root, BAN)
    quiet(daemon)
    assert text(root) == OWN
    assert "a merge is going on" in daemon.ctxd("status").stdout
    git(root, "merge", "--abort")
    written(root, "Never log request bodies")


def test_an_undone_edit_stays_undone(daemon, root):
    daemon.start()
    says(daemon, root, BAN)
    written(root, "Never log request bodies")
    listed = daemon.ctxd("undo").stdout.splitlines()
    assert "AGENTS.md" in listed[1]
    done = daemon.ctxd("undo", listed[1].split()[0])
    assert done.returncode == 0, done.stderr
    assert text(root) == OWN
    quiet(daemon)
    wait_until(lambda: states(daemon)[BAN] == "retracted", 20, "retracted")
    assert text(root) == OWN


def test_items_go_to_the_worktree_they_were_said_in(daemon, root, tmp_path):
    other = tmp_path / "feature"
    git(root, "worktree", "add", "-q", str(other))
    daemon.start()
    says(daemon, other, BAN)
    written(other, "Never log request bodies")
    quiet(daemon)
    assert text(root) == OWN
    assert status(root) == {}


def test_a_teammates_clone_shows_the_same_items(daemon, root, tmp_path):
    daemon.start()
    says(daemon, root, BAN)
    written(root, "Never log request bodies")
    wait_until(lambda: record.read(root), 5, "the record")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "rules")
    mate = Daemon(tmp_path / "mate")
    try:
        clone = tmp_path / "mate" / "clone"
        git(tmp_path, "clone", "-q", str(root), str(clone))
        mate.start()
        says(mate, clone, "What does this do?", "look")
        quiet(mate)
        rows = mate.ctxd("items", "--json", "--repo", str(clone)).stdout.splitlines()
        assert BAN in {json.loads(row)["text"] for row in rows}
        assert status(clone) == {}
    finally:
        mate.close()


RULES = (
    "Never call the payment service from a migration.",
    "Always pin the base image of the worker by its digest.",
    "Never send e-mails to customers from a test.",
    "Never store a price as a float.",
)


@pytest.mark.long
def test_a_kill_at_any_instant_leaves_the_old_file_or_the_new_one(daemon, root):
    for number, rule in enumerate(RULES):
        daemon.start()
        says(daemon, root, rule, f"kill {number}")
        time.sleep(CONTEXT_QUIET_SECONDS + 0.3 * number)
        daemon.kill()
        assert text(root).startswith(OWN)
        assert text(root).count("<!-- ctxd:1") == text(root).count("<!-- /ctxd") <= 1
    daemon.start()
    for rule in RULES:
        written(root, rule, 30)
    quiet(daemon)
    assert [text(root).count(rule) for rule in RULES] == [1] * len(RULES)
