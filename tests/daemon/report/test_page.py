"""The page: it stands alone, tells everything without scripts, and no words act in it."""

import base64
import hashlib
import itertools
import re
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import pytest

from ctxd.ledger import Ledger
from ctxd.report.file import MARK
from ctxd.report.gathering import choice, report
from ctxd.report.page import page, plain
from ctxd.report.values import Report
from report_sessions import LongSession, importer, ledger_of
from session_events import NOON

CWD = "/home/dev/shop-api"
TEMPLATES = Path(str(resources.files("ctxd.report") / "templates"))
HOSTILE = (
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "{{ 7 * 7 }} {% raw %}",
    "\x1b]0;title\x07 \u202egpj.exe \u200b\u2066hidden",
    "\ud800 half",
    "javascript:alert(1)",
)


class Parsed(HTMLParser):
    """The elements of a page with their attributes, and its words."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.words, self._open = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._open.append(tag)

    def handle_endtag(self, tag):
        while tag in self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        self.words.append((self._open[-1] if self._open else "", data))

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self):
        return " ".join(data for tag, data in self.words if tag not in ("script", "style"))

    def inside(self, tag):
        return "".join(data for name, data in self.words if name == tag)


def made_of(folder, *sessions, cwd=CWD, told=None):
    path = ledger_of(folder, *(one.write(folder) for one in sessions), told=told or {})
    with Ledger.reader(path) as reader:
        return report(reader, choice(reader, cwd), NOON)


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    return made_of(tmp_path_factory.mktemp("page"), importer(CWD), told={"Retries": 2})


@pytest.fixture(scope="module")
def html(values):
    return page(values, "UTC")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    words = " ".join(HOSTILE)
    made = LongSession(CWD, f"title {words}")
    made.user(f"never log request bodies {words}")
    made.agent(f"Two ways:\n\nA) with {words}\nB) without\n\nWhich one?")
    made.user(f"B, {words} is too slow")
    made.work(5)
    made.compact(f"The user wants B. Never log request bodies {words}")
    made.work(3)
    found = made_of(tmp_path_factory.mktemp("hostile"), made)
    assert len(found.items) >= 2
    assert "<script>" in found.items[0].row.text
    return page(found, "UTC")


class TestAlone:
    def test_the_same_values_give_the_same_bytes(self, values, html):
        assert page(values, "UTC") == html

    def test_the_policy_allows_its_own_style_and_script_and_nothing_else(self, html):
        parsed = Parsed(html)
        [policy] = [one["content"] for one in parsed.of("meta") if one.get("http-equiv")]
        assert policy.startswith("default-src 'none'; ")
        for tag in ("style", "script"):
            [attributes] = parsed.of(tag)
            assert attributes == {}
            digest = hashlib.sha256(parsed.inside(tag).encode()).digest()
            assert f"{tag}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy

    @pytest.mark.parametrize("page_of", ["html", "hostile"])
    def test_nothing_in_it_leads_out_or_acts(self, request, page_of):
        parsed = Parsed(request.getfixturevalue(page_of))
        assert {"iframe", "object", "embed", "img", "base"}.isdisjoint(
            tag for tag, _ in parsed.elements
        )
        for tag, attributes in parsed.elements:
            assert not [name for name in attributes if name.startswith("on")], tag
            assert {"style", "src", "srcset", "action", "xlink:href"}.isdisjoint(attributes), tag
            link = attributes.get("href")
            assert link is None or link.startswith("#") or link == "data:,"
        style = parsed.inside("style")
        assert "url(" not in style
        assert "@import" not in style

    def test_it_begins_with_the_mark_that_it_is_told_by(self, html):
        assert MARK in html[:512]

    def test_the_templates_never_turn_escaping_off(self):
        for path in TEMPLATES.glob("*.j2"):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"\|\s*safe|autoescape|Markup", text), path.name

    def test_style_and_script_cannot_end_early(self):
        for name in ("report.css", "report.js"):
            text = (TEMPLATES / name).read_text(encoding="utf-8").lower()
            assert "</" not in text
            assert "<!--" not in text


class TestHostileWords:
    def test_they_are_words(self, hostile):
        parsed = Parsed(hostile)
        assert len(parsed.of("script")) == len(parsed.of("style")) == 1
        assert "<script>alert(1)</script>" in parsed.text
        assert "{{ 7 * 7 }}" in parsed.text
        assert " 49 " not in parsed.text

    def test_what_hides_or_reorders_is_written_out(self, hostile):
        for sign in "\x1b\x07\u202e\u200b\u2066\ud800":
            assert sign not in hostile
        assert r"\u202egpj.exe" in hostile
        assert r"\x1b]0;title" in hostile
        hostile.encode("utf-8")

    def test_lines_of_a_quote_stay_lines(self):
        assert plain("one\r\ntwo\tx\rthree\x00") == r"one" + "\n" + r"two x\rthree\x00"


class TestWithoutScripts:
    def test_everything_is_there_to_read(self, values, html):
        text = Parsed(html).text
        for session in values.sessions:
            assert session.title in text
            for line in session.lines:
                assert line.text in text
                for at in line.at_cuts:
                    assert at.passage in text
                assert all(quoted.quote in text for quoted in line.evidence)
        for listed in values.items:
            assert all(option in text for option in listed.row.rejected)

    def test_what_needs_a_script_is_hidden_until_one_runs(self, html):
        parsed = Parsed(html)
        hidden = {a.get("id") for _, a in parsed.elements if "hidden" in a}
        assert {"theme", "search", "shortcuts"} <= hidden
        assert parsed.of("noscript")


class TestForEverybody:
    def test_it_has_landmarks_and_one_heading_above_all(self, html):
        parsed = Parsed(html)
        for tag in ("header", "nav", "main", "footer", "h1"):
            assert parsed.of(tag), tag
        assert len(parsed.of("main")) == len(parsed.of("h1")) == 1
        assert parsed.of("html")[0]["lang"] == "en"
        [skip] = [a for a in parsed.of("a") if a.get("class") == "skip"]
        assert skip["href"] == "#sessions"

    def test_headings_go_down_one_at_a_time(self, html):
        levels = [int(tag[1]) for tag, _ in Parsed(html).elements if re.fullmatch(r"h\d", tag)]
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels))

    def test_ids_are_there_once_and_whatever_names_one_finds_it(self, html):
        parsed = Parsed(html)
        ids = [a["id"] for _, a in parsed.elements if "id" in a]
        assert len(ids) == len(set(ids))
        for _, attributes in parsed.elements:
            for name in ("aria-labelledby", "for"):
                assert attributes.get(name, ids[0]) in ids
            link = attributes.get("href", "")
            assert not link.startswith("#") or link[1:] in ids

    def test_every_picture_is_named_or_passed_over(self, html):
        for attributes in Parsed(html).of("svg"):
            is_part = {"x", "y"} <= attributes.keys() or "viewbox" in attributes
            assert is_part or "aria-label" in attributes or "aria-hidden" in attributes

    def test_the_picture_is_there_as_tables(self, values, html):
        captions = re.findall(r"<caption>(.*?)</caption>", html)
        assert captions == ["Compactions", "Items at the cuts", "The window over time"]
        text = Parsed(html).text
        for cut in values.sessions[0].cuts:
            assert f"{cut.tokens_before:,}" in text


def test_a_report_of_nothing_says_so():
    empty = Report(
        repository="/home/dev/new",
        made=NOON,
        sessions=(),
        sessions_left_out=0,
        items=(),
        items_left_out=0,
    )
    text = Parsed(page(empty, "UTC")).text
    assert "No session of an agent ran in this repository." in text
    assert "Nothing was understood" in text
