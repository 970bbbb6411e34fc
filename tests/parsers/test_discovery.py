"""Which transcripts exist: links, loops and FIFOs in a log folder neither trap nor block."""

import os
from pathlib import Path, PurePosixPath

import msgspec
import pytest

from ctxd_parsers.discovery import (
    find_transcripts,
    folders_to_watch,
    matching_files,
    transcripts_under,
)
from ctxd_parsers.environment import Environment
from ctxd_parsers.parser import Source, Storage
from ctxd_parsers.reading import Transcript, open_regular, read_events, read_records
from ctxd_parsers.registry import PARSERS, TwoClaimsError, claimant


class Any(msgspec.Struct):
    """A store of files named `*.log` below `~/.any`, whatever is in them."""

    name: str = "any"
    agent: str = "any"
    state_type: type = msgspec.Struct

    def sources(self, env):
        return [Source(env.home / ".any", ("*/*.log", "flat.log"))]

    def claims(self, path, head):
        return path.suffix == ".log"

    def companions(self, path):
        return ()

    def begin(self, path, companions):
        return None

    def parse(self, records, state):
        yield from ()


@pytest.fixture
def home(tmp_path):
    (tmp_path / ".any" / "one").mkdir(parents=True)
    (tmp_path / ".any" / "one" / "a.log").write_bytes(b"x\n")
    return tmp_path


def found(home):
    env = Environment("linux", home)
    return [t.path.relative_to(home).as_posix() for t in find_transcripts(env, (Any(),))]


def test_files_that_fit_a_pattern_are_found(home):
    (home / ".any" / "flat.log").touch()
    (home / ".any" / "one" / "deep").mkdir()
    (home / ".any" / "one" / "deep" / "too.log").touch()
    (home / ".any" / "one" / "b.txt").touch()
    assert found(home) == [".any/one/a.log", ".any/flat.log"]


def test_a_place_that_does_not_exist_has_no_transcripts(tmp_path):
    assert found(tmp_path) == []


def test_a_link_to_the_root_is_followed(tmp_path, home):
    os.rename(home / ".any", home / "elsewhere")
    os.symlink(home / "elsewhere", home / ".any")
    assert found(home) == ["elsewhere/one/a.log"]


def test_a_file_under_two_roots_is_one_transcript(home):
    class Twice(Any):
        def sources(self, env):
            return [*super().sources(env), *super().sources(env)]

    assert len(list(find_transcripts(Environment("linux", home), (Twice(),)))) == 1


def test_links_loops_fifos_and_devices_in_a_log_folder_are_left_alone(home):
    folder = home / ".any" / "one"
    os.symlink(folder, folder / "loop")
    os.symlink(folder.parent, home / ".any" / "up")
    os.symlink("/etc/hostname", folder / "link.log")
    os.symlink("/dev/zero", folder / "zero.log")
    os.mkfifo(folder / "fifo.log")
    assert found(home) == [".any/one/a.log"]


@pytest.mark.parametrize("kind", ["fifo", "link", "device", "folder"])
def test_only_regular_files_are_opened_and_nothing_is_waited_for(tmp_path, kind):
    path = tmp_path / "x"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        os.symlink("/etc/hostname", path)
    elif kind == "device":
        path = Path("/dev/zero")
    else:
        path.mkdir()
    with pytest.raises(OSError):
        open_regular(path)


@pytest.mark.parametrize("name", ["new\nline.log", "esc\x1b[31m.log", "-dash.log", "\u202ertl.log"])
def test_hostile_names_are_names(home, name):
    (home / ".any" / "one" / name).touch()
    assert f".any/one/{name}" in found(home)


def test_a_name_that_is_not_unicode_is_a_name(home):
    (home / ".any" / "one" / os.fsdecode(b"\xff\xfe.log")).touch()
    assert len(found(home)) == 2


def test_an_unreadable_file_is_reported_and_the_others_are_found(home):
    secret = home / ".any" / "one" / "b.log"
    secret.touch()
    secret.chmod(0)
    if os.access(secret, os.R_OK):
        pytest.skip("this user reads everything")
    errors = []
    env = Environment("linux", home)
    paths = [t.path.name for t in find_transcripts(env, (Any(),), lambda p, e: errors.append(p))]
    assert paths == ["a.log"]
    assert errors == [secret]


def test_what_no_parser_claims_is_nobodys(tmp_path):
    (tmp_path / "notes.jsonl").write_bytes(b'{"a":1}\n')
    (tmp_path / "binary").write_bytes(os.urandom(5000))
    assert list(transcripts_under(tmp_path)) == []


def test_two_parsers_that_claim_one_file_are_an_error_that_names_both():
    class Other(Any):
        pass

    parsers = (Any(), Other(name="other"))
    with pytest.raises(TwoClaimsError, match="any and other both claim"):
        claimant(PurePosixPath("/x/y.log"), b"", parsers)


def test_a_last_line_without_newline_counts_only_when_it_is_whole(tmp_path):
    path = tmp_path / "a.log"
    for content, expected in [(b'{"a":1}\n{"b":2}', 2), (b'{"a":1}\n{"b":', 1), (b"", 0)]:
        path.write_bytes(content)
        assert len(list(read_records(Transcript(path, Any())))) == expected


def test_an_empty_snapshot_has_no_record(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b" \n\0")
    assert list(read_records(Transcript(path, Any(), Storage.SNAPSHOT))) == []


def test_sources_of_every_parser_name_absolute_places(tmp_path):
    for parser in PARSERS:
        for source in parser.sources(Environment("linux", PurePosixPath("/home/dev"))):
            assert source.root.is_absolute(), parser.name


def test_matching_files_costs_only_the_folders_a_pattern_names(home, monkeypatch):
    for number in range(50):
        (home / ".any" / "one" / f"{number}").mkdir()
    opened = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: opened.append(path) or scandir(path))
    list(matching_files(Source(home / ".any", ("*/*.log",))))
    assert len(opened) == 2


def test_events_of_an_unclaimed_kind_are_none(home):
    assert list(read_events(Transcript(home / ".any" / "one" / "a.log", Any()))) == []


def watched(home, *patterns):
    found = folders_to_watch([Source(home, patterns)])
    return [path.relative_to(home).as_posix() for path in found]


def test_a_place_is_watched_as_far_down_as_its_pattern_names_folders(home):
    for name in ("one/chats", "two/chats", "two/other", ".c-work/projects", ".c-play/other"):
        (home / name).mkdir(parents=True)
    assert watched(home, "*/chats/*.log") == ["one/chats", "two/chats"]
    assert watched(home, ".c-*/projects/*/*.log") == [".c-work/projects"]
    assert watched(home, "*/*.log") == ["."]
    assert watched(home, "fixed/place/*/*.log") == ["fixed/place"]


def test_a_folder_within_a_watched_one_is_not_watched_again(home):
    (home / "a" / "sub").mkdir(parents=True)
    assert watched(home, "*/*.log", "*/sub/*.log") == ["."]
