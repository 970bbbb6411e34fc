"""A configuration file as the system has it: links, modes, folders, and others who write it."""

import errno
import json
import os

import pytest

from agent_hooks import Hooks
from ctxd.context_files.receipts import Receipts
from ctxd.context_files.refusals import ChangedError, NotYetError, RefusedError
from ctxd.errors import UserError
from ctxd.hooks.configuration import hooks_in
from ctxd.hooks.records import Records
from ctxd.hooks.registry import BY_AGENT
from ctxd.hooks.writing import Target, write
from unprivileged import run

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX only")
SETTINGS = b'{\n  "model": "opus" // mine\n}\n'


@pytest.fixture
def hooks(tmp_path):
    return Hooks(tmp_path.resolve(), "claude-code")


class TestAbsent:
    def test_a_file_that_was_made_goes_again_with_its_folders(self, tmp_path):
        hooks = Hooks(tmp_path.resolve(), "copilot-cli")
        hooks.install()
        assert json.loads(hooks.data)["version"] == 1
        hooks.uninstall()
        assert not (tmp_path / ".copilot").exists()

    def test_a_folder_that_somebody_uses_by_then_stays(self, tmp_path):
        hooks = Hooks(tmp_path.resolve(), "copilot-cli")
        hooks.install()
        (tmp_path / ".copilot" / "config.json").write_text("{}", encoding="utf-8")
        hooks.uninstall()
        assert sorted(path.name for path in (tmp_path / ".copilot").iterdir()) == ["config.json"]

    @posix
    def test_what_is_made_is_the_users_alone_where_its_folder_is(self, hooks):
        hooks.install()
        assert hooks.path.stat().st_mode & 0o777 == 0o600
        assert hooks.path.parent.stat().st_mode & 0o777 == 0o700

    def test_hooks_of_others_that_came_into_it_keep_it(self, hooks):
        hooks.install()
        data = json.loads(hooks.data)
        data["hooks"]["Stop"] = [{"hooks": []}]
        hooks.lay(json.dumps(data).encode())
        hooks.uninstall()
        assert json.loads(hooks.data) == {"hooks": {"Stop": [{"hooks": []}]}}

    def test_a_version_that_came_with_the_hooks_goes_with_them(self, tmp_path):
        hooks = Hooks(tmp_path.resolve(), "cursor")
        hooks.install()
        hooks.lay(hooks.data + b"\n")
        hooks.uninstall()
        assert hooks.data is None


@posix
class TestLinks:
    def test_a_link_stays_and_its_target_is_written(self, hooks):
        target = hooks.folder / "dotfiles" / "claude.json"
        target.parent.mkdir()
        target.write_bytes(SETTINGS)
        hooks.path.parent.mkdir()
        hooks.path.symlink_to("../dotfiles/claude.json")
        hooks.install()
        assert hooks.path.is_symlink()
        assert b"PreCompact" in target.read_bytes()
        hooks.uninstall()
        assert hooks.path.is_symlink()
        assert target.read_bytes() == SETTINGS

    def test_a_folder_may_be_a_link_too(self, hooks):
        (hooks.folder / "dotfiles").mkdir()
        hooks.path.parent.symlink_to("dotfiles")
        hooks.install()
        assert (hooks.folder / "dotfiles" / "settings.json").exists()

    @pytest.mark.parametrize("target", ["nowhere", "settings.json"])
    def test_a_link_that_leads_nowhere_is_an_error(self, hooks, target):
        hooks.path.parent.mkdir()
        hooks.path.symlink_to(target)
        with pytest.raises(UserError, match=r"link|loop"):
            hooks.install()
        assert hooks.path.is_symlink()

    def test_a_file_with_two_names_is_left_alone(self, hooks):
        hooks.lay(SETTINGS)
        os.link(hooks.path, hooks.folder / "other")
        with pytest.raises(RefusedError, match="further names"):
            hooks.install()
        assert hooks.data == SETTINGS

    @pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["folder", "pipe"])
    def test_what_is_no_file_is_an_error(self, hooks, make):
        hooks.path.parent.mkdir()
        make(hooks.path)
        with pytest.raises(UserError, match="cannot use"):
            hooks.install()


