"""The control socket: only ours, never blocked by a client, gone after a stop."""

import os
import socket
import stat
import threading
import time
from pathlib import Path

import pytest

from ctxd.policy.daemon import CLIENT_SECONDS
from ctxd.service.asking import Answer, Request, ask, control_address
from ctxd.service.control import ControlServer


@pytest.fixture
def address(tmp_path):
    return control_address(tmp_path)


@pytest.fixture
def server(address):
    server = ControlServer(address, lambda request: Answer(ok=True, message=request.command))
    server.start()
    yield server
    server.close()


def test_a_request_gets_its_answer(server, address):
    assert ask(address, Request("ping")) == Answer(ok=True, message="ping")


def test_only_the_user_can_open_the_socket(server, address):
    assert stat.S_IMODE(os.stat(address).st_mode) == 0o600


def test_nobody_listening_is_no_answer_and_no_error(address):
    assert ask(address, Request("ping")) is None


def test_a_socket_left_by_a_killed_daemon_is_no_answer(address):
    left = socket.socket(socket.AF_UNIX)
    left.bind(address)
    left.close()
    assert os.path.exists(address)
    assert ask(address, Request("ping")) is None


def test_a_client_that_says_nothing_holds_nobody_up_for_long(server, address):
    silent = socket.socket(socket.AF_UNIX)
    silent.connect(address)
    began = time.monotonic()
    assert ask(address, Request("ping"), timeout=3 * CLIENT_SECONDS) is not None
    assert time.monotonic() - began < 3 * CLIENT_SECONDS
    silent.close()


def test_a_client_that_says_half_holds_nobody_up_for_long(server, address):
    half = socket.socket(socket.AF_UNIX)
    half.connect(address)
    half.sendall((100).to_bytes(4, "big") + b"{")
    began = time.monotonic()
    assert ask(address, Request("ping"), timeout=3 * CLIENT_SECONDS) is not None
    assert time.monotonic() - began < 3 * CLIENT_SECONDS
    half.close()


@pytest.mark.parametrize(
    "junk", [b"", b"\0" * 100, b"GET / HTTP/1.0\r\n\r\n", b"\xff" * 4, b"\x00\x00\x00\x02{}"]
)
def test_junk_on_the_socket_ends_no_server(server, address, junk):
    client = socket.socket(socket.AF_UNIX)
    client.connect(address)
    client.sendall(junk)
    client.close()
    assert ask(address, Request("ping"), timeout=3 * CLIENT_SECONDS) is not None


def test_what_is_no_request_is_refused(server, address):
    from multiprocessing.connection import Client

    with Client(address, family="AF_UNIX") as connection:
        connection.send_bytes(b'{"command": 7}')
        assert b"not a request" in connection.recv_bytes()


def test_nothing_that_is_sent_is_ever_unpickled(server, address, tmp_path):
    """The framing is the standard library's; its pickles are not used."""
    import pickle
    from multiprocessing.connection import Client

    class Bomb:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "exploded",))

    with Client(address, family="AF_UNIX") as connection:
        connection.send_bytes(pickle.dumps(Bomb()))
        connection.recv_bytes()
    assert not (tmp_path / "exploded").exists()


def test_after_a_stop_the_socket_and_its_thread_are_gone(address):
    server = ControlServer(address, lambda request: Answer(ok=True))
    server.start()
    server.close()
    assert not os.path.exists(address)
    assert not [thread for thread in threading.enumerate() if thread.name == "control"]


def test_a_folder_with_a_long_name_is_reached_by_a_short_one(tmp_path):
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    address = control_address(folder)
    server = ControlServer(address, lambda request: Answer(ok=True))
    server.start()
    assert ask(control_address(folder), Request("ping")) == Answer(ok=True)
    assert (folder / "ctxd.sock").is_socket()
    server.close()
    Path(address).parent.unlink()
