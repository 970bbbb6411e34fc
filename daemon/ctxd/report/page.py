"""The report as one HTML file that stands alone.

Promises: it loads nothing and sends nothing (a content security policy that names its own style and
script by their hash says so to the browser); the same values give the same bytes; words of sessions
are text and nothing else. Every one passes the terminal's sanitiser on its way in, so that nothing
hides in it or reorders it, and then Jinja's escaping; no template turns that off.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from ctxd import __version__
from ctxd.policy.report import CUTS_NAMED
from ctxd.report import palette, phrases
from ctxd.report.drawing import drawings
from ctxd.report.values import Report
from ctxd.retention.values import BINDING
from ctxd.terminal import visible

_TEMPLATES = "templates"


def page(report: Report, zone: str) -> str:
    """The whole file; `zone` names the time zone that its times are in."""
    environment = _environment()
    style = palette.rules() + _own("report.css")
    script = _own("report.js")
    cuts = [cut for session in report.sessions for cut in session.cuts]
    kinds = Counter(listed.row.kind for listed in report.items)
    return environment.get_template("report.html.j2").render(
        report=report,
        name=phrases.name_of(report.repository),
        drawings=drawings(report.sessions),
        cuts=len(cuts),
        totals={
            mark: sum(getattr(cut, mark) for cut in cuts)
            for mark in ("survives", "reinjected", "breaks", "unknown")
        },
        kinds=[(kind, kinds[kind]) for kind in BINDING if kinds[kind]],
        style=Markup(style),  # noqa: S704 - ours, from the package
        script=Markup(script),  # noqa: S704 - same
        policy=_policy(style, script),
        version=f"ctxd {__version__}",
        zone=zone,
        most_cuts=CUTS_NAMED,
    )


def plain(value: object) -> object:
    """What a template writes of a value: of a text, its visible form, line by line."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    lines = value.replace("\r\n", "\n").expandtabs(_TAB).split("\n")
    return "\n".join(map(visible, lines))


_TAB = 4


def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("ctxd.report", _TEMPLATES),
        autoescape=True,
        finalize=plain,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(phrases.FILTERS)
    for name in ("signs.html.j2", "quotes.html.j2", "lane.html.j2"):
        module: Any = made.get_template(name).module
        made.globals.update(_macros(module))
    return made


def _macros(module: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(module).items() if callable(value)}


def _own(name: str) -> str:
    return (resources.files("ctxd.report") / _TEMPLATES / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src {_hashed(style)}; script-src {_hashed(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hashed(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
