"""A service as it would be installed somewhere, and programs that are noted instead of run."""

from pathlib import Path

import pytest

from ctxd.service_install.definition import Definition
from ctxd.service_install.steps import Done


@pytest.fixture
def definition(tmp_path):
    return Definition(
        command=("/opt/ctxd/bin/python", "-P", "-m", "ctxd", "--home", "/srv/a b/50% $x", "run"),
        environment={"XDG_STATE_HOME": '/srv/"state" 5%'},
        home=Path("/home/dev"),
        log=tmp_path / "log",
        version="0.4.0",
    )


class Programs:
    """Answers by the words that a command begins with."""

    def __init__(self):
        self.answers = {}
        self.calls = []

    def __call__(self, command):
        self.calls.append(" ".join(command))
        for begin, answer in self.answers.items():
            if self.calls[-1].startswith(begin):
                return answer
        return Done(0, "", "")


@pytest.fixture
def programs():
    return Programs()
