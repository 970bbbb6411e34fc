"""What the fault tests of the ledger share: a process that writes, and what always must hold."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from batches import LOG, ids, integrity
from ctxd.ledger import Ledger

CHILD = Path(__file__).parent / "faults" / "ledger_child.py"
EVENTS = 5


def command(path, count):
    return [sys.executable, str(CHILD), str(path), str(count)]


def start(path, count=10**9, before=()):
    """The child, writing."""
    return subprocess.Popen(
        [*before, *command(path, count)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def strace(path, log, *inject):
    """What to put before a command for system calls on the ledger's files to go wrong."""
    mains = (path, f"{path}.new")
    files = [f"{main}{side}" for main in mains for side in ("", "-wal", "-shm", "-journal")]
    files += [f"{path}.lock", path.parent]
    options = [part for file in files for part in ("-P", str(file))]
    return ["strace", "-f", "-o", str(log), *options, *inject]


def system_calls(path, count):
    """Every system call that the child makes on the ledger's files, as its name and which of that
    name it is."""
    log = path.parent.with_name("calls")
    path.parent.mkdir(exist_ok=True)
    child = start(path, count, strace(path, log))
    child.communicate()
    shutil.rmtree(path.parent)
    found, numbers = [], Counter()
    for line in log.read_text(encoding="utf-8").splitlines():
        name = re.match(r"\d+ +([a-z0-9_]+)\(", line)
        if name:
            numbers[name[1]] += 1
            found.append((name[1], numbers[name[1]]))
    return found


def expected_ids(steps):
    return [f"{number}.{part}" for number in range(steps) for part in range(EVENTS)]


def check(path, recorded=0):
    """Nothing is lost, doubled or out of order, and position, events, session and items agree."""
    with Ledger.reader(path) as reader:
        assert reader.rebuilt() is None
        point = reader.checkpoint(LOG)
        steps = point.offset if point else 0
        assert steps >= recorded
        assert ids(reader) == expected_ids(steps)
        assert [row.turns for row in reader.sessions()] == ([steps] if steps else [])
        assert sum(counts.records for counts in reader.agents()) == EVENTS * steps
        check_items(reader, steps)
    assert integrity(path) == "ok"
    return steps


def check_items(reader, steps):
    """Each exchange has been judged or still waits, and the last one judged holds."""
    waiting = [int(pending.key[2].partition(".")[0]) for pending in reader.pending()]
    items = reader.items(statuses=())
    judged = [int(known.item.event.partition(".")[0]) for known in items]
    assert sorted([*waiting, *judged]) == list(range(steps))
    assert [known.state.status for known in items] == [
        "active" if known is items[-1] else "superseded" for known in items
    ]
    assert len(reader.item_events("/r")) == max(2 * len(items) - 1, 0)
    found = reader.search("rule")
    assert {known.id for known in found} == {known.id for known in items}


def last_number(lines):
    numbers = [int(line) for line in lines if line.strip().isdigit()]
    return max(numbers, default=0)
