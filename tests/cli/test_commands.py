"""The command line itself: help, typing errors, exit codes, hints, and the system around it."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import pytest

from cli.running import SAMPLE, SAMPLE_LOG
from ctxd import __version__
from ctxd.cli.group import ALL, COMMANDS, MORE
from ctxd.workers import usable_cores

COMMAND_LINES = [[], *([name] for name in ALL)]
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX only")


def reads_everything():
    """Whether modes mean nothing to this process, as to root."""
    with tempfile.NamedTemporaryFile() as file:
        os.chmod(file.name, 0)
        return os.access(file.name, os.R_OK)


modes_count = pytest.mark.skipif(reads_everything(), reason="reads what it may not, as root does")


@pytest.mark.parametrize("command", COMMAND_LINES, ids=lambda command: " ".join(command) or "ctxd")
def test_help_fits_a_screen_and_ends_with_three_examples(home, command):
    for flag in ("-h", "--help"):
        run = home.ctxd(*command, flag)
        assert (run.code, run.err) == (0, "")
        assert len(run.lines) <= 24
        assert max(map(len, run.lines)) <= 80
        examples = run.out.split("Examples:\n")[1].splitlines()
        assert len(examples) == 3
        assert all("ctxd" in example for example in examples)


def test_help_lists_every_command(home):
    out = home.ctxd("-h").out
    for name, line in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(line)}$", out, re.MULTILINE)
    for name, group in MORE.items():
        assert re.search(rf"^  \({name}\) +{', '.join(group)}$", out, re.MULTILINE)


def test_the_version_is_known_in_no_time(home):
    assert home.ctxd("--version").out == f"ctxd {__version__}\n"
    assert home.ctxd("--color", "never", "--version").out == f"ctxd {__version__}\n"


def test_the_version_takes_at_most_three_times_a_bare_python(home):
    def seconds(*arguments):
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, *arguments], env=home.variables, check=True, capture_output=True
        )
        return time.perf_counter() - begin

    bare, version = [], []
    for _ in range(7):
        bare.append(seconds("-c", "pass"))
        version.append(seconds("-m", "ctxd", "--version"))
    assert median(version) <= 3 * median(bare)


def test_the_version_imports_nothing_heavy(home):
    code = (
        "import sys; sys.argv = ['ctxd', '--version']; from ctxd.__main__ import main; main();"
        "print(sorted({'click', 'rich', 'msgspec', 'platformdirs', 'ctxd.cli'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=home.variables, capture_output=True, check=True
    )
    assert done.stdout.decode().splitlines()[-1] == "[]"


def test_help_imports_no_parsers(home):
    code = (
        "import sys; from ctxd.cli import run; run(['-h']);"
        "print(sorted({'rich', 'msgspec', 'ctxd_parsers'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=home.variables, capture_output=True, check=True
    )
    assert done.stdout.decode().splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        (["scna"], 2, "no command `scna`", "did you mean `ctxd scan`?"),
        (["frobnicate"], 2, "no command `frobnicate`", "`ctxd -h` lists the commands"),
        (["scan", "--jsn"], 2, "no option `--jsn`", "did you mean `--json`?"),
        (["--frobnicate"], 2, "no option `--frobnicate`", "`ctxd -h` shows how it is used"),
        (["events"], 2, "missing argument `PATH`", "`ctxd events -h` shows how it is used"),
        (["events", "a", "b"], 2, "got unexpected extra argument (b)", "`ctxd events -h` shows"),
        (
            ["sessions", "-n", "-1"],
            2,
            "invalid value for `-n`: `-1` is no whole number from 0 up",
            "`ctxd sessions -h`",
        ),
        (
            ["sessions", "-n", "9" * 5000],
            2,
            "invalid value for `-n`",
            "`ctxd sessions -h` shows how it is used",
        ),
        (["--json"], 2, "no option `--json`", "it stands behind a command, as in `ctxd scan"),
        (["help"], 2, "no command `help`", "did you mean `ctxd -h`?"),
        (["version"], 2, "no command `version`", "did you mean `ctxd --version`?"),
        (["complete"], 2, "no command `complete`", "did you mean `ctxd completion`?"),
        (["completion"], 2, "missing argument `SHELL`", "`ctxd completion -h`"),
        (["scan", ""], 2, "invalid value for `PATH`: it is empty", "`ctxd scan -h`"),
        (["events", ""], 2, "invalid value for `PATH`: it is empty", "`ctxd events -h`"),
        (["--home", "", "paths"], 2, "invalid value for `--home`: it is empty", "`ctxd -h`"),
        (
            ["--home", "~nobody-at-all/x", "paths"],
            2,
            "there is no home folder for `~nobody-at-all`",
            "name an absolute path",
        ),
        (["scan", "--color", "blue"], 2, "invalid value for `--color`", "`ctxd scan -h`"),
        (
            ["sessions", "--agent", "claude-cod"],
            2,
            "no agent `claude-cod`",
            "did you mean `claude-code`?",
        ),
        (["sessions", "--agent", "zzz"], 2, "no agent `zzz`", "known are "),
        (["completion", "tcsh"], 2, "invalid value for", "`ctxd completion -h`"),
        (
            ["scan", "gone"],
            1,
            "cannot read `gone`: no such file or directory",
            "`ctxd paths` shows",
        ),
        (
            ["events", "gone"],
            1,
            "cannot read `gone`: no such file or directory",
            "`ctxd paths` shows",
        ),
        (["events", "empty"], 1, "`{home}/empty` holds no session log", "`ctxd paths` shows"),
        (["events", "notes.txt"], 1, "`{home}/notes.txt` is no session log", "`ctxd paths` shows"),
        (
            ["events", "noise.jsonl"],
            1,
            "`{home}/noise.jsonl` is no session log",
            "`ctxd paths` shows",
        ),
        (
            ["events", "two logs"],
            1,
            "`{home}/two logs` holds several session logs",
            "name one of them, as in `ctxd events '{home}/two logs/projects/-1/",
        ),
        (
            ["events", "fifo"],
            1,
            "cannot read `{home}/fifo`: not a regular file",
            "`ctxd events` takes a",
        ),
        (
            ["events", "loop"],
            1,
            "cannot read `loop`: is a symbolic link, or a loop of them",
            "`ctxd paths`",
        ),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
@posix
def test_a_mistake_is_answered_with_what_and_what_next(home, arguments, code, message, hint):
    (home.path / "empty").mkdir()
    (home.path / "notes.txt").write_text("dear diary\n", encoding="utf-8")
    (home.path / "noise.jsonl").write_bytes(bytes(range(256)) * 40)
    os.mkfifo(home.path / "fifo")
    (home.path / "loop").symlink_to("loop")
    for number in "12":
        folder = home.path / "two logs" / "projects" / f"-{number}"
        folder.mkdir(parents=True)
        (folder / SAMPLE_LOG.name).write_bytes(SAMPLE_LOG.read_bytes())
    run = home.ctxd(*arguments)
    assert (run.code, run.out) == (code, "")
    first, blank, second = run.err.splitlines()
    assert first.startswith(f"error: {message.format(home=home.path.resolve())}")
    assert blank == ""
    assert second.startswith(f"hint: {hint.format(home=home.path.resolve())}")
    assert not first.endswith(".")


def test_a_folder_with_one_log_in_it_is_that_log(home):
    assert (
        home.ctxd("events", SAMPLE, "--json").out == home.ctxd("events", SAMPLE_LOG, "--json").out
    )


def test_a_session_is_found_by_the_start_of_its_id(sample_home):
    by_path = sample_home.ctxd("events", SAMPLE_LOG).out
    assert sample_home.ctxd("events", SAMPLE_LOG.stem).out == by_path
    assert sample_home.ctxd("events", SAMPLE_LOG.stem[:8]).out == by_path
    assert sample_home.ctxd("events", SAMPLE_LOG.stem[:3]).code == 1


def test_a_file_comes_before_a_session_of_that_id(sample_home):
    (sample_home.path / SAMPLE_LOG.stem[:8]).write_text("no log\n", encoding="utf-8")
    run = sample_home.ctxd("events", SAMPLE_LOG.stem[:8])
    assert run.code == 1
    assert "is no session log" in run.err


def test_an_id_that_fits_several_logs_is_answered_with_one_of_them(sample_home):
    [log] = sample_home.path.glob(".claude/projects/*/*.jsonl")
    copy = sample_home.path / ".claude-work" / "projects" / "-srv" / log.name
    copy.parent.mkdir(parents=True)
    copy.write_bytes(log.read_bytes())
    run = sample_home.ctxd("events", log.stem[:8])
    assert (run.code, run.out) == (1, "")
    assert run.err.startswith(f"error: several session logs begin with `{log.stem[:8]}`\n")
    assert f"hint: name one of them, as in `ctxd events {log.resolve()}`" in run.err


@posix
def test_a_link_that_the_user_names_is_followed(home):
    (home.path / "link").symlink_to(SAMPLE)
    assert home.ctxd("events", "link").code == 0
    assert "claude-code" in home.ctxd("scan", "link").out


@pytest.mark.parametrize("arguments", [["scan"], ["sessions"], ["paths"]])
def test_a_home_without_logs_is_no_failure(home, arguments):
    assert home.ctxd(*arguments).code == 0


@pytest.mark.parametrize("arguments", [["scan", "stuff"], ["scan", "stuff", "--json"]])
def test_a_folder_of_other_things_holds_no_logs(home, arguments):
    stuff = home.path / "stuff"
    (stuff / "deep" / "deeper").mkdir(parents=True)
    (stuff / "notes.md").write_text("# notes\n", encoding="utf-8")
    (stuff / "deep" / "data.json").write_text('{"a": 1}\n', encoding="utf-8")
    (stuff / "deep" / "data.jsonl").write_text('{"a": 1}\n' * 9, encoding="utf-8")
    (stuff / "deep" / "deeper" / "image.bin").write_bytes(bytes(range(256)) * 1000)
    run = home.ctxd(*arguments)
    assert (run.code, run.err) == (0, "")
    assert "no session logs found" in run.out or '"agents":[]' in run.out


@posix
def test_fifos_and_loops_in_a_folder_are_passed_over(sample_home):
    folder = sample_home.path / ".claude" / "projects" / "-home-dev-shop-api"
    os.mkfifo(folder / "5b0e8a1c-9d47-4f2e-8c63-000000000000.jsonl")
    (folder / "5b0e8a1c-9d47-4f2e-8c63-000000000001.jsonl").symlink_to(SAMPLE_LOG)
    (folder / "loop").symlink_to(folder)
    for arguments in (["scan", "--json"], ["scan", ".claude", "--json"]):
        run = sample_home.ctxd(*arguments)
        assert run.code == 0
        assert '"transcripts":1' in run.out


@modes_count
def test_a_file_that_may_not_be_read_is_named_and_the_rest_is_read(sample_home):
    [log] = sample_home.path.glob(".claude/projects/*/*.jsonl")
    closed = log.with_name("5b0e8a1c-9d47-4f2e-8c63-000000000000.jsonl")
    closed.write_bytes(log.read_bytes())
    closed.chmod(0)
    run = sample_home.ctxd("scan")
    assert run.code == 6
    assert (
        f"x cannot read ~/.claude/projects/-home-dev-shop-api/{closed.name}: permission denied"
        in run.out
    )
    run = sample_home.ctxd("sessions")
    assert run.code == 6
    assert "1 file or folder could not be read" in run.err
    run = sample_home.ctxd("events", closed)
    assert run.code == 1
    assert run.err.startswith(f"error: cannot read `{closed}`: permission denied\n\nhint: ")


@modes_count
def test_a_folder_that_may_not_be_read_is_named(sample_home):
    closed = sample_home.path / ".claude" / "projects" / "-closed"
    closed.mkdir()
    closed.chmod(0)
    scan, paths = sample_home.ctxd("scan"), sample_home.ctxd("paths")
    events, below = sample_home.ctxd("events", closed), sample_home.ctxd("scan", closed / "x")
    sessions = sample_home.ctxd("sessions")
    closed.chmod(0o700)
    assert "1 file or folder could not be read" in sessions.err
    assert (scan.code, paths.code, events.code, below.code) == (6, 6, 1, 1)
    assert "x cannot read ~/.claude/projects/-closed: permission denied" in scan.out
    assert paths.err == "x cannot look at ~/.claude/projects/-closed: permission denied\n"
    assert events.err.startswith(f"error: cannot read `{closed}`: permission denied\n")
    assert below.err.startswith(f"error: cannot read `{closed}/x`: permission denied\n")


@modes_count
def test_a_home_that_may_not_be_entered_is_named(home):
    closed = home.path / "closed"
    closed.mkdir(mode=0)
    runs = [home.ctxd(*arguments, HOME=str(closed)) for arguments in ([], ["paths"], ["scan"])]
    assert [run.code for run in runs] == [0, 6, 6]
    assert "~/.config/ctxd " in runs[1].out
    assert "x cannot read ~/.claude/projects: permission denied" in runs[2].out


@posix
@pytest.mark.parametrize("arguments", [["scan", "."], ["--home", "here", "paths"]])
def test_a_current_folder_that_is_gone_is_named_as_such(home, arguments):
    done = subprocess.run(
        [
            "sh",
            "-c",
            'mkdir gone; cd gone; rmdir ../gone; exec "$@"',
            "sh",
            *home.command(*arguments),
        ],
        env=home.variables,
        cwd=home.path,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == (b"error: the folder you are in is gone\n\nhint: `cd` to another one\n")


@posix
def test_a_socket_that_the_user_names_is_refused_like_every_other_thing(home, monkeypatch):
    monkeypatch.chdir(home.path)  # the path of a socket may have a hundred characters
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind("s.jsonl")
        run = home.ctxd("events", "s.jsonl")
        assert run.code == 1
        assert "s.jsonl`: not a regular file\n" in run.err
        assert "s.jsonl: not a regular file\n" in home.ctxd("scan", "s.jsonl").out


@posix
def test_a_fifo_that_the_user_names_is_not_waited_on(home):
    os.mkfifo(home.path / "fifo")
    run = home.ctxd("scan", "fifo")
    assert run.code == 6
    assert "x cannot read ~/fifo: not a regular file" in run.out


@posix
def test_names_outside_of_the_locale_are_read_and_shown_as_escapes(home):
    folder = home.path / "Büro" / "projects" / "-srv"
    folder.mkdir(parents=True)
    (folder / SAMPLE_LOG.name).write_bytes(SAMPLE_LOG.read_bytes() + b"{torn\n")
    posix_locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = home.ctxd("scan", "Büro", **posix_locale)
    assert (run.code, run.err) == (0, "")
    assert r"as in ~/B\xfcro/projects" in run.out
    assert home.ctxd("events", "gone-é", **posix_locale).err.startswith(
        r"error: cannot read `gone-\xe9`"
    )


@pytest.mark.parametrize(
    "arguments", [[], ["scan"], ["sessions"], ["paths"], ["events", SAMPLE], ["scnn"]]
)
def test_nothing_is_left_open_and_no_warning_is_raised(sample_home, arguments):
    quiet = sample_home.ctxd(*arguments)
    strict = sample_home.ctxd(*arguments, PYTHONDEVMODE="1", PYTHONWARNINGS="error")
    assert (strict.code, strict.err) == (quiet.code, quiet.err)


def test_a_large_log_without_a_message_is_not_understood(home):
    folder = home.path / ".claude" / "projects" / "-srv"
    folder.mkdir(parents=True)
    row = '{"parentUuid":null,"type":"user","sessionId":"s","uuid":"%d","renamed":"%s"}\n'
    log = folder / "5b0e8a1c-9d47-4f2e-8c63-000000000000.jsonl"
    log.write_text("".join(row % (n, "x" * 100) for n in range(1000)), encoding="utf-8")
    run = home.ctxd("scan")
    assert run.code == 0
    assert "! format not understood: no message in ~/.claude/projects/-srv/5b0e" in run.out


@posix
def test_a_reader_that_stops_reading_ends_the_command_without_a_word(sample_home):
    [log] = sample_home.path.glob(".claude/projects/*/*.jsonl")
    one = log.read_bytes()
    log.write_bytes(b"".join(one.replace(b'"uuid":"', b'"uuid":"%d-' % n) for n in range(200)))
    for arguments in (
        ["events", log],
        ["events", log, "--json"],
        ["events", log, "--color=always"],
    ):
        process = subprocess.Popen(
            sample_home.command(*arguments),
            env=sample_home.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait(30) == 141


@posix
@pytest.mark.parametrize("arguments", [["--version"], ["-h"], ["paths"], ["scan", "--json"]])
def test_no_reader_at_all_is_no_trouble(sample_home, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        sample_home.command(*arguments),
        env=sample_home.variables,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments", [["--version"], ["-h"], ["paths"], ["events", SAMPLE], ["scan", "--json"]]
)
def test_a_full_disk_is_an_expected_failure(sample_home, arguments):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            sample_home.command(*arguments),
            env=sample_home.variables,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.decode().startswith(
        "error: cannot write the output: no space left on device\n"
    )


@posix
@pytest.mark.parametrize("closing", ["1>&-", "2>&-", "1>&- 2>&-", "0<&-"])
def test_closed_streams_are_no_trouble(sample_home, closing):
    for arguments in ("--version", "scan", "paths --json"):
        line = f"{sys.executable} -m ctxd {arguments} {closing}"
        done = subprocess.run(
            ["sh", "-c", line], env=sample_home.variables, capture_output=True, check=False
        )
        assert done.returncode == 0
        assert b"Traceback" not in done.stderr


processes_show = pytest.mark.skipif(
    sys.platform != "linux" or usable_cores() == 1, reason="looks for processes"
)


def scan_with_others(home, copies, on_interrupt):
    """A scan that other processes do, just when the first of them was started."""
    folder = home.path / ".claude" / "projects" / "-srv"
    folder.mkdir(parents=True)
    big = SAMPLE_LOG.read_bytes() * 400
    for number in range(copies):
        (folder / f"5b0e8a1c-9d47-4f2e-8c63-{number:012d}.jsonl").write_bytes(big)
    process = subprocess.Popen(
        home.command("scan"),
        env=home.variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, on_interrupt),  # noqa: PLW1509 - no threads
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    deadline = time.monotonic() + 5
    while children.exists() and not children.read_text(encoding="ascii"):
        assert time.monotonic() < deadline
    return process


@processes_show
@pytest.mark.parametrize("delay", [0, 0.001, 0.005, 0.02, 0.1, 0.2])
def test_ctrl_c_ends_at_once_and_without_a_word(home, delay):
    process = scan_with_others(home, 20, signal.SIG_DFL)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")


@processes_show
def test_a_scan_in_the_background_of_a_script_does_not_hear_ctrl_c(home):
    process = scan_with_others(home, 2, signal.SIG_IGN)
    time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert b"claude-code" in out


@posix
def test_ctrl_c_while_it_starts_ends_it_without_a_word(home):
    """Where Python itself turns the interrupt into another exception: in a class being made."""
    code = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)

class Interrupting:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)

class Finder:
    def find_spec(self, name, path, target=None):
        if name == "click":
            type("Made", (), {"field": Interrupting()})

sys.meta_path.insert(0, Finder())
sys.argv = ["ctxd", "paths"]
from ctxd.__main__ import main
sys.exit(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=home.variables, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_a_defect_keeps_its_traceback_in_a_file_of_the_user_alone(home):
    code = (
        "import sys; import ctxd.path_report as p; p.look = lambda *a: 1 / 0;"
        "from ctxd.cli import run; sys.exit(run(['paths']))"
    )
    state = home.path / "own"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=home.variables | {"CTXD_HOME": str(state)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 70
    [crash] = (state / "state" / "crashes").iterdir()
    assert "ZeroDivisionError" in crash.read_text(encoding="utf-8")
    error, _, hint = done.stderr.decode().splitlines()
    assert error == "error: internal error: ZeroDivisionError: division by zero"
    assert (
        hint == f"hint: please report it with the traceback in `~/own/state/crashes/{crash.name}`"
    )
    if os.name == "posix":
        assert crash.stat().st_mode & 0o777 == 0o600
        assert crash.parent.stat().st_mode & 0o777 == 0o700


def test_tracebacks_do_not_pile_up(home):
    from ctxd.policy.shown import CRASH_FILES

    crashes = home.path / "own" / "state" / "crashes"
    crashes.mkdir(parents=True)
    for number in range(CRASH_FILES + 5):
        (crashes / f"20200101T0000{number:02d}Z-1.txt").write_text("old", encoding="utf-8")
    code = (
        "import sys; import ctxd.path_report as p; p.look = lambda *a: 1 / 0;"
        "from ctxd.cli import run; sys.exit(run(['--home', sys.argv[1], 'paths']))"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(home.path / "own")],
        env=home.variables,
        capture_output=True,
        check=False,
    )
    assert len(list(crashes.iterdir())) == CRASH_FILES
    assert not (crashes / "20200101T000000Z-1.txt").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(home, shell):
    run = home.ctxd("completion", shell)
    assert run.code == 0
    assert f"_CTXD_COMPLETE={shell}_complete" in run.out


def test_completion_knows_commands_and_options(home):
    def completed(line):
        variables = {
            "_CTXD_COMPLETE": "bash_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(line.split(" ")) - 1),
        }
        return {item.split(",")[1] for item in home.ctxd(**variables).lines}

    assert completed("ctxd se") == {"search", "service", "sessions"}
    assert "--json" in completed("ctxd scan --")
    assert completed("ctxd completion ") == {"bash", "zsh", "fish"}
    assert completed("ctxd reader setup c") == {"claude-code", "copilot-cli", "codex"}


@pytest.mark.parametrize("begun", ["scna", "--frobnicate", "sessions --frobnicate"])
def test_completion_complains_of_nothing_while_a_line_is_typed(home, begun):
    line = f"ctxd {begun} "
    asked = {"_CTXD_COMPLETE": "bash_complete", "COMP_WORDS": line}
    assert home.ctxd(**asked, COMP_CWORD=str(len(line.split()))).err == ""


def test_completion_knows_the_agents(home):
    asked = {"_CTXD_COMPLETE": "bash_complete", "COMP_WORDS": "ctxd sessions --agent co"}
    run = home.ctxd(**asked, COMP_CWORD="3")
    assert run.lines == ["plain,codex", "plain,copilot-cli", "plain,copilot-vscode"]


@posix
@pytest.mark.parametrize("value", ["", "here"])
def test_a_home_that_cannot_be_told_is_an_expected_failure(home, value):
    for arguments in ([], ["scan"], ["paths"]):
        run = home.ctxd(*arguments, HOME=value)
        assert (run.code, run.out) == (1, "")
        assert run.err == (
            "error: cannot tell where your home folder is\n\nhint: set HOME to its absolute path\n"
        )


def test_own_folders_follow_the_option_before_the_variable(home):
    first = home.ctxd("paths", CTXD_HOME=str(home.path / "a")).out
    assert "~/a/state" in first
    second = home.ctxd("--home", home.path / "b", "paths", CTXD_HOME=str(home.path / "a")).out
    assert "~/b/state" in second
    assert "~/a/" not in second


@posix
def test_a_runtime_folder_that_others_can_reach_is_not_used(home):
    shared = home.path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert "shared" not in home.ctxd("paths", XDG_RUNTIME_DIR=str(shared)).out
    shared.chmod(0o700)
    if sys.platform == "linux":
        assert "~/shared/ctxd" in home.ctxd("paths", XDG_RUNTIME_DIR=str(shared)).out
