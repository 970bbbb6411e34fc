"""Whole outputs, as people see them: at every width, with and without a terminal and colours."""

import os
import re

import pytest

from cli.known import fill
from cli.running import SAMPLE_LOG, plain

WIDTHS = (60, 80, 200)
SCREENS = {
    "welcome": [],
    "scan": ["scan", "--no-items"],
    "sessions": ["sessions"],
    "events": ["events", str(SAMPLE_LOG)],
    "events-full": ["events", "--full", str(SAMPLE_LOG)],
}

on_terminal = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")


@on_terminal
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_at_a_width(sample_home, snapshot, screen, width):
    run = sample_home.on_terminal(width, *SCREENS[screen])
    assert run.code == 0
    text = plain(run.out)
    if screen != "events-full":
        assert max(map(len, text.splitlines())) <= width
    snapshot(f"{screen}-{width}", text)


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_without_a_terminal_is_whole_and_plain(sample_home, snapshot, screen):
    run = sample_home.ctxd(*SCREENS[screen])
    assert (run.code, run.err) == (0, "")
    assert "\x1b" not in run.out
    assert "…" not in run.out
    snapshot(f"{screen}-piped", plain(run.out))


@on_terminal
@pytest.mark.parametrize("screen", SCREENS)
def test_colours_add_nothing_but_colour(sample_home, screen):
    coloured = sample_home.on_terminal(80, *SCREENS[screen]).out
    assert "\x1b[" in coloured
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        bare = sample_home.on_terminal(80, *SCREENS[screen], **variables).out
        assert "\x1b" not in bare
        assert plain(bare) == plain(coloured)


def test_colours_where_they_are_asked_for_without_a_terminal(sample_home):
    assert "\x1b[" in sample_home.ctxd("scan", "--color", "always").out
    assert "\x1b[" in sample_home.ctxd("--color=always", "scan").out
    assert "\x1b[" in sample_home.ctxd("scan", FORCE_COLOR="1").out
    assert "\x1b" not in sample_home.ctxd("scan", "--color", "never", FORCE_COLOR="1").out


@on_terminal
@pytest.mark.parametrize("screen", [*SCREENS, "paths"])
def test_a_terminal_of_twenty_columns_is_no_trouble(sample_home, screen):
    run = sample_home.on_terminal(20, *SCREENS.get(screen, [screen]))
    assert run.code == 0
    assert "Traceback" not in run.out


@on_terminal
def test_an_event_takes_one_line(sample_home):
    lines = plain(sample_home.on_terminal(80, "events", SAMPLE_LOG).out).splitlines()
    events = sample_home.ctxd("events", SAMPLE_LOG, "--json").lines
    assert len(lines) == len(events) + len(
        [line for line in lines if re.fullmatch(r"\d+-\d+-\d+", line)]
    )


@pytest.mark.parametrize("screen", SCREENS)
def test_a_posix_locale_shows_escapes_and_does_not_fail(sample_home, screen):
    [log] = sample_home.path.glob(".claude/projects/*/*.jsonl")
    text = log.read_text(encoding="utf-8")
    log.write_text(text.replace("Rate limiting for", "Grüße 世界 für"), encoding="utf-8")
    arguments = [
        str(log) if argument == str(SAMPLE_LOG) else argument for argument in SCREENS[screen]
    ]
    posix = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = sample_home.ctxd(*arguments, **posix)
    assert (run.code, run.err) == (0, "")
    assert run.out.isascii()
    if screen in {"sessions", "events"}:
        assert r"Gr\xfc\xdfe \u4e16\u754c f\xfcr" in run.out


def test_hostile_text_is_shown_not_obeyed(sample_home):
    [log] = sample_home.path.glob(".claude/projects/*/*.jsonl")
    text = log.read_text(encoding="utf-8")
    hostile = r"\u001b]0;owned\u0007\u001b[2J\u202etxt.exe\u200b[/nope][bold]\ud83c"
    log.write_text(text.replace("We run one process", hostile), encoding="utf-8")
    for colour in ("always", "never"):
        run = sample_home.ctxd("events", log, "--color", colour)
        assert run.code == 0
        shown = re.sub(r"\x1b\[[0-9;]*m", "", run.out)
        assert r"\x1b]0;owned\x07\x1b[2J\u202etxt.exe\u200b[/nope][bold]" in shown
        assert not {"\x1b", "\x07", "\u202e", "\u200b"} & set(shown)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles"])
