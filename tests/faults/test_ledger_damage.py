"""Whatever happened to the file, a ledger is used as it is or put aside whole, never just emptied.

Each damage is done to a copy of one good ledger. Afterwards either everything that can be asked is
answered from it, or a new one says that it was begun anew and where the old one is kept.
"""

import random
import shutil
from pathlib import Path

import pytest

from batches import LOG, batch, checkpoint, ids, integrity, said
from ctxd.ledger import Ledger, LedgerRebuiltError, NoLedgerError, SessionRow

STEPS = 60


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "ledger.sqlite3"
    with Ledger.open(path) as ledger:
        for number in range(STEPS):
            events = [said(f"{number}.{part}", f"words {number} " * 20) for part in range(8)]
            row = SessionRow(agent="a", id=f"s{number}", turns=number, spoken=True, body=b"x" * 900)
            point = checkpoint(number + 1)
            log = Path(f"/logs/{number}")
            ledger.record(batch(*events, path=log, checkpoint=point, sessions=[row]))
    return path


def ask_everything(reader):
    """Every kind of answer; damage inside of texts may leave some of them out."""
    found = ids(reader)
    assert len(found) <= 8 * STEPS
    assert set(found) <= {f"{n}.{part}" for n in range(STEPS) for part in range(8)}
    for path, point in reader.checkpoints():
        assert reader.checkpoint(path) == point
    reader.sessions(empty=True)
    for number in range(STEPS):
        reader.session("a", f"s{number}")
    reader.agents()
    reader.oddities()
    reader.open_sessions()


def use(path, damaged):
    """Open a damaged ledger and work with it as the daemon does; whether it was begun anew."""
    with Ledger.open(path) as ledger:
        if ledger.rebuilt() is not None:
            assert Path(ledger.rebuilt().aside).read_bytes() == damaged
        try:
            ask_everything(ledger)
            ledger.unseen([said(f"{n}.0") for n in range(STEPS)])
            ledger.record(batch(said("new"), offset=7))
        except LedgerRebuiltError:
            assert ledger.record(batch(said("new"), offset=7)) == 1
        assert "new" in ids(ledger)
        assert ledger.checkpoint(LOG).offset == 7
        rebuilt = ledger.rebuilt()
        if rebuilt is not None:
            assert rebuilt.why
            assert ids(ledger) == ["new"]
            assert Path(rebuilt.aside).stat().st_size >= len(damaged)
    assert integrity(path) == "ok"
    return rebuilt is not None


def reads_or_says_so(path):
    """What `ctxd status` does with it while nobody has put it aside."""
    try:
        with Ledger.reader(path) as reader:
            ask_everything(reader)
    except NoLedgerError as error:
        assert "damaged" in error.message or "no ledger" in error.message  # noqa: PT017


@pytest.mark.parametrize("times", [10, pytest.param(100, marks=pytest.mark.long)])
def test_a_kilobyte_overwritten_anywhere(good, tmp_path, times):
    choice = random.Random(times)
    begun_anew = 0
    for number in range(times):
        path = tmp_path / str(number) / "ledger.sqlite3"
        path.parent.mkdir()
        data = bytearray(good.read_bytes())
        start = choice.randrange(len(data) - 1024)
        data[start : start + 1024] = choice.randbytes(1024)
        path.write_bytes(data)
        reads_or_says_so(path)
        begun_anew += use(path, bytes(data))
    assert 0 < begun_anew <= times


@pytest.mark.parametrize("points", [8, pytest.param(50, marks=pytest.mark.long)])
def test_cut_anywhere(good, tmp_path, points):
    data = good.read_bytes()
    lengths = [len(data) * point // points for point in range(points)]
    lengths += [1, 15, 99, 100, 4095, 4096, len(data) - 1]
    for length in lengths:
        path = tmp_path / str(length) / "ledger.sqlite3"
        path.parent.mkdir()
        path.write_bytes(data[:length])
        reads_or_says_so(path)
        with Ledger.open(path) as ledger:
            assert ledger.rebuilt() is not None, f"cut at {length}"
            assert Path(ledger.rebuilt().aside).read_bytes() == data[:length]
            assert ids(ledger) == []
            assert ledger.record(batch(said(1))) == 1


@pytest.mark.parametrize("times", [10, pytest.param(100, marks=pytest.mark.long)])
def test_a_kilobyte_overwritten_in_the_write_ahead_log_of_a_killed_writer(tmp_path, times):
    source = tmp_path / "source" / "ledger.sqlite3"
    with Ledger.open(source) as ledger:
        for number in range(STEPS):
            ledger.record(batch(said(number), checkpoint=checkpoint(number + 1)))
        files = {file.name: file.read_bytes() for file in source.parent.iterdir()}
    choice = random.Random(times)
    for number in range(times):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        log = bytearray(files["ledger.sqlite3-wal"])
        start = choice.randrange(len(log) - 1024)
        log[start : start + 1024] = choice.randbytes(1024)
        (folder / "ledger.sqlite3-wal").write_bytes(log)
        with Ledger.open(folder / "ledger.sqlite3") as ledger:
            # What comes behind the damage is gone, and the position has gone back with it.
            point = ledger.checkpoint(LOG)
            assert ids(ledger) == [str(n) for n in range(point.offset if point else 0)]
            assert ledger.rebuilt() is None or ledger.rebuilt().aside


@pytest.mark.parametrize("missing", ["-wal", "-shm", ""])
def test_a_file_of_a_killed_writer_is_missing(tmp_path, missing):
    source = tmp_path / "source" / "ledger.sqlite3"
    target = tmp_path / "target" / "ledger.sqlite3"
    with Ledger.open(source) as ledger:
        for number in range(STEPS):
            ledger.record(batch(said(number), checkpoint=checkpoint(number + 1)))
        shutil.copytree(source.parent, target.parent)
    Path(f"{target}{missing}").unlink()
    with Ledger.open(target) as ledger:
        point = ledger.checkpoint(LOG)
        expected = STEPS if missing == "-shm" else 0
        assert (point.offset if point else 0) == expected
        assert ids(ledger) == [str(number) for number in range(expected)]
        assert (ledger.rebuilt() is None) == (missing != "")
    assert integrity(target) == "ok"
