"""The report's file: whole, for its owner alone, and never in place of another's."""

import os
import stat

import pytest

from ctxd.errors import UserError
from ctxd.report.file import MARK, ForeignFileError, write

REPORT = f'<!doctype html><meta charset=utf-8>{MARK} 1.0"><p>report é'
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX only")


@posix
@pytest.mark.parametrize("umask", [0o022, 0o000, 0o077])
def test_only_its_owner_may_read_it(tmp_path, umask):
    before = os.umask(umask)
    try:
        write(tmp_path / "r.html", REPORT)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "r.html").stat().st_mode) == 0o600


def test_an_older_report_is_replaced_and_nothing_stays_beside_it(tmp_path):
    path = tmp_path / "r.html"
    write(path, REPORT)
    write(path, REPORT + " again")
    assert path.read_text(encoding="utf-8").endswith(" again")
    assert [file.name for file in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.parametrize("content", ["", "<html>mine</html>", "x" * 5000 + MARK])
def test_a_file_of_somebody_else_is_left_alone(tmp_path, content):
    path = tmp_path / "index.html"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ForeignFileError, match="no report of ctxd") as caught:
        write(path, REPORT)
    assert "`--force`" in caught.value.hint
    assert path.read_text(encoding="utf-8") == content
    write(path, REPORT, force=True)
    assert path.read_text(encoding="utf-8") == REPORT


@posix
def test_a_link_is_no_report_and_what_it_leads_to_is_never_written(tmp_path):
    path, target = tmp_path / "r.html", tmp_path / "elsewhere.html"
    write(target, REPORT)
    path.symlink_to(target)
    with pytest.raises(ForeignFileError):
        write(path, REPORT + " new")
    write(path, REPORT + " new", force=True)
    assert not path.is_symlink()
    assert target.read_text(encoding="utf-8") == REPORT


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match=r"cannot write .*no such file or directory"):
        write(tmp_path / "gone" / "r.html", REPORT)


def test_a_folder_of_that_name_is_left_alone_even_when_forced(tmp_path):
    (tmp_path / "r.html").mkdir()
    with pytest.raises(ForeignFileError):
        write(tmp_path / "r.html", REPORT)
    with pytest.raises(UserError, match="cannot write"):
        write(tmp_path / "r.html", REPORT, force=True)
    assert [file.name for file in tmp_path.iterdir()] == ["r.html"]


def test_a_disk_that_fills_up_leaves_the_older_report(tmp_path, monkeypatch):
    path = tmp_path / "r.html"
    write(path, REPORT)

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UserError, match="no space left on device"):
        write(path, REPORT + " new")
    assert path.read_text(encoding="utf-8") == REPORT
    assert [file.name for file in tmp_path.iterdir()] == ["r.html"]
