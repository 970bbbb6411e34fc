"""`ctxd log`: what was captured, said of it and written, in the order of time."""

import json
import os
import shutil
import signal
import subprocess

import jsonschema
import pytest

from cli.known import BODIES, LIMITER, NGINX, RETRIES, fill, judged, known, open_ledger
from cli.running import plain
from cli.test_forget import SECRET, TABS, root  # noqa: F401 - a fixture
from cli.test_json import schema

on_terminal = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def filled(home):
    return fill(home)


def here(home):
    return str(home.path.resolve())


def logged(home, *arguments):
    run = home.ctxd("log", "--json", *arguments)
    assert (run.code, run.err) == (0, "")
    rows = [json.loads(line) for line in run.lines]
    for row in rows:
        jsonschema.validate(row, schema("log-1"))
    return rows


def short(rows):
    return [(row["type"], row["by"], row["item"]) for row in rows]


class TestRows:
    def test_items_are_told_in_the_order_in_which_they_were_said(self, filled):
        rows = logged(filled, "--repo", ".")
        assert sorted(short(rows)) == sorted(
            [
                ("captured", "ctxd", NGINX.id),
                ("captured", "ctxd", LIMITER.id),
                ("captured", "ctxd", BODIES.id),
                ("superseded", "ctxd", NGINX.id),
                ("captured", "ctxd", RETRIES.id),
                ("restated", "ctxd", BODIES.id),
            ]
        )
        times = [row["time"] for row in rows]
        assert times == sorted(times)
        [over] = [row for row in rows if row["type"] == "superseded"]
        assert (over["other_item"], over["text"]) == (LIMITER.id, NGINX.text)
        assert {row["repository"] for row in rows} == {here(filled)}

    def test_all_repositories_are_told_of_unless_one_is_named(self, filled):
        assert {row["repository"] for row in logged(filled)} == {here(filled), "/srv/other"}

    def test_what_the_user_said_of_items_is_told(self, filled):
        with open_ledger(filled) as ledger:
            ledger.decide(here(filled), BODIES.id, "edited", "Bodies are never logged.")
            ledger.decide(here(filled), RETRIES.id, "rejected")
        rows = [row for row in logged(filled) if row["by"] == "user"]
        assert [(row["type"], row["item"], row["text"]) for row in rows] == [
            ("edited", BODIES.id, "Bodies are never logged."),
            ("rejected", RETRIES.id, RETRIES.text),
        ]

    def test_only_the_last_ones_are_told_where_a_number_is_given(self, filled):
        every = logged(filled)
        assert logged(filled, "-n", "3") == every[-3:]
        assert logged(filled, "-n", "0") == []

    @needs_git
    def test_edits_of_files_are_told_and_that_they_were_taken_back(self, home, root):  # noqa: F811
        assert home.ctxd("undo", TABS.id).code == 0
        [wrote, undid] = [row for row in logged(home) if row["path"]]
        assert (wrote["type"], wrote["by"], wrote["lines"]) == ("wrote", "ctxd", 2)
        assert set(wrote["items"]) == {SECRET.id, TABS.id}
        assert wrote["path"] == str(root / "AGENTS.md")
        assert wrote["repository"] == str(root)
        assert (undid["type"], undid["path"]) == ("undid", wrote["path"])
        assert [row for row in logged(home, "--repo", root) if row["path"]] == [wrote, undid]
        assert logged(home, "--repo", "/srv/none") == []

    def test_where_nothing_has_happened_that_is_said(self, home):
        run = home.ctxd("log")
        assert (run.code, run.out, run.err) == (0, "", "nothing has happened yet\n")
        assert logged(home) == []


class TestScreen:
    @on_terminal
    def test_a_screen_at_a_width(self, filled, snapshot):
        with open_ledger(filled) as ledger:
            ledger.decide(here(filled), BODIES.id, "rejected")
        text = plain(filled.on_terminal(80, "log").out)
        assert max(map(len, text.splitlines())) <= 80
        snapshot("log-80", text)

    def test_nothing_of_a_hostile_session_acts_on_the_terminal(self, filled):
        hostile = known("\x1b]0;owned\x07\x1b[2J\u202etxt.exe\u200b[bold]", 9, "u9")
        with open_ledger(filled) as ledger:
            ledger.settle([judged("u9", hostile, repository="/srv/\x1b[2J")])
        for colour in ("always", "never"):
            out = filled.ctxd("log", "--color", colour).out
            assert r"\x1b]0;owned\x07\x1b[2J\u202etxt.exe\u200b[bold]" in out
            assert not {"\x07", "\u202e", "\u200b"} & set(out)
            assert "\x1b[2J" not in out


@pytest.mark.skipif(os.name == "nt", reason="POSIX only")
class TestFollowing:
    def following(self, home, *arguments):
        return subprocess.Popen(
            home.command("log", "-f", "--json", *arguments),
            env=home.variables,
            cwd=home.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def test_what_happens_is_told_as_it_does_and_once(self, filled):
        process = self.following(filled, "-n", "1")
        try:
            first = json.loads(process.stdout.readline())
            with open_ledger(filled) as ledger:
                ledger.decide(here(filled), RETRIES.id, "accepted")
            second = json.loads(process.stdout.readline())
            with open_ledger(filled) as ledger:
                ledger.settle([judged("u7", known("newer", 7, "u7"), repository=here(filled))])
            third = json.loads(process.stdout.readline())
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.communicate() == ("", "")
        assert [row["type"] for row in (first, second, third)] == [
            "restated",
            "accepted",
            "captured",
        ]

    def test_it_waits_for_a_ledger_that_does_not_exist_yet(self, home):
        home.variables["CTXD_HOME"] = str(home.path / "own")
        process = self.following(home)
        try:
            fill(home)
            assert json.loads(process.stdout.readline())["schema"] == "ctxd.log/1"
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
        assert process.returncode == 130
