"""ctxd's own folders are where platformdirs has them, which is not loaded for that on Linux."""

import sys
from pathlib import Path

import pytest

from ctxd.places import Places

linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the library itself is asked")


@linux
@pytest.mark.parametrize("config", [None, "", "relative/config", "/srv/config", "/srv/c d/"])
@pytest.mark.parametrize("state", [None, "", "relative/state", "/srv/state"])
def test_they_are_where_the_library_has_them(monkeypatch, config, state):
    import platformdirs

    for name, value in (("XDG_CONFIG_HOME", config), ("XDG_STATE_HOME", state)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    monkeypatch.delenv("CTXD_HOME", raising=False)
    found = Places.current()
    assert found.config == platformdirs.user_config_path("ctxd", appauthor=False)
    assert found.state == platformdirs.user_state_path("ctxd", appauthor=False)
    assert found.log == platformdirs.user_log_path("ctxd", appauthor=False)


def test_a_home_of_its_own_holds_them_all(tmp_path):
    found = Places.current(tmp_path)
    assert {found.config, found.state, found.log, found.runtime} == {
        tmp_path / "config",
        tmp_path / "state",
        tmp_path / "log",
        tmp_path / "run",
    }
    assert isinstance(found.state, Path)
