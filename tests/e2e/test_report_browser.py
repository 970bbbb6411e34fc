"""The report in a real browser: it looks as it should, asks for nothing, and words never act.

CTXD_PICTURES names a folder that the screenshots are kept in.
"""

import os
from pathlib import Path

import pytest

from ctxd.ledger import Ledger
from ctxd.report.gathering import choice, report
from ctxd.report.page import page
from daemon.report.test_page import HOSTILE
from e2e.browser import Browser, program
from e2e.daemon import wait_until
from report_sessions import TOLD, LongSession, importer, ledger_of
from session_events import NOON

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(program() is None, reason="needs Chromium, as `apt install chromium` has"),
]
CWD = "/home/dev/shop-api"
SIZES = {"wide": (1280, 900), "narrow": (390, 844)}


def written(folder: Path, *sessions: LongSession) -> str:
    """The address of a report of these sessions."""
    path = ledger_of(folder, *(one.write(folder) for one in sessions), told=TOLD)
    with Ledger.reader(path) as reader:
        text = page(report(reader, choice(reader, CWD), NOON), "UTC")
    (folder / "report.html").write_text(text, encoding="utf-8")
    return (folder / "report.html").as_uri()


def evil() -> LongSession:
    words = " ".join(HOSTILE)
    made = LongSession(CWD, f"title {words}", "evil")
    made.user(f"never log request bodies {words}")
    made.agent(f"Two ways:\n\nA) with {words}\nB) without\n\nWhich one?")
    made.user(f"B, {words} is too slow")
    made.work(5)
    made.compact(f"The user wants B. Never log request bodies {words}")
    made.work(3)
    return made


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    return written(tmp_path_factory.mktemp("report"), importer(CWD))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return written(tmp_path_factory.mktemp("hostile"), evil())


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    return Path(os.environ.get("CTXD_PICTURES") or tmp_path_factory.mktemp("pictures"))


def opened(browser, address, size="wide", theme="light", **more):
    """The page, as if for the first time."""
    browser.look(*SIZES[size], theme, **more)
    browser.open(address)
    if more.get("scripts", True):
        browser.evaluate("localStorage.clear()")
        browser.open(address)
    return browser


def focus(browser) -> str:
    return browser.evaluate("document.activeElement.textContent.trim().slice(0, 40)")


class TestPicture:
    @pytest.mark.parametrize("theme", ["light", "dark"])
    @pytest.mark.parametrize("size", SIZES)
    def test_it_fits_complains_of_nothing_and_asks_for_nothing(
        self, browser, address, pictures, size, theme
    ):
        opened(browser, address, size, theme)
        path = pictures / f"report-{size}-{theme}.png"
        browser.picture(path)
        assert browser.complaints() == []
        assert browser.requests() == [address]
        width = SIZES[size][0]
        assert browser.evaluate("document.documentElement.scrollWidth") == width
        assert path.read_bytes().startswith(b"\x89PNG")

    def test_with_everything_open_it_still_fits(self, browser, address, pictures):
        opened(browser, address, "narrow", "dark")
        browser.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
        browser.picture(pictures / "report-narrow-dark-open.png")
        assert browser.evaluate("document.documentElement.scrollWidth") == 390
        assert browser.complaints() == []

    def test_lines_meet_the_cuts_where_the_window_is_cut(self, browser, address):
        opened(browser, address)
        across = "[...document.querySelectorAll('%s .cut')].slice(0, 3).map(%s)"
        place = "(one) => Math.round(one.getBoundingClientRect().x)"
        window = browser.evaluate(across % (".curve", place))
        assert len(set(window)) == 3
        assert browser.evaluate(across % (".lane", place)) == window

    def test_the_theme_is_the_systems_until_the_reader_chooses(self, browser, address):
        ground = "getComputedStyle(document.body).backgroundColor"
        light = opened(browser, address, theme="light").evaluate(ground)
        dark = opened(browser, address, theme="dark").evaluate(ground)
        assert light != dark
        browser.evaluate("document.getElementById('theme').click()")
        assert browser.evaluate(ground) == light

        def again():
            browser.open(address)
            return browser.evaluate(ground) == light

        wait_until(again, 10, "the choice, which a browser writes down when it likes")


