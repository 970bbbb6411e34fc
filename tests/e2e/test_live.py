"""The running daemon on the logs of every agent, written while it follows them."""

import random
import threading
import time

import pytest

from e2e.daemon import Daemon, wait_until
from e2e.homes import (
    assert_sessions_as_in_one_read,
    assert_told_once,
    homes,
    write_live,
)

HOMES = homes()


@pytest.fixture
def daemon(tmp_path):
    daemon = Daemon(tmp_path)
    yield daemon
    daemon.close()


@pytest.mark.parametrize("number", range(len(HOMES)))
def test_every_event_of_every_agent_arrives_once(daemon, tmp_path, number):
    daemon.start()
    write_live(HOMES[number], daemon.home, lambda: None)
    daemon.flush()
    assert_told_once(daemon)
    assert_sessions_as_in_one_read(daemon, tmp_path)
    assert daemon.stop() == 0


def test_a_home_that_was_filled_while_no_daemon_ran_is_read_at_the_start(daemon, tmp_path):
    write_live(HOMES[0], daemon.home, lambda: None)
    daemon.start()
    daemon.flush()
    assert_told_once(daemon)
    assert_sessions_as_in_one_read(daemon, tmp_path)


@pytest.mark.parametrize("kills", [2, pytest.param(40, marks=pytest.mark.long)])
def test_kills_at_random_moments_lose_and_double_nothing(daemon, tmp_path, kills):
    chance = random.Random(kills)
    pause = kills / 40 * 0.005
    writer = threading.Thread(
        target=write_live, args=(HOMES[0], daemon.home, lambda: time.sleep(pause))
    )
    daemon.start()
    writer.start()
    for _ in range(kills):
        time.sleep(chance.uniform(0.0, 0.4))
        daemon.kill()
        daemon.start(ready=chance.random() < 0.5)
    writer.join()
    wait_until(lambda: daemon.ask("ping"), 20)
    daemon.flush()
    assert_told_once(daemon)
    assert_sessions_as_in_one_read(daemon, tmp_path)
