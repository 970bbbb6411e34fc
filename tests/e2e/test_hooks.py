"""Hooks of agents whose sessions are made up, with the daemon and the hook client as they run.

What the clients themselves do with the answers is for the tests with real ones.
"""

import json
import os
import signal
import subprocess
import threading

import pytest

from ctxd.hooks.command import client_command
from ctxd.ledger import Ledger
from ctxd.policy.hooks import HOOK_AGAIN_SECONDS
from e2e.conversations import ClaudeCode, CopilotCli
from e2e.daemon import Daemon, wait_until
from git_repos import new_repository

CARDS = "Never store raw card numbers, not even in the logs."
TABS = "Always use tabs in Makefiles, never spaces."
PROPOSAL = "I suggest that we keep the ledger in SQLite, so that it runs offline. Shall I do that?"
YES = "Yes, do that."
SUMMARY = "The user asked for a payment page. The page was built and its tests pass."
PATIENCE_SECONDS = 5


@pytest.fixture
def daemon(tmp_path):
    daemon = Daemon(tmp_path)
    yield daemon
    daemon.close()
    assert not daemon.places.log.exists() or "defect" not in daemon.log


@pytest.fixture
def root(tmp_path):
    return new_repository(tmp_path / "shop")


class Talk:
    """A session, what its agent's hooks say, and what the agent gets for it."""

    def __init__(self, daemon, root, client=ClaudeCode, name="one"):
        self.daemon = daemon
        self.root = root
        self.log = client(daemon.home, name, cwd=str(root))
        self.key = (self.log.agent, self.log.session)

    def say(self, *words):
        for text in words:
            self.log.assistant("Understood.") if self.log.lines else None
            self.log.user(text)
        self.log.assistant("Understood.")
        return self

    def known(self, count):
        """Wait until so many items are known."""
        wait_until(lambda: len(self._items()) >= count, 20, f"{count} items")
        return self

    def hook(self, event, **more):
        """What the agent is told, as text."""
        said = self.printed(event, **more)
        if not said.startswith("{"):
            return said
        told = json.loads(said)
        return (told.get("hookSpecificOutput") or told)["additionalContext"]

    def printed(self, event, **more):
        """What the hook prints."""
        own = event[0].islower()
        told = {"sessionId" if own else "session_id": self.log.session, "cwd": str(self.root)}
        told |= {} if own else {"hook_event_name": event, "transcript_path": str(self.log.path)}
        done = subprocess.run(
            client_command(self.log.agent, self.daemon.places, event if own else ""),
            input=json.dumps(told | more).encode(),
            env={"CTXD_HOME": str(self.daemon.own)},
            capture_output=True,
            timeout=PATIENCE_SECONDS,
            check=True,
        )
        assert not done.stderr
        return done.stdout.decode()

    def recorded(self, count=1):
        """The records of the compactions, when there are so many."""
        return wait_until(lambda: (r := self._records()) and len(r) >= count and r, 20, "a record")

    def owed(self):
        with Ledger.reader(self.daemon.ledger) as reader:
            return [one.state.text for one in reader.owed(*self.key)]

    def _items(self):
        with Ledger.reader(self.daemon.ledger) as reader:
            return reader.items(session=self.key)

    def _records(self):
        with Ledger.reader(self.daemon.ledger) as reader:
            return reader.records(self.key)


@pytest.fixture
def claude(daemon, root):
    daemon.start()
    return Talk(daemon, root).say("Build the payment page.", CARDS, TABS).known(2)


@pytest.fixture
def copilot(daemon, root):
    """A session that lost a proposal which the user agreed to: of what users type, this client
    keeps the words themselves."""
    daemon.start()
    talk = Talk(daemon, root, CopilotCli)
    talk.log.user("Build the payment page.")
    talk.log.assistant(PROPOSAL)
    talk.log.user(YES)
    talk.log.assistant("Done.")
    talk.known(1)
    talk.log.compacted(SUMMARY)
    talk.recorded()
    return talk


def test_before_a_compaction_the_summariser_is_asked_to_keep_the_users_words(claude):
    said = claude.printed("PreCompact", trigger="auto")
    assert said.startswith("Keep the user's following statements in the summary, word for word")
    assert CARDS in said
    assert TABS in said


def test_before_a_compaction_the_context_file_is_written_at_once(claude):
    claude.hook("PreCompact", trigger="manual")
    text = wait_until(lambda: (claude.root / "AGENTS.md").exists() and _agents(claude), 20)
    assert CARDS in text


def _agents(talk):
    return (talk.root / "AGENTS.md").read_text(encoding="utf-8")


def test_after_a_compaction_the_agent_is_told_what_was_in_its_window(claude):
    text = claude.hook("SessionStart", source="compact")
    assert CARDS in text
    assert TABS in text
    claude.log.compacted(SUMMARY)
    (record,) = claude.recorded()
    assert {one.verdict.answer for one in record.items} & {"lost", "reloaded"}
    wait_until(lambda: claude.owed() == [], 5, "given")
    assert claude.hook("UserPromptSubmit", prompt="go on") == ""


def test_what_was_said_a_moment_ago_is_told_too(claude):
    claude.log.user("From now on never call the bank from a test.")
    claude.log.assistant("Understood.")
    assert "never call the bank" in claude.hook("SessionStart", source="compact")


