"""What state a session is in, from real processes and hand-made facts; the clock is an argument."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from ctxd.liveness import Liveness, Sighting, judge, liveness, look, remember
from ctxd.policy.daemon import (
    ENDED_SECONDS,
    LIVE_SECONDS,
    SIGN_BYTES,
    SIGN_SLACK_SECONDS,
    SIGN_TRUST_SECONDS,
)
from ctxd.processes import living, pid_space
from ctxd.session import Session, advance, close
from ctxd_parsers.claude_code import ClaudeCode
from ctxd_parsers.copilot_cli import CopilotCli
from ctxd_parsers.events import SessionEnded
from ctxd_parsers.kiro_cli import KiroCli
from ctxd_parsers.parser import ProcessSign
from ctxd_parsers.reading import Transcript
from ctxd_parsers.registry import PARSERS
from golden import CASES
from session_events import agent, at, base, done, passed, reduced, started, user

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")

NEVER = 2**22 + 1
"""A pid above the largest that Linux gives out."""
KILLED = next(CASES.glob("copilot-cli/*/killed_mid_tool/log/**/events.jsonl"))
KIRO = next(CASES.glob("kiro/cli-v2/webhook_retries/log/**/cli"))


@contextmanager
def process():
    """A real process that does nothing."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        yield child
    finally:
        child.kill()
        child.wait()
        child.stdin.close()


def working(quiet=0.0):
    """A session whose agent was at work so many seconds before noon."""
    start = -quiet - 1000
    session, _ = reduced(started(seconds=start), user("u", start), agent("a", -quiet))
    return session


def between_turns(quiet=0.0):
    start = -quiet - 1000
    session, _ = reduced(user("u", start), agent("a", start), done("d", -quiet))
    return session


def sighted(*, alive=True, status=None, pid=100, proven=True, started=5.0):
    return Sighting(ProcessSign(pid=pid, status=status), alive, proven=proven, started=started)


def state(session, *sightings, now=0.0, changed=None):
    found = liveness(session, sightings, at(now), None if changed is None else at(changed))
    return (found.state, found.known_by)


class TestSilence:
    def test_work_of_late_is_live(self):
        assert state(working(LIVE_SECONDS - 1)) == ("live", "recent event")

    def test_a_turn_that_ended_of_late_is_idle(self):
        assert state(between_turns(1)) == ("idle", "recent event")

    @pytest.mark.parametrize("session", [working, between_turns])
    def test_a_longer_silence_is_idle(self, session):
        assert state(session(LIVE_SECONDS + 1)) == ("idle", "silence")
        assert state(session(ENDED_SECONDS - 1)) == ("idle", "silence")

    @pytest.mark.parametrize("session", [working, between_turns])
    def test_a_very_long_one_is_an_end(self, session):
        assert state(session(ENDED_SECONDS + 1)) == ("ended", "silence")

    def test_where_a_log_tells_no_times_the_last_write_of_it_counts(self):
        session, _ = reduced(user("u"), agent("a"))
        assert state(session, changed=-5) == ("live", "recent event")
        assert state(session, changed=-ENDED_SECONDS - 1) == ("ended", "silence")
        assert state(session) == ("ended", "silence")

    def test_a_late_write_to_an_old_log_is_no_life(self):
        """Some clients add a title or summary to a session that ended."""
        assert state(working(ENDED_SECONDS + 1), changed=-1) == ("ended", "silence")

    def test_a_time_from_the_future_does_not_keep_a_session_alive(self):
        session, _ = reduced(user("u", 10 * 365 * 86400))
        assert state(session, changed=-ENDED_SECONDS - 1) == ("ended", "silence")
        assert state(session, changed=-1) == ("live", "recent event")

    def test_a_clock_a_little_behind_is_no_future(self):
        assert state(working(-30)) == ("live", "recent event")

    def test_a_clock_set_back_by_an_hour_leaves_the_last_write_to_tell(self):
        assert state(working(0), now=-3600, changed=-3601) == ("live", "recent event")


