"""Git never notices ctxd: no lock of its index, nothing staged, nothing but our files changed."""

import sys
import threading

import pytest
from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer

from ctxd.context_files.apply import apply, undo
from ctxd.context_files.receipts import Receipts
from ctxd.context_files.values import Edit
from ctxd.context_files.view import look
from git_repos import commit, git, new_repository, status

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify tells of every file")

RULES = b"# Rules\n\n- use tabs\n"


class Made(FileSystemEventHandler):
    """The names of all files that are made in a folder, however short they live."""

    def __init__(self, folder):
        self.names = set()
        self._mark = threading.Event()
        self._folder = folder
        self._observer = Observer()
        self._observer.schedule(self, str(folder), recursive=False)

    def on_any_event(self, event):
        if event.event_type in ("created", "moved"):
            self.names |= {
                str(path).rpartition("/")[2] for path in (event.src_path, event.dest_path)
            }
        if "last-file" in str(event.src_path):
            self._mark.set()

    def __enter__(self):
        self._observer.start()
        return self

    def __exit__(self, *_):
        (self._folder / "last-file").write_bytes(b"")
        assert self._mark.wait(30)
        self._observer.stop()
        self._observer.join()


@pytest.fixture
def repo(tmp_path):
    repository = new_repository(tmp_path.resolve() / "api")
    commit(repository, {"AGENTS.md": RULES, "packages/web/AGENTS.md": RULES})
    (repository / "readme.txt").touch()  # something that git would refresh in its index
    return repository


def test_looks_edits_and_undos_make_no_lock_and_leave_the_index_as_it_is(repo, tmp_path):
    receipts = Receipts(tmp_path / "receipts")
    index = (repo / ".git" / "index").read_bytes()
    with Made(repo / ".git") as made:
        for number in range(20):
            view = look(repo, ["claude-code"], known=["AGENTS.md"], last_head="0" * 40)
            data = view.files["AGENTS.md"].data
            edit = Edit("AGENTS.md", data, data + b"- rule %d\n" % number)
            receipt = apply(edit, repo, receipts, quiet_seconds=0.0)
            if number % 3 == 0:
                undo(receipt, receipts)
    assert made.names - {"last-file", ""} == set()
    assert (repo / ".git" / "index").read_bytes() == index
    assert status(repo) == {"AGENTS.md": " M"}
    assert git(repo, "rev-list", "--count", "HEAD") == "2"


def test_a_lock_would_have_been_seen(repo):
    with Made(repo / ".git") as made:
        git(repo, "add", "readme.txt")
    assert "index.lock" in made.names
