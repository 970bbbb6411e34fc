"""A reader's program, whatever it does, ends in time, and nothing is left of it or of its files."""

import contextlib
import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

import unprivileged
from ctxd.policy.reader import READER_FOLDERS, READER_OUTPUT_BYTES
from ctxd.processes import living
from ctxd.reader import child
from ctxd.reader.values import Command, ReaderError
from e2e.daemon import wait_until

ENOUGH = 30.0
posix = pytest.mark.skipif(os.name == "nt", reason="needs signals")


def program(code: str, **more: object) -> Command:
    return Command(argv=[sys.executable, "-c", textwrap.dedent(code)], **more)


def trouble_of(command: Command, folder: Path, seconds: float = ENOUGH) -> ReaderError:
    with pytest.raises(ReaderError) as raised:
        child.run(command, folder, seconds)
    return raised.value


def pid_in(path: Path) -> int:
    return wait_until(lambda: path.exists() and int(path.read_text() or 0), 10, "a pid is noted")


def gone(pid: int) -> bool:
    return wait_until(lambda: living(pid) is None, 10, f"{pid} is gone")


def left(folder: Path) -> list[str]:
    """What is in the folder besides locks."""
    return [path.name for path in folder.iterdir() if path.suffix != ".lock"]


def test_what_a_program_says_comes_back(tmp_path):
    command = program(
        """
        import sys
        print(sys.stdin.read().upper())
        print("a complaint", file=sys.stderr)
        open("answer.json", "w").write(open("schema.json").read() + "!")
        sys.exit(3)
        """,
        stdin="hello",
        files={"schema.json": "{}"},
        answer_file="answer.json",
    )
    done = child.run(command, tmp_path, ENOUGH)
    assert (done.code, done.stdout, done.stderr) == (3, "HELLO\n", "a complaint\n")
    assert done.answer == "{}!"


def test_its_folder_is_private_fresh_and_gone_afterwards(tmp_path):
    reader = tmp_path / "reader"
    code = """
        import os, stat
        for path in (".", "..", "a/b.txt", "a"):
            print(oct(stat.S_IMODE(os.stat(path).st_mode)))
        print(sorted(os.listdir(".")), os.getcwd())
        open("left", "w").close()
        """
    old = os.umask(0)
    try:
        one, two = (
            child.run(program(code, files={"a/b.txt": "x"}), reader, ENOUGH) for _ in range(2)
        )
    finally:
        os.umask(old)
    if os.name == "posix":
        assert one.stdout.split()[:4] == ["0o700", "0o700", "0o600", "0o700"]
    assert "['a']" in one.stdout
    assert one.stdout == two.stdout, "every call has the same folder, and finds it empty"
    assert left(reader) == []


def test_calls_at_the_same_time_have_folders_of_their_own(tmp_path):
    waiting = program("import sys, time; open('here', 'w'); time.sleep(60)")
    threads = [
        threading.Thread(target=lambda: trouble_of(waiting, tmp_path, 3.0))
        for _ in range(READER_FOLDERS)
    ]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(list(tmp_path.glob("*/here"))) == READER_FOLDERS, 10, "all run")
    assert trouble_of(waiting, tmp_path).trouble == "broken"
    for thread in threads:
        thread.join()
    assert left(tmp_path) == []


def test_what_a_crash_left_in_a_folder_is_cleared_away(tmp_path):
    (tmp_path / "call-1").mkdir()
    (tmp_path / "call-1" / "old").write_text("old", encoding="utf-8")
    assert child.run(program("import os; print(os.listdir())"), tmp_path, 30).stdout == "[]\n"


