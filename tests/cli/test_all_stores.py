"""All agents on one machine: every session of every store is found, once."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from cli.running import Home
from ctxd.counting import SPEECH
from ctxd_parsers.reading import distinct, read_events
from e2e.replay import target_of
from golden import case_name, cases, transcripts


def files_of(case: Path) -> dict[Path, Path]:
    """The case's files by their path in a home."""
    log = case / "log"
    files = [file for file in log.rglob("*") if file.is_file()]
    return {target_of(file.relative_to(log), Path()): file for file in files}


def homes() -> list[list[Path]]:
    """The cases in groups, so that none overwrites a file of another one.

    Where a case's log tree belongs in a home is `e2e.replay`'s to know: a case that is found by its
    folder alone, but not in a home, fails here.
    """
    groups: list[tuple[list[Path], set[Path]]] = []
    for case in cases():
        files = set(files_of(case))
        for group, taken in groups:
            if not files & taken:
                group.append(case)
                taken.update(files)
                break
        else:
            groups.append(([case], files))
    return [group for group, _ in groups]


def sessions_in(group: list[Path]) -> set[tuple[str, str]]:
    found = [transcript for case in group for transcript in transcripts(case)]
    return {
        (event.agent, event.session)
        for transcript in found
        for event in distinct(read_events(transcript))
        if type(event) in SPEECH
    }


@pytest.fixture(scope="module", params=homes(), ids=lambda group: f"{len(group)} cases")
def full_home(request, tmp_path_factory):
    home = Home(tmp_path_factory.mktemp("home"))
    for case in request.param:
        for place, file in files_of(case).items():
            (home.path / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, home.path / place)
    return home, sessions_in(request.param)


def test_every_session_is_listed_once(full_home):
    home, expected = full_home
    run = home.ctxd("sessions", "--json")
    assert (run.code, run.err) == (0, "")
    rows = [json.loads(line) for line in run.lines]
    found = Counter((row["agent"], row["session"]) for row in rows)
    assert set(found) == expected
    assert set(found.values()) <= {1}
    times = [row["last_activity"] for row in rows]
    assert times == sorted(times, reverse=True)


def test_every_session_is_counted_once(full_home):
    home, expected = full_home
    run = home.ctxd("scan", "--json")
    report = json.loads(run.out)
    assert (run.code, report["unreadable_files"], report["parser_defects"]) == (0, [], [])
    counted = {agent["agent"]: agent["sessions"] for agent in report["agents"] if agent["sessions"]}
    assert counted == Counter(agent for agent, _ in expected)


def test_a_scan_of_the_whole_home_finds_the_same(full_home):
    home, _ = full_home
    known, given = (
        json.loads(home.ctxd(*line).out)
        for line in (["scan", "--json"], ["scan", home.path, "--json"])
    )
    for report in (known, given):
        del report["elapsed_seconds"]
    assert given == known


def test_there_are_cases():
    names = {case_name(case).split("/")[0] for case in cases()}
    assert len(names) > 1