def test_without_a_hook_at_the_compaction_it_comes_with_the_next_prompt(claude):
    claude.log.compacted(SUMMARY)
    claude.recorded()
    owed = claude.owed()
    text = claude.hook("UserPromptSubmit", prompt="go on")
    assert all(words in text for words in owed)
    wait_until(lambda: claude.owed() == [], 5, "given")
    assert claude.hook("UserPromptSubmit", prompt="go on") == ""


def test_an_agreed_proposal_that_a_summary_drops_comes_with_the_next_prompt(copilot):
    text = copilot.hook("userPromptSubmitted", prompt="go on")
    assert "keep the ledger in SQLite" in text
    assert YES in text
    assert json.loads(copilot.printed("preCompact", trigger="auto") or "{}") == {}
    wait_until(lambda: copilot.owed() == [], 5, "given")
    assert copilot.printed("postToolUse", toolName="view") == ""


def test_it_comes_behind_a_tools_result_when_that_is_first_and_only_once(copilot):
    """Tools run side by side, and so do their hooks."""
    said = []
    hooks = [
        threading.Thread(
            target=lambda: said.append(copilot.printed("postToolUse", toolName="view"))
        )
        for _ in range(8)
    ]
    for hook in hooks:
        hook.start()
    for hook in hooks:
        hook.join()
    (told,) = filter(None, said)
    assert json.loads(told).keys() == {"additionalContext"}
    assert "keep the ledger in SQLite" in told


def test_what_a_second_compaction_drops_is_told_again(copilot):
    copilot.hook("userPromptSubmitted", prompt="go on")
    wait_until(lambda: copilot.owed() == [], 5, "given")
    copilot.log.user("Go on.")
    copilot.log.assistant("Done.")
    copilot.log.compacted(SUMMARY)
    copilot.recorded(2)
    text = _told_later(copilot)
    assert "keep the ledger in SQLite" in text


def _told_later(talk):
    """What is told once it is not taken for the same moment any more."""
    return wait_until(
        lambda: talk.hook("userPromptSubmitted", prompt="go on"), 2 * HOOK_AGAIN_SECONDS, "told"
    )


def test_a_summary_that_keeps_the_words_leaves_nothing_to_tell(daemon, root):
    daemon.start()
    talk = Talk(daemon, root).say("Build the payment page.", CARDS).known(1)
    talk.log.compacted(f"{SUMMARY} The user said: {CARDS}")
    talk.recorded()
    assert talk.hook("UserPromptSubmit", prompt="go on") == ""


def test_a_daemon_that_is_stopped_by_a_signal_costs_the_agent_a_moment_and_nothing_is_lost(claude):
    os.kill(claude.daemon.pid, signal.SIGSTOP)
    try:
        assert claude.printed("UserPromptSubmit", prompt="go on") == ""
        assert claude.printed("SessionStart", source="compact") == ""
    finally:
        os.kill(claude.daemon.pid, signal.SIGCONT)
    claude.daemon.flush()
    assert CARDS in claude.hook("SessionStart", source="compact")


def test_without_a_daemon_the_ledger_is_asked_at_compactions_only(claude):
    claude.daemon.kill()
    assert claude.printed("UserPromptSubmit", prompt="go on") == ""
    assert claude.printed("SessionStart", source="startup") == ""
    assert CARDS in claude.printed("PreCompact", trigger="auto")
    assert CARDS in claude.hook("SessionStart", source="compact")


def test_without_daemon_and_ledger_nothing_is_said(daemon, root):
    talk = Talk(daemon, root)
    daemon.own.mkdir()
    assert talk.printed("PreCompact", trigger="auto") == ""
    assert talk.printed("SessionStart", source="compact") == ""


def test_while_paused_nothing_is_said(claude):
    assert claude.daemon.ask("pause").ok
    assert claude.printed("PreCompact", trigger="auto") == ""
    assert claude.printed("SessionStart", source="compact") == ""
    assert claude.daemon.ask("resume").ok
    assert CARDS in claude.hook("SessionStart", source="compact")


def test_a_sub_agent_is_told_nothing(claude):
    own = {"agent_id": "a481a505f2951bb58", "agent_type": "general-purpose"}
    assert claude.printed("PreCompact", trigger="auto", **own) == ""
    assert claude.printed("SessionStart", source="compact", **own) == ""


def test_a_session_that_is_not_known_is_told_nothing_and_leaves_no_trace(claude, tmp_path):
    before = claude.daemon.session_keys()
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(b"".join(claude.log.lines).replace(claude.log.session.encode(), b"other"))
    for event, more in {"PreCompact": {}, "SessionStart": {"source": "compact"}}.items():
        told = {"session_id": "other", "transcript_path": str(outside)}
        assert claude.printed(event, **told, **more) == ""
    claude.daemon.flush()
    assert claude.daemon.session_keys() == before


@pytest.mark.parametrize("hint", ["", None, "/", "/dev/zero", "/etc/passwd", "relative", "\udcff"])
def test_a_transcript_path_is_only_a_hint(claude, hint):
    """Clients were seen to leave it empty, or to name a file that is not written to any more."""
    claude.log.user("From now on never call the bank from a test.")
    claude.log.assistant("Understood.")
    claude.daemon.flush()
    text = claude.hook("SessionStart", source="compact", transcript_path=hint)
    assert CARDS in text
