"""Steps, carried out."""

import sys

import pytest

import unprivileged
from ctxd.errors import UserError
from ctxd.service_install.steps import (
    Call,
    CallFailedError,
    Done,
    Make,
    Remove,
    Write,
    carry_out,
    missing_folders,
    run_program,
)


def test_folders_that_were_made_go_again_and_those_in_use_stay(tmp_path, programs):
    file = tmp_path / "a" / "b" / "c" / "file"
    made = missing_folders(file)
    assert made == tuple(str(tmp_path / part) for part in ("a", "a/b", "a/b/c"))
    carry_out([Write(file, "text")], programs)
    (tmp_path / "a" / "other").touch()
    carry_out([Remove(file, made)], programs)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "other"]
    carry_out([Remove(file, made)], programs)


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path, programs):
    file = tmp_path / "file"
    file.write_text("old")
    carry_out([Write(file, "new \udcff")], programs)
    assert file.read_bytes() == b"new \xff"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_cannot_be_written_or_made_is_told_and_leaves_nothing(programs):
    def story(folder):
        folder.chmod(0o500)
        for step in (Write(folder / "file", "text"), Make(folder / "new")):
            with pytest.raises(UserError, match="permission denied"):
                carry_out([step], programs)
        assert list(folder.iterdir()) == []
        folder.chmod(0o700)
        (folder / "file").touch()
        folder.chmod(0o500)
        with pytest.raises(UserError, match="cannot remove"):
            carry_out([Remove(folder / "file")], programs)
        folder.chmod(0o700)

    unprivileged.run(story)


def test_a_failure_ends_it_unless_it_may_fail(programs):
    programs.answers["false"] = Done(1, "", "first\nno \x1b[2J way\n")
    with pytest.raises(CallFailedError) as caught:
        carry_out([Call(("false",)), Call(("true",))], programs)
    assert caught.value.message == "`false` failed: no \\x1b[2J way"
    assert programs.calls == ["false"]
    carry_out([Call(("false",), may_fail=True), Call(("true",))], programs)
    assert programs.calls[-1] == "true"


def test_programs_are_run_and_none_that_is_not_there_raises():
    code = "import sys; print('out'); print('last', file=sys.stderr); sys.exit(3)"
    done = run_program([sys.executable, "-c", code])
    assert (done.code, done.out, done.said) == (3, "out\n", "last")
    assert run_program(["no-such-program-of-anybody"]).said == "no such file or directory"
