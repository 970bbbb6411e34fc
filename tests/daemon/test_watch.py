"""File events are hints; whatever happens to folders and limits ends in a word to the loop."""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import unprivileged
from ctxd.inventory import Inventory
from ctxd.mounts import Mounts
from ctxd.policy.daemon import HINTS
from ctxd.watch import Watcher
from ctxd_parsers.environment import Environment
from notes import Notes, note

linux = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
posix = pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")

PATIENCE = 10.0


class Watched:
    """A watcher, and what it told so far."""

    def __init__(self, *roots: Path, **options):
        self.awake = threading.Event()
        self.roots = list(roots)
        self.watcher = Watcher(lambda: self.roots, self.awake.set, **options)
        self.paths: set[Path] = set()
        self.everything = False

    def __enter__(self):
        self.watcher.start()
        return self

    def __exit__(self, *_):
        self.watcher.stop()

    def take(self) -> None:
        hints = self.watcher.take()
        self.paths |= hints.paths
        self.everything |= hints.everything

    def wait_for(self, *paths: Path) -> set[Path]:
        """The hints so far, once they hold `paths` or patience ends."""
        until = time.monotonic() + PATIENCE
        while not self.paths >= set(paths) and time.monotonic() < until:
            self.awake.wait(0.2)
            self.awake.clear()
            self.take()
        return self.paths

    def quiet(self, seconds: float = 0.5) -> set[Path]:
        """What came within a while."""
        self.take()
        self.paths = set()
        time.sleep(seconds)
        self.take()
        return self.paths

    def how(self, root: Path) -> str:
        return self.watcher.state()[root].kind


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    return path


def test_created_and_appended_files_are_hinted_at_and_wake_the_loop(root):
    path = root / "a.jsonl"
    with Watched(root) as watched:
        assert watched.how(root) == "watched"
        path.write_bytes(note())
        assert watched.wait_for(path) >= {path}
        watched.quiet()
        with path.open("ab") as file:
            file.write(note())
        assert watched.wait_for(path) == {path}


def test_a_file_moved_into_place_is_hinted_at_under_its_new_name(root):
    path, temporary = root / "a.json", root / "a.json.tmp"
    path.write_bytes(b"{}")
    with Watched(root) as watched:
        temporary.write_bytes(b"{}")
        temporary.replace(path)
        assert path in watched.wait_for(path)


def test_a_deleted_file_is_hinted_at(root):
    path = root / "a.jsonl"
    path.touch()
    with Watched(root) as watched:
        path.unlink()
        assert path in watched.wait_for(path)


def test_files_in_folders_made_just_before_are_hinted_at(root):
    paths = {root / f"p{n}" / "deep" / "er" / "a.jsonl" for n in range(100)}
    with Watched(root) as watched:
        for path in paths:
            path.parent.mkdir(parents=True)
            path.write_bytes(note())
        assert watched.wait_for(*paths) >= paths


@linux
def test_reading_causes_no_hints(root):
    path = root / "a.jsonl"
    path.write_bytes(note())
    with Watched(root) as watched:
        watched.quiet()
        for _ in range(50):
            path.read_bytes()
            list(os.scandir(root))
        assert watched.quiet() == set()


def test_one_hint_is_kept_of_many_writes(root):
    path = root / "a.jsonl"
    with Watched(root) as watched, path.open("ab", buffering=0) as file:
        for _ in range(1000):
            file.write(note())
        assert watched.wait_for(path) == {path}


def test_more_paths_than_are_worth_remembering_mean_everything(root):
    with Watched(root) as watched:
        for number in range(HINTS + 10):
            (root / f"{number}").touch()
        until = time.monotonic() + PATIENCE
        while not watched.watcher._inbox._everything and time.monotonic() < until:
            time.sleep(0.05)
        watched.take()
        assert watched.everything


def test_nothing_is_told_after_the_stop_and_no_thread_is_left(root):
    before = set(threading.enumerate())
    with Watched(root) as watched:
        pass
    (root / "a.jsonl").touch()
    assert watched.quiet(0.2) == set()
    assert set(threading.enumerate()) == before