@posix
@pytest.mark.parametrize(
    "code",
    [
        "os.symlink(outside, here)",
        "open(here, 'w').close()",
        "os.mkfifo(here)",
        "os.mkdir(here); os.unlink(here + '.lock'); os.mkdir(here + '.lock')",
    ],
    ids=["link", "file", "pipe", "lock"],
)
def test_whatever_a_program_leaves_in_its_place_the_next_one_has_a_folder(tmp_path, code):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    code = f"import os\nhere, outside = os.getcwd(), {str(outside)!r}\nos.rmdir(here)\n{code}"
    command = Command(argv=[sys.executable, "-c", code])
    for _ in range(3):
        assert child.run(command, tmp_path / "reader", ENOUGH).code == 0
    assert (outside / "kept").exists()
    assert not child.is_busy(tmp_path / "reader")


@posix
def test_folders_that_a_program_has_closed_are_cleared_away(tmp_path):
    def story(folder: Path) -> None:
        (folder / "outside").mkdir()
        (folder / "outside").chmod(0o500)
        inside = folder / "reader" / "call-1" / "a" / "b"
        inside.mkdir(parents=True)
        (inside / "file").touch()
        (inside.parent / "link").symlink_to(folder / "outside")
        inside.chmod(0o500)
        inside.parent.chmod(0)
        with contextlib.suppress(ReaderError):  # that user may not be allowed to start it
            child.run(program(""), folder / "reader", ENOUGH)
        assert left(folder / "reader") == []
        assert stat.S_IMODE((folder / "outside").stat().st_mode) == 0o500

    unprivileged.run(story)


@pytest.mark.parametrize("name", ["../out", "/tmp/out", "a/../../out"])
def test_no_file_is_written_outside_of_it(name, tmp_path):
    with pytest.raises(ValueError, match="not a name inside a folder"):
        child.run(program("", files={name: "x"}), tmp_path, ENOUGH)


def test_its_environment_is_the_users_but_for_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("CTXD_HOME", str(tmp_path))
    monkeypatch.setenv("SOME_TOKEN", "abc")
    monkeypatch.setenv("NESTED", "1")
    code = "import os; print({k: os.environ.get(k) for k in ('CTXD_HOME', 'CTXD_READER', "
    code += "'SOME_TOKEN', 'NESTED', 'MORE')}, 'PATH' in os.environ)"
    command = program(code, env={"MORE": "2", "NESTED": ""})
    said = child.run(command, tmp_path / "reader", ENOUGH).stdout
    wanted = {"CTXD_HOME": None, "CTXD_READER": "1", "SOME_TOKEN": "abc"}
    assert said == f"{wanted | {'NESTED': None, 'MORE': '2'}} True\n"


@pytest.mark.parametrize(
    "argv",
    [["no-such-program-here"], ["/no/such/program"], [str(Path(__file__).parent)], [__file__]],
    ids=["name", "path", "folder", "file"],
)
def test_a_program_that_cannot_be_started_is_missing(argv, tmp_path):
    error = trouble_of(Command(argv=argv), tmp_path)
    assert error.trouble == "missing"
    assert error.message.startswith(f"cannot start `{argv[0]}`: ")


