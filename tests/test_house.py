"""The house rules that a reader would otherwise have to check by eye."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*(ROOT / "daemon").rglob("*.py"), *(ROOT / "parsers").rglob("*.py")])
VENDOR = re.compile(
    r"claude|copilot|kiro|cursor|windsurf|devin|gemini|codex|amazon.?q", re.IGNORECASE
)
VENDOR_TABLES = {"registry.py", "conventions.py"}
"""Which parsers there are, and which files of a repository their agents read."""
VENDOR_FILE = re.compile(
    r"(claude_code|copilot|kiro|cursor|windsurf|gemini|codex|anthropic|openai|bedrock)\w*\.py"
)


def names(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(tree: ast.AST) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def code_without_docstrings(path: Path) -> str:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [child for child in body if not is_text(child)] or [ast.Pass()]
    return ast.unparse(tree)


def is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


@pytest.mark.parametrize("path", SOURCES, ids=names)
def test_modules_and_functions_are_small(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= (500 if VENDOR_FILE.fullmatch(path.name) else 400)
    for function in functions(ast.parse(text)):
        length = function.end_lineno - function.lineno + 1
        assert length <= 40, f"{function.name} has {length} lines"


@pytest.mark.parametrize("path", SOURCES, ids=names)
def test_vendor_names_stand_in_their_own_files_only(path):
    if VENDOR_FILE.fullmatch(path.name) or path.name in VENDOR_TABLES:
        return
    assert not VENDOR.findall(code_without_docstrings(path))


@pytest.mark.parametrize("path", SOURCES, ids=names)
def test_sql_stands_in_one_file_a_package(path):
    if path.name in {"ledger.py", "sqlite_rows.py"} or "ledger" in path.parts:
        return
    assert not re.search(
        r"\b(SELECT|INSERT|UPDATE|DELETE|PRAGMA)\s", path.read_text(encoding="utf-8")
    )


def test_each_number_of_the_policy_stands_there_once():
    found = [
        node.targets[0].id
        for path in (ROOT / "daemon" / "ctxd" / "policy").glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
    ]
    assert sorted(found) == sorted(set(found))


@pytest.mark.parametrize("path", SOURCES, ids=names)
def test_text_files_are_opened_with_a_named_encoding(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        given = {keyword.arg for keyword in node.keywords}
        if name in {"read_text", "write_text"}:
            assert "encoding" in given, f"line {node.lineno}"


def test_the_parser_library_imports_nothing_of_the_application():
    for path in (ROOT / "parsers").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(m == "ctxd" or m.startswith("ctxd.") for m in modules), path
