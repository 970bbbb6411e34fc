"""Which transcripts there are and which changed, whatever people and programs do to folders."""

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

import unprivileged
from ctxd.inventory import Inventory
from ctxd_parsers.discovery import find_transcripts
from ctxd_parsers.environment import Environment
from ctxd_parsers.parser import Source, Storage
from notes import Notes, database, note, put

posix = pytest.mark.skipif(os.name == "nt", reason="needs links, pipes and modes")


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def root(home):
    path = home / ".notes"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def inventory(home):
    return Inventory(Environment("linux", home), [Notes()])


def log(folder: Path, name: str = "a.jsonl", lines: int = 1) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(b"".join(note() for _ in range(lines)))
    return path


def paths(transcripts) -> list[Path]:
    return [transcript.path for transcript in transcripts]


def test_new_transcripts_are_found_and_then_known(inventory, root):
    path = log(root / "project")
    assert paths(inventory.scan()) == [path]
    assert inventory.scan() == []
    assert paths(inventory.transcripts()) == [path]
    assert len(inventory) == 1


def test_it_finds_what_the_library_finds(inventory, home, root):
    for folder in ("a", "b", ".c", "d/too-deep"):
        log(root / folder)
    log(root / "a", "other.txt")
    (root / "a" / "empty.jsonl").touch()
    found = {t.path for t in find_transcripts(Environment("linux", home), [Notes()])}
    assert set(paths(inventory.scan())) == found
    assert len(found) == 3


def test_a_transcript_that_grew_is_changed_and_its_head_not_read_again(home, root):
    parser = Notes()
    inventory = Inventory(Environment("linux", home), [parser])
    path = log(root / "project")
    inventory.scan()
    with path.open("ab") as file:
        file.write(note())
    assert paths(inventory.scan()) == [path]
    assert parser.heads_seen == [path]


def test_the_newest_come_first(inventory, root):
    old, new = log(root / "p", "old.jsonl"), log(root / "p", "new.jsonl")
    os.utime(old, (1000, 1000))
    os.utime(new, (2000, 2000))
    assert paths(inventory.scan()) == [new, old]


def test_a_file_that_nobody_claims_is_asked_about_again_when_it_changes(home, root):
    parser = Notes()
    inventory = Inventory(Environment("linux", home), [parser])
    path = root / "p" / "a.jsonl"
    path.parent.mkdir()
    path.touch()
    assert [inventory.scan() for _ in range(3)] == [[], [], []]
    assert parser.heads_seen == [path]
    path.write_bytes(note())
    assert paths(inventory.scan()) == [path]


@pytest.mark.parametrize("change", ["replaced", "cut", "same size and time"])
def test_a_transcript_that_may_be_another_one_is_asked_about_again(home, root, change):
    parser = Notes()
    inventory = Inventory(Environment("linux", home), [parser])
    path = log(root / "p", lines=3)
    inventory.scan()
    status = path.stat()
    if change == "cut":
        os.truncate(path, 3)
    else:
        new = root / "new"
        new.write_bytes(b"x" * status.st_size)
        os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))
        new.replace(path)
    assert inventory.scan() == []
    assert len(inventory) == 0
    assert parser.heads_seen == [path, path]


def test_a_deleted_transcript_is_gone_and_known_again_when_it_comes_back(inventory, root):
    path = log(root / "p")
    inventory.scan()
    data = path.read_bytes()
    path.unlink()
    assert inventory.scan() == []
    assert inventory.gone() == [path]
    assert inventory.gone() == []
    path.write_bytes(data)
    assert paths(inventory.scan()) == [path]


def test_a_renamed_transcript_is_gone_and_new(inventory, root):
    path = log(root / "p")
    inventory.scan()
    moved = path.rename(path.with_name("b.jsonl"))
    assert paths(inventory.scan()) == [moved]
    assert inventory.gone() == [path]
    assert paths([inventory.look(moved)]) == [moved]


@posix
def test_two_names_of_one_file_are_one_transcript(inventory, root):
    path = log(root / "p")
    inventory.scan()
    os.link(path, root / "p" / "b.jsonl")
    assert paths(inventory.scan()) == [path]  # the number of links is a change
    assert inventory.scan() == []
    assert paths([inventory.look(root / "p" / "b.jsonl")]) == [path]


def test_a_hint_at_a_new_file_gives_its_transcript_at_once(inventory, root):
    inventory.scan()
    path = log(root / "p")
    assert inventory.look(path).path == path
    assert inventory.scan() == []


