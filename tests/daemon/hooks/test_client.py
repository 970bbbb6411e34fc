"""The hook client, run as agents run it: whatever is wrong, the agent goes on as if it were not
there."""

import ast
import contextlib
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Listener
from pathlib import Path

import pytest

from ctxd.hooks import client
from ctxd.hooks.command import client_command
from ctxd.places import Places
from ctxd.policy.hooks import HOOK_READING_SECONDS, HOOK_REQUEST_BYTES
from ctxd.reader import child
from ctxd.service import control
from ctxd.service.asking import Answer, control_address
from ctxd.service.control import ControlServer, HookReply

PAYLOAD = b'{"session_id": "s", "hook_event_name": "UserPromptSubmit"}'
PATIENCE_SECONDS = 5
"""Much longer than a client may take, and much shorter than what would never end."""


@pytest.fixture
def places(tmp_path):
    places = Places.under(tmp_path / "own")
    places.runtime.mkdir(parents=True)
    return places


@pytest.fixture
def serve(places):
    """Start a server whose hooks are answered by a function."""
    with contextlib.ExitStack() as stack:

        def start(hooks):
            server = ControlServer(
                control_address(places.runtime), lambda _: Answer(ok=True), hooks
            )
            server.start()
            stack.callback(server.close)

        yield start


