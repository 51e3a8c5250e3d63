# SPDX-License-Identifier: GPL-2.0-or-later
"""The report as a page: whole, safe, and drawn by a real browser."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from polltrace.overhead.client_check import client_check_advice
from polltrace.recording.fold import read
from polltrace.recording.summary import summary
from polltrace.recording_report import recording_report
from polltrace.recording_report.page import _changes
from tests.browser import Browser
from tests.overhead.test_client_check import COST, SERVER, TEN_MS, load
from tests.recording.samples import (
    CHAIN,
    POLL_COST,
    frame,
    header,
    probe,
    probe_header,
    process,
    server,
    stack,
    story,
    symbols,
    totals,
    trailer,
    written,
)

HOSTILE = "</script><img src=x onerror=\"document.title='broken'\">&'\x1b[2J"
GAPS = {"duration": [], "gap": [[1000, 2000, 500], [2000, 4000, 90], [1_000_000, 2_000_000, 3]]}


def with_gaps() -> list[dict[str, Any]]:
    timed = totals(100, 7, 0.5, 593, times_ns=GAPS)
    gaps = [probe_header(), frame(1, timed), {"type": "trailer", "reason": "duration"}]
    records = story()
    return [*records[:-1], *[probe(each, 3.5, "gaps") for each in gaps], records[-1]]


def hostile() -> list[dict[str, Any]]:
    """All data that the watched side can influence is hostile."""
    names = dict.fromkeys(CHAIN, HOSTILE)
    client = {"fd": 15, "local": HOSTILE, "peer": HOSTILE, "owner": 0}
    settings = {
        "path": HOSTILE,
        "break_poll_skip": 3,
        "disable_oob": True,
        "skip_is_default": False,
    }
    return [
        probe(probe_header(), 0.0),
        probe(process(100, 7, HOSTILE), 0.0),
        probe(probe_header(), 0.0, "cpu"),
        server(100, 7, instance=HOSTILE, client=client, settings=settings),
        POLL_COST,
        symbols(100, 7, names, leaf=1),
        probe(frame(1, totals(100, 7, 0.9, 50_000)), 1.0),
        probe(frame(1, totals(100, 7, 0.9, 0, stacks=[stack(9, *CHAIN)])), 1.0, "cpu"),
        probe(probe_header(), 1.0, "gaps"),
        probe(frame(1, totals(100, 7, 0.5, 593, times_ns=GAPS)), 1.5, "gaps"),
        probe({"type": "trailer", "reason": "duration"}, 1.5, "gaps"),
        trailer(2, reason=HOSTILE, lost={HOSTILE: 1}),
    ]


def page_of(tmp_path: Path, *records: dict[str, Any], **head: Any) -> str:
    return recording_report(written(tmp_path / "a", *records, head=header(**head))).html()


class Elements(HTMLParser):
    """The elements and attributes of a page, and what is in its flame graph's frame."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.inner = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "srcdoc":
                self.inner = value or ""
            else:
                self.attributes.append((name, value or ""))


def test_verdict_first(tmp_path: Path) -> None:
    page = page_of(tmp_path, *with_gaps())
    plain = re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<style>.*?</style>|srcdoc=\".*?\"", "", page))
    order = ["Break polling takes", "Recommendation for 100", "  before  ", "  change  "]
    order += ["while it waits for a row lock", "  check  ", "  undo  ", "Seen:"]
    order += ["With cancels within 1 s while it runs and 2 min while it waits, the skip"]
    order += ["Sessions", "Gaps between", "The cost of each", "Forecast", "How good"]
    places = [plain.index(words) for words in order]
    assert places == sorted(places)
    assert "100 (ORCL, client 10.0.0.9:50000)" in plain
    assert "3 now" in plain
    assert page.count('class="plot"') == 3


def test_a_server_that_a_timer_checks_is_told_its_interval(tmp_path: Path) -> None:
    (worst, *_) = summary(read(written(tmp_path / "a", *with_gaps()))).sessions
    advice = client_check_advice(SERVER, True, load(0.25, 50.0), TEN_MS, cost=COST, runnable=1.0)
    found = " ".join(re.sub(r"<[^>]*>", " ", _changes(worst, advice)).split())
    assert found.startswith(
        "Recommendation for 100 (ORCL) To notice within 1 s (--max-cancel) that its client is gone"
    )
    assert "ALTER ROLE ... SET client_connection_check_interval = '" in html.unescape(found)


@pytest.mark.parametrize("records", [with_gaps(), hostile()])
def test_it_needs_nothing_else_and_carries_no_script_of_others(
    tmp_path: Path, records: list[dict[str, Any]]
) -> None:
    page = page_of(tmp_path, *records, host=HOSTILE, command=[HOSTILE])
    for found in (Elements(page), Elements(Elements(page).inner)):
        assert not {"img", "link", "object", "embed", "base", "a"} & set(found.tags)
        assert not [name for name, _ in found.attributes if name.startswith("on")]
        assert not [name for name, _ in found.attributes if name in ("src", "href", "style")]
        (policy,) = [v for n, v in found.attributes if n == "content" and "default-src" in v]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "unsafe" not in policy
    assert "script" not in Elements(page).tags
    assert Elements(Elements(page).inner).tags.count("script") == 2
    assert ("sandbox", "allow-scripts") in Elements(page).attributes
    assert "url(" not in page
    assert "@import" not in page
    assert "\x1b" not in page


def test_text_of_hostile_names_is_one_line_each(tmp_path: Path) -> None:
    text = recording_report(written(tmp_path / "a", *hostile())).text()
    assert "\x1b" not in text
    assert "".join(text.split("\n")).isprintable()


def test_a_quiet_host(tmp_path: Path) -> None:
    page = page_of(
        tmp_path,
        probe(probe_header(), 0.0),
        probe(process(100, 7), 0.0),
        server(100, 7),
        probe(frame(1, totals(100, 7, 0.0, 0)), 1.0),
        trailer(1),
    )
    assert 'class="verdict clean"' in page
    assert "iframe" not in Elements(page).tags


@pytest.mark.parametrize("records", [with_gaps(), hostile()])
def test_in_a_browser(browser: Browser, tmp_path: Path, records: list[dict[str, Any]]) -> None:
    path = tmp_path / "report.html"
    path.write_text(page_of(tmp_path, *records))
    browser.call(
        "Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True
    )
    browser.open(path)
    # THEN it is laid out: nothing runs out of the window, and every plot has its size
    assert browser.ask("document.title").startswith("Break polling on dbhost")
    assert browser.ask("document.images.length") == 0
    assert browser.ask("document.documentElement.scrollWidth <= innerWidth")
    sizes = browser.ask(
        "[...document.querySelectorAll('.plot')].map(p => p.getBoundingClientRect().height)"
    )
    assert len(sizes) == 3
    assert min(sizes) > 100
    # AND the flame graph is drawn in its sandbox
    frames = [e for e in browser.events if e.get("method") == "Target.attachedToTarget"]
    session = browser._session
    browser._session = frames[-1]["params"]["sessionId"]
    try:
        assert browser.ask("document.querySelectorAll('#graph rect').length") > 3
        assert browser.ask("document.images.length") == 0
    finally:
        browser._session = session
    # AND nothing was asked for, refused or thrown
    assert browser.requests == [path.as_uri()]
    assert browser.problems == []
    # AND in the dark its letters are light
    colours = {}
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.call("Emulation.setEmulatedMedia", features=features)
        colours[scheme] = browser.ask("getComputedStyle(document.body).color")
    assert colours == {"light": "rgb(28, 28, 28)", "dark": "rgb(232, 232, 232)"}
