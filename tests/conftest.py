"""Options shared by all tests."""

import pytest


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
