"""Tables, numbers and the progress bar: what fits where, and what is left out first."""

import io
from datetime import UTC, datetime, timedelta

import pytest

from ctxd.cli import progress as progress_module
from ctxd.cli import words
from ctxd.cli.columns import Column, print_table
from ctxd.cli.progress import Progress
from ctxd.terminal import Terminal

COLUMNS = [
    Column("NAME"),
    Column("PATH", least=8, keep_end=True),
    Column("NOTE", least=6),
    Column("COUNT", right=True, drop=1),
    Column("SIZE", right=True, drop=2),
]
ROWS = [
    ["first", "~/work/project/of/mine", "a note of some length", "1,204", "3.4 MB"],
    ["second", "~/x", ("short", "green"), "-", "12 kB"],
]


class Screen(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


class Piped(Screen):
    def isatty(self):
        return False


def table(width):
    screen = Screen()
    out = Terminal(screen, "never", {})
    out.width = width
    print_table(out, COLUMNS, ROWS)
    return screen.getvalue()


def test_without_an_edge_a_table_is_whole():
    assert table(None) == (
        "NAME    PATH                    NOTE                   COUNT    SIZE\n"
        "first   ~/work/project/of/mine  a note of some length  1,204  3.4 MB\n"
        "second  ~/x                     short                      -   12 kB\n"
    )


def test_where_space_is_short_long_texts_are_cut_from_the_widest_on():
    assert table(50) == (
        "NAME    PATH          NOTE           COUNT    SIZE\n"
        "first   …ect/of/mine  a note of so…  1,204  3.4 MB\n"
        "second  ~/x           short              -   12 kB\n"
    )


def test_where_space_is_shorter_columns_go():
    assert table(38) == (
        "NAME    PATH        NOTE         COUNT\n"
        "first   …t/of/mine  a note of…   1,204\n"
        "second  ~/x         short            -\n"
    )
    assert table(24).splitlines()[0] == "NAME    PATH      NOTE"


@pytest.mark.parametrize("width", range(24, 90))
def test_a_table_never_is_wider_than_the_terminal(width):
    assert max(map(len, table(width).splitlines())) <= width


def test_where_nothing_more_can_go_the_table_stays_readable():
    assert table(5).splitlines()[1].startswith("first   ")


def test_wide_characters_take_two_columns():
    screen = Screen()
    print_table(
        Terminal(screen, "never", {}), [Column("A"), Column("B")], [["世界", "x"], ["y", "z"]]
    )
    assert screen.getvalue() == "A     B\n世界  x\ny     z\n"


def test_a_row_with_a_cell_too_few_is_a_defect():
    with pytest.raises(ValueError, match="another number of cells"):
        print_table(Terminal(Screen(), "never", {}), COLUMNS, [["x"]])


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (31_060, "31.1 kB"),
        (400_026_392, "400 MB"),
        (1_600_000_000, "1.6 GB"),
        (10**16, "10,000 TB"),
    ],
)
def test_sizes(count, text):
    assert words.size(count) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(None, "-"), (1.0, "100%"), (0.99999, "99.9%"), (0.938, "93.8%"), (0.0, "0.0%")],
)
def test_shares_are_whole_only_when_nothing_is_missing(share, text):
    assert words.share(share) == text


@pytest.mark.parametrize(
    ("passed", "text"),
    [
        (timedelta(seconds=0), "0s ago"),
        (timedelta(seconds=59), "59s ago"),
        (timedelta(minutes=1), "1m ago"),
        (timedelta(hours=23, minutes=59), "23h ago"),
        (timedelta(days=59), "59d ago"),
        (timedelta(days=60), "2026-01-13"),
        (timedelta(days=-1), "2026-03-15"),
    ],
)
def test_ages(passed, text):
    now = datetime(2026, 3, 14, 12, tzinfo=UTC)
    assert words.ago(now - passed, now) == text
    assert words.ago(None, now) == "-"


def test_counted_nouns():
    assert words.count(1, "file") == "1 file"
    assert words.count(1204, "file") == "1,204 files"
    assert words.count(2, "entry", "entries") == "2 entries"


class Clock:
    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress_module, "time", clock)
    return clock


def test_the_bar_shows_after_half_a_second_and_leaves_nothing(clock):
    screen = Screen()
    with Progress(Terminal(screen, "never", {}), 10_000_000, {}) as progress:
        progress.advance(1_000_000)
        assert screen.getvalue() == ""
        clock.now += 0.6
        progress.advance(4_000_000)
        first = screen.getvalue()
        assert first == "\rreading  50%  [##########----------]  5.0 MB of 10.0 MB"
        progress.advance(1)
        assert screen.getvalue() == first
        clock.now += 0.2
        progress.advance(4_999_999)
    shown = screen.getvalue().split("\r")
    assert shown[-3].startswith("reading 100%  [####################]  10.0 MB of 10.0 MB")
    assert set(shown[-2]) == {" "}
    assert shown[-1] == ""


@pytest.mark.parametrize(
    "variables", [{"CTXD_NO_PROGRESS": "1"}, {"NO_COLOR": "1"}, {"CI": "true"}, {"TERM": "dumb"}]
)
def test_the_bar_can_be_turned_off(clock, variables):
    screen = Screen()
    with Progress(Terminal(screen, "never", {}), 10, variables) as progress:
        clock.now += 5
        progress.advance(5)
    assert screen.getvalue() == ""


def test_there_is_no_bar_without_a_terminal(clock):
    stream = Piped()
    with Progress(Terminal(stream, "never", {}), 10, {}) as progress:
        clock.now += 5
        progress.advance(5)
    assert stream.getvalue() == ""


def test_the_bar_fits_a_narrow_terminal(clock):
    screen = Screen()
    out = Terminal(screen, "never", {})
    out.width = 20
    with Progress(out, 0, {}) as progress:
        clock.now += 5
        progress.advance(0)
        assert len(screen.getvalue().strip("\r")) < 20