@pytest.mark.parametrize(
    "name", ["p/a.txt", "a.jsonl", "p/q/a.jsonl", "../elsewhere/a.jsonl", "p/missing.jsonl"]
)
def test_a_hint_at_anything_else_gives_nothing(inventory, root, name):
    inventory.scan()
    path = root / name
    if "missing" not in name:
        log(path.parent, path.name)
    assert inventory.look(path) is None


def test_a_hint_at_a_known_transcript_is_passed_on_even_when_nothing_shows(inventory, root):
    """Two writes within one tick of the clock leave the same size and time."""
    path = log(root / "p")
    inventory.scan()
    assert inventory.look(path).path == path


def test_a_database_changes_with_its_side_files(home):
    parser = Notes(patterns=("data.sqlite3",), storage=Storage.SQLITE)
    inventory = Inventory(Environment("linux", home), [parser])
    (home / ".notes").mkdir(parents=True)
    path = home / ".notes" / "data.sqlite3"
    with database(path) as owner:
        owner.execute("PRAGMA journal_mode = WAL")
        put(owner, "a", "one", 1)
        assert paths(inventory.scan()) == [path]
        assert inventory.scan() == []
        before = path.stat().st_mtime_ns
        put(owner, "b", "two", 2)
        assert path.stat().st_mtime_ns == before
        assert paths(inventory.scan()) == [path]
        put(owner, "c", "three", 3)
        assert inventory.look(path.with_name("data.sqlite3-wal")).path == path


def test_what_reading_writes_beside_a_database_is_no_change(home):
    """An event for it would lead to the next reading, and so on."""
    parser = Notes(patterns=("data.sqlite3",), storage=Storage.SQLITE)
    inventory = Inventory(Environment("linux", home), [parser])
    (home / ".notes").mkdir(parents=True)
    path = home / ".notes" / "data.sqlite3"
    with database(path) as owner:
        owner.execute("PRAGMA journal_mode = WAL")
        put(owner, "a", "one", 1)
    inventory.scan()
    with database(path) as reader:
        reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
        for side in ("-wal", "-shm"):
            assert inventory.look(path.with_name(f"data.sqlite3{side}")) is None


def test_a_file_that_two_parsers_claim_is_nobodys_and_said_to_be(home, root):
    twin = Notes()
    twin.name = "twin"
    inventory = Inventory(Environment("linux", home), [Notes(), twin])
    path = log(root / "p")
    assert inventory.scan() == []
    assert "notes and twin both claim" in inventory.trouble[path]


def test_a_parser_that_fails_keeps_no_other_file_from_being_found(home, root):
    class Failing(Notes):
        def claims(self, path, head):
            if path.name == "bad.jsonl":
                raise ZeroDivisionError("oops")
            return super().claims(path, head)

    bad, good = log(root / "p", "bad.jsonl"), log(root / "p", "good.jsonl")
    inventory = Inventory(Environment("linux", home), [Failing()])
    assert paths(inventory.scan()) == [good]
    assert "ZeroDivisionError" in inventory.trouble[bad]


# F22


def test_a_root_may_be_missing_appear_vanish_and_come_back(inventory, home):
    assert inventory.scan() == []
    path = log(home / ".notes" / "p")
    assert paths(inventory.scan()) == [path]
    (home / ".notes").rename(home / ".away")
    assert inventory.scan() == []
    assert inventory.gone() == [path]
    (home / ".away").rename(home / ".notes")
    assert paths(inventory.scan()) == [path]


@posix
def test_a_root_that_becomes_a_link_is_followed_where_it_points(inventory, home, tmp_path):
    log(home / ".notes" / "p")
    inventory.scan()
    (home / ".notes").rename(tmp_path / "moved")
    (home / ".notes").symlink_to(tmp_path / "moved")
    assert paths(inventory.scan()) == [tmp_path / "moved" / "p" / "a.jsonl"]
    assert inventory.folders() == [tmp_path / "moved"]


@posix
def test_a_folder_that_may_not_be_read_loses_nothing_and_is_told():
    def story(home):
        inventory = Inventory(Environment("linux", home), [Notes()])
        path = log(home / ".notes" / "p")
        assert paths(inventory.scan()) == [path]
        path.parent.chmod(0)
        assert inventory.scan() == []
        assert inventory.gone() == []
        assert "denied" in inventory.trouble[path.parent]
        path.parent.chmod(0o700)
        assert inventory.scan() == []
        assert inventory.trouble == {}
        assert paths(inventory.transcripts()) == [path]

    unprivileged.run(story)


