"""A bridge leads an agent to the home of the items, only where it is needed and understood."""

from pathlib import Path

import pytest

from ctxd.context_files.bridges import bridges, is_led
from ctxd.context_files.conventions import CONVENTIONS, reader
from ctxd.context_files.imports import imported, only_import, only_pointer
from ctxd.context_files.values import File, Memory, View

HOME = "AGENTS.md"
EVERY_AGENT = {agent for known in CONVENTIONS for agent in (*known.readers, *known.unless)}


def view(agents, **files):
    named = {path.replace("__", "/").replace("_md", ".md"): file for path, file in files.items()}
    found = {
        path: File(data=file.encode()) if isinstance(file, str) else file
        for path, file in named.items()
    }
    return View(root=Path("/api"), agents=frozenset(agents), files=found)


def edits(seen, memory=None):
    return {edit.path: edit.after.decode() for edit in bridges(seen, HOME, memory).edits}


def test_agents_that_read_the_home_by_themselves_need_none():
    agents = {"codex", "cursor", "kiro-cli", "kiro-ide", "windsurf", "copilot-cli"}
    assert edits(view(agents | {"copilot-vscode", "claude-code"}, AGENTS_md="x\n")) == {}


def test_no_agent_no_bridge():
    assert edits(view((), AGENTS_md="x\n", CLAUDE_md="y\n", GEMINI_md="z\n")) == {}


def test_a_file_that_keeps_an_agent_from_the_home_gets_the_import():
    seen = view({"claude-code"}, AGENTS_md="x\n", CLAUDE_md="use tabs\n")
    assert edits(seen) == {"CLAUDE.md": "use tabs\n\n@AGENTS.md\n"}


def test_a_file_whose_end_lies_in_code_gets_none_and_it_is_said():
    seen = view({"claude-code"}, AGENTS_md="x\n", CLAUDE_md="```\nmake\n")
    assert edits(seen) == {}
    [notice] = bridges(seen, HOME).notices
    assert (notice.path, notice.text) == ("CLAUDE.md", "a code block is not closed")


def test_an_old_client_gets_a_file_of_one_line():
    old = reader("claude-code", "2.1.265")
    assert edits(view({old}, AGENTS_md="x\n")) == {"CLAUDE.md": "@AGENTS.md\n"}
    assert edits(view({reader("claude-code", "2.1.332")}, AGENTS_md="x\n")) == {}
    assert edits(view({reader("claude-code", None)}, AGENTS_md="x\n")) == {}


def test_a_file_in_a_folder_imports_from_above():
    seen = view({"claude-code"}, AGENTS_md="x\n", **{".claude__CLAUDE_md": "a\n"})
    assert edits(seen) == {".claude/CLAUDE.md": "a\n\n@../AGENTS.md\n"}


@pytest.mark.parametrize(
    "text",
    [
        "@AGENTS.md\n",
        "See @AGENTS.md for all.\n",
        "a\n\n- @./AGENTS.md\n",
        "```\ncode\n```\n@AGENTS.md",
    ],
)
def test_a_file_that_imports_the_home_already_is_left(text):
    assert edits(view({"gemini-cli"}, AGENTS_md="x\n", GEMINI_md=text)) == {}


@pytest.mark.parametrize(
    "text", ["`@AGENTS.md`\n", "```\n@AGENTS.md\n```\n", "mail@AGENTS.md\n", "AGENTS.md\n\nx\n"]
)
def test_what_an_agent_does_not_take_for_an_import_is_none(text):
    seen = view({"gemini-cli"}, AGENTS_md="x\n", GEMINI_md=text)
    assert edits(seen)["GEMINI.md"].endswith("\n@AGENTS.md\n")


@pytest.mark.parametrize("kind", ["link", "pointer", "import"])
def test_a_file_that_stands_for_the_home_is_left(kind):
    file = File(data=b"AGENTS.md", kind=kind, link_to=HOME)
    assert (
        edits(view({"claude-code", "gemini-cli"}, AGENTS_md="x\n", CLAUDE_md=file, GEMINI_md=file))
        == {}
    )