def test_it_can_be_stopped_before_it_was_started(root):
    Watcher(lambda: [root], lambda: None).stop()


# F20


def test_a_warning_of_the_observer_means_that_everything_may_have_changed(root):
    with Watched(root) as watched:
        watched.take()
        assert not watched.everything
        watched.awake.clear()
        logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed")
        assert watched.awake.is_set()
        watched.take()
        assert watched.everything
    assert not logging.getLogger("watchdog").handlers


FOLLOWING = """
import json, sys, time, threading
from pathlib import Path
from ctxd.inventory import Inventory
from ctxd.watch import Watcher
from ctxd_parsers.environment import Environment
from notes import Notes

home = Path(sys.argv[1])
inventory = Inventory(Environment("linux", home), [Notes()])
awake = threading.Event()
watcher = Watcher(inventory.folders, awake.set)
watcher.start()
found = {t.path: t for t in inventory.scan()}
changes, overflowed = 0, False
print("ready", flush=True)
while True:
    awake.wait(0.2)
    awake.clear()
    hints = watcher.take()
    seen = [t for path in hints.paths if (t := inventory.look(path))]
    if hints.everything:
        overflowed = True
        watcher.mend()
        seen += inventory.scan()
    for transcript in seen:
        found[transcript.path] = transcript.path.stat().st_size
    sizes = sum(size for size in found.values() if isinstance(size, int))
    print(json.dumps([len(found), sizes, overflowed, len(hints.paths)]), flush=True)
"""