class TestEndRecord:
    def test_it_ends_a_session_at_once(self):
        session, _ = reduced(user("u", -2), SessionEnded(**base("e", -1)))
        assert state(session) == ("ended", "end record")

    def test_a_process_that_still_has_it_open_counts_more(self):
        session, _ = reduced(user("u", -2), SessionEnded(**base("e", -1)))
        assert state(session, sighted()) == ("idle", "process")

    def test_a_dead_process_does_not_make_an_orderly_end_a_crash(self):
        session, _ = reduced(user("u", -2), SessionEnded(**base("e", -1)))
        assert state(session, sighted(alive=False)) == ("ended", "end record")

    @pytest.mark.parametrize(
        ("known_by", "expected"),
        [("dead process", "crashed"), ("silence", "ended"), ("sign gone", "ended")],
    )
    def test_an_end_that_was_noted_stays_known(self, known_by, expected):
        session = working(5)
        close(session, known_by, session.last_event)
        assert state(session) == (expected, known_by)

    def test_an_ended_session_that_goes_on_is_live_again(self):
        session, _ = reduced(
            user("u", -900), SessionEnded(**base("e", -800)), user("v", -2), agent("b", -1)
        )
        assert state(session) == ("live", "recent event")


class TestProcess:
    @pytest.mark.parametrize(
        ("status", "expected"), [("busy", "live"), ("waiting", "waiting"), ("idle", "idle")]
    )
    def test_its_own_word_counts_more_than_any_silence(self, status, expected):
        assert state(working(10**7), sighted(status=status)) == (expected, "process")
        assert state(between_turns(0), sighted(status=status)) == (expected, "process")

    def test_without_its_word_recent_work_tells_live_from_idle(self):
        assert state(working(1), sighted()) == ("live", "process")
        assert state(working(LIVE_SECONDS + 1), sighted()) == ("idle", "process")
        assert state(between_turns(1), sighted()) == ("idle", "process")

    def test_of_two_processes_the_one_at_work_counts(self):
        assert state(working(), sighted(status="idle"), sighted(status="busy", pid=2))[0] == "live"

    def test_an_unproven_one_is_trusted_for_a_day_of_silence(self):
        assert state(working(ENDED_SECONDS + 1), sighted(proven=False))[0] == "idle"
        quiet = SIGN_TRUST_SECONDS + 1
        assert state(working(quiet), sighted(proven=False)) == ("ended", "silence")
        assert state(working(quiet), sighted(proven=True)) == ("idle", "process")

    def test_one_in_another_pid_space_proves_neither_life_nor_death(self):
        foreign = sighted(alive=None)
        assert state(working(1), foreign) == ("live", "recent event")
        assert state(working(ENDED_SECONDS + 1), foreign) == ("ended", "silence")


class TestGoneAndDead:
    def test_a_dead_process_is_a_crash_however_recent_the_last_event(self):
        assert state(working(1), sighted(alive=False)) == ("crashed", "dead process")

    def test_a_sign_that_was_there_and_is_gone_is_an_end_at_once(self):
        session = working(5)
        remember(session, [sighted()], at(0))
        assert state(session, now=1) == ("ended", "sign gone")

    def test_the_last_rows_of_a_client_come_after_its_sign_is_gone(self):
        session, _ = reduced(agent("a", SIGN_SLACK_SECONDS - 1))
        remember(session, [sighted()], at(0))
        assert state(session, now=SIGN_SLACK_SECONDS)[1] == "sign gone"

    def test_a_session_that_goes_on_without_a_sign_is_judged_by_its_events(self):
        session, _ = reduced(agent("a", SIGN_SLACK_SECONDS + 1))
        remember(session, [sighted()], at(0))
        assert state(session, now=SIGN_SLACK_SECONDS + 2) == ("live", "recent event")

    def test_a_process_that_was_seen_and_died_is_a_crash(self):
        session = working(1)
        remember(session, [sighted(pid=7)], at(0))
        assert state(session, sighted(alive=False, pid=7)) == ("crashed", "dead process")

    def test_the_remains_of_an_earlier_crash_do_not_make_an_orderly_end_one(self):
        session = working(1)
        remember(session, [sighted(alive=False, pid=6), sighted(pid=7)], at(0))
        assert state(session, sighted(alive=False, pid=6)) == ("ended", "sign gone")

    def test_the_remains_of_an_earlier_crash_do_not_hide_a_living_process(self):
        remains = sighted(alive=False, pid=6)
        assert state(working(1), remains, sighted(pid=7, status="busy")) == ("live", "process")

    def test_a_pid_that_now_is_another_process_is_a_death(self):
        session = working(1)
        remember(session, [sighted(pid=7, proven=False, started=5.0)], at(0))
        reused = sighted(pid=7, proven=False, started=6.0)
        assert state(session, reused)[0] == "crashed"

    def test_only_a_new_process_is_worth_storing(self):
        session = working(1)
        assert remember(session, [sighted(pid=7)], at(0))
        assert not remember(session, [sighted(pid=7)], at(5))
        assert session.process.at == at(5)
        assert remember(session, [sighted(pid=7, started=9.0)], at(6))
        assert not remember(session, [sighted(alive=False, pid=7)], at(7))
        assert not remember(session, [], at(8))


