"""A human with an editor, as a process: reads a file, adds a line, saves it, again and again.

Arguments: the file, how it is saved, how many times, the first number, seconds between two saves.
"""

import fcntl
import os
import sys
import time
from pathlib import Path


def in_place(path, data):
    with path.open("wb") as file:
        file.write(data[: len(data) // 2])
        file.flush()
        file.write(data[len(data) // 2 :])


def by_rename(path, data):
    fresh = path.with_name(f"{path.name}.new-{os.getpid()}")
    fresh.write_bytes(data)
    os.replace(fresh, path)


def with_backup(path, data):
    """As vim does: the old file is moved away, a new one is made, the old one is removed."""
    backup = path.with_name(f"{path.name}~")
    os.rename(path, backup)
    path.write_bytes(data)
    os.unlink(backup)


WAYS = {"in-place": in_place, "by-rename": by_rename, "with-backup": with_backup}


def main(path, ways, count, first, pause):
    path = Path(path)
    ways = ways.split(",")
    turn = os.open(f"{path.parent}.turn", os.O_CREAT | os.O_RDWR)
    for number in range(int(first), int(first) + int(count)):
        fcntl.flock(turn, fcntl.LOCK_EX)  # two humans do not edit one file at the same time
        data = path.read_bytes()
        WAYS[ways[number % len(ways)]](path, data + b"human %d\n" % number)
        fcntl.flock(turn, fcntl.LOCK_UN)
        time.sleep(float(pause) * (1 + number % 3))


if __name__ == "__main__":
    main(*sys.argv[1:])