@linux
@pytest.mark.long
def test_what_an_overflow_of_the_queue_swallowed_is_found_within_a_minute(tmp_path):
    """30,000 files and 1,000 appends while the watching process is stopped: the queue holds 16,384
    events. Folders made meanwhile are watched afterwards."""
    root = tmp_path / ".notes"
    old = [root / "old" / f"{number}.jsonl" for number in range(1000)]
    old[0].parent.mkdir(parents=True)
    for path in old:
        path.write_bytes(note())
    process = subprocess.Popen(
        [sys.executable, "-c", FOLLOWING, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGSTOP)
        (root / "new").mkdir()
        size = 0
        for number in range(30_000):
            path = root / "new" / f"{number}.jsonl"
            path.write_bytes(b'{"id": "n%d", "text": "t"}\n' % number)
            size += path.stat().st_size
        for path in old:
            with path.open("ab") as file:
                file.write(note())
            size += path.stat().st_size
        process.send_signal(signal.SIGCONT)
        began = time.monotonic()
        count = total = 0
        overflowed = False
        while (count, total) != (31_000, size) and time.monotonic() - began < 60:
            count, total, overflowed, _ = json.loads(process.stdout.readline())
        assert (count, total) == (31_000, size)
        assert overflowed
        late = root / "new" / "late.jsonl"
        late.write_bytes(note())
        began = time.monotonic()
        while count != 31_001 and time.monotonic() - began < 10:
            count = json.loads(process.stdout.readline())[0]
        assert count == 31_001
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


# F21


LIMITED = """
import json, sys, threading
from pathlib import Path
for limit in sys.argv[2:]:
    name, value = limit.split("=")
    Path("/proc/sys/user/" + name).write_text(value, encoding="ascii")
from ctxd.watch import Watcher
root = Path(sys.argv[1])
watcher = Watcher(lambda: [root], lambda: None)
watcher.start()
told = [watcher.state()[root]]
for name, value in json.loads(sys.stdin.read() or "{}").items():
    Path("/proc/sys/user/" + name).write_text(value, encoding="ascii")
watcher._retry_at = 0.0
watcher.mend()
told.append(watcher.state()[root])
watcher.stop()
print(json.dumps(told))
"""


def limited(root: Path, *limits: str, later: dict[str, str] | None = None) -> list[list[str]]:
    """What the watcher says under limits, and after those of `later` were set."""
    if shutil.which("unshare") is None:
        pytest.skip("there is no `unshare`")
    done = subprocess.run(
        ["unshare", "-Ur", sys.executable, "-c", LIMITED, str(root), *limits],
        check=False,
        input=json.dumps(later or {}),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if done.returncode != 0 and ("unshare" in done.stderr or "/proc/sys/user" in done.stderr):
        pytest.skip(f"limits cannot be set here: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@linux
def test_too_few_watches_mean_polling_and_the_reason_is_told(root):
    for number in range(100):
        (root / f"p{number}").mkdir()
    before, after = limited(root, "max_inotify_watches=50", later={"max_inotify_watches": "1000"})
    assert before == ["polling", "51 of 101 folders cannot be watched"]
    assert after == ["watched", ""]


@linux
def test_no_watch_at_all_means_polling_and_the_reason_is_told(root):
    before, after = limited(root, "max_inotify_watches=0", later={"max_inotify_watches": "1000"})
    assert before == [
        "polling",
        "the limit of watches is reached (fs.inotify.max_user_watches)",
    ]
    assert after == ["watched", ""]


@linux
def test_no_watcher_at_all_means_polling_and_the_reason_is_told(root):
    before, after = limited(root, "max_inotify_instances=0", later={"max_inotify_instances": "100"})
    assert before == [
        "polling",
        "the limit of watchers is reached (fs.inotify.max_user_instances)",
    ]
    assert after == ["watched", ""]


# F22


def test_a_root_is_missing_appears_vanishes_and_comes_back(root):
    root.rmdir()
    path = root / "a.jsonl"
    with Watched(root) as watched:
        assert watched.watcher.state()[root] == ("missing", "No such file or directory")
        for _ in range(3):
            assert not watched.watcher.is_outdated()
            root.mkdir()
            assert watched.watcher.is_outdated()
            watched.watcher.mend()
            assert watched.how(root) == "watched"
            watched.paths = set()
            path.touch()
            assert path in watched.wait_for(path)
            path.unlink()
            assert not watched.watcher.is_outdated()
            root.rmdir()
            assert watched.watcher.is_outdated()
            watched.watcher.mend()
            assert watched.how(root) == "missing"


def test_a_root_deleted_and_made_again_at_once_is_watched_again(root):
    with Watched(root) as watched:
        root.rmdir()
        root.mkdir()
        time.sleep(0.2)
        watched.watcher.mend()
        path = root / "a.jsonl"
        path.touch()
        assert path in watched.wait_for(path)


def test_a_root_in_another_ones_place_is_watched(root, tmp_path):
    with Watched(root) as watched:
        root.rename(tmp_path / "away")
        root.mkdir()
        assert watched.watcher.is_outdated()
        watched.watcher.mend()
        path = root / "a.jsonl"
        path.touch()
        assert path in watched.wait_for(path)


@posix
def test_a_root_that_becomes_a_link_is_watched_where_it_points(root, tmp_path):
    with Watched(root) as watched:
        moved = root.rename(tmp_path / "moved")
        root.symlink_to(moved)
        watched.watcher.mend()
        assert watched.how(root) == "watched"
        (root / "a.jsonl").touch()
        assert moved / "a.jsonl" in watched.wait_for(moved / "a.jsonl")


@posix
def test_a_root_that_may_not_be_read_is_watched_again_when_it_may():
    def story(folder):
        root = folder / "root"
        root.mkdir()
        with Watched(root) as watched:
            root.chmod(0)
            watched.watcher.mend()
            assert watched.watcher.state()[root] == ("missing", "Permission denied")
            assert not watched.watcher.is_outdated()
            root.chmod(0o700)
            watched.watcher.mend()
            assert watched.how(root) == "watched"
            (root / "a.jsonl").touch()
            assert root / "a.jsonl" in watched.wait_for(root / "a.jsonl")

    unprivileged.run(story)


def test_a_file_in_the_place_of_a_root_is_no_root(root):
    root.rmdir()
    root.touch()
    with Watched(root) as watched:
        assert watched.how(root) == "missing"


def test_other_roots_can_be_followed_from_now_on(root, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    with Watched(root) as watched:
        watched.roots = [other]
        watched.watcher.mend()
        assert set(watched.watcher.state()) == {other}
        (root / "a.jsonl").touch()
        (other / "b.jsonl").touch()
        assert watched.wait_for(other / "b.jsonl") == {other / "b.jsonl"}


def test_mending_what_is_whole_changes_nothing(root):
    with Watched(root) as watched:
        for _ in range(5):
            watched.watcher.mend()
        (root / "a.jsonl").touch()
        assert watched.wait_for(root / "a.jsonl") == {root / "a.jsonl"}


@linux
def test_an_observer_that_died_of_a_defect_is_replaced(root):
    """The thread that reads events dies, the observer itself goes on."""
    with Watched(root) as watched:
        reader = watched.watcher._observer._inotify_fd
        reader.stop()
        reader.join()
        assert watched.watcher._observer.is_alive()
        path = root / "a.jsonl"
        path.touch()
        assert watched.quiet() == set()
        watched.watcher.mend()
        assert watched.how(root) == "watched"
        path.unlink()
        assert path in watched.wait_for(path)


# F23


@posix
def test_a_root_that_is_a_link_is_watched_where_it_points(root, tmp_path):
    """Of a linked folder itself no events would come."""
    link = tmp_path / "link"
    link.symlink_to(root)
    with Watched(link) as watched:
        (link / "a.jsonl").touch()
        assert root / "a.jsonl" in watched.wait_for(root / "a.jsonl")


@posix
def test_links_below_a_root_are_not_followed(root, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "link").symlink_to(outside)
    (root / "loop").symlink_to(root)
    with Watched(root) as watched:
        assert watched.how(root) == "watched"
        (outside / "a.jsonl").touch()
        assert watched.quiet() == set()


@posix
def test_a_root_that_links_to_itself_is_missing(root):
    root.rmdir()
    root.symlink_to(root)
    with Watched(root) as watched:
        assert watched.how(root) == "missing"


# F24


@linux
@pytest.mark.parametrize("name", [b"new\nline", b"\x1b[31m", b"\xff\xfe", b"-rf", b"x" * 255])
def test_files_of_any_name_are_hinted_at(root, name):
    path = root / os.fsdecode(name)
    with Watched(root) as watched:
        path.touch()
        assert path in watched.wait_for(path)


# F27


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "9p", "drvfs"])
def test_a_root_on_a_file_system_without_events_is_polled_and_nothing_is_missed(tmp_path, kind):
    mounts = tmp_path / "mounts"
    shared = tmp_path / ".notes"
    shared.mkdir()
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\nhost:/x {shared} {kind} rw 0 0\n", encoding="utf-8")
    inventory = Inventory(Environment("linux", tmp_path), [Notes()])
    with Watched(*inventory.folders(), mounts=mounts) as watched:
        assert watched.watcher.state()[shared] == ("polling", f"{kind} does not tell all changes")
        path = shared / "p" / "a.jsonl"
        path.parent.mkdir()
        path.write_bytes(note())
        assert [transcript.path for transcript in inventory.scan()] == [path]


def test_polling_can_be_asked_for(root):
    before = set(threading.enumerate())
    with Watched(root, polling=True) as watched:
        assert watched.watcher.state()[root] == ("polling", "asked for in the settings")
        assert set(threading.enumerate()) == before


def test_the_mount_that_a_folder_lies_on_is_the_deepest(tmp_path):
    table = tmp_path / "mounts"
    table.write_bytes(
        b"rootfs / rootfs rw 0 0\n/dev/sda / ext4 rw 0 0\n"
        rb"//nas/x /mnt/my\040share cifs rw 0 0" + b"\n/dev/sdb /mnt/my\\040share/disk ext4 rw\n"
        b"broken\n\n"
    )
    mounts = Mounts(table)
    assert mounts.silent("/home/dev") is None
    assert mounts.silent("/mnt/my share/logs") == "cifs"
    assert mounts.silent("/mnt/my share/disk/logs") is None
    assert Mounts(tmp_path / "none").silent("/home") is None


# C6, C7


@linux
def test_the_watches_held_are_the_folders_of_the_roots_and_no_more(root):
    from ctxd.watch import _watches_held

    for number in range(20):
        (root / f"p{number}").mkdir()
    before = _watches_held()
    with Watched(root):
        assert _watches_held() == before + 21
    assert _watches_held() == before
