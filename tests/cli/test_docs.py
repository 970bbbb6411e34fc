"""What is written about ctxd is so: commands, options, links, versions, and what snippets print."""

import ast
import re
import shlex

import click
import pytest

from cli.running import ROOT, Home
from ctxd.cli.group import ALL, group
from ctxd.clients.registry import CLIENTS

README = ROOT / "README.md"
DOCS = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
SOURCES = sorted((ROOT / "daemon" / "ctxd").rglob("*.py"))
MOST_README_LINES = 150
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`(ctxd(?: [^`\n]*)?)`")
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
VERSION = re.compile(r"\d+(?:\.\d+)+")
SAMPLE = "examples/sample-session"


def read(path):
    return path.read_text(encoding="utf-8")


def names(path):
    return path.relative_to(ROOT).as_posix()


def blocks(path):
    """Language and lines of each code block."""
    return [(found[1], found[2].splitlines()) for found in BLOCK.finditer(read(path))]


def typed(path):
    """Command lines of ctxd that are shown as typed, in blocks of a console."""
    for language, lines in blocks(path):
        if language in ("console", "sh", "bash"):
            for line in lines:
                words = line.removeprefix("$ ")
                if words.startswith("ctxd") and (language != "console" or line.startswith("$ ")):
                    yield words


def arguments(line):
    """The words behind `ctxd`, without what a shell makes of the rest of the line."""
    line = re.split(r"\s#\s|\s[|&>]", f"{line} ")[0]
    return shlex.split(line.rstrip("& "))[1:]


def parse(words):
    """Take a command line apart as ctxd does, without running it; raise click's errors."""
    with group.make_context("ctxd", list(words)) as context:
        name, command, rest = group.resolve_command(context, context._protected_args + context.args)
        return command.make_context(name, rest, parent=context)


def mentioned():
    """Each `ctxd ...` in backticks, in the docs and in what ctxd says itself, with where it is."""
    for path in DOCS:
        for found in CODE.finditer(BLOCK.sub("", read(path))):
            yield names(path), found[1]
    for path in SOURCES:
        for node in ast.walk(ast.parse(read(path))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for found in CODE.finditer(node.value):
                    yield names(path), found[1]


def known_options(command):
    return {name for option in command.params for name in (*option.opts, *option.secondary_opts)}


def rows():
    """Cells of every row of every table of the README and the docs."""
    for path in DOCS:
        for line in read(path).splitlines():
            if line.startswith("|"):
                yield [cell.strip() for cell in line.strip("|").split(" | ")]


class TestCommands:
    def test_every_command_stands_in_a_table(self):
        told = {
            found.split()[1]
            for first, *_ in rows()
            for found in CODE.findall(first)
            if len(found.split()) > 1
        }
        assert told - set(ALL) == set()
        assert set(ALL) - told == set()

    @pytest.mark.parametrize("name", sorted(ALL))
    def test_every_command_and_option_says_what_it_does(self, name):
        command = group.get_command(click.Context(group), name)
        assert command.help
        assert all(option.help for option in command.params if isinstance(option, click.Option))

    @pytest.mark.parametrize("name", sorted(ALL))
    def test_the_examples_of_its_help_can_be_typed(self, name):
        command = group.get_command(click.Context(group), name)
        for line, _ in command.examples:
            if line.startswith("ctxd"):
                parse(arguments(line))

    @pytest.mark.parametrize("path", DOCS, ids=names)
    def test_command_lines_of_the_docs_can_be_typed(self, path):
        for line in typed(path):
            if arguments(line):
                parse(arguments(line))

    def test_whatever_command_is_mentioned_is_there_with_its_options(self):
        wrong = []
        for where, text in mentioned():
            words = text.split()[1:]
            if not words or words[0].startswith(("-", "<", "[")) or not words[0].isalpha():
                continue
            name = words[0]
            if name.isupper() or name == "alone":
                continue
            if name not in ALL:
                wrong.append((where, text))
                continue
            command = group.get_command(click.Context(group), name)
            unknown = set(OPTION.findall(text)) - known_options(command) - {"-h", "--help"}
            if unknown:
                wrong.append((where, text))
        assert wrong == []


SHOWN = [
    (names(path), lines)
    for path in DOCS
    for language, lines in blocks(path)
    if language == "console" and lines[0].startswith("$ ctxd") and SAMPLE in lines[0]
]
"""Snippets of the sample session, which is here to be read."""


class TestSnippets:
    def test_there_are_some(self):
        assert len(SHOWN) >= 2

    @pytest.mark.parametrize(("where", "lines"), SHOWN, ids=lambda value: str(value)[:60])
    def test_what_they_print_is_what_is_printed(self, home, where, lines):
        """Lines may be left out, and words where `...` stands; spaces do not count."""
        command = [word.replace(SAMPLE, str(ROOT / SAMPLE)) for word in arguments(lines[0][2:])]
        home = Home(home.path)
        run = home.ctxd(*command)
        assert run.code == 0
        left = spaced(run.out)
        for part in parts(lines[1:]):
            _, found, left = left.partition(part)
            assert found, f"{where}: not printed, or not there: {part!r}"


def parts(lines):
    """Pieces of a snippet that have to be printed in this order: a line each, and its beginning and
    end where some of it is left out."""
    for line in lines:
        for part in spaced(line).split("..."):
            if part.strip():
                yield part.strip()


def spaced(text):
    return " ".join(text.split())


class TestLinks:
    @pytest.mark.parametrize("path", [*DOCS, ROOT / "CHANGELOG.md"], ids=names)
    def test_every_link_leads_somewhere(self, path):
        for target in LINK.findall(BLOCK.sub("", read(path))):
            if target.startswith(("http:", "https:", "mailto:")):
                continue
            file, _, anchor = target.partition("#")
            other = (path.parent / file) if file else path
            assert other.exists(), target
            if anchor:
                assert anchor in {slug(found) for found in HEADING.findall(read(other))}, target

    def test_every_page_of_the_docs_can_be_found(self):
        linked = {
            (path.parent / target.partition("#")[0]).resolve()
            for path in DOCS
            for target in LINK.findall(read(path))
        }
        pages = {path.resolve() for path in (ROOT / "docs").glob("*.md")}
        assert {path.name for path in pages - linked} == set()


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


class TestReadme:
    def test_it_is_short(self):
        assert len(read(README).splitlines()) <= MOST_README_LINES

    @pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.agent)
    def test_its_agents_and_their_versions_are_those_that_were_proven(self, client):
        found = [cells for cells in rows() if cells[0] == client.product]
        assert found, f"no row of {client.product}"
        told = {version for cells in found for version in VERSION.findall(" ".join(cells))}
        assert set(client.proven) <= told
