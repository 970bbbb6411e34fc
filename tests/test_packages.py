"""What users and packagers get: all of the product, and nothing else."""

import subprocess
import sys
import tarfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from ctxd import __version__

ROOT = Path(__file__).parent.parent
SOURCES = {
    f"{package}/{path.relative_to(ROOT / folder / package).as_posix()}"
    for folder, package in (("daemon", "ctxd"), ("parsers", "ctxd_parsers"))
    for path in (ROOT / folder / package).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
}

pytestmark = pytest.mark.skipif(not find_spec("hatchling"), reason="needs the build backend")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


def test_the_wheel_holds_both_packages_with_schemas_types_and_manual_and_nothing_else(built):
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    manual = f"ctxd_daemon-{__version__}.data/data/share/man/man1/ctxd.1"
    assert names == SOURCES | {manual}
    assert {"ctxd/py.typed", "ctxd_parsers/py.typed", "ctxd/schemas/scan-1.schema.json"} <= names


def test_the_source_distribution_holds_what_the_wheel_is_made_of_and_no_tests(built):
    [sdist] = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"daemon/{name}" for name in SOURCES if name.startswith("ctxd/")} <= names
    assert {f"parsers/{name}" for name in SOURCES if name.startswith("ctxd_parsers/")} <= names
    assert {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", "docs/json.md"} <= names
    assert not {name for name in names if name.startswith("tests")}
