"""Receipts outlive a kill, are the user's alone, and do not pile up."""

import os
import stat

import pytest

from ctxd.context_files import receipts as module
from ctxd.context_files.receipts import Receipt, Receipts
from ctxd.context_files.refusals import NotYetError
from ctxd.context_files.values import Change, Edit
from ctxd.errors import UserError


@pytest.fixture
def kept(tmp_path):
    return Receipts(tmp_path / "state" / "receipts")


def receipt(tmp_path, number=0, item="abcd2345"):
    edit = Edit("AGENTS.md", b"%d\xff" % number, b"after", (Change(item, "add", "- a rule"),))
    return Receipt.of(edit, tmp_path, edit.path, edit.after)


def done(kept, one):
    with kept.locked():
        kept.begin(one)
    kept.finish(one)
    return one


def test_a_receipt_comes_back_as_it_was_newest_first(kept, tmp_path):
    written = [done(kept, receipt(tmp_path, number)) for number in range(3)]
    assert kept.all() == list(reversed(written))
    assert written[0].before == b"0\xff"


def test_one_that_was_begun_is_known_as_such_until_it_is_done(kept, tmp_path):
    one = receipt(tmp_path)
    with kept.locked():
        kept.begin(one)
    assert (kept.all(), kept.all("begun")) == ([], [one])
    kept.finish(one)
    assert (kept.all(), kept.all("begun")) == ([one], [])


@pytest.mark.skipif(os.name == "nt", reason="needs modes")
def test_they_are_the_users_alone(kept, tmp_path):
    done(kept, receipt(tmp_path))
    folder = tmp_path / "state" / "receipts"
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert {stat.S_IMODE(os.stat(path).st_mode) for path in folder.iterdir()} == {0o600}


def test_one_is_found_by_the_start_of_its_id_or_its_items(kept, tmp_path):
    old = done(kept, receipt(tmp_path, 1, "aaaa2222"))
    new = done(kept, receipt(tmp_path, 2, "aaaa2222"))
    assert kept.find(old.id[:6]) == old
    assert kept.find("aaaa") == new
    for start in ("zzzz1", ""):
        with pytest.raises(UserError):
            kept.find(start)


def test_the_oldest_go_when_there_are_too_many(kept, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "RECEIPTS_KEPT", 3)
    written = [done(kept, receipt(tmp_path, number)) for number in range(10)]
    assert kept.all() == list(reversed(written[-4:]))


def test_the_oldest_go_when_they_take_too_much_room(kept, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "RECEIPT_BYTES", 1000)
    for number in range(10):
        done(kept, receipt(tmp_path, number))
    assert 1 < len(kept.all()) < 6


def test_one_that_was_begun_never_goes_by_itself(kept, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "RECEIPTS_KEPT", 0)
    one = receipt(tmp_path)
    with kept.locked():
        kept.begin(one)
        kept.begin(receipt(tmp_path, 1))
    assert len(kept.all("begun")) == 2


def test_those_of_an_item_can_be_forgotten(kept, tmp_path):
    done(kept, receipt(tmp_path, 1, "aaaa2222"))
    other = done(kept, receipt(tmp_path, 2, "bbbb3333"))
    assert kept.forget(lambda one: "aaaa2222" in one.items) == 1
    assert kept.all() == [other]


def test_a_damaged_one_is_passed_over(kept, tmp_path):
    one = done(kept, receipt(tmp_path))
    for name in ("20200101T000000.000000-x.done", "junk.done", "other.txt"):
        (tmp_path / "state" / "receipts" / name).write_bytes(b'{"id": 3')
    assert kept.all() == [one]


def test_there_are_none_before_the_first(kept):
    assert kept.all() == []


def test_the_right_to_apply_is_one_processs(kept, monkeypatch):
    monkeypatch.setattr(module, "APPLY_WAIT_SECONDS", 0.05)
    with kept.locked(), pytest.raises(NotYetError), kept.locked():
        pass
    with kept.locked():
        pass