class TestKeys:
    def test_a_slash_searches_and_escape_ends_it(self, browser, address):
        opened(browser, address)
        shown = "[...document.querySelectorAll('.items > li')].filter((one) => !one.hidden).length"
        every = browser.evaluate(shown)
        browser.press("/")
        assert browser.evaluate("document.activeElement.id") == "words"
        for letter in "cents":
            browser.press(letter)
        assert browser.evaluate("document.getElementById('words').value") == "cents"
        assert browser.evaluate(shown) == 1
        assert browser.evaluate("document.getElementById('found').textContent") == (
            f"1 of {every} items"
        )
        browser.press("Escape", 27)
        assert browser.evaluate(shown) == every

    def test_a_search_that_finds_nothing_says_so(self, browser, address):
        opened(browser, address)
        browser.press("/")
        for letter in "zq":
            browser.press(letter)
        assert browser.evaluate("document.getElementById('nothing').checkVisibility()")

    def test_j_and_k_and_the_arrows_go_from_line_to_line_and_enter_opens(self, browser, address):
        opened(browser, address)
        browser.press("j")
        first = focus(browser)
        browser.press("j")
        second = focus(browser)
        assert first
        assert first != second
        browser.press("k")
        assert focus(browser) == first
        browser.press("ArrowDown", 40)
        assert focus(browser) == second
        browser.press("Enter", 13)
        assert browser.evaluate("document.activeElement.parentElement.open")
        assert browser.evaluate(
            "document.activeElement.parentElement.querySelector('blockquote').checkVisibility()"
        )

    def test_single_letters_can_be_turned_off(self, browser, address):
        opened(browser, address)
        browser.evaluate("document.getElementById('keys').click()")
        for key in "j/":
            browser.press(key)
            assert browser.evaluate("document.activeElement === document.body")

    def test_tab_comes_to_the_skip_link_first_and_then_to_everything(self, browser, address):
        opened(browser, address)
        seen = []
        for _ in range(6):
            browser.press("Tab", 9)
            seen.append(focus(browser))
        assert seen[0] == "Skip to the sessions"
        assert seen[1:5] == ["Sessions", "Decisions", "About", "Dark"]

    def test_one_kind_alone_can_be_shown(self, browser, address):
        opened(browser, address)
        browser.evaluate("document.querySelector('[data-kind=decision]').click()")
        kinds = browser.evaluate(
            "[...document.querySelectorAll('.items > li')].filter((one) => !one.hidden)"
            ".map((one) => one.dataset.kind)"
        )
        assert set(kinds) == {"decision"}


class TestWithoutScripts:
    def test_everything_can_be_read_and_opened(self, browser, address, pictures):
        opened(browser, address, scripts=False)
        browser.picture(pictures / "report-without-scripts.png")
        browser.press("Tab", 9)
        for _ in range(4):
            browser.press("Tab", 9)
        browser.press("Enter", 13)
        browser.look(*SIZES["wide"])
        assert browser.evaluate("document.querySelector('.lane').open")
        assert browser.evaluate("document.getElementById('search').hidden")
        assert browser.complaints() == []


class TestHostileWords:
    def test_they_are_shown_and_do_nothing(self, browser, hostile, pictures):
        opened(browser, hostile)
        browser.picture(pictures / "report-hostile.png")
        assert browser.complaints() == []
        assert browser.requests() == [hostile]
        assert browser.evaluate("document.querySelectorAll('script, img, iframe').length") == 1
        assert "<script>alert(1)</script>" in browser.evaluate("document.body.innerText")
        dialogs = [one for one in browser.heard if one["method"] == "Page.javascriptDialogOpening"]
        assert dialogs == []

    def test_a_script_that_came_in_all_the_same_would_not_run(self, browser, hostile):
        opened(browser, hostile)
        browser.evaluate(
            "(() => { const s = document.createElement('script'); s.textContent = 'window.bad = 1';"
            "document.body.append(s); document.body.insertAdjacentHTML('beforeend',"
            "'<img src=x onerror=\"window.bad = 2\">'); })()"
        )
        assert browser.evaluate("window.bad === undefined")
        assert browser.requests() == [hostile, *browser.refused()]
        assert len(browser.refused()) == 1