@pytest.fixture
def listening(places):
    """A socket on which nobody need answer."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(control_address(places.runtime))
        listener.listen()
        yield listener


class Ran:
    """A client that has ended as it must."""

    def __init__(self, places, payload=PAYLOAD, event="", **more):
        given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
        began = time.monotonic()
        done = subprocess.run(
            client_command("an-agent", places, event),
            input=payload,
            timeout=60,
            check=False,
            **given,
        )
        assert time.monotonic() - began < PATIENCE_SECONDS
        assert done.returncode == 0
        assert not done.stderr
        self.said = done.stdout


def test_the_daemon_gets_the_payload_and_the_agent_its_answer(places, serve):
    calls = []

    def hooks(call):
        calls.append(call)
        return HookReply("never numpy \N{EM DASH} nie".encode())

    serve(hooks)
    assert Ran(places, event="preCompact").said == "never numpy \N{EM DASH} nie".encode()
    assert calls == [control.HookCall("an-agent", "preCompact", PAYLOAD)]


def test_payloads_are_handed_on_as_bytes_whatever_they_are(places, serve):
    serve(lambda call: HookReply(call.payload[::-1][:1000]))
    for payload in (b"\xff\xfe\x00\n\n", b"hook 1 other\n{}", b"[" * 100_000, b"{"):
        assert Ran(places, payload).said == payload[::-1][:1000]


@pytest.mark.parametrize("size", [1, 16_383, 16_384, 16_385, 1_000_000, client.PAYLOAD_BYTES])
def test_messages_of_any_length_are_framed_as_the_standard_library_does(places, size):
    payload = bytes(range(33, 123)) * (size // 90 + 1)
    heard = []
    with Listener(control_address(places.runtime), "AF_UNIX") as listener:

        def answer():
            with listener.accept() as connection:
                heard.append(connection.recv_bytes())
                connection.send_bytes(heard[0][-60_000:])

        thread = threading.Thread(target=answer)
        thread.start()
        said = Ran(places, payload[:size]).said
        thread.join()
    assert heard[0].partition(b"\n")[2] == payload[:size]
    assert said == heard[0][-60_000:]


def test_an_agent_that_ctxd_runs_as_its_reader_is_not_answered(places, serve):
    calls = []

    def hooks(call):
        calls.append(call)
        return HookReply(b"never numpy")

    serve(hooks)
    environment = os.environ | {child.VARIABLE: "1"}
    for event in ("UserPromptSubmit", "PreCompact", "SessionEnd"):
        assert not Ran(places, event=event, env=environment).said
    assert not calls
    assert Ran(places, env=environment | {child.VARIABLE: ""}).said == b"never numpy"


def test_all_that_an_agent_writes_is_taken_when_it_is_not_answered(places):
    payload = json.dumps({"session_id": "s", "prompt": "x" * 2_000_000}).encode()
    assert not Ran(places, payload, env=os.environ | {child.VARIABLE: "1"}).said


def test_no_interpreter_is_started_for_the_reader_where_no_daemon_runs(places, tmp_path):
    log = tmp_path / "log"
    wrapped = ["strace", "-f", "-e", "trace=execve,connect", "-o", str(log)]
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    done = subprocess.run(
        [*wrapped, *client_command("an-agent", places, "PreCompact")],
        input=PAYLOAD,
        env=os.environ | {child.VARIABLE: "1"},
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert not done.stdout
    text = log.read_text(encoding="utf-8")
    assert text.count("execve(") == 1
    assert "connect(" not in text


def test_the_variable_is_the_one_that_readers_get():
    assert client.READER == child.VARIABLE


def test_nothing_to_say_is_no_output(places, serve):
    serve(lambda _: HookReply())
    assert Ran(places).said == b""


def test_without_a_daemon_nothing_is_said(places):
    assert Ran(places).said == b""
    left = socket.socket(socket.AF_UNIX)
    left.bind(control_address(places.runtime))
    left.close()
    assert Ran(places).said == b""


def test_a_daemon_that_hangs_costs_a_moment(places, listening):
    assert Ran(places).said == b""


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\0\0",
        (100).to_bytes(4, "big") + b"half",
        (2**31 - 1).to_bytes(4, "big") + b"x" * 1000,
        b"\xff\xff\xff\xff" + (2**40).to_bytes(8, "big") + b"x" * 1000,
        (client.ANSWER_BYTES + 1).to_bytes(4, "big") + b"x" * (client.ANSWER_BYTES + 1),
    ],
    ids=["nothing", "half a length", "half", "giant", "giant of the long form", "too long"],
)
@pytest.mark.parametrize("hangs", [False, True], ids=["closes", "hangs"])
def test_an_answer_that_is_not_whole_or_too_long_is_none(places, listening, answer, hangs):
    over = threading.Event()

    def respond():
        connection, _ = listening.accept()
        with connection, contextlib.suppress(OSError):
            connection.recv(100)
            connection.sendall(answer)
            if hangs:
                over.wait(PATIENCE_SECONDS)

    thread = threading.Thread(target=respond)
    thread.start()
    said = Ran(places).said
    over.set()
    thread.join()
    assert said == b""


def test_stdin_that_never_ends_costs_a_moment(places, serve):
    serve(lambda _: HookReply(b"answer"))
    process = subprocess.Popen(
        client_command("an-agent", places), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    process.stdin.write(PAYLOAD)
    process.stdin.flush()
    assert process.wait(PATIENCE_SECONDS) == 0
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    assert process.stdout.read() == b""
    process.stdout.close()


def test_a_payload_that_is_too_long_is_taken_from_the_agent_and_dropped(places, serve):
    calls = []
    serve(lambda call: calls.append(call) or HookReply(b"answer"))
    assert Ran(places, b"x" * (client.PAYLOAD_BYTES + 1)).said == b""
    assert calls == []
    process = subprocess.Popen(client_command("an-agent", places), stdin=subprocess.PIPE)
    with process.stdin as stdin:
        stdin.write(b"x" * 20_000_000)  # raises when the client stops reading
    assert process.wait(PATIENCE_SECONDS) == 0


def test_100_mb_on_stdin_break_nothing(places, serve):
    serve(lambda _: HookReply(b"answer"))
    assert Ran(places, b"x" * 100_000_000).said == b""


@pytest.mark.parametrize("payload", [None, b""], ids=["no stdin", "empty"])
def test_no_payload_is_nothing_to_do(places, serve, payload):
    serve(lambda _: HookReply(b"answer"))
    more = {"stdin": subprocess.DEVNULL} if payload is None else {}
    words = client_command("an-agent", places)
    done = subprocess.run(words, input=payload, capture_output=True, check=False, **more)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("closed", ["0", "1", "0 1 2"])
def test_streams_that_are_closed_break_nothing(places, serve, closed):
    serve(lambda _: HookReply(b"answer"))
    words = " ".join(f"{number}<&-" for number in closed.split())
    process = subprocess.Popen(
        ["sh", "-c", f'exec "$@" {words}', "sh", *client_command("an-agent", places)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    _, errors = process.communicate(PAYLOAD, timeout=PATIENCE_SECONDS)
    assert (process.returncode, errors) == (0, b"")


def test_an_output_that_is_full_breaks_nothing(places, serve):
    serve(lambda _: HookReply(b"answer"))
    with open("/dev/full", "wb") as full:
        Ran(places, stdout=full)


def test_an_output_that_nobody_reads_costs_a_moment(places, serve):
    serve(lambda _: HookReply(b"x" * client.ANSWER_BYTES))
    read, write = os.pipe()
    while select.select([], [write], [], 0)[1]:
        os.write(write, b"x" * 4096)
    Ran(places, stdout=write)
    os.close(read)
    os.close(write)


@pytest.mark.parametrize("arguments", [(), ("an-agent",), ("\udcff\N{SNOWMAN}", "x" * 5000)])
def test_a_command_that_is_not_as_it_was_written_does_nothing(places, arguments):
    words = (*client_command("an-agent", places)[:4], *arguments)
    done = subprocess.run(words, input=PAYLOAD, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_nothing_of_the_agents_environment_is_needed(places, serve, tmp_path):
    serve(lambda _: HookReply(b"answer"))
    assert Ran(places, env={}).said == b"answer"
    gone = tmp_path / "gone"
    gone.mkdir()
    words = ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", *client_command("an-agent", places)]
    done = subprocess.run(words, input=PAYLOAD, capture_output=True, check=False, cwd=gone)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"answer", b"")


def test_nothing_in_the_folder_or_environment_of_the_agent_is_run(places, serve, tmp_path):
    """Neither by the client nor by what it starts where no daemon runs."""
    trap = "import pathlib; pathlib.Path(__file__).with_name('sprung').touch()"
    folder = tmp_path / "repository"
    (folder / "ctxd" / "hooks").mkdir(parents=True)
    names = ["os", "time", "_socket", "socket", "json", "subprocess", "sitecustomize", "msgspec"]
    for name in (*names, "ctxd/__init__", "ctxd/hooks/__init__", "ctxd/hooks/fallback"):
        (folder / f"{name}.py").write_text(trap, encoding="utf-8")
    hostile = {"PYTHONPATH": str(folder), "PYTHONSTARTUP": str(folder / "os.py")}
    compacting = b'{"session_id": "s", "hook_event_name": "PreCompact"}'
    for payload in (PAYLOAD, compacting):
        Ran(places, payload, cwd=folder, env=hostile)
    serve(lambda _: HookReply(b"answer"))
    assert Ran(places, cwd=folder, env=hostile).said == b"answer"
    assert not list(folder.rglob("sprung"))


def test_the_client_imports_what_every_interpreter_has_and_little_of_it():
    tree = ast.parse(Path(client.__file__).read_text(encoding="utf-8"))
    found = {
        name
        for node in ast.walk(tree)
        for name in (
            [node.module]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    at_once = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    at_once |= {a.name for node in tree.body if isinstance(node, ast.Import) for a in node.names}
    assert at_once == {"os", "sys", "time", "_thread"}
    assert found <= sys.stdlib_module_names


def test_what_client_and_daemon_must_agree_on_is_the_same():
    assert client.PROTOCOL == control.PROTOCOL
    line = f"hook {client.PROTOCOL} {'x' * 900} x\n"
    assert client.PAYLOAD_BYTES + len(line) <= HOOK_REQUEST_BYTES
    assert client.DEADLINE_SECONDS > HOOK_READING_SECONDS


@pytest.mark.parametrize(
    "said",
    [b"hook", b"hook \n", b"hook 2 agent\n{}", b"hook 1\n{}", b"hook 1 a b c\n{}", b"hook x\xff y"],
)
def test_what_is_no_request_of_a_hook_gets_nothing_and_breaks_nothing(places, serve, said):
    serve(lambda _: HookReply(b"answer"))
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(control_address(places.runtime))
        connection.sendall(len(said).to_bytes(4, "big") + said)
        answer = connection.recv(1000)
    assert b"answer" not in answer
    assert Ran(places).said == b"answer"


def test_a_defect_behind_a_hook_costs_that_answer_only(places, serve, caplog):
    serve(lambda call: HookReply(b"answer") if json.loads(call.payload) else 1 / 0)
    assert Ran(places, b"{}").said == b""
    assert "a hook cannot be answered" in caplog.text
    assert Ran(places).said == b"answer"


def test_the_daemon_learns_whether_its_answer_was_taken(places, serve):
    taken = []
    serve(lambda _: HookReply(b"x" * 50_000, taken.append))
    assert Ran(places).said
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(control_address(places.runtime))
        connection.shutdown(socket.SHUT_RD)
        connection.sendall(len(b"hook 1 a\n{}").to_bytes(4, "big") + b"hook 1 a\n{}")
    until = time.monotonic() + PATIENCE_SECONDS
    while len(taken) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert taken == [True, False]


def test_a_client_that_is_slow_keeps_no_other_waiting(places, serve):
    """One that says nothing at all is waited for on a thread of its own."""
    serve(lambda _: HookReply(b"answer"))
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            silent = stack.enter_context(socket.socket(socket.AF_UNIX))
            silent.connect(control_address(places.runtime))
        assert Ran(places).said == b"answer"
