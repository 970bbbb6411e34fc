"""The keeper: when it looks, when it writes, and when it leaves things to the user."""

import os
from datetime import UTC, datetime, timedelta

import pytest

from batches import batch
from ctxd.context_files import memories, record, writing
from ctxd.context_files.keeper import Keeper
from ctxd.context_files.receipts import Receipts
from ctxd.context_files.refusals import ChangedError, NotYetError
from ctxd.item_log import captured, verdict
from ctxd.ledger import Judgement, Ledger, SessionRow
from ctxd.policy.context_files import (
    CONTEXT_CONFLICTS,
    CONTEXT_LOOK_SECONDS,
    CONTEXT_QUIET_SECONDS,
    CONTEXT_REST_SECONDS,
    CONTEXT_SEARCH_SECONDS,
    CONTEXT_WRITE_SECONDS,
)
from ctxd.settings import Settings
from git_repos import commit, git, new_repository, status
from made_items import item

OWN = "# shop\n\n- Run the tests with `make test`.\n"
NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
BAN = item("never log request bodies", 1, kind="constraint")
RETRIES = item("retry three times", 2)
CARRY_OUT = writing.carry_out


class Place:
    """A repository, a ledger, and a keeper on a clock that the test moves."""

    def __init__(self, folder):
        self.folder = folder
        self.root = new_repository(folder / "shop")
        commit(self.root, {"AGENTS.md": OWN})
        self.ledger = Ledger.open(folder / "state" / "ledger.sqlite3")
        self.receipts = Receipts(folder / "state" / "receipts")
        self.settings = Settings()
        self.time = 1000.0
        self.session(self.root)
        self.begin()

    def begin(self):
        """As after a start."""
        clocks = (lambda: self.time, lambda: NOW.timestamp() + self.time)
        self.keeper = Keeper(self.ledger, self.receipts, self.mode_of, clocks)

    def mode_of(self, root):
        return self.settings.mode_of(root)

    def session(self, cwd, name="s"):
        row = SessionRow(agent="a", id=name, cwd=str(cwd), turns=1, spoken=True)
        self.ledger.record(batch(path=self.folder / f"{name}.log", sessions=[row]))

    def say(self, *items, session="s"):
        for one in items:
            key = ("a", session, one.event)
            self.ledger.settle([Judgement(key=key, repository=str(self.root), items=[one])])

    def turn(self, seconds=0.0):
        """Let so much time pass, doing what is due at each of its moments."""
        until = self.time + seconds
        while True:
            while self.keeper.step():
                pass
            upcoming = self.keeper.next
            if upcoming > until:
                break
            self.time = max(self.time, upcoming)
        self.time = until

    def age(self, name="AGENTS.md"):
        """Have the file's last change be long ago."""
        past = datetime.now(UTC) - timedelta(minutes=5)
        os.utime(self.root / name, (past.timestamp(), past.timestamp()))

    @property
    def text(self):
        return (self.root / "AGENTS.md").read_text(encoding="utf-8")

    @property
    def known(self):
        return memories.recall(self.ledger, str(self.root))

    def state(self, one):
        [kept] = [k for k in self.ledger.items(statuses=()) if k.id == one.id]
        return kept.state


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Real files, whose ages are not waited for."""
    carry_out = writing.carry_out
    monkeypatch.setattr(writing, "carry_out", lambda s, r: carry_out(s, r, quiet_seconds=0.0))
    place = Place(tmp_path.resolve())
    yield place
    place.ledger.close()


def test_an_item_is_written_when_things_have_been_quiet(place):
    place.turn(30)
    place.say(BAN)
    place.turn(CONTEXT_QUIET_SECONDS - 0.1)
    assert place.text == OWN
    place.turn(0.2)
    assert "- never log request bodies" in place.text
    assert place.text.startswith(OWN)
    assert set(status(place.root)) == {"AGENTS.md", ".ctxd/.gitattributes", ".ctxd/items.jsonl"}
    assert (place.known.standing, place.known.written.lines) == ("ok", 1)


def test_a_stream_of_items_does_not_put_writing_off(place):
    for number in range(20):
        place.say(item(f"rule of the {'abcdefghijklmnopqrst'[number]} module {number}", number))
        place.turn(CONTEXT_QUIET_SECONDS / 4)
    assert "rule of the a module" in place.text


def test_edits_come_in_one_write_every_so_often(place):
    place.say(BAN)
    place.turn(CONTEXT_QUIET_SECONDS)
    first = place.text
    for number, word in enumerate(("cache", "queue", "mail")):
        place.say(item(f"never touch the {word}", 3 + number, kind="constraint"))
        place.turn(1)
    assert place.text == first
    place.turn(CONTEXT_WRITE_SECONDS)
    assert place.text.count("never touch the") == 3
    assert len([r for r in place.receipts.all() if r.path == "AGENTS.md"]) == 2


def test_what_a_compaction_is_about_to_drop_is_written_at_once(place):
    place.turn(30)
    place.say(BAN)
    place.keeper.hurry(str(place.root))
    place.turn()
    assert BAN.text in place.text


def test_not_even_the_last_edit_is_waited_out_then(place):
    place.say(BAN)
    place.turn(CONTEXT_QUIET_SECONDS)
    assert BAN.text in place.text
    place.say(RETRIES)
    place.keeper.hurry(str(place.root))
    place.turn()
    assert RETRIES.text in place.text


def test_but_a_file_that_somebody_has_just_saved_is(place, monkeypatch):
    monkeypatch.setattr(writing, "carry_out", CARRY_OUT)
    place.turn(30)
    (place.root / "AGENTS.md").write_text(f"{OWN}more\n", encoding="utf-8")
    place.say(BAN)
    place.keeper.hurry(str(place.root))
    place.turn()
    assert place.text == f"{OWN}more\n"


def test_and_whoever_wants_to_be_asked_is_asked(place):
    place.turn(30)
    place.settings = Settings(write="review")
    place.say(BAN)
    place.keeper.hurry(str(place.root))
    place.turn()
    assert place.text == OWN
    assert place.known.proposed == 1


def test_nothing_to_do_leaves_files_and_ledger_alone(place):
    place.say(BAN)
    place.turn(60)
    before = (place.root / "AGENTS.md").stat().st_mtime_ns, place.ledger.item_changes
    place.turn(600)
    place.begin()
    place.turn(600)
    assert ((place.root / "AGENTS.md").stat().st_mtime_ns, place.ledger.item_changes) == before


def test_a_start_takes_up_what_an_earlier_run_left(place):
    place.say(BAN)
    place.begin()
    place.turn(CONTEXT_QUIET_SECONDS + 1)
    assert "never log request bodies" in place.text


def test_a_deleted_line_is_seen_at_the_next_look_and_stays_away(place):
    place.say(BAN, RETRIES)
    place.turn(60)
    kept = [line for line in place.text.splitlines(keepends=True) if "request bodies" not in line]
    (place.root / "AGENTS.md").write_text("".join(kept), encoding="utf-8")
    place.turn(CONTEXT_LOOK_SECONDS + 1)
    assert place.state(BAN).status == "retracted"
    assert "retracted" in {event.type for event in record.read(place.root).events}
    place.say(BAN)
    place.turn(60)
    assert "request bodies" not in place.text


def test_a_line_deleted_while_nothing_ran_is_a_decision_too(place):
    place.say(BAN, RETRIES)
    place.turn(60)
    kept = [line for line in place.text.splitlines(keepends=True) if "request bodies" not in line]
    (place.root / "AGENTS.md").write_text("".join(kept), encoding="utf-8")
    place.begin()
    place.turn(60)
    assert place.state(BAN).status == "retracted"
    assert "request bodies" not in place.text


def test_what_waits_for_review_and_what_was_said_elsewhere_is_not_written(place):
    place.session(place.folder, "elsewhere")
    doubtful = item("maybe cache it", 3, plain=False)
    theirs = item("use tabs", 4, session="elsewhere")
    place.say(doubtful)
    place.say(theirs, session="elsewhere")
    place.turn(60)
    assert place.text == OWN
    assert not (place.root / ".ctxd").exists()
    assert not (place.folder / "AGENTS.md").exists()


def test_an_accepted_item_is_written(place):
    doubtful = item("cache the prices", 3, plain=False)
    place.say(doubtful)
    place.turn(60)
    place.ledger.decide(str(place.root), doubtful.id, "accepted")
    place.turn(CONTEXT_QUIET_SECONDS + 1)
    assert "cache the prices" in place.text


def test_items_of_a_worktree_that_is_gone_wait_in_the_main_checkout(place):
    other = place.folder / "feature"
    git(place.root, "worktree", "add", "-q", str(other))
    place.session(other, "feature")
    git(place.root, "worktree", "remove", "--force", str(other))
    tabs = item("use tabs", 5, session="feature")
    place.say(tabs, session="feature")
    place.turn(60)
    assert place.text == OWN
    place.ledger.decide(str(place.root), tabs.id, "accepted")
    place.turn(60)
    assert "use tabs" in place.text


def test_mode_review_proposes_and_still_listens_to_humans(place):
    place.say(BAN)
    place.turn(60)
    place.settings = Settings(write="review")
    place.keeper.look_now()
    place.say(RETRIES)
    place.turn(60)
    assert "retry three times" not in place.text
    assert (place.known.standing, place.known.proposed) == ("proposed", 1)
    edited = place.text.replace("never log request bodies", "bodies are never logged")
    (place.root / "AGENTS.md").write_text(edited, encoding="utf-8")
    place.turn(CONTEXT_LOOK_SECONDS + 1)
    assert place.state(BAN).text == "bodies are never logged"
    assert place.text == edited


def test_mode_off_looks_at_nothing(place):
    place.say(BAN)
    place.turn(60)
    place.settings = Settings(write="off")
    place.keeper.look_now()
    (place.root / "AGENTS.md").write_text("mine alone\n", encoding="utf-8")
    place.turn(60)
    assert place.state(BAN).status == "active"
    assert place.known.standing == "off"
    assert place.text == "mine alone\n"


def failing(monkeypatch, error, times):
    """Have the edits of the next surveys fail; returns how often that happened."""
    tried = []
    carry_out = writing.carry_out

    def fail(survey, receipts):
        if survey.plan.edits:
            tried.append(survey)
        if len(tried) <= times and survey.plan.edits:
            return writing.Done(failed=(error,))
        return carry_out(survey, receipts)

    monkeypatch.setattr(writing, "carry_out", fail)
    return tried


def test_a_file_that_changes_under_every_attempt_is_left_to_the_user(place, monkeypatch):
    error = ChangedError("conflict.changed", "`AGENTS.md` was changed meanwhile", "run it again")
    tried, left = failing(monkeypatch, error, times=CONTEXT_CONFLICTS), []
    place.keeper.left = lambda *told: left.append(told)
    place.say(BAN)
    place.turn(CONTEXT_REST_SECONDS / 2)
    assert len(tried) == CONTEXT_CONFLICTS
    assert left == [(str(place.root), error.message)]
    assert place.text == OWN
    assert place.known.standing == "stopped"
    place.turn(CONTEXT_REST_SECONDS)
    assert "never log request bodies" in place.text


def test_a_file_that_waits_is_tried_again_soon(place, monkeypatch):
    error = NotYetError("wait.quiet", "`AGENTS.md` waits: it changed a moment ago", "try again")
    failing(monkeypatch, error, times=2)
    place.say(BAN)
    place.turn(CONTEXT_QUIET_SECONDS + 0.5)
    assert (place.known.standing, place.known.why) == ("waiting", error.message)
    place.turn(3)
    assert "never log request bodies" in place.text
    assert place.known.standing == "ok"


def test_during_a_rebase_nothing_is_written(place):
    (place.root / ".git" / "rebase-merge").mkdir()
    place.say(BAN)
    place.turn(60)
    assert place.text == OWN
    assert place.known.standing == "waiting"
    assert "rebase" in place.known.why
    (place.root / ".git" / "rebase-merge").rmdir()
    place.turn(CONTEXT_LOOK_SECONDS)
    assert "never log request bodies" in place.text


def test_a_teammates_record_is_taken_in_when_it_changes(place):
    place.turn(30)
    theirs = item("never use floats for money", 6, session="theirs", kind="constraint")
    record.append(place.root, [captured(theirs)])
    place.turn(CONTEXT_SEARCH_SECONDS + 1)
    assert place.state(theirs).status == "active"
    assert place.text == OWN
    record.append(place.root, [verdict(theirs.id, "rejected", NOW)])
    place.turn(CONTEXT_LOOK_SECONDS + 1)
    assert place.state(theirs).status == "rejected"


def test_a_ledger_begun_anew_gets_its_items_from_the_record(place):
    place.say(BAN, RETRIES)
    place.turn(60)
    before = place.state(BAN), place.text
    place.ledger.close()
    (place.folder / "state" / "ledger.sqlite3").unlink()
    place.ledger = Ledger.open(place.folder / "state" / "ledger.sqlite3")
    place.session(place.root)
    place.begin()
    place.turn(60)
    assert (place.state(BAN), place.text) == before


@pytest.mark.parametrize("ignored", ["AGENTS.md", ".ctxd"])
def test_what_git_ignores_is_not_written(place, ignored):
    git(place.root, "rm", "-q", "AGENTS.md")
    commit(place.root, {".gitignore": f"{ignored}\n"})
    place.say(BAN)
    place.turn(60)
    assert (place.root / ignored).exists() is False
    assert "?? " + ignored not in git(place.root, "status", "--porcelain", "--ignored")


def test_looking_around_costs_no_new_files(place):
    """Two hundred files read in a hundred folders of the repository."""
    for number in range(100):
        folder = place.root / f"package{number}"
        folder.mkdir()
        place.session(folder, f"session{number}")
    before = {path for path in place.root.rglob("*") if ".git" not in path.parts}
    place.turn(60)
    assert {path for path in place.root.rglob("*") if ".git" not in path.parts} == before