class TestRealProcesses:
    def test_this_process_lives(self):
        assert living(os.getpid()).pid == os.getpid()

    def test_a_pid_that_was_never_given_out_is_dead(self):
        assert living(NEVER) is None
        assert judge(ProcessSign(pid=NEVER)).alive is False

    @pytest.mark.parametrize("pid", [0, -1, -(2**40), 2**70])
    def test_a_pid_that_is_none_is_dead(self, pid):
        assert judge(ProcessSign(pid=pid)).alive is False

    @linux_only
    def test_a_process_killed_is_dead_before_and_after_its_parent_asks(self):
        with process() as child:
            assert judge(ProcessSign(pid=child.pid)).alive
            child.send_signal(signal.SIGKILL)
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            assert Path(f"/proc/{child.pid}").exists()
            assert judge(ProcessSign(pid=child.pid)).alive is False
            child.wait()
            assert judge(ProcessSign(pid=child.pid)).alive is False

    @linux_only
    def test_the_start_that_a_client_wrote_down_proves_its_process(self):
        with process() as child:
            start = living(child.pid).started
            mine = judge(ProcessSign(pid=child.pid, started=start))
            assert (mine.alive, mine.proven, mine.started) == (True, True, start)

    @linux_only
    def test_another_start_is_another_process_of_the_same_pid(self):
        with process() as child:
            start = living(child.pid).started
            other = judge(ProcessSign(pid=child.pid, started=start - 100))
            assert (other.alive, other.proven) == (False, False)

    @linux_only
    def test_without_a_start_a_living_pid_is_believed_but_not_proven(self):
        with process() as child:
            found = judge(ProcessSign(pid=child.pid))
            assert (found.alive, found.proven) == (True, False)

    @linux_only
    def test_a_process_named_to_mislead_is_read_right(self, tmp_path):
        """The name stands in parentheses among the fields, and may hold any byte."""
        program = tmp_path / ") Z 1 2"
        program.symlink_to(sys.executable)
        child = subprocess.Popen([program, "-c", "input()"], stdin=subprocess.PIPE)
        try:
            assert living(child.pid).started == pytest.approx(living_age_ticks(), abs=3000)
        finally:
            child.kill()
            child.wait()
            child.stdin.close()

    @linux_only
    def test_a_pid_of_another_space_cannot_be_judged(self):
        assert judge(ProcessSign(pid=os.getpid(), space="pid:[1]")).alive is None
        assert judge(ProcessSign(pid=os.getpid(), space=pid_space())).alive is True

    @linux_only
    def test_a_process_of_another_user_is_alive(self):
        assert judge(ProcessSign(pid=1)).alive is True


def living_age_ticks():
    """Now, in clock ticks since boot."""
    uptime = float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
    return uptime * os.sysconf("SC_CLK_TCK")


def test_the_state_is_a_function_of_its_arguments():
    session = working(1)
    seen = [sighted(status="busy")]
    assert liveness(session, seen, at(0)) == Liveness("live", "process")
    assert liveness(session, seen, at(0) + timedelta(days=1)) == Liveness("live", "process")


CLAUDE_SIGN = {
    # As version 2.1.332 wrote it, but for the pid and the session.
    "pid": 0,
    "sessionId": "1582cd70-aed0-41f7-8b1c-93025e636790",
    "cwd": "/tmp/demo/exit_kill9",
    "startedAt": 1796009380230,
    "procStart": "394543",
    "version": "2.1.332",
    "peerProtocol": 1,
    "peerFeatures": ["notify_idle", "reply_across_default_dirs", "artifact_yield"],
    "kind": "interactive",
    "entrypoint": "cli",
    "pidDomain": "linux:00000000000000000000000000000000:pid:[4026531836]",
    "asksForConvertedSkills": None,
    "messagingSocketPath": "/tmp/cc-socks/2468.sock",
    "name": "exit-kill9-18",
    "nameSource": "derived",
    "nameSince": 1796009380230,
    "status": "idle",
    "updatedAt": 1796009380380,
    "statusUpdatedAt": 1796009380380,
}


