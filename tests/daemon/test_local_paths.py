"""Items name files as they are seen from the repository's top."""

import time

import pytest

from ctxd.extract.scopes import names
from ctxd.local_paths import root_of, without_root
from git_repos import new_repository
from made_items import item

ROOT = "/home/dev/shop"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("keep it in /home/dev/shop/app/limits.py", "keep it in app/limits.py"),
        ("keep it in `/home/dev/shop/app/limits.py`.", "keep it in `app/limits.py`."),
        ("[/home/dev/shop/app.py, /home/dev/shop/b.py]", "[app.py, b.py]"),
        ("never touch /home/dev/shop", "never touch ."),
        ("never touch /home/dev/shop-old/app.py", "never touch /home/dev/shop-old/app.py"),
        ("not /srv/home/dev/shop/app.py", "not /srv/home/dev/shop/app.py"),
        ("use tabs", "use tabs"),
    ],
)
def test_the_folder_of_the_checkout_is_left_out(said, kept):
    made = item(said, reason=said, scope=(said,), rejected=(said,), filled=(said,))
    short = without_root(made, ROOT)
    assert (short.text, short.reason, short.scope) == (kept, kept, (kept,))
    assert (short.rejected, short.filled) == ((kept,), (kept,))
    assert (short.id, short.evidence) == (made.id, made.evidence)


def test_two_names_of_one_file_are_one():
    made = item("x", scope=("/home/dev/shop/app.py", "app.py"))
    assert without_root(made, ROOT).scope == ("app.py",)


def test_the_root_is_the_checkouts_top(tmp_path):
    root = new_repository(tmp_path / "shop")
    (root / "app").mkdir()
    assert root_of(str(root / "app")) == str(root.resolve())


@pytest.mark.parametrize("cwd", [None, "", "/", "/srv"])
def test_a_root_that_could_be_any_word_is_none(cwd):
    assert root_of(cwd) == ""
    assert without_root(item("x /srv y"), root_of(cwd)).text == "x /srv y"


@pytest.mark.parametrize("path", ["/home/dev/shop-api/shop/app.py", "~/shop-api/app.py"])
def test_a_path_is_named_whole(path):
    assert names([f"see {path}, and [{path}]"]) == (path,)


@pytest.mark.parametrize("sign", ["-", "a-", "a/", "/", "~", "a.", "@", "a_", "`"])
def test_names_are_found_in_linear_time(sign):
    began = time.perf_counter()
    names([sign * (100_000 // len(sign))])
    assert time.perf_counter() - began < 5
