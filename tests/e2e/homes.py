"""Homes in which clients are at work: cases of the parser tests, written as their clients would,
and what a plain read of the files says that a daemon has to know of them."""

import random
import re
import shutil
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from ctxd.ledger import Ledger, SessionRow
from ctxd.ledger.keeping import is_kept
from ctxd.pipeline import Pipeline
from ctxd_parsers.discovery import find_transcripts
from ctxd_parsers.environment import Environment
from ctxd_parsers.events import Event, WorkspaceChanged
from ctxd_parsers.parser import Storage
from ctxd_parsers.reading import Transcript, begin, read_events, read_records
from e2e.daemon import Daemon
from e2e.replay import target_of
from golden import CASES, cases, transcripts

Key = tuple[str, str]
_TIME = re.compile(
    rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?=Z|\+00:00)"
    rb'|(?<="timestamp":)17\d{8}(?:\d{3})?\b'
)
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ID_BYTES = re.compile(_ID.pattern.encode())
SPAN = timedelta(minutes=10)
SIGNS = ("inuse.*.lock", "*.lock")
"""Files that name a process: on another machine the same number is another program's."""


def case(name: str) -> Path:
    return CASES / name


def homes() -> list[list[Path]]:
    """All cases, in as few homes as can be: two that share a file, a session or an event stand in
    different ones."""
    found: list[_Home] = []
    for folder in cases():
        files = {
            str(path.relative_to(folder / "log")): path.read_bytes() for path in _files(folder)
        }
        names = {
            key
            for transcript in transcripts(folder)
            for event in read_events(transcript)
            for key in ((event.agent, event.id), (event.agent, event.session))
        }
        fitting = [home for home in found if home.has_room_for(files, names)]
        if not fitting:
            found.append(_Home())
            fitting = found[-1:]
        fitting[0].add(folder, files, names)
    return [home.cases for home in found]


class _Home:
    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.names: set[Key] = set()
        self.cases: list[Path] = []

    def has_room_for(self, files: dict[str, bytes], names: set[Key]) -> bool:
        same = all(self.files.get(path, data) == data for path, data in files.items())
        return same and names.isdisjoint(self.names)

    def add(self, folder: Path, files: dict[str, bytes], names: set[Key]) -> None:
        self.files.update(files)
        self.names.update(names)
        self.cases.append(folder)


def put_beside(folder: Path, home: Path) -> None:
    """Put the files of a case in place that are no logs of lines."""
    for path in _files(folder):
        if path.suffix != ".jsonl" and not any(path.match(sign) for sign in SIGNS):
            target = target_of(path.relative_to(folder / "log"), home)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def lines_of(folder: Path, home: Path) -> Iterator[tuple[Path, bytes]]:
    """The lines of a case in the order of its files, each with the file that it belongs in, as if
    the last of them were of this moment: what was written long ago is over as soon as it is read.
    """
    files = [path for path in _files(folder) if path.suffix == ".jsonl"]
    texts = as_of_now([path.read_bytes() for path in files])
    for path, text in zip(files, texts, strict=True):
        target = target_of(path.relative_to(folder / "log"), home)
        for line in _split(text):
            yield target, line


def as_of_now(texts: list[bytes]) -> list[bytes]:
    """Logs whose times are moved so that the latest is of this moment, and pushed together where
    they are far apart: a session that is silent for long is over."""
    times = [_parsed(found) for text in texts for found in _TIME.findall(text)]
    if not times:
        return texts
    last, now = max(times), datetime.now(UTC)
    scale = min(1.0, SPAN / max(last - min(times), timedelta(seconds=1)))

    def moved(match: re.Match[bytes]) -> bytes:
        time = now - (last - _parsed(match[0])) * scale
        if match[0].isdigit():
            return b"%d" % (time.timestamp() * 10 ** (len(match[0]) - 10))
        return time.replace(tzinfo=None).isoformat(timespec="milliseconds").encode()

    return [_TIME.sub(moved, text) for text in texts]


def fresh(lines: list[tuple[Path, bytes]]) -> list[tuple[Path, bytes]]:
    """The same lines as of another session: all ids in them, and in their files' names, are new."""
    seed = uuid.uuid4()

    def renamed(match: re.Match[str]) -> str:
        return str(uuid.uuid5(seed, match[0]))

    def renamed_bytes(match: re.Match[bytes]) -> bytes:
        return str(uuid.uuid5(seed, match[0].decode())).encode()

    return [
        (Path(_ID.sub(renamed, str(target))), _ID_BYTES.sub(renamed_bytes, line))
        for target, line in lines
    ]


