"""The process that has a session read, as the daemon sees it: real processes."""

import sys
import threading
import time

import pytest

from ctxd.processes import living
from ctxd.reader.alone import alone
from ctxd.reader.errand import Errand, Gone
from ctxd.reader.values import Begun, Choice, Over, ReaderError, Work

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="by signals")

SAYS = "import sys, time, signal, os\ngiven = sys.stdin.buffer.readline()\n"
BEGUN = 'os.write(1, b\'{"type":"begun","input_tokens":7}\\n\')\n'


def work(folder):
    return Work(
        choice=Choice(backend="codex"),
        agent="a",
        session="s",
        ledger="",
        folder=str(folder),
        known=["x" * 24] * 10_000,
        calls=1,
        tokens=1,
        money=1.0,
        seconds=1.0,
    )


class Heard:
    """What a process told, once it is gone."""

    def __init__(self, folder, script):
        self.news = threading.Event()
        self.errand = Errand(work(folder), self.news.set, (sys.executable, "-c", SAYS + script))

    def words(self, seconds=10.0):
        found = []
        until = time.monotonic() + seconds
        while not (found and isinstance(found[-1], Gone)):
            assert time.monotonic() < until
            self.news.wait(0.1)
            self.news.clear()
            while (word := self.errand.word) is not None:
                found.append(word)
                self.errand.take()
        return found

    def first(self):
        while self.errand.word is None:
            assert self.news.wait(10)
        return self.errand.word


def test_it_is_given_its_work_whole_and_heard_line_by_line(tmp_path):
    script = BEGUN + 'assert len(given) > 200000\nos.write(1, b\'{"type":"over","chunks":1}\\n\')'
    assert Heard(tmp_path, script).words() == [Begun(7), Over(chunks=1), Gone(0)]


def test_it_hears_that_a_call_is_allowed(tmp_path):
    heard = Heard(tmp_path, BEGUN + "sys.exit(sys.stdin.buffer.read(1)[0])")
    heard.first()
    heard.errand.allow()
    assert heard.words() == [Begun(7), Gone(ord("\n"))]
    heard.errand.allow()


def test_it_runs_in_its_folder_and_what_it_complains_of_is_kept(tmp_path):
    heard = Heard(tmp_path, "sys.stderr.write('x' * 90000 + os.getcwd())\nsys.exit(3)")
    [gone] = heard.words()
    assert gone.code == 3
    assert gone.complaint.endswith(str(tmp_path))
    assert len(gone.complaint) == 2000


@pytest.mark.parametrize("line", ["nonsense", '{"type":"other"}', "[" * 5000, "\\xff"])
def test_one_that_tells_nonsense_is_ended(tmp_path, line):
    script = f"os.write(1, b'{line}\\n')\ntime.sleep(600)"
    [gone] = Heard(tmp_path, script).words()
    assert gone.code == -15


def test_one_that_does_not_heed_the_word_is_ended_by_force_with_its_group(tmp_path):
    script = (
        "import subprocess\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        'os.write(1, b\'{"type":"begun","input_tokens":%d}\\n\' % child.pid)\ntime.sleep(600)'
    )
    heard = Heard(tmp_path, script)
    grandchild = heard.first().input_tokens
    began = time.monotonic()
    heard.errand.end()
    assert time.monotonic() - began < 1, "that does not wait"
    assert heard.words()[-1] == Gone(-9)
    until = time.monotonic() + 5
    while living(grandchild) and time.monotonic() < until:
        time.sleep(0.02)
    assert not living(grandchild)


def test_to_close_it_waits_until_it_is_gone(tmp_path):
    heard = Heard(tmp_path, BEGUN + "time.sleep(600)")
    heard.first()
    pid = heard.errand.pid
    heard.errand.close()
    assert not living(pid)
    heard.errand.close()


def test_one_that_cannot_be_started_is_an_error_of_the_system(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        Errand(work(tmp_path), lambda: None, ("/there/is/none",))


def test_two_cannot_ask_at_once(tmp_path):
    with alone(tmp_path), pytest.raises(ReaderError) as error, alone(tmp_path, 0.1):
        pass
    assert error.value.trouble == "rate"
    assert error.value.retry_after
    with alone(tmp_path, 0.1):
        pass