class Home:
    """A home of Claude Code with one session, and a process that has it open."""

    def __init__(self, folder, pid):
        self.pid = pid
        self.transcript = Transcript(
            folder / "projects" / "-tmp-demo" / f"{CLAUDE_SIGN['sessionId']}.jsonl", ClaudeCode()
        )
        self.sign = folder / "sessions" / f"{pid}.json"
        self.sign.parent.mkdir(parents=True)
        self.session = Session("claude-code", CLAUDE_SIGN["sessionId"])
        for event in (user("u", -2000), agent("a", -1000), done("d", -1000)):
            advance(self.session, event)

    def write(self, **changes):
        process = living(self.pid)
        facts = {"pid": self.pid, "pidDomain": f"linux:0:{pid_space()}"}
        facts["procStart"] = str(int(process.started)) if process else "1"
        self.sign.write_text(json.dumps(CLAUDE_SIGN | facts | changes), encoding="utf-8")

    def state(self):
        """What the daemon sees at its next look."""
        seen = look([self.transcript]).of(self.session, self.transcript.path)
        remember(self.session, seen, at(0))
        found = liveness(self.session, seen, at(0))
        return (found.state, found.known_by)


@pytest.fixture
def child():
    with process() as started_process:
        yield started_process


@pytest.fixture
def home(tmp_path, child):
    return Home(tmp_path, child.pid)


@linux_only
class TestSignsOfOneClient:
    def test_its_status_is_followed(self, home):
        for status, expected in (
            ("idle", "idle"),
            ("busy", "live"),
            ("waiting", "waiting"),
            ("shell", "idle"),
        ):
            home.write(status=status)
            assert home.state() == (expected, "process")

    def test_before_it_says_its_status_it_is_there(self, home):
        home.write(status=None)
        assert home.state() == ("idle", "process")

    def test_an_orderly_end_removes_it(self, home):
        home.write()
        home.state()
        home.sign.unlink()
        assert home.state() == ("ended", "sign gone")

    def test_a_kill_leaves_it(self, home, child):
        home.write(status="busy")
        assert home.state() == ("live", "process")
        child.kill()
        child.wait()
        assert home.state() == ("crashed", "dead process")

    def test_a_kill_that_nobody_saw_is_seen_at_the_first_look(self, home, child):
        home.write(status="busy")
        child.kill()
        child.wait()
        assert home.state() == ("crashed", "dead process")

    def test_a_pid_that_another_process_has_now_is_not_taken_for_it(self, home):
        home.write(procStart="394543")
        assert home.state() == ("crashed", "dead process")

    def test_clearing_ends_the_old_session_and_names_the_new_one(self, home):
        home.write()
        home.state()
        home.write(sessionId="600533eb-be7e-4606-b4f4-4dd718c80e6d")
        assert home.state() == ("ended", "sign gone")
        new = Session("claude-code", "600533eb-be7e-4606-b4f4-4dd718c80e6d")
        assert look([home.transcript]).of(new, Path("elsewhere"))[0].alive

    def test_a_resume_in_another_process_is_live_beside_what_a_crash_left(self, home, child):
        home.write()
        child.kill()
        child.wait()
        assert home.state()[0] == "crashed"
        with process() as other:
            second = Home.__new__(Home)
            second.__dict__ |= home.__dict__
            second.pid, second.sign = other.pid, home.sign.with_name(f"{other.pid}.json")
            second.write(status="busy")
            assert second.state() == ("live", "process")
            second.sign.unlink()
            assert second.state() == ("ended", "sign gone")

    def test_a_pid_of_a_container_is_not_judged(self, home):
        home.write(pidDomain="linux:0:pid:[1]", procStart="1")
        assert home.state() == ("idle", "silence")

    @pytest.mark.parametrize(
        "content",
        [b"", b"{", b"null", b"[]", b'{"pid":1}', b'{"pid":"x"}', b"\xff\x00", b"[" * 9999],
    )
    def test_a_file_that_makes_no_sense_tells_nothing(self, home, content):
        home.sign.write_bytes(content)
        assert home.state() == ("idle", "silence")

    def test_other_files_in_the_folder_are_not_read(self, home):
        folder = home.sign.parent
        os.mkfifo(folder / "1.json")
        (folder / "2.json").mkdir()
        (folder / "3.json").symlink_to("/dev/zero")
        (folder / "4.json").write_bytes(b" " * (SIGN_BYTES + 1))
        (folder / f"{home.pid}.abc.key").write_text("secret", encoding="utf-8")
        home.write(status="busy")
        assert home.state() == ("live", "process")

    def test_a_folder_shared_by_all_sessions_is_read_once(self, home, monkeypatch):
        home.write(status="busy")
        read = []
        monkeypatch.setattr(ClaudeCode, "read_sign", lambda _self, path, _data: read.append(path))
        many = [
            Transcript(home.transcript.path.with_name(f"{number}.jsonl"), ClaudeCode())
            for number in range(50)
        ]
        look(many)
        assert set(read) == {home.sign}
        assert len(read) <= 2

    def test_without_the_folder_silence_tells(self, home):
        home.sign.parent.rmdir()
        assert home.state() == ("idle", "silence")