@posix
class TestModes:
    def test_the_mode_of_a_file_stays(self, hooks):
        hooks.lay(SETTINGS)
        hooks.path.chmod(0o640)
        hooks.install()
        assert hooks.path.stat().st_mode & 0o777 == 0o640

    def test_a_file_that_is_not_to_be_written_is_not(self, hooks):
        hooks.lay(SETTINGS)
        hooks.path.chmod(0o444)
        with pytest.raises(RefusedError, match="its mode says"):
            hooks.install()
        assert hooks.data == SETTINGS

    def test_a_folder_that_cannot_be_written_is_an_error(self):
        def story(folder):
            hooks = Hooks(folder, "claude-code")
            hooks.lay(SETTINGS)
            hooks.path.parent.chmod(0o555)
            with pytest.raises(UserError, match=r"cannot write .*permission denied") as caught:
                hooks.install()
            assert caught.value.hint == "make the file and its folder writable"
            assert hooks.kept == []
            assert hooks.data == SETTINGS
            hooks.path.parent.chmod(0o755)
            hooks.path.chmod(0)
            with pytest.raises(UserError, match=r"cannot use .*permission denied"):
                hooks.install()

        run(story)


class TestOthers:
    def test_a_file_that_was_changed_since_it_was_read_is_left_alone(self, hooks):
        hooks.lay(SETTINGS)
        installer = hooks.installer
        step = installer.install(hooks.vendor, hooks.file, hooks.vendor.moments, "")
        hooks.lay(SETTINGS + b"\n")
        with pytest.raises(ChangedError, match="was changed meanwhile"):
            installer.do(step)
        assert hooks.data == SETTINGS + b"\n"
        assert hooks.kept == []
        hooks.install()
        hooks.uninstall()
        assert hooks.data == SETTINGS + b"\n"

    def test_a_file_that_came_meanwhile_is_left_alone(self, hooks):
        installer = hooks.installer
        step = installer.install(hooks.vendor, hooks.file, hooks.vendor.moments, "")
        hooks.lay(SETTINGS)
        with pytest.raises(ChangedError):
            installer.do(step)
        assert hooks.data == SETTINGS

    def test_an_install_that_failed_leaves_the_one_before(self, hooks):
        hooks.lay(SETTINGS)
        hooks.install(text="2.0.77")
        between = hooks.data
        hooks.path.write_bytes(between.replace(b"/ctxd/hooks/", b"/old/ctxd/hooks/"))
        hooks.path.chmod(0o444)
        with pytest.raises(RefusedError):
            hooks.install(text="2.1.332")
        hooks.path.chmod(0o644)
        hooks.path.write_bytes(between)
        hooks.uninstall()
        assert hooks.data == SETTINGS

    def test_no_folder_is_left_of_a_file_that_could_not_be_made(self, hooks, monkeypatch):
        def refuse(*_arguments):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr("ctxd.context_files.folder.Folder.make", refuse)
        with pytest.raises(UserError, match="no space left") as caught:
            hooks.install()
        assert caught.value.hint == "free some space"
        assert not hooks.path.parent.exists()
        assert hooks.kept == []

    def test_a_file_that_went_is_not_taken_for_one_with_hooks(self, hooks):
        hooks.lay(SETTINGS)
        hooks.install()
        hooks.path.unlink()
        assert not hooks.uninstall().changes
        assert hooks.data is None
        assert hooks.kept == []

    @posix
    def test_a_program_that_is_writing_the_file_goes_first(self, hooks):
        hooks.lay(SETTINGS)
        with hooks.path.open("ab"), pytest.raises(NotYetError, match="is writing it"):
            hooks.install()
        assert hooks.data == SETTINGS

    def test_a_write_that_was_interrupted_is_taken_back_before_the_next(self, hooks, monkeypatch):
        hooks.lay(SETTINGS)
        with monkeypatch.context() as patch:
            patch.setattr("ctxd.context_files.swap.Swap.run", lambda *_: os._exit(9))
            child = os.fork()
            if child == 0:
                hooks.install()
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
        assert hooks.data == SETTINGS
        hooks.install()
        hooks.uninstall()
        assert hooks.data == SETTINGS
        assert [path.name for path in hooks.path.parent.iterdir()] == ["settings.json"]