def append(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("ab") as file:
        file.write(data)


def torn(line: bytes, chance: random.Random) -> list[bytes]:
    """A line as one write or as several."""
    if len(line) < 2 or chance.random() > 0.25:
        return [line]
    cut = chance.randrange(1, len(line))
    return [line[:cut], line[cut:]]


class Moment(NamedTuple):
    """One line of a case, and what it tells."""

    target: Path
    line: bytes
    events: list[Event]


def moments(folder: Path, home: Path, shadow: Path) -> list[Moment]:
    """The lines of a case as they will be written into `home`, with the events of each; `shadow` is
    a folder to write the whole of it into, where a plain read finds them."""
    put_beside(folder, shadow)
    lines = list(lines_of(folder, shadow))
    for target, line in lines:
        append(target, line)
    told: dict[tuple[Path, int], list[Event]] = defaultdict(list)
    for transcript in transcripts_in(shadow):
        state, number = begin(transcript), -1
        for number, record in enumerate(read_records(transcript)):
            told[transcript.path, number] += transcript.parser.parse([record], state)
    numbers: Counter[Path] = Counter()
    found = []
    for target, line in lines:
        events = told[target, numbers[target]] if line.strip() else []
        numbers[target] += bool(line.strip())
        found.append(Moment(home / target.relative_to(shadow), line, events))
    return found


def write_live(folders: Iterable[Path], home: Path, pause: Callable[[], None]) -> None:
    """Write cases side by side, a piece of a line at a time; `pause` is called between two."""
    chance = random.Random(1)
    folders = list(folders)
    for folder in folders:
        put_beside(folder, home)
    open_cases = [lines_of(folder, home) for folder in folders]
    while open_cases:
        lines = chance.choice(open_cases)
        found = next(lines, None)
        if found is None:
            open_cases.remove(lines)
            continue
        for piece in torn(found[1], chance):
            append(found[0], piece)
            pause()


def transcripts_in(home: Path) -> list[Transcript]:
    return list(find_transcripts(Environment("linux", home)))


def kept_of(transcript: Transcript) -> dict[Key, list[str]]:
    """Ids of what the ledger has to keep of a transcript, by session, in the order of the log."""
    found: dict[Key, dict[str, None]] = defaultdict(dict)
    for event in filter(is_kept, read_events(transcript)):
        found[event.agent, event.session][event.id] = None
    return {key: list(ids) for key, ids in found.items()}


def assert_told_once(daemon: Daemon) -> None:
    """Every event of the files that are there is in the ledger, once and in order, and no other.
    Of a session that stands in two files, as one begun as a document and gone on with as lines, the
    order is that in which they were met."""
    expected: dict[Key, set[str]] = defaultdict(set)
    rewritten: set[Key] = set()
    files = Counter(key for one in transcripts_in(daemon.home) for key in kept_of(one))
    with Ledger.reader(daemon.ledger) as reader:
        keys = [(row.agent, row.id) for row in reader.sessions(empty=True)]
        stored = {key: [e.id for e in reader.events(key, withdrawn=True)] for key in keys}
        moved = {
            key: {e.id for e in reader.events(key, (WorkspaceChanged,), withdrawn=True)}
            for key in keys
        }
    for transcript in transcripts_in(daemon.home):
        for key, wanted in kept_of(transcript).items():
            expected[key] |= set(wanted)
            if transcript.storage is Storage.SNAPSHOT:
                rewritten.add(key)
            found = stored.get(key, [])
            assert len(found) == len(set(found)), f"doubled in {key}"
            assert set(wanted) <= set(found), f"lost of {transcript.path}"
            places = {event_id: place for place, event_id in enumerate(found)}
            if transcript.storage is Storage.LINES and files[key] == 1:
                assert sorted(wanted, key=places.__getitem__) == wanted, f"order in {key}"
    extra = {key: set(ids) - expected[key] for key, ids in stored.items()}
    for key in rewritten:  # where a folder is told by the paths touched so far, it is told anew
        extra[key] -= moved[key]
    assert not any(extra.values()), f"nobody told {extra}"


def assert_sessions_as_in_one_read(daemon: Daemon, folder: Path) -> None:
    """What is known of each session is what one read of the final files tells."""
    ledger = Ledger.open(folder / "plain" / "ledger.sqlite3")
    pipeline = Pipeline(ledger, lambda: datetime.now(UTC).timestamp())
    for transcript in transcripts_in(daemon.home):
        while pipeline.advance(transcript).more:
            pass
    plain = {(row.agent, row.id): _facts(row) for row in ledger.sessions(empty=True)}
    ledger.close()
    with Ledger.reader(daemon.ledger) as reader:
        told = {(row.agent, row.id): _facts(row) for row in reader.sessions(empty=True)}
    differing = {
        (*key, name): (value, plain.get(key, {}).get(name))
        for key in told.keys() | plain.keys()
        for name, value in told.get(key, {"missing": True}).items()
        if value != plain.get(key, {}).get(name)
    }
    assert not differing, f"by the daemon, and in one read: {differing}"


def _facts(row: SessionRow) -> dict[str, object]:
    """What a session's log alone decides. Its state depends on the moment; its start, where it has
    records of another session, on which of the two was read first."""
    apart = ("state", "state_reason", "body", "started")
    return {name: getattr(row, name) for name in row.__struct_fields__ if name not in apart}


def _split(text: bytes) -> list[bytes]:
    """Its lines with their ends; nothing but a newline ends one."""
    *lines, last = text.split(b"\n")
    return [*(line + b"\n" for line in lines), *([last] if last else [])]


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "log").rglob("*") if path.is_file())


def _parsed(text: bytes) -> datetime:
    if text.isdigit():
        return datetime.fromtimestamp(int(text[:10]), UTC)
    return datetime.fromisoformat(text.decode()).replace(tzinfo=UTC)
