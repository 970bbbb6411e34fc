"""Options shared by all tests."""

import signal

import pytest
from hypothesis import settings

# The same examples each time, for runs that must say the same of the same code; by hand, and in
# `make test`, every run tries others.
settings.register_profile("ci", derandomize=True)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in its background with Ctrl-C ignored, and children inherit that:
    # processes that tests interrupt would go on for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regen",
        nargs="?",
        const="missing",
        default=None,
        choices=["missing", "force"],
        help="write golden files that are missing; with =force overwrite those that differ",
    )


@pytest.fixture
def regen(request: pytest.FixtureRequest) -> str | None:
    return request.config.getoption("--regen")
