"""Which file is this: the promises that reading on rests on."""

import os

from ctxd.policy.daemon import PREFIX_BYTES
from ctxd.tail.identity import identify, read_at, same_file
from ctxd_parsers.reading import open_regular


def identity(path, taken=None):
    data = path.read_bytes()
    return identify(path.stat(), data if taken is None else data[:taken])


def still(old, path):
    return same_file(old, path.stat(), path.read_bytes()[:PREFIX_BYTES])


def test_a_file_that_grew_is_the_same_file(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"first\n")
    old = identity(path)
    with path.open("ab") as file:
        file.write(b"second\n" * 1000)
    assert still(old, path)


def test_the_prefix_grows_with_the_file_up_to_its_limit(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"x" * 10)
    assert identity(path).prefix_length == 10
    path.write_bytes(b"x" * 5000)
    assert identity(path).prefix_length == PREFIX_BYTES


def test_a_copy_in_its_place_is_another_file(tmp_path):
    path, copy = tmp_path / "log", tmp_path / "copy"
    path.write_bytes(b"first\n")
    copy.write_bytes(b"first\n")
    old = identity(path)
    copy.replace(path)
    assert not still(old, path)


def test_two_hundred_files_of_one_name_are_told_apart_though_inodes_come_again(tmp_path):
    path, known = tmp_path / "log", []
    for number in range(200):
        path.write_bytes(b"session %d\n" % number)
        assert not any(still(old, path) for old in known)
        known.append(identity(path))
        path.unlink()


def test_a_file_written_anew_in_place_is_another_file(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"first\n")
    old = identity(path)
    with path.open("r+b") as file:
        file.write(b"other")
    assert not still(old, path)


def test_bytes_that_were_not_taken_may_change(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"whole\ntorn by a cra")
    old = identity(path, taken=6)
    path.write_bytes(b"whole\nwritten after the crash\n")
    assert still(old, path)


def test_a_file_cut_below_its_prefix_is_another_file(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"first\nsecond\n")
    old = identity(path)
    os.truncate(path, 6)
    assert not still(old, path)


def test_another_device_number_alone_is_no_other_file(tmp_path):
    """It may be another one after each start of the machine."""
    path = tmp_path / "log"
    path.write_bytes(b"first\n")
    old = identity(path)
    moved = type(old)(old.device + 1, old.inode, old.prefix, old.prefix_length)
    assert still(moved, path)


def test_bytes_are_read_where_they_stand(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"0123456789")
    with open_regular(path) as file:
        assert read_at(file, 3, 4) == b"3456"
        assert read_at(file, 8, 9) == b"89"
        assert read_at(file, 20, 5) == b""
