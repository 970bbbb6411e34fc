"""`ctxd timeline`: one session as a picture of characters, and as JSON."""

import json
import os
import shutil
import subprocess

import jsonschema
import pytest

from cli.known import make_repository
from cli.running import Home, plain
from cli.test_json import schema
from report_sessions import TOLD, LongSession, importer, ledger_of

on_terminal = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX only")
GLYPHS = set("-=+x?.~| ")


def own(home, *sessions, told=None):
    """A home that is a repository, with a ledger of these sessions."""
    home.variables["CTXD_HOME"] = str(home.path / "own")
    logs = [one.write(home.path) for one in sessions]
    ledger_of(home.path / "own" / "state", *logs, told=told or {})
    return home


def here(home):
    return str(home.path.resolve())


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    home = Home(tmp_path_factory.mktemp("timeline") / "home")
    make_repository(home.path)
    return own(home, importer(here(home)), told=TOLD)


@pytest.fixture
def drawn(home, made):
    """The same home for each test, made once."""
    shutil.copytree(made.path, home.path, dirs_exist_ok=True, symlinks=True)
    moved = made.variables | {"CTXD_HOME": str(made.path / "own")}
    home.path, home.variables = made.path, moved
    return home


def rows(text):
    """The lines of the items, each as its id, its way and its words."""
    found = []
    for line in text.splitlines():
        way, _, words = line[6:].rpartition("  ")
        if line[1:5].isalnum() and words and set(way) & set("-.") and set(way) <= GLYPHS:
            found.append((line[1:5], way, words))
    return found


class TestScreen:
    @on_terminal
    @pytest.mark.parametrize("width", [60, 80, 200])
    def test_it_fits_every_width(self, drawn, snapshot, width):
        run = drawn.on_terminal(width, "timeline")
        text = plain(run.out)
        assert run.code == 0
        assert max(map(len, text.splitlines())) <= width
        snapshot(f"timeline-{width}", text)

    def test_without_a_terminal_it_is_whole_and_plain(self, drawn, snapshot):
        run = drawn.ctxd("timeline")
        assert (run.code, run.err) == (0, "")
        assert "\x1b" not in run.out
        assert "…" not in run.out
        snapshot("timeline-piped", run.out)

    @on_terminal
    def test_colours_add_nothing_but_colour(self, drawn):
        coloured = drawn.on_terminal(80, "timeline").out
        assert "\x1b[" in coloured
        assert drawn.on_terminal(80, "timeline", NO_COLOR="1").out == plain(coloured)

    @on_terminal
    @pytest.mark.parametrize("width", [1, 20, 40])
    def test_a_narrow_terminal_is_no_trouble(self, drawn, width):
        run = drawn.on_terminal(width, "timeline")
        assert run.code == 0
        assert "Traceback" not in run.out

    def test_a_posix_locale_has_a_picture_of_ascii(self, drawn):
        locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        run = drawn.ctxd("timeline", **locale)
        assert (run.code, run.err) == (0, "")
        assert run.out.isascii()
        assert "\\u" not in run.out
        assert "####" in run.out

    def test_each_item_has_one_line_with_a_sign_at_each_cut(self, drawn):
        run = drawn.ctxd("timeline")
        cuts = next(line for line in run.lines if line.lstrip().startswith("cuts"))
        columns = [cuts.index(str(number)) - 6 for number in (1, 2, 3)]
        found = rows(run.out)
        assert len(found) == 7
        signs = {words: "".join(way.ljust(200)[c] for c in columns) for _, way, words in found}
        for way in signs.values():
            assert set(way) <= GLYPHS
        [retries] = [way for words, way in signs.items() if words.startswith("Retries")]
        [amounts] = [way for words, way in signs.items() if words.startswith("Amounts")]
        assert retries[:2] == "=+"
        assert amounts == "=x="
        [zone] = [way for words, way in signs.items() if words.startswith("Always")]
        assert zone[:2] == "+x"

    @posix
    def test_a_reader_that_stops_reading_ends_it_without_a_word(self, drawn):
        process = subprocess.Popen(
            drawn.command("timeline"),
            env=drawn.variables,
            cwd=drawn.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait(30) == 141


class TestWords:
    @on_terminal
    def test_what_acts_on_a_terminal_is_shown_as_what_it_is(self, home):
        make_repository(home.path)
        session = LongSession(here(home), "title \x1b]0;owned\x07 \u202eevil", "bad")
        session.user("never log \x1b[31mrequest bodies\u202e and \u200b[/red] markup")
        session.work(3)
        session.compact("Never log request bodies.")
        run = own(home, session).on_terminal(80, "timeline", NO_COLOR="1")
        assert run.code == 0
        assert r"\x1b]0;owned" in run.out
        assert "request bodies and [/red] markup" in home.ctxd("timeline").out
        assert "\x1b" not in run.out
        assert "\u202e" not in run.out

    def test_a_session_without_items_says_what_there_is(self, home):
        make_repository(home.path)
        session = LongSession(here(home), "Only a question", "bare")
        session.user("what does this do?")
        session.agent("It adds up.")
        run = own(home, session).ctxd("timeline")
        assert run.code == 0
        assert "0 compactions" in run.out
        assert rows(run.out) == []


class TestChoice:
    def test_the_latest_session_of_this_repository_is_drawn(self, home):
        make_repository(home.path)
        old, new = (LongSession(here(home), name, name) for name in ("Older", "Newer"))
        new.pause(9)
        for session in (old, new):
            session.user("always use tabs")
            session.agent("Yes.")
        own(home, new, old)
        assert "Newer" in home.ctxd("timeline").lines[0]
        assert "Older" in home.ctxd("timeline", old.session[:6]).lines[0]

    def test_a_place_without_sessions_is_named(self, drawn, tmp_path):
        run = drawn.ctxd("timeline", "--repo", tmp_path)
        assert (run.code, run.out) == (1, "")
        assert run.err.startswith("error: no session of an agent ran in `")
        assert "\n\nhint: `ctxd sessions` lists them all" in run.err

    def test_a_session_that_is_not_there_is_named(self, drawn):
        run = drawn.ctxd("timeline", "zzzz")
        assert (run.code, run.out) == (1, "")
        assert run.err.startswith("error: no session `zzzz`\n\nhint: ")

    def test_a_ledger_that_is_not_there_is_named(self, home):
        run = home.ctxd("timeline")
        assert (run.code, run.out) == (1, "")
        assert "\n\nhint: " in run.err


class TestJson:
    def test_it_is_one_object_as_published(self, drawn):
        run = drawn.ctxd("timeline", "--json")
        assert (run.code, run.err) == (0, "")
        [line] = run.lines
        found = json.loads(line)
        jsonschema.validate(found, schema("timeline-1"))
        assert list(found) == sorted(found)
        assert found["schema"] == "ctxd.timeline/1"
        assert [cut["number"] for cut in found["cuts"]] == [1, 2, 3]
        assert found["lines_left_out"] == 0

    def test_what_is_drawn_needs_nothing_that_only_the_report_does(self, drawn):
        code = (
            "import sys; from ctxd.cli import run; run(['timeline']);"
            "print(sorted({'jinja2', 'pydantic', 'apscheduler'} & set(sys.modules)))"
        )
        done = subprocess.run(
            [*drawn.command()[:1], "-c", code],
            env=drawn.variables,
            cwd=drawn.path,
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode().splitlines()[-1] == "[]"