@pytest.mark.parametrize("kind", ["unusable", "dangling", "barred"])
def test_a_file_that_must_not_be_written_gets_none_and_that_is_told(kind):
    seen = view({"gemini-cli"}, AGENTS_md="x\n", GEMINI_md=File(kind=kind))
    found = bridges(seen, HOME)
    assert found.edits == ()
    assert [notice.code for notice in found.notices] == ["bridge.none"]


def test_a_bridge_that_was_taken_out_stays_out():
    seen = view({"gemini-cli"}, AGENTS_md="x\n")
    assert edits(seen, {"GEMINI.md": Memory(bridge=True)}) == {}
    assert edits(seen, {"GEMINI.md": Memory()}) == {"GEMINI.md": "@AGENTS.md\n"}


def test_what_replaces_the_home_for_an_agent_is_told():
    """Nothing can be imported where nothing is understood as an import."""
    found = bridges(view({"codex"}, AGENTS_md="x\n", **{"AGENTS.override_md": "y\n"}), HOME)
    assert found.edits == ()
    assert found.notices[0].text == "codex does not read `AGENTS.md` here"


def test_a_file_that_an_agent_does_not_read_to_its_end_is_told_before_it_is_cut():
    def told(agents, size):
        return [n.code for n in bridges(view(agents, AGENTS_md="x" * size), HOME).notices]

    assert told({"codex"}, 20_000) == []
    assert told({"codex"}, 31_000) == ["file.cut"]
    assert told({"codex", "cursor"}, 40_000) == ["file.cut"]
    assert told({"cursor"}, 40_000) == []


def test_the_line_ends_and_the_last_line_are_kept_as_they_are():
    seen = view({"gemini-cli"}, AGENTS_md="x\n", GEMINI_md="a\r\nb\r\n")
    assert edits(seen) == {"GEMINI.md": "a\r\nb\r\n\r\n@AGENTS.md\r\n"}
    seen = view({"gemini-cli"}, AGENTS_md="x\n", GEMINI_md="a")
    assert edits(seen) == {"GEMINI.md": "a\n\n@AGENTS.md"}


def test_what_is_no_text_is_left():
    assert edits(view({"gemini-cli"}, AGENTS_md="x\n", GEMINI_md=File(data=b"\0\xff"))) == {}


@pytest.mark.parametrize("agent", sorted(EVERY_AGENT))
@pytest.mark.parametrize("there", [(), ("CLAUDE_md",), ("GEMINI_md", "CLAUDE_md")])
def test_with_its_bridges_an_agent_is_led_and_needs_no_more(agent, there):
    seen = view({agent}, AGENTS_md="x\n", **dict.fromkeys(there, "rules\n"))
    found = bridges(seen, HOME)
    files = {edit.path: File(data=edit.after) for edit in found.edits}
    after = View(root=seen.root, agents=seen.agents, files={**seen.files, **files})
    assert is_led(agent, after, HOME)
    assert bridges(after, HOME).edits == ()


def test_imports_are_found_in_linear_time():
    for hostile in ("`" * 100_000, "` `` " * 30_000, "@" * 100_000, "@" + "." * 100_000):
        assert imported("CLAUDE.md", hostile.encode()) == frozenset()
        assert only_import("CLAUDE.md", hostile.encode()) is None
        assert only_pointer("CLAUDE.md", hostile.encode()) is None


@pytest.mark.parametrize("name", ["../x.md", "/etc/x.md", "../../x.md"])
def test_what_leads_out_of_the_worktree_is_no_file_of_it(name):
    assert only_pointer("CLAUDE.md", name.encode()) is None
    assert imported("CLAUDE.md", f"@{name}".encode()) == frozenset()


def test_a_code_span_ends_at_the_next_run_of_its_length():
    assert imported("CLAUDE.md", b"`` a ` b `` @AGENTS.md") == {"AGENTS.md"}
    assert imported("CLAUDE.md", b"` a `` @AGENTS.md `") == frozenset()
    assert imported("CLAUDE.md", b"` a @AGENTS.md ") == {"AGENTS.md"}