@pytest.mark.parametrize("time", ["0001-01-01T00:00", "9999-12-31T23:59"])
def test_the_first_and_the_last_time_of_all_are_shown_in_every_zone(sample_home, zone, time):
    [log] = sample_home.path.glob(".claude/projects/*/*.jsonl")
    text = log.read_text(encoding="utf-8")
    log.write_text(re.sub(r"2026-03-14T\d\d:\d\d", time, text), encoding="utf-8")
    for arguments in (["events", log], ["events", log, "--full"], ["sessions"]):
        run = sample_home.ctxd(*arguments, TZ=zone)
        assert (run.code, run.err) == (0, "")
    assert re.search(r"^\d\d:\d\d:04 user ", sample_home.ctxd("events", log).out, re.MULTILINE)


def test_the_welcome_writes_nothing(sample_home):
    before = sample_home.files()
    sample_home.ctxd()
    sample_home.ctxd("scan")
    sample_home.ctxd("sessions")
    sample_home.ctxd("paths")
    assert sample_home.files() == before


def test_the_welcome_of_an_empty_home_says_what_to_do(home):
    run = home.ctxd()
    assert run.code == 0
    assert len(run.lines) <= 12
    assert "ctxd paths" in run.out


def test_paths_shows_the_places_that_exist_and_counts_the_others(sample_home):
    (sample_home.path / ".copilot" / "session-state").mkdir(parents=True)
    other = sample_home.path / ".claude-work" / "projects" / "-srv-api"
    other.mkdir(parents=True)
    (other / "one.jsonl").write_bytes(SAMPLE_LOG.read_bytes())
    run = sample_home.ctxd("paths")
    _, logs, rest = run.out.split("\n\n")
    assert [line.split() for line in logs.splitlines()] == [
        ["LOGS", "OF", "FOLDER", "FILES"],
        ["claude-code", "~/.claude/projects", "1"],
        ["claude-code", "~/.claude?*/projects", "1"],
        ["copilot-cli", "~/.copilot/session-state", "0"],
    ]
    counted = re.fullmatch(
        r"(\d+) more places are not there; `ctxd paths --all` shows them\n", rest
    )
    assert counted
    _, everything = sample_home.ctxd("paths", "--all").out.split("\n\n")
    assert len(everything.splitlines()) == 1 + 3 + int(counted[1])


def test_paths_of_an_empty_home_is_short(home):
    run = home.ctxd("paths")
    assert len(run.lines) == 7
    assert re.search(r"^\d+ places are not there; `ctxd paths --all` ", run.out, re.MULTILINE)


@on_terminal
def test_paths_fits_the_terminal(sample_home):
    for width in WIDTHS:
        for arguments in (["paths"], ["paths", "--all"]):
            text = plain(sample_home.on_terminal(width, *arguments).out)
            assert max(map(len, text.splitlines())) <= width


@on_terminal
def test_the_welcome_fits_the_terminal_wherever_the_logs_are(home):
    log = SAMPLE_LOG.read_bytes()
    for account in (".claude", ".config/claude", ".claude-of-an-account-with-a-very-long-name"):
        folder = home.path / account / "projects" / "-srv-api"
        folder.mkdir(parents=True)
        (folder / f"{account.rpartition('/')[2]}.jsonl").write_bytes(log)
    home.variables["CLAUDE_CONFIG_DIR"] = str(home.path / ("deep/" * 12 + "claude"))
    folder = home.path / ("deep/" * 12 + "claude/projects/-srv-api")
    folder.mkdir(parents=True)
    (folder / "deep.jsonl").write_bytes(log)
    for width in WIDTHS:
        text = plain(home.on_terminal(width).out)
        assert max(map(len, text.splitlines())) <= width
        assert re.search(r" 4 logs +\d+ kB  \S*jects and 3 more$", text, re.MULTILINE)


def test_the_welcome_is_short_and_names_what_was_found(sample_home):
    run = sample_home.ctxd()
    assert len(run.lines) <= 14
    assert re.search(r"claude-code +1 log +\d+\.\d kB  ~/\.claude/projects", run.out)
    assert "AGENTS.md" in run.out
    assert "Next:  ctxd service install " in run.out


def test_the_welcome_names_the_repositories_of_the_newest_sessions(sample_home):
    for number, name in enumerate(["one", "two", "three", "four"]):
        repository = sample_home.path / name
        (repository / ".git").mkdir(parents=True)
        log = sample_home.path / ".claude" / "projects" / f"-{name}" / f"{name}.jsonl"
        log.parent.mkdir()
        text = SAMPLE_LOG.read_text(encoding="utf-8")
        log.write_text(text.replace("/home/dev/shop-api", str(repository)), encoding="utf-8")
        os.utime(log, (1_800_000_000 + number, 1_800_000_000 + number))
    assert "  newest in ~/four, ~/three, ~/two, and 1 more" in sample_home.ctxd().lines


def test_once_it_has_run_the_welcome_tells_how_it_is(home):
    fill(home)
    run = home.ctxd()
    assert run.code == 0
    assert run.lines[0].startswith("ctxd ")
    assert len(run.lines) <= 6
    assert "ctxd status" in run.out
