"""Gemini CLI's sessions, made up line by line, with the daemon and the hook client as they run."""

import pytest

from ctxd_parsers.events import UserMessage
from e2e.conversations import Conversation
from e2e.daemon import Daemon, wait_until
from e2e.test_hooks import CARDS, SUMMARY, TABS, Talk
from git_repos import new_repository

FULL = 700_000
NEW_RULE = "From now on never call the bank from a test."


class GeminiCli(Conversation):
    """A session of Gemini CLI 0.61."""

    agent = "gemini-cli"

    def _place(self, home):
        project = home / ".gemini" / "tmp" / "shop"
        project.mkdir(parents=True, exist_ok=True)
        (project / ".project_root").write_text(self.cwd, encoding="utf-8")
        return project / "chats" / f"session-2026-11-30T03-15-{self.session[:8]}.jsonl"

    def user(self, text):
        return self._message("user", [{"text": text}])

    def assistant(self, text, tokens=1000):
        used = {"input": tokens, "output": 20, "cached": 0, "total": tokens + 20}
        return self._message("gemini", text, tokens=used, model="gemini-2.5-pro")

    def listed(self, *texts, summary=""):
        """The client sends this from now on: what the user said, each with an answer."""
        said = [summary, *texts] if summary else list(texts)
        answers = ["Got it. Thanks for the additional context!", *["Understood."] * len(texts)]
        messages = []
        for text, answer in zip(said, answers if summary else answers[1:], strict=True):
            messages += [self._row("user", [{"text": text}]), self._row("gemini", answer)]
        self._append({"$set": {"messages": messages, "lastUpdated": self._now()}})

    def compacted(self, summary, *kept):
        self._append({"$set": {"sessionId": self.session}})
        self.listed(*kept, summary=f"<state_snapshot>{summary}</state_snapshot>")
        self._message("info", "Context compressed from 67% to 0%.")

    def cancelled(self, *left):
        self._message("info", "Request cancelled.")
        self.listed(*left)

    def _row(self, kind, content, **more):
        self.lines.append(b"")
        row = {"id": self._id(), "timestamp": self._now(), "type": kind, "content": content}
        return row | more

    def _message(self, kind, content, **more):
        if not self.lines:
            hashed = "0" * 64
            start = {"sessionId": self.session, "projectHash": hashed, "kind": "main"}
            self._append(start | {"startTime": self._now()})
        row = self._row(kind, content, **more)
        self._append(row)
        self._append({"$set": {"lastUpdated": self._now()}})
        return row["id"]


@pytest.fixture
def gemini(tmp_path):
    daemon = Daemon(tmp_path)
    talk = Talk(daemon.start(), new_repository(tmp_path / "shop"), GeminiCli)
    yield talk.say("Build the payment page.", CARDS, TABS).known(2)
    daemon.close()
    assert "defect" not in daemon.log


def test_what_a_compaction_dropped_comes_with_the_next_prompt(gemini):
    gemini.log.compacted(SUMMARY, TABS)
    (record,) = gemini.recorded()
    assert (record.trigger, record.live) == ("auto", True)
    text = gemini.hook("BeforeAgent", prompt="go on")
    assert CARDS in text
    assert TABS not in text
    assert gemini.hook("BeforeAgent", prompt="go on") == ""


def test_what_a_compaction_is_about_to_drop_comes_with_the_prompt_before_it(gemini):
    assert gemini.hook("BeforeAgent", prompt="go on") == ""
    gemini.log.user("Run the tests.")
    gemini.log.assistant("All pass.", FULL)
    assert CARDS in gemini.hook("BeforeAgent", prompt="go on")
    wait_until(lambda: "told agent=gemini-cli" in gemini.daemon.log, 10, "it is noted")
    gemini.log.compacted(SUMMARY)
    gemini.recorded()
    assert gemini.owed() == []


def test_a_prompt_that_was_cancelled_is_forgotten(gemini):
    gemini.log.user(NEW_RULE)
    gemini.daemon.flush()
    gemini.log.cancelled("Build the payment page.", CARDS, TABS)
    gemini.log.user("Go on.")
    gemini.log.assistant("Done.")
    gemini.daemon.flush()
    said = [one.text for one in gemini.daemon.events(*gemini.key) if isinstance(one, UserMessage)]
    assert NEW_RULE not in said
    assert CARDS in said
    assert not any("call the bank" in one.state.text for one in gemini._items())


def test_a_session_has_ended_once_however_often_the_client_says_so(gemini):
    for _ in range(2):
        gemini.printed("SessionEnd", reason="exit")
        wait_until(lambda: gemini.daemon.session(gemini.log.session).state == "ended", 10)
    gemini.log._append({"$set": {"summary": "A payment page", "memoryScratchpad": {}}})
    gemini.daemon.flush()
    assert gemini.daemon.session(gemini.log.session).state == "ended"
    gemini.log.user("One more thing.")
    wait_until(lambda: gemini.daemon.session(gemini.log.session).state != "ended", 10)
