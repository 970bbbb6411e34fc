"""Which context files are before an agent after a compaction, as far as that is known."""

import os
from datetime import timedelta

import pytest

from compacting import NOW
from ctxd.context_files.block import BEGIN, END
from ctxd.context_files.conventions import after_compaction
from ctxd.ledger import fingerprint
from ctxd.retention.afterwards import Moment, files_of, humans, standing

START = NOW - timedelta(hours=2)


def moment(agent="claude-code", version="2.1.332", trigger="manual", **more):
    facts = {"time": NOW, "started": START, "live": True} | more
    return Moment(agent=agent, version=version, trigger=trigger, **facts)


def put(root, path, text, changed=START - timedelta(days=1)):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    os.utime(file, (changed.timestamp(), changed.timestamp()))
    return file


def names(files):
    return sorted(file.path for file in files)


@pytest.mark.parametrize(
    ("agent", "version", "trigger", "does"),
    [
        ("claude-code", "2.1.332", "manual", "reread"),
        ("claude-code", "2.1.332", "auto", "reread"),
        ("claude-code", "2.1.265", "auto", "next prompt"),
        ("claude-code", "2.1.109", "auto", "next prompt"),
        ("claude-code", "2.1.63", "auto", "as at start"),
        ("claude-code", "1.0.128", "manual", "reread"),
        ("claude-code", None, "auto", "reread"),
        ("claude-code", "2.1.332", None, "next prompt"),
        ("copilot-cli", "1.0.102", "auto", "as at start"),
        ("copilot-vscode", None, "auto", "each request"),
        ("codex", "0.142.5", "auto", "as at start"),
        ("gemini-cli", "0.30.0", "auto", "as at start"),
        ("cursor", None, None, "each request"),
        ("windsurf", None, None, "as at start"),
        ("kiro-cli", "2.0.0", "auto", "unknown"),
        ("somebody-else", "1", "auto", "unknown"),
    ],
)
def test_what_each_agent_does_was_measured(agent, version, trigger, does):
    assert after_compaction(agent, version, trigger) == does


class TestWhichFiles:
    def test_those_that_an_agent_reads_at_its_start(self, tmp_path):
        put(tmp_path, "AGENTS.md", "one")
        put(tmp_path, "CLAUDE.md", "two")
        put(tmp_path, "GEMINI.md", "three")
        put(tmp_path, ".claude/rules/all.md", "four")
        put(tmp_path, ".claude/rules/web.md", "---\npaths: web/**\n---\nfive")
        assert names(files_of("claude-code", "2.1.332", str(tmp_path))) == [
            ".claude/rules/all.md",
            "CLAUDE.md",
        ]
        assert names(files_of("codex", None, str(tmp_path))) == ["AGENTS.md"]

    def test_and_those_that_the_log_says_were_loaded_from_elsewhere(self, tmp_path):
        root, home = tmp_path / "repo", tmp_path / "home"
        put(root, "CLAUDE.md", "here")
        own = put(home, "CLAUDE.md", "everywhere")
        others = [str(own), str(root / "CLAUDE.md"), str(home / "gone.md"), "relative.md"]
        found = files_of("claude-code", "2.1.332", str(root), others)
        assert names(found) == [str(own), "CLAUDE.md"]

    @pytest.mark.parametrize(
        "cwd", [None, "", "vscode-remote://ssh/repo", "relative", "/not/there"]
    )
    def test_none_where_no_folder_is(self, cwd):
        assert files_of("claude-code", "2.1.332", cwd) == []

    def test_a_link_out_of_the_worktree_is_not_followed(self, tmp_path):
        secret = put(tmp_path, "secret.md", "not yours")
        root = tmp_path / "repo"
        root.mkdir()
        (root / "CLAUDE.md").symlink_to(secret)
        assert files_of("claude-code", "2.1.332", str(root)) == []

    @pytest.mark.parametrize("data", [b"\0binary\0", b"\xff\xfe\x00"])
    def test_what_is_no_text_is_left_out(self, tmp_path, data):
        (tmp_path / "CLAUDE.md").write_bytes(data)
        assert files_of("claude-code", "2.1.332", str(tmp_path)) == []

    def test_a_humans_part_is_all_but_the_block(self, tmp_path):
        put(tmp_path, "CLAUDE.md", f"mine\n{BEGIN}\n- theirs (aaaaaaaa)\n{END}\nmine too\n")
        [file] = files_of("claude-code", "2.1.332", str(tmp_path))
        assert file.own == "mine\nmine too\n"
        assert "theirs" in file.text


class TestWhatStands:
    @pytest.fixture
    def root(self, tmp_path):
        return tmp_path

    def stands(self, root, when, changed=START - timedelta(days=1)):
        put(root, "CLAUDE.md", "words", changed)
        put(root, "AGENTS.md", "words", changed)
        files = files_of(when.agent, when.version, str(root))
        assert files
        return bool(standing(files, when))

    def test_a_file_that_is_read_again_stands_as_it_was_then(self, root):
        assert self.stands(root, moment(), NOW - timedelta(seconds=5))
        assert not self.stands(root, moment(), NOW + timedelta(seconds=5))

    def test_one_that_is_read_with_each_request_stands_as_it_is_now(self, root):
        request = moment("copilot-vscode", None, "auto")
        assert self.stands(root, request, NOW + timedelta(seconds=5))
        past = moment("copilot-vscode", None, "auto", live=False)
        assert not self.stands(root, past, NOW + timedelta(seconds=5))

    @pytest.mark.parametrize(
        "when", [moment("copilot-cli", "1.0.102"), moment(version="2.1.200", trigger="auto")]
    )
    def test_one_that_was_read_at_the_start_stands_if_it_is_older(self, root, when):
        assert self.stands(root, when)
        assert not self.stands(root, when, START + timedelta(minutes=1))

    def test_or_if_the_log_says_that_this_very_text_was_loaded(self, root):
        loaded = frozenset({fingerprint("words")})
        when = moment("copilot-cli", "1.0.102", loaded=loaded)
        assert self.stands(root, when, START + timedelta(minutes=1))

    def test_nothing_is_claimed_of_what_nobody_measured(self, root):
        assert not self.stands(root, moment("kiro-cli", "2.0.0"))
        assert not self.stands(root, moment("copilot-cli", "1.0.102", started=None))
        assert not self.stands(root, moment(time=None))

    def test_in_history_a_human_wrote_what_was_not_changed_since(self, root):
        put(root, "CLAUDE.md", "words", NOW + timedelta(days=1))
        files = files_of("claude-code", "2.1.332", str(root))
        assert [text.text for text in humans(files, moment())] == ["words"]
        assert humans(files, moment(live=False)) == []