class TestTwoAgents:
    def test_one_entry_serves_both_and_goes_with_the_last(self, hooks):
        hooks.lay(SETTINGS)
        code = Hooks(hooks.folder, "copilot-vscode")
        assert code.path == hooks.path
        hooks.install()
        between = hooks.data
        assert not code.install().changes
        step = hooks.uninstall()
        assert step.note == ("Claude Code: its hooks stay, since they serve copilot-vscode as well")
        assert hooks.data == between
        code.uninstall()
        assert hooks.data == SETTINGS

    def test_an_agent_that_was_not_asked_for_keeps_none(self, hooks):
        hooks.lay(SETTINGS)
        hooks.install()
        hooks.uninstall()
        assert hooks.data == SETTINGS

    def test_both_planned_at_once_are_one_step(self, hooks):
        hooks.lay(SETTINGS)
        installer = hooks.installer
        for agent in ("claude-code", "copilot-vscode"):
            installer.install(BY_AGENT[agent], hooks.file, hooks.vendor.moments, "")
        [step] = installer.steps.values()
        installer.do(step)
        assert step.record.agents == ("claude-code", "copilot-vscode")
        installer = hooks.installer
        for agent in ("claude-code", "copilot-vscode"):
            installer.uninstall(agent, hooks.path, agent)
        [step] = installer.steps.values()
        installer.do(step)
        assert hooks.data == SETTINGS


class TestAnew:
    def test_another_installation_takes_over_in_place(self, hooks):
        """A venv that was made anew leaves a stale path: what the user put around it stays."""
        hooks.lay(SETTINGS)
        hooks.install()
        data = json.loads(hooks.data.replace(b" // mine", b""))
        for groups in data["hooks"].values():
            groups[0]["matcher"] = "mine"
            hook = groups[0]["hooks"][0]
            hook["command"] = hook["command"].replace("/ctxd/hooks/", "/old/ctxd/hooks/")
        hooks.lay(json.dumps(data, indent=2).encode())
        assert hooks.install().changes
        fresh = json.loads(hooks.data)
        assert [group["matcher"] for [group] in fresh["hooks"].values()] == ["mine"] * 4
        assert b"/old/" not in hooks.data
        assert hooks.install().changes is False

    def test_a_timeout_that_the_user_has_set_stays(self, hooks):
        hooks.install()
        hooks.lay(hooks.data.replace(b'"timeout": 5', b'"timeout": 2'))
        assert not hooks.install().changes

    def test_events_that_the_client_does_not_know_any_more_go(self, hooks):
        hooks.install()
        hooks.lay(hooks.data.replace(b'"SessionEnd"', b'"PostCompact"'))
        hooks.install()
        assert b"PostCompact" not in hooks.data
        assert b"SessionEnd" in hooks.data

    def test_doubles_of_a_hook_go(self, hooks):
        hooks.install()
        data = json.loads(hooks.data)
        data["hooks"]["PreCompact"] *= 3
        hooks.lay(json.dumps(data).encode())
        hooks.install()
        assert len(hooks_in(json.loads(hooks.data))) == 4

    def test_a_hook_of_ours_in_a_group_of_others_leaves_the_others(self, hooks):
        hooks.install()
        data = json.loads(hooks.data)
        other = {"type": "command", "command": "echo hi"}
        data["hooks"]["PreCompact"][0]["hooks"].insert(0, other)
        hooks.lay(json.dumps(data).encode())
        hooks.uninstall()
        assert json.loads(hooks.data) == {"hooks": {"PreCompact": [{"hooks": [other]}]}}

    def test_a_damaged_memory_is_none(self, hooks):
        hooks.lay(SETTINGS)
        hooks.install()
        [name] = hooks.kept
        (hooks.places.state / "hooks" / name).write_bytes(b"{")
        assert Records(hooks.places.state / "hooks").all() == []
        hooks.uninstall()
        assert hooks.data == SETTINGS

    @posix
    def test_what_is_remembered_is_the_users_alone(self, hooks):
        hooks.lay(b'{"env": {"TOKEN": "sk-1"}}')
        hooks.install()
        folder = hooks.places.state / "hooks"
        assert folder.stat().st_mode & 0o777 == 0o700
        assert all((folder / name).stat().st_mode & 0o777 == 0o600 for name in hooks.kept)


def test_a_step_is_shown_as_a_diff(hooks):
    hooks.lay(b'{"a": 1}\n')
    step = hooks.installer.install(hooks.vendor, hooks.file, hooks.vendor.moments[:1], "")
    lines = step.diff().splitlines()
    assert lines[0] == f"--- a{hooks.path}"
    assert lines[3] == '-{"a": 1}'
    assert lines[4].startswith('+{"a": 1, "hooks": {"PreCompact": [{"hooks": [{"type": ')


def test_a_file_is_written_only_over_what_was_read(hooks):
    hooks.lay(SETTINGS)
    receipts = Receipts(hooks.places.state / "writes")
    with pytest.raises(ChangedError):
        write(Target(hooks.path, b"other"), b"new", receipts)
    write(Target(hooks.path, SETTINGS), None, receipts)
    assert hooks.data is None
    assert receipts.all() == []