@posix
def test_a_file_that_may_not_be_read_is_asked_about_until_it_may():
    def story(home):
        inventory = Inventory(Environment("linux", home), [Notes()])
        path = log(home / ".notes" / "p")
        path.chmod(0)
        assert inventory.scan() == []
        assert "denied" in inventory.trouble[path]
        path.chmod(0o600)
        assert paths(inventory.scan()) == [path]
        assert inventory.trouble == {}

    unprivileged.run(story)


# F23


@posix
def test_links_pipes_and_loops_below_a_root_are_never_followed(inventory, root, tmp_path):
    secret = log(tmp_path / "secret")
    folder = root / "p"
    folder.mkdir()
    (folder / "link.jsonl").symlink_to(secret)
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    (folder / "loop.jsonl").symlink_to(folder / "loop.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    (root / "elsewhere").symlink_to(tmp_path / "secret")
    (root / "up").symlink_to(root)
    assert inventory.scan() == []
    assert inventory.trouble == {}
    for name in ("link", "zero", "loop", "pipe"):
        assert inventory.look(folder / f"{name}.jsonl") is None


@posix
def test_a_file_that_turned_into_a_link_is_no_transcript_any_more(inventory, root, tmp_path):
    path = log(root / "p")
    inventory.scan()
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    assert inventory.scan() == []
    assert inventory.gone() == [path]
    assert len(inventory) == 0


@posix
def test_a_root_that_links_to_itself_is_only_empty(inventory, home):
    home.mkdir()
    (home / ".notes").symlink_to(home / ".notes")
    assert inventory.scan() == []


# F24


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize(
    "name",
    [b"new\nline", b"\x1b[31m", "\u202ertl".encode(), b"\xff\xfe", b"-rf", b"x" * 249, b"*?["],
)
def test_any_name_is_found(inventory, root, name):
    path = log(root / os.fsdecode(name[:200]), os.fsdecode(name + b".jsonl"))
    assert paths(inventory.scan()) == [path]
    assert inventory.look(path).path == path


@pytest.mark.skipif(sys.platform != "linux", reason="paths are shorter elsewhere")
def test_a_path_longer_than_the_system_takes_is_told_and_harms_nothing(home, root):
    deep = "/".join(["*"] * 22)
    inventory = Inventory(Environment("linux", home), [Notes(patterns=("*.jsonl", deep))])
    here, good = os.getcwd(), log(root)
    try:
        os.chdir(root)
        for _ in range(21):
            os.mkdir("d" * 200)
            os.chdir("d" * 200)
        Path("a.jsonl").write_bytes(note())
        os.chdir(here)
        assert paths(inventory.scan()) == [good]
        assert list(inventory.trouble.values()) == ["File name too long"]
    finally:
        os.chdir(here)
        shutil.rmtree(root)  # a path that long is not everybody's to remove


# Folders to watch


class Everywhere(Notes):
    """Looks below the home folder itself."""

    def sources(self, env):
        return [
            Source(env.home / ".notes", ("logs/*/*.jsonl", "logs/all.jsonl")),
            Source(env.home / ".notes" / "logs" / "x", ("*.jsonl",)),
            Source(env.home, (".notes?*/logs/*/*.jsonl",)),
        ]


def test_only_folders_with_logs_are_watched_and_never_the_home_folder(home):
    (home / ".notes-work" / "logs").mkdir(parents=True)
    (home / ".notes-empty").mkdir()
    (home / "code" / "logs").mkdir(parents=True)
    inventory = Inventory(Environment("linux", home), [Everywhere()])
    expected = [home / ".notes" / "logs", home / ".notes-work" / "logs"]
    assert sorted(inventory.folders()) == sorted(expected)
    path = log(home / ".notes-work" / "logs" / "p")
    assert paths([inventory.look(path)]) == [path]
    assert inventory.scan() == []


def test_further_folders_of_an_account_are_watched_once_they_appear(home):
    home.mkdir()
    inventory = Inventory(Environment("linux", home), [Everywhere()])
    assert inventory.folders() == [home / ".notes" / "logs"]
    (home / ".notes-new" / "logs").mkdir(parents=True)
    inventory.scan()
    assert home / ".notes-new" / "logs" in inventory.folders()


# F19


@pytest.mark.long
def test_ten_thousand_files_are_compared_in_a_fraction_of_a_second(inventory, root):
    for project in range(1000):
        for session in range(10):
            log(root / f"project-{project}", f"{session}.jsonl")
    began = time.process_time()
    assert len(inventory.scan()) == 10_000
    first = time.process_time() - began
    spent = []
    for _ in range(5):
        began = time.process_time()
        assert inventory.scan() == []
        spent.append(time.process_time() - began)
    assert first < 3
    assert min(spent) < 0.3