@posix
def test_that_python_is_gone_is_not_laid_to_the_program(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    error = trouble_of(Command(argv=["/bin/true"]), tmp_path)
    assert (error.trouble, "Python" in error.message) == ("broken", True)


@pytest.mark.parametrize("size", [0, 1, 65_536, 3_000_000])
def test_what_it_is_given_may_be_long_and_need_not_be_read(size, tmp_path):
    given = "ä" * size
    read = child.run(
        program("import sys; print(len(sys.stdin.buffer.read()))", stdin=given), tmp_path, 30
    )
    assert int(read.stdout) == 2 * size
    unread = child.run(program("import sys; sys.stdin.close()", stdin=given), tmp_path, 30)
    assert unread.code == 0
    assert child.run(program("import os; os.close(0)", stdin=given), tmp_path, 30).code == 0


def test_it_may_print_much_on_both_outputs_before_it_reads(tmp_path):
    code = """
        import sys
        for _ in range(200):
            sys.stdout.write("o" * 10_000); sys.stderr.write("e" * 10_000)
        sys.stdout.write(sys.stdin.read())
        """
    done = child.run(program(code, stdin="end"), tmp_path, ENOUGH)
    assert len(done.stdout) == 2_000_003
    assert len(done.stderr) == 2_000_000


def test_a_flood_on_its_output_ends_it(tmp_path):
    code = "import os\nwhile True: os.write(1, b'x' * 1_000_000)"
    begun = time.monotonic()
    error = trouble_of(program(code), tmp_path)
    assert (error.trouble, error.message) == ("broken", "the reader printed more than 4 MB")
    assert time.monotonic() - begun < ENOUGH
    assert left(tmp_path) == []


def test_a_flood_of_complaints_is_cut(tmp_path):
    code = "import os\nfor _ in range(1000): os.write(2, b'x' * 1_000_000)\nprint('answer')"
    done = child.run(program(code), tmp_path, 120)
    assert done.stdout == "answer\n"
    assert len(done.stderr) == READER_OUTPUT_BYTES


def test_an_answer_file_that_is_too_long_is_refused(tmp_path):
    code = f"open('answer', 'wb').truncate({READER_OUTPUT_BYTES + 1})"
    assert trouble_of(program(code, answer_file="answer"), tmp_path).trouble == "broken"


@posix
@pytest.mark.parametrize("code", ["os.mkfifo('a')", "os.symlink('/etc/passwd', 'a')", "pass"])
def test_only_a_plain_answer_file_is_read(code, tmp_path):
    done = child.run(program(f"import os; {code}", answer_file="a"), tmp_path, ENOUGH)
    assert done.answer == ""


def test_bytes_that_are_no_text_are_replaced(tmp_path):
    code = r"""
        import os
        os.write(1, b"a\xff\xfe\x00b"); os.write(2, b"\xc3")
        open("answer", "wb").write(b"\xf0\x9f")
        """
    done = child.run(program(code, answer_file="answer", stdin="\ud800"), tmp_path, ENOUGH)
    assert (done.stdout, done.stderr, done.answer) == ("a��\0b", "�", "�")


def test_a_program_that_ends_at_once_is_no_trouble(tmp_path):
    done = child.run(program("import os; os._exit(0)", stdin="x" * 1_000_000), tmp_path, ENOUGH)
    assert (done.code, done.stdout, done.stderr) == (0, "", "")


@posix
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_the_signal_that_ended_it_is_told(number, tmp_path):
    code = f"import os; print('begun', flush=True); os.kill(os.getpid(), {int(number)})"
    done = child.run(program(code), tmp_path, ENOUGH)
    assert (done.code, done.stdout) == (-number, "begun\n")
    assert left(tmp_path) == []


DEAF = """
    import os, signal, sys, time
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    """
KIN = {
    "itself": "",
    "a grandchild": "os.fork() and time.sleep(600)",
    "a grandchild of an ended child": "os.fork() and os._exit(0); os.fork() and os._exit(0)",
    "one in a session of its own": "os.fork() and time.sleep(600); os.setsid()",
    "a daemon": "os.fork() and time.sleep(600); os.setsid(); os.fork() and os._exit(0)",
}


@posix
@pytest.mark.parametrize("kin", KIN)
def test_whoever_hangs_and_heeds_no_word_is_ended(kin, tmp_path, monkeypatch):
    if ("session" in kin or "daemon" in kin) and sys.platform != "linux":
        pytest.skip("only Linux lets orphans be adopted")
    monkeypatch.setattr("ctxd.reader.guarded.READER_GRACE_SECONDS", 0.3)
    noted = tmp_path / "pid"
    code = textwrap.dedent(DEAF) + KIN[kin].replace("; ", "\n")
    code += f"\nopen({str(noted)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    if "ended child" not in kin:
        assert trouble_of(program(code), tmp_path / "reader", 2.0).trouble == "slow"
    else:
        code = code.replace("os._exit(0)", "(time.sleep(1), os._exit(0))", 1)
        assert child.run(program(code), tmp_path / "reader", ENOUGH).code == 0
    assert gone(pid_in(noted))
    assert left(tmp_path / "reader") == []


@posix
def test_a_program_that_heeds_the_word_can_put_its_things_in_order(tmp_path):
    noted = tmp_path / "noted"
    code = f"""
        import signal, sys, time
        def end(*_):
            open({str(noted)!r}, "w").write("in order"); sys.exit(0)
        signal.signal(signal.SIGTERM, end)
        time.sleep(600)
        """
    assert trouble_of(program(code), tmp_path / "reader", 2.0).trouble == "slow"
    assert noted.read_text(encoding="utf-8") == "in order"


@posix
def test_children_that_outlive_it_do_not_hold_up_its_answer(tmp_path):
    code = "import os, time; print('answer', flush=True); os.fork() or time.sleep(600)"
    begun = time.monotonic()
    assert child.run(program(code), tmp_path, 300).stdout == "answer\n"
    assert time.monotonic() - begun < ENOUGH


WORKER = """
import sys
from pathlib import Path
from ctxd.reader import child
from ctxd.reader.values import Command
code = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
code += f"open({sys.argv[1]!r} + '/pid', 'w').write(str(os.getpid())); time.sleep(600)"
child.run(Command(argv=[sys.executable, "-c", code]), Path(sys.argv[1]) / "reader", 600)
"""


@posix
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("group", [False, True], ids=["alone", "with its group"])
def test_it_ends_with_the_process_that_runs_it(number, group, tmp_path):
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(tmp_path)],
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    )
    pid = pid_in(tmp_path / "pid")
    assert living(pid)
    (os.killpg if group else os.kill)(worker.pid, number)
    worker.wait(20)
    assert gone(pid)
    wait_until(lambda: left(tmp_path / "reader") == [], 10, "the folder is gone")


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux does it")
def test_it_ends_with_its_guard(tmp_path):
    noted = tmp_path / "pid"
    code = f"import os, time; open({str(noted)!r}, 'w').write(str(os.getppid()))\n"
    code += f"open({str(noted)!r} + 2 * '2', 'w').write(str(os.getpid())); time.sleep(600)"
    threading.Timer(0.1, lambda: os.kill(pid_in(noted), signal.SIGKILL)).start()
    assert trouble_of(program(code), tmp_path / "reader").trouble == "broken"
    assert gone(pid_in(tmp_path / "pid22"))