@linux_only
class TestSignsOfOthers:
    def test_a_lock_named_after_its_process_is_alive_until_a_kill(self, tmp_path, child):
        folder = shutil.copytree(KILLED.parent, tmp_path / "session")
        (lock,) = folder.glob("inuse.*.lock")
        lock.rename(folder / f"inuse.{child.pid}.lock")
        transcript = Transcript(folder / "events.jsonl", CopilotCli())
        (session,) = passed([transcript]).sessions.values()
        assert session.busy
        soon = session.last_event + timedelta(seconds=1)
        for expected in ("live", "crashed"):
            seen = look([transcript]).of(session, transcript.path)
            assert [sighting.sign.pid for sighting in seen] == [child.pid]
            assert liveness(session, seen, soon).state == expected
            child.kill()
            child.wait()

    def test_a_lock_beside_its_log_is_alive_until_it_is_removed(self, tmp_path, child):
        source = KIRO / "8527213d-df38-5ee1-9f19-f90004b446f7"
        for suffix in (".jsonl", ".json", ".lock"):
            shutil.copy(source.with_suffix(suffix), tmp_path)
        transcript = Transcript(tmp_path / f"{source.name}.jsonl", KiroCli())
        lock = transcript.path.with_suffix(".lock")
        dead = look([transcript])
        (session,) = passed([transcript]).sessions.values()
        now = session.last_event + timedelta(seconds=300)
        assert liveness(session, dead.of(session, transcript.path), now).state == "crashed"
        lock.write_text(json.dumps({"pid": child.pid, "started_at": "x"}), encoding="utf-8")
        seen = look([transcript]).of(session, transcript.path)
        remember(session, seen, now)
        assert liveness(session, seen, now) == Liveness("idle", "process")
        lock.unlink()
        seen = look([transcript]).of(session, transcript.path)
        assert liveness(session, seen, now) == Liveness("ended", "sign gone")

    def test_each_session_has_its_own_lock(self, tmp_path, child):
        for name in ("a", "b"):
            (tmp_path / f"{name}.jsonl").touch()
        (tmp_path / "a.lock").write_text(json.dumps({"pid": child.pid}), encoding="utf-8")
        found = [Transcript(tmp_path / f"{name}.jsonl", KiroCli()) for name in ("a", "b")]
        seen = look(found)
        assert [len(seen.of(Session("kiro-cli", t.path.stem), t.path)) for t in found] == [1, 0]

    @pytest.mark.parametrize("name", ["inuse.x.lock", "inuse..lock", "lock", "inuse.-1.lock"])
    def test_a_lock_that_names_no_process_tells_nothing(self, name):
        assert CopilotCli().read_sign(Path(name), b"") is None

    @pytest.mark.parametrize("content", [b"", b"{}", b'{"pid":null}', b"4711", b"\xff"])
    def test_a_lock_that_holds_no_process_tells_nothing(self, content):
        assert KiroCli().read_sign(Path("a.lock"), content) is None


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_every_parser_answers_for_any_path_and_content(parser):
    for path in (Path("x"), Path("/a/b/[c].jsonl"), Path("projects/x/y.jsonl")):
        list(parser.sign_patterns(path))
        for content in (b"", b"\xff", b'{"pid":1}', b"[" * 9999):
            parser.read_sign(path, content)


def test_the_cost_of_looking_grows_with_the_sessions_and_not_with_their_square(tmp_path):
    """A folder may hold the logs and locks of thousands of sessions."""
    for number in range(3000):
        (tmp_path / f"{number}.jsonl").touch()
    found = [Transcript(tmp_path / f"{number}.jsonl", KiroCli()) for number in range(3000)]
    began = time.process_time()
    look(found)
    assert time.process_time() - began < 1
