"""`ctxd hook`: shown first, asked before, written whole, told how it stands."""

import json
import os
import shlex
import subprocess

import pytest

from batches import batch
from cli.known import open_ledger
from cli.running import Run, plain, typing
from ctxd.ledger import SessionRow
from ctxd.service.asking import control_address
from git_repos import new_repository

on_terminal = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")
SETTINGS = '{\n  "model": "opus", // mine\n}\n'


@pytest.fixture
def claude(home):
    """The settings of an agent that was used here; its client is not installed."""
    home.variables["PATH"] = os.pathsep.join(["/usr/bin", "/bin"])
    path = home.path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS, encoding="utf-8")
    return path


def within(home, folder, *arguments):
    """Run in a folder."""
    done = subprocess.run(
        home.command(*arguments),
        env=home.variables,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def text(path):
    return path.read_text(encoding="utf-8")


class TestInstall:
    def test_a_dry_run_shows_the_change_and_makes_none(self, home, claude):
        before = home.files()
        run = home.ctxd("hook", "install", "claude-code", "--dry-run")
        assert (run.code, run.err) == (0, "")
        assert run.lines[0] == f"--- a{claude.resolve()}"
        assert '+    "PreCompact": [' in run.lines
        assert text(claude) == SETTINGS
        assert home.files() == before

    def test_without_a_terminal_nothing_is_written_unless_told_so(self, home, claude):
        run = home.ctxd("hook", "install", "claude-code")
        assert run.code == 2
        assert run.err == (
            "error: there is no terminal to ask on\n\n"
            "hint: add `--yes` to write without a question, `--dry-run` to look only\n"
        )
        assert text(claude) == SETTINGS

    def test_told_so_it_is_written_and_taken_out_byte_for_byte(self, home, claude):
        run = home.ctxd("hook", "install", "claude-code", "--yes")
        assert (run.code, run.err) == (0, "")
        assert run.lines[-1] == "wrote ~/.claude/settings.json"
        assert '"model": "opus", // mine\n' in text(claude)
        assert "claude-code" in text(claude)
        again = home.ctxd("hook", "install", "claude-code", "--yes")
        assert again.lines[0] == "Claude Code: its hooks are there already"
        assert "wrote" not in again.out
        run = home.ctxd("hook", "uninstall", "claude-code", "--yes")
        assert (run.code, run.err) == (0, "")
        assert text(claude) == SETTINGS

    @on_terminal
    @pytest.mark.parametrize(("answer", "is_written"), [("y", True), ("n", False), ("", False)])
    def test_on_a_terminal_the_user_is_asked(self, home, claude, answer, is_written):
        run = typing(home, 100, "hook", "install", "claude-code", keys=[answer])
        assert run.code == 0
        assert "write this? [y/N]: " in run.out
        assert ("nothing was written" in run.out) is not is_written
        assert ("PreCompact" in text(claude)) is is_written

    def test_all_means_those_that_are_found(self, home, claude):
        (home.path / ".copilot").mkdir()
        (home.path / ".codeium" / "windsurf").mkdir(parents=True)
        run = home.ctxd("hook", "install", "--all", "--yes")
        assert (run.code, run.err) == (0, "")
        assert [line for line in run.lines if line.startswith("wrote ")] == [
            "wrote ~/.claude/settings.json",
            "wrote ~/.copilot/hooks/ctxd.json",
        ]
        assert not (home.path / ".codeium" / "windsurf" / "hooks.json").exists()
        home.ctxd("hook", "uninstall", "--all", "--yes")
        assert text(claude) == SETTINGS
        assert list((home.path / ".copilot").iterdir()) == []

    def test_where_no_agent_is_found_that_is_said(self, home):
        run = home.ctxd("hook", "install", "--all")
        assert (run.code, run.err) == (0, "")
        assert run.lines[0] == "no agent that hooks help was found here"

    def test_one_that_cannot_be_helped_does_not_keep_the_others_from_it(self, home, claude):
        claude.write_text("{", encoding="utf-8")
        (home.path / ".gemini").mkdir()
        run = home.ctxd("hook", "install", "--all", "--yes")
        assert run.code == 6
        assert "x Claude Code: `" in run.err
        assert "is no JSON: line 1" in run.err
        assert (home.path / ".gemini" / "settings.json").exists()
        assert text(claude) == "{"

    @pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
    def test_a_file_that_cannot_be_written_does_not_keep_the_others_from_it(self, home, claude):
        claude.chmod(0o444)
        (home.path / ".gemini").mkdir()
        run = home.ctxd("hook", "install", "claude-code", "gemini-cli", "--yes")
        assert run.code == 6
        assert "its mode says that it is not to be written" in run.err
        assert run.lines[-1] == "wrote ~/.gemini/settings.json"
        assert text(claude) == SETTINGS

    def test_where_there_is_nothing_to_take_out_that_is_said(self, home, claude):
        run = home.ctxd("hook", "uninstall", "--all")
        assert (run.code, run.out) == (0, "there are no hooks to take out\n")

    def test_a_broken_file_is_an_error_with_a_hint(self, home, claude):
        claude.write_text('{"a": 1,, }', encoding="utf-8")
        run = home.ctxd("hook", "install", "claude-code", "--yes")
        assert run.code == 1
        assert run.err.startswith(f"error: `{claude.resolve()}` is no JSON: line 1: ")
        assert run.err.endswith("\n\nhint: mend the file; nothing was written\n")

    def test_an_old_client_gets_no_hooks_that_would_turn_its_own_off(self, home, claude):
        row = SessionRow(agent="claude-code", id="s", client_version="1.0.35", spoken=True)
        with open_ledger(home) as ledger:
            ledger.record(batch(path=claude, sessions=[row]))
        run = home.ctxd("hook", "install", "claude-code", "--yes")
        assert run.code == 1
        assert run.err == (
            "error: Claude Code 1.0.35 has no hooks that ctxd can use\n\n"
            "hint: update it to 1.0.128 or later; ctxd follows its logs all the same\n"
        )
        assert text(claude) == SETTINGS

    def test_ctxds_own_folders_stand_in_the_command(self, home, claude):
        home.ctxd("--home", home.path / "it's mine", "hook", "install", "claude-code", "--yes")
        command = json.loads(text(claude).replace("// mine", "").replace("},\n}", "}\n}"))
        [group] = command["hooks"]["PreCompact"]
        address = control_address(home.path / "it's mine" / "run")  # a short link, if it is long
        assert shlex.quote(address) in group["hooks"][0]["command"]


class TestProject:
    @pytest.fixture
    def root(self, home):
        return new_repository(home.path.resolve() / "api")

    def test_hooks_of_a_project_stand_in_its_own_files(self, home, claude, root):
        before = home.files()
        run = within(
            home, root, "hook", "install", "claude-code", "copilot-cli", "--project", "--yes"
        )
        assert (run.code, run.err) == (0, "")
        assert run.lines[-2:] == [
            "wrote ~/api/.claude/settings.local.json",
            "wrote ~/api/.github/hooks/ctxd.json",
        ]
        assert "! Copilot CLI: keep `.github/hooks/ctxd.json` out of commits" in run.out
        assert text(claude) == SETTINGS
        run = within(home, root, "hook", "status", "--project")
        assert "~/api/.claude/settings.local.json" in run.out
        assert "not installed" in home.ctxd("hook", "status").lines[1]
        within(home, root, "hook", "uninstall", "claude-code", "--project", "--yes")
        assert not (root / ".claude").exists()
        assert (root / ".github").exists()
        run = home.ctxd("hook", "uninstall", "--all", "--yes")
        assert run.lines[-1] == "removed ~/api/.github/hooks/ctxd.json"
        assert {path for path in home.files() if "own" not in path.parts[0]} >= before

    def test_the_users_hooks_stay_when_those_of_a_project_go(self, home, claude, root):
        home.ctxd("hook", "install", "claude-code", "--yes")
        within(home, root, "hook", "install", "claude-code", "--project", "--yes")
        within(home, root, "hook", "uninstall", "claude-code", "--project", "--yes")
        assert "PreCompact" in text(claude)

    def test_outside_of_a_repository_there_is_no_project(self, home, claude):
        run = within(home, home.path / ".claude", "hook", "install", "claude-code", "--project")
        assert run.code in (1, 2)


class TestStatus:
    def test_how_hooks_stand_is_told(self, home, claude, snapshot):
        (home.path / ".codex").mkdir()
        (home.path / ".codeium" / "windsurf").mkdir(parents=True)
        home.ctxd("hook", "install", "codex", "--yes")
        snapshot("hook_status", home.ctxd("hook", "status").out)

    def test_nothing_is_found_where_no_agent_is(self, home):
        home.variables["PATH"] = "/nowhere"
        run = home.ctxd("hook", "status")
        assert run.code == 0
        agents = "claude-code copilot-cli copilot-vscode codex gemini-cli cursor kiro-cli kiro-ide"
        assert run.lines == [f"not found here: {', '.join([*agents.split(), 'windsurf'])}"]

    def test_a_command_that_is_gone_is_told_and_mended(self, home, claude):
        home.ctxd("hook", "install", "claude-code", "--yes")
        claude.write_text(text(claude).replace("/ctxd/hooks/", "/old/ctxd/hooks/"), "utf-8")
        run = home.ctxd("hook", "status")
        assert "stale" in run.lines[1]
        assert "/old/ctxd/hooks/client.py` is not there any more" in run.out
        assert "hint: `ctxd hook install claude-code` brings them up to date" in run.out
        home.ctxd("hook", "install", "claude-code", "--yes")
        assert "installed" in home.ctxd("hook", "status").lines[1]

    def test_a_client_that_has_changed_since_is_told(self, home, claude):
        binary = home.path / "bin" / "claude"
        binary.parent.mkdir()
        home.variables["PATH"] = f"{binary.parent}:/usr/bin:/bin"

        def release(version):
            binary.write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
            binary.chmod(0o755)

        release("2.1.100")
        home.ctxd("hook", "install", "claude-code", "--yes")
        release("2.1.332")
        told = "! Claude Code: it was 2.1.100 when they were written, and is 2.1.332"
        assert told in home.ctxd("hook", "status").lines
        run = home.ctxd("hook", "install", "claude-code")
        assert run.code == 0
        assert told not in home.ctxd("hook", "status").lines

    def test_of_clients_that_share_a_file_the_older_one_decides(self, home):
        def release(name, version):
            program = home.path / "bin" / name
            program.parent.mkdir(exist_ok=True)
            program.write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
            program.chmod(0o755)

        home.variables["PATH"] = f"{home.path / 'bin'}:/usr/bin:/bin"
        hooks = home.path / ".kiro" / "hooks" / "ctxd.json"
        release("kiro-cli", "kiro-cli 3.6.0")
        release("kiro", "1.3.0")
        home.ctxd("hook", "install", "kiro-cli", "--yes")
        assert "UserPromptSubmit" in text(hooks)
        assert "PostCompact" not in text(hooks)
        release("kiro", "1.4.121")
        run = home.ctxd("hook", "status", "kiro-cli")
        assert "incomplete" in run.lines[1]
        assert "! Kiro CLI: PreCompact, PostCompact would be added" in run.lines
        home.ctxd("hook", "install", "kiro-ide", "--yes")
        assert "PostCompact" in text(hooks)
        release("kiro", "0.9.1")
        run = home.ctxd("hook", "install", "kiro-ide", "--yes")
        assert run.err.startswith("error: Kiro 0.9.1 has no hooks that ctxd can use")
        assert home.ctxd("hook", "install", "kiro-cli").code == 0

    def test_an_old_client_that_reads_the_same_file_comes_before_a_new_one(self, home, claude):
        program = home.path / "bin" / "claude"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\necho 1.0.35\n", encoding="utf-8")
        program.chmod(0o755)
        home.variables["PATH"] = f"{program.parent}:/usr/bin:/bin"
        run = home.ctxd("hook", "install", "copilot-vscode", "--yes")
        assert run.err.startswith("error: Claude Code 1.0.35 has no hooks that ctxd can use")
        assert text(claude) == SETTINGS

    @pytest.mark.parametrize(
        ("settings", "state", "why"),
        [
            ('{"disableAllHooks": true}', "off", "`disableAllHooks` is set in the same file"),
            ("{", "unusable", "is no JSON"),
        ],
    )
    def test_hooks_that_cannot_run_are_told(self, home, claude, settings, state, why):
        claude.write_text(settings, encoding="utf-8")
        home.ctxd("hook", "install", "claude-code", "--yes")
        run = home.ctxd("hook", "status", "claude-code")
        assert state in run.lines[1].split()
        assert why in run.out

    def test_missing_events_are_told(self, home, claude):
        home.ctxd("hook", "install", "claude-code", "--yes")
        claude.write_text(text(claude).replace('"SessionEnd"', '"Mine"'), encoding="utf-8")
        run = home.ctxd("hook", "status")
        assert "stale" in run.lines[1]
        claude.write_text('{"hooks": {}}', encoding="utf-8")
        assert "not installed" in home.ctxd("hook", "status").lines[1]

    def test_a_narrow_terminal_gets_the_columns_that_matter(self, home, claude):
        home.ctxd("hook", "install", "claude-code", "--yes")
        lines = plain(home.on_terminal(60, "hook", "status", "claude-code").out).splitlines()
        assert lines[0].split() == ["AGENT", "HOOKS", "CLIENT", "FILE", "EVENTS"]
        assert max(map(len, lines[:2])) <= 60
        lines = plain(home.on_terminal(45, "hook", "status", "claude-code").out).splitlines()
        assert lines[0].split() == ["AGENT", "HOOKS", "FILE"]


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (["install"], "say which agent to install hooks for", "found here: claude-code"),
        (["uninstall"], "say which agent to uninstall hooks for", "found here: claude-code"),
        (
            ["install", "claude", "--yes"],
            "ctxd knows no hooks of `claude`",
            "did you mean `claude-code`?",
        ),
        (["install", "x7", "--yes"], "ctxd knows no hooks of `x7`", "known are claude-code, "),
        (
            ["install", "codex", "--all"],
            "an agent is named, and `--all` means every one",
            "leave out one of them",
        ),
        (["remove", "codex"], "invalid value for", "`ctxd hook -h` shows how it is used"),
        ([], "missing argument `ACTION`", "`ctxd hook -h` shows how it is used"),
    ],
)
def test_a_mistake_is_answered_with_what_and_what_next(home, claude, arguments, error, hint):
    run = home.ctxd("hook", *arguments)
    assert (run.code, run.out) == (2, "")
    first, _, second = run.err.splitlines()
    assert first.startswith(f"error: {error}")
    assert second.startswith(f"hint: {hint}")
    assert text(claude) == SETTINGS


def test_ctxd_that_is_gone_leaves_an_agent_in_peace(home, claude):
    """Somebody uninstalls ctxd and forgets its hooks."""
    home.ctxd("hook", "install", "copilot-cli", "--yes")
    file = home.path / ".copilot" / "hooks" / "ctxd.json"
    [hook] = json.loads(text(file))["hooks"]["preCompact"]
    command = hook["bash"].replace("/ctxd/hooks/client.py", "/gone/ctxd/hooks/client.py")
    done = subprocess.run(["sh", "-c", command], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
