"""The process that has a session read, as it runs: given work, told to end, left alone."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from ctxd.ledger import Ledger
from ctxd.pipeline import Pipeline
from ctxd.reader.child import is_busy
from ctxd.reader.errand import COMMAND
from ctxd.reader.values import Begun, Called, Choice, Over, Read, Told, Work
from ctxd_parsers.reading import Transcript
from ctxd_parsers.registry import PARSERS
from e2e.conversations import ClaudeCode
from fake_reader import FakeReader

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="by signals and sockets")

ROOT = Path(__file__).parents[3]
WORDS = "somebody in finance opens these files in Excel"


class World:
    """A ledger with a session, and a reader."""

    def __init__(self, folder):
        self.folder = folder
        self.reader = FakeReader(folder)
        self.talk = ClaudeCode(folder, "one")
        self.talk.user(WORDS)
        self.talk.assistant("Understood.")
        parser = next(one for one in PARSERS if one.name == self.talk.agent)
        with Ledger.open(folder / "ledger.db") as ledger:
            Pipeline(ledger, time.time).advance(Transcript(self.talk.path, parser))

    def work(self, **more):
        facts = {
            "choice": Choice(backend="codex", program=str(self.reader.path)),
            "agent": self.talk.agent,
            "session": self.talk.session,
            "ledger": str(self.folder / "ledger.db"),
            "folder": str(self.folder / "calls"),
            "calls": 9,
            "tokens": 100_000,
            "money": 1.0,
            "seconds": 20.0,
        }
        return Work(**facts | more)

    def start(self, work=None):
        """The process, with its work given and its standard input still open."""
        process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.folder),
                "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("daemon", "parsers")),
            },
        )
        process.stdin.write(msgspec.json.encode(work or self.work()) + b"\n")
        process.stdin.flush()
        return process

    def told(self, **more):
        """All that is told of some work."""
        process = self.start(self.work(**more))
        try:
            words = list(words_of(process))
            assert process.wait(10) == 0, process.stderr.read()
        finally:
            finish(process)
        return words


def words_of(process):
    """What a process tells; each call that it tells the beginning of is allowed."""
    for line in process.stdout:
        word = msgspec.json.decode(line, type=Told)
        if isinstance(word, Begun):
            allow(process)
        yield word


def allow(process):
    process.stdin.write(b"\n")
    process.stdin.flush()


def finish(process):
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    yield made
    assert made.reader.is_gone()


def test_it_tells_of_a_session_what_was_asked_and_found(world):
    begun, called, read, over = world.told()
    assert isinstance(begun, Begun)
    assert isinstance(called, Called)
    assert isinstance(read, Read)
    assert [one.statement for part in read.findings for one in part.found] == [WORDS]
    assert over == Over(chunks=1)
    assert world.told(known=[read.digest]) == [Over(chunks=0)]
    assert world.reader.calls == 1


def test_it_makes_no_call_before_it_is_allowed_to(world):
    process = world.start()
    try:
        assert isinstance(msgspec.json.decode(process.stdout.readline(), type=Told), Begun)
        time.sleep(1)
        assert not world.reader.calls
        allow(process)
        assert list(words_of(process))[-1] == Over(chunks=1)
    finally:
        finish(process)
    assert world.reader.calls == 1


def test_one_that_waits_to_be_allowed_ends_when_it_is_told_to(world):
    process = world.start()
    try:
        process.stdout.readline()
        process.terminate()
        assert process.wait(5) == 143
    finally:
        finish(process)
    assert not world.reader.calls


def test_it_writes_nothing_into_the_ledger(world):
    before = (world.folder / "ledger.db").read_bytes()
    world.told()
    assert (world.folder / "ledger.db").read_bytes() == before


def test_a_session_that_is_not_there_has_nothing_to_read(world):
    assert world.told(session="nobody") == [Over(chunks=0)]


@pytest.mark.parametrize(
    ("more", "trouble"),
    [
        ({"ledger": "/there/is/none"}, "broken"),
        ({"choice": Choice(backend="nobody")}, "missing"),
        ({"choice": Choice(backend="codex", program="/there/is/none")}, "missing"),
    ],
)
def test_what_is_not_there_is_told(world, more, trouble):
    over = world.told(**more)[-1]
    assert (over.trouble, over.left) == (trouble, 1)
    assert over.message


def test_a_folder_that_cannot_be_used_is_told(world):
    (world.folder / "file").touch()
    [over] = world.told(folder=str(world.folder / "file"))
    assert (over.trouble, "exists" in over.message) == ("broken", True)


def test_a_call_that_takes_too_long_is_ended_and_told(world):
    world.reader.does("fork")
    told = world.told(seconds=1.0)
    assert told[-1].trouble == told[-2].trouble == "slow"
    assert not world.reader.living()


@pytest.mark.parametrize("way", ["hang", "fork"])
@pytest.mark.parametrize("how", ["told", "left", "killed"])
def test_however_it_ends_the_call_under_way_ends_with_it(world, way, how):
    world.reader.does(way)
    process = world.start()
    try:
        process.stdout.readline()
        allow(process)
        until = time.monotonic() + 20
        while not world.reader.notes("hangs"):
            assert time.monotonic() < until
            time.sleep(0.02)
        if how == "told":
            process.send_signal(signal.SIGTERM)
        elif how == "killed":
            process.kill()
        else:
            process.stdin.close()
        assert process.wait(10) == (-9 if how == "killed" else 143)
        assert world.reader.is_gone(5)
    finally:
        finish(process)
    until = time.monotonic() + 5
    while is_busy(world.folder / "calls") and time.monotonic() < until:
        time.sleep(0.02)
    assert not list((world.folder / "calls").glob("call-?")), "what it was asked is left nowhere"


@pytest.mark.parametrize("given", [b"", b"nonsense\n", b"{}\n", b'{"choice": {}}\n'])
def test_work_that_is_none_is_refused(given):
    done = subprocess.run(
        COMMAND,
        input=given,
        capture_output=True,
        timeout=20,
        check=False,
        env={"PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("daemon", "parsers"))},
    )
    assert done.returncode == os.EX_USAGE
    assert not done.stdout
    assert b"Traceback" not in done.stderr


def test_a_second_one_waits_for_the_first(world):
    world.reader.does("ponder")
    others = [world.start() for _ in range(3)]
    try:
        with ThreadPoolExecutor() as pool:
            for said in pool.map(list, map(words_of, others)):
                assert said[-1] == Over(chunks=1)
    finally:
        for process in others:
            finish(process)
    assert world.reader.calls == 3
    assert world.reader.at_most_one()