@posix
def test_nothing_it_is_given_is_seen_from_outside(tmp_path):
    """Neither in a list of processes nor in a file with a name."""
    reader = tmp_path / "reader"
    code = "import time; open('here', 'w'); time.sleep(600)"
    command = program(code, stdin="the private words")
    thread = threading.Thread(target=lambda: trouble_of(command, reader, 3.0))
    thread.start()
    wait_until(lambda: list(reader.glob("*/here")), 10, "it runs")
    listed = subprocess.run(["ps", "-A", "-o", "args="], capture_output=True, check=True).stdout
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    thread.join()
    assert b"private words" not in listed
    assert all(stat.S_ISREG(path.lstat().st_mode) for path in files if path.exists())
    assert {path.name for path in files} == {"here", "call-1.lock"}


def test_no_file_stays_open(tmp_path):
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc")
    child.run(program("print(1)"), tmp_path, ENOUGH)
    before = sorted(os.listdir("/proc/self/fd"))
    for _ in range(3):
        child.run(program("print(1)"), tmp_path, ENOUGH)
        trouble_of(Command(argv=["no-such-program"]), tmp_path)
        trouble_of(program("import time; time.sleep(60)"), tmp_path, 0.2)
    assert sorted(os.listdir("/proc/self/fd")) == before
