"""An item about certain paths goes to the file for them, if all agents seen here read that."""

from pathlib import Path

import pytest

from ctxd.context_files.scoping import matches, patterns, scoped_file
from ctxd.context_files.values import File, View


def view(files, agents=()):
    found = {path: File(data=text.encode()) for path, text in files.items()}
    return View(root=Path("/home/dev/api"), agents=frozenset(agents), files=found)


def rule(key, value):
    return f"---\n{key}: {value}\n---\n# Rules\n"


NESTED = {"AGENTS.md": "", "packages/web/AGENTS.md": "", "packages/web/src/AGENTS.md": ""}


class TestNestedFiles:
    def test_the_nearest_one_that_is_around_all_paths_is_taken(self):
        seen = view(NESTED)
        assert scoped_file(["packages/web/src/a.ts"], seen) == "packages/web/src/AGENTS.md"
        assert scoped_file(["packages/web/b.ts"], seen) == "packages/web/AGENTS.md"
        both = ["packages/web/src/a.ts", "packages/web/b.ts"]
        assert scoped_file(both, seen) == "packages/web/AGENTS.md"

    def test_none_is_taken_when_a_path_lies_elsewhere(self):
        assert scoped_file(["packages/web/b.ts", "packages/api/c.ts"], view(NESTED)) is None
        assert scoped_file(["packages/website/b.ts"], view(NESTED)) is None

    def test_none_is_made(self):
        assert scoped_file(["packages/web/b.ts"], view({"AGENTS.md": ""})) is None

    def test_symbols_and_bare_names_are_no_paths(self):
        assert scoped_file(["useForm()", "package.json"], view(NESTED)) is None
        assert scoped_file([], view(NESTED)) is None

    def test_a_full_path_is_one_of_the_worktree(self):
        path = "/home/dev/api/packages/web/b.ts"
        assert scoped_file([path], view(NESTED)) == "packages/web/AGENTS.md"

    def test_none_is_taken_that_an_agent_seen_here_does_not_read(self):
        scope = ["packages/web/b.ts"]
        assert scoped_file(scope, view(NESTED, {"claude-code", "cursor"}))
        assert scoped_file(scope, view(NESTED, {"claude-code", "codex"})) is None

    def test_none_is_taken_that_cannot_be_written(self):
        files = {"packages/web/AGENTS.md": File(kind="unusable")}
        assert scoped_file(["packages/web/b.ts"], View(root=Path("/api"), files=files)) is None


class TestRuleFiles:
    @pytest.mark.parametrize(
        ("path", "key", "agent"),
        [
            (".claude/rules/web.md", "paths", "claude-code"),
            (".github/instructions/web.instructions.md", "applyTo", "copilot-vscode"),
            (".kiro/steering/web.md", "fileMatchPattern", "kiro-ide"),
            (".cursor/rules/web.mdc", "globs", "cursor"),
            (".windsurf/rules/web.md", "globs", "windsurf"),
        ],
    )
    def test_one_whose_patterns_match_is_taken(self, path, key, agent):
        seen = view({path: rule(key, "web/**/*.ts"), "AGENTS.md": ""}, {agent})
        assert scoped_file(["web/a/b.ts"], seen) == path
        assert scoped_file(["web/a/b.ts", "api/c.py"], seen) is None
        assert scoped_file(["web/a/b.css"], seen) is None

    def test_one_for_everything_is_none_for_certain_paths(self):
        seen = view({".claude/rules/all.md": rule("paths", '"**"')}, {"claude-code"})
        assert scoped_file(["web/a.ts"], seen) is None

    def test_one_without_patterns_is_none(self):
        seen = view({".claude/rules/all.md": "# Rules\n"}, {"claude-code"})
        assert scoped_file(["web/a.ts"], seen) is None

    def test_none_is_taken_where_no_agent_was_seen(self):
        seen = view({".claude/rules/web.md": rule("paths", "web/**")})
        assert scoped_file(["web/a.ts"], seen) is None


@pytest.mark.parametrize(
    "lines",
    [
        "paths: src/**, test/{a,b}/*.ts",
        'paths: "src/**, test/{a,b}/*.ts"',
        "paths: [src/**, 'test/{a,b}/*.ts']",
        'title: x\npaths:\n  - src/**\n  - "test/{a,b}/*.ts"\nother: y\n',
    ],
)
def test_patterns_are_read_in_the_forms_people_write(lines):
    assert patterns(f"---\n{lines}\n---\ntext\n".encode(), "paths") == ("src/**", "test/{a,b}/*.ts")


@pytest.mark.parametrize(
    "text",
    ["", "paths: src/**\n", "---\npaths: src/**\n", "---\nnopaths: src/**\n---\n", "---\n---\n"],
)
def test_what_has_no_first_lines_has_no_patterns(text):
    assert patterns(text.encode(), "paths") == ()


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("src/*.ts", "src/a.ts", True),
        ("src/*.ts", "src/x/a.ts", False),
        ("src/**", "src/x/a.ts", True),
        ("**/*.ts", "a.ts", True),
        ("**/*.ts", "x/y/a.ts", True),
        ("src/**/test/*.py", "src/test/a.py", True),
        ("src/**/test/*.py", "src/a/b/test/a.py", True),
        ("src/{a,b}/*.{ts,tsx}", "src/b/x.tsx", True),
        ("src/{a,b}/*.{ts,tsx}", "src/c/x.tsx", False),
        ("/src/a.ts", "src/a.ts", True),
        ("src", "src/a.ts", False),
        ("src/[ab].ts", "src/b.ts", True),
        ("src/{a.ts", "src/{a.ts", True),
    ],
)
def test_patterns_match_as_agents_match_them(pattern, path, expected):
    assert matches(pattern, path) is expected


def test_hostile_patterns_take_no_time():
    deep = "/".join(["a"] * 200)
    assert not matches("/".join(["**", "a*a*a*a*a*a*b"] * 50), deep)
    assert not matches("{a,b}" * 60, "x")
    assert not matches("*a" * 5000 + "b", "a" * 5000)
