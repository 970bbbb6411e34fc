"""`ctxd report`: where the file goes, what is said of it, and what it never replaces."""

import os
import stat
import subprocess

import pytest

from cli.known import make_repository
from cli.running import Home
from cli.test_timeline import here, own
from report_sessions import importer


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    home = Home(tmp_path_factory.mktemp("report") / "home")
    make_repository(home.path)
    return own(home, importer(here(home)))


@pytest.fixture
def known(made):
    """One home for all tests; the reports of the test before it are gone."""
    for path in made.path.glob("*.html"):
        path.unlink()
    return made


def test_it_is_written_into_this_folder_and_said_so(known):
    run = known.ctxd("report")
    assert run.code == 0
    size = (known.path / "ctxd-report.html").stat().st_size
    assert 30_000 < size < 200_000
    assert run.out == (
        f"wrote ~/ctxd-report.html ({size / 1000:.1f} kB): 1 session, 3 compactions, 7 items\n"
    )
    assert run.err == "hint: open it in a browser; it holds words of yours\n"


@pytest.mark.skipif(os.name == "nt", reason="POSIX only")
def test_only_its_owner_may_read_it(known):
    known.ctxd("report", "-o", "mine.html")
    assert stat.S_IMODE((known.path / "mine.html").stat().st_mode) == 0o600


def test_a_dash_prints_it_and_nothing_else(known):
    run = known.ctxd("report", "-o", "-")
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("<!doctype html>\n")
    assert run.out.endswith("</html>\n") or run.out.endswith("</html>")
    assert not list(known.path.glob("*.html"))


def test_a_report_is_replaced_and_a_foreign_file_is_not(known):
    path = known.path / "ctxd-report.html"
    assert known.ctxd("report").code == known.ctxd("report").code == 0
    path.write_text("<p>mine</p>", encoding="utf-8")
    run = known.ctxd("report")
    assert (run.code, run.out) == (5, "")
    assert run.err.startswith("error: `")
    assert "is there already and is no report of ctxd\n\nhint: `-o FILE`" in run.err
    assert path.read_text(encoding="utf-8") == "<p>mine</p>"
    assert known.ctxd("report", "--force").code == 0
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_folder_that_is_not_there_is_named(known):
    run = known.ctxd("report", "-o", "gone/report.html")
    assert (run.code, run.out) == (1, "")
    assert "gone/report.html`: no such file or directory\n\nhint: " in run.err


def test_a_place_without_sessions_gives_no_file(known, tmp_path):
    run = known.ctxd("report", "--repo", tmp_path)
    assert (run.code, run.out) == (1, "")
    assert run.err.startswith("error: no session of an agent ran in `")
    assert not list(known.path.glob("*.html"))


def test_an_empty_name_is_wrong_usage(known):
    assert known.ctxd("report", "-o", "").code == 2


@pytest.mark.skipif(os.name == "nt", reason="POSIX only")
def test_a_reader_that_stops_reading_ends_it_without_a_word(known):
    process = subprocess.Popen(
        known.command("report", "-o", "-"),
        env=known.variables,
        cwd=known.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 141
