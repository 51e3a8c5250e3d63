# SPDX-License-Identifier: GPL-2.0-or-later
"""The flame graph's page in a real browser: drawing, zooming, searching, keys, safety."""

from __future__ import annotations

from pathlib import Path

import pytest

from polltrace.stacks.flamegraph import flame_graph
from polltrace.stacks.folded import Folded
from polltrace.stacks.layers import built_in
from polltrace.stacks.picture import Picture, Side
from tests.browser import Browser

FETCH = ("main", "qertbFetch", "kdst_fetch")
POLL = (*FETCH, "nioqts", "nsmore2recv", "snttmoredata", "sntpoltsts", "poll")
OUT_OF_BAND = Side("out-of-band", {FETCH: 80, ("main", "opitsk"): 20})
IN_BAND = Side("in-band", {FETCH: 60, POLL: 30, ("main", "opitsk"): 10})
HOSTILE = "</script><img src=x onerror=\"document.title='broken'\">&amp;'"


def opened(browser: Browser, graph: Picture, tmp_path: Path) -> None:
    page = tmp_path / "flame.html"
    page.write_text(flame_graph(graph))
    browser.open(page)


SHOWN = "[...document.querySelectorAll('#graph rect')].map(b => b.call.name).sort().join(' ')"
BOX = "[...document.querySelectorAll('#graph rect')].find(b => b.call.name === n)"
WIDTH = f"(n) => {BOX}.width.baseVal.value"
FILL = f"(n) => {BOX}.getAttribute('fill')"
KEY = "[...document.querySelectorAll('#key li')].filter(l => l.offsetParent)"


def test_drawn_zoomed_and_searched(browser: Browser, tmp_path: Path) -> None:
    opened(browser, Picture("one", IN_BAND, layers=built_in("oracle")), tmp_path)
    everything = sorted({"all", "opitsk", *POLL})
    assert browser.ask(SHOWN).split() == everything
    scale = browser.ask("[graph.getScreenCTM().a, graph.getScreenCTM().d]")
    assert scale == pytest.approx([1, 1], abs=1e-4)
    share = browser.ask(f"({WIDTH})('nioqts') / ({WIDTH})('all')")
    assert share == pytest.approx(0.3, abs=1e-6)
    assert {browser.ask(f"({FILL})('{name}')") for name in POLL[3:7]} == {"#f4936f"}

    # A click zooms in: callers stay, siblings go.
    browser.ask(
        "[...document.querySelectorAll('#graph rect')].find(b => b.call.name === 'nioqts')"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    assert browser.ask(SHOWN).split() == sorted({"all", *POLL})
    assert browser.ask(f"({WIDTH})('nioqts') / ({WIDTH})('all')") == pytest.approx(1)
    assert browser.ask("document.getElementById('frame').textContent") == (
        "nioqts · Oracle Net: sessions, transports\n30 samples, 30.00 % of all, 100.00 % of nioqts"
    )
    browser.ask("document.getElementById('out').click()")
    assert browser.ask(SHOWN).split() == everything

    browser.ask("find.value = '^(ns|snt)'; find.dispatchEvent(new Event('input')); 0")
    assert browser.ask("document.getElementById('found').textContent") == "3 functions: 30.00 %"
    assert browser.ask("document.querySelectorAll('rect.found').length") == 3
    browser.ask("find.value = '('; find.dispatchEvent(new Event('input')); 0")
    assert browser.ask("find.getAttribute('aria-invalid')") == "true"


def test_keyboard(browser: Browser, tmp_path: Path) -> None:
    opened(browser, Picture("keys", IN_BAND), tmp_path)
    browser.ask("graph.focus()")
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft"):
        browser.key(key)
    assert browser.ask("state.chosen.name") == "opitsk"
    for key in ("ArrowRight", "ArrowUp", "Enter"):
        browser.key(key)
    assert browser.ask("state.zoom.name") == "kdst_fetch"
    browser.key("Escape")
    assert browser.ask("state.zoom.name") == "all"


def test_difference(browser: Browser, tmp_path: Path) -> None:
    graph = Picture("diff", IN_BAND, OUT_OF_BAND, built_in("oracle"), find="nioqts")
    opened(browser, graph, tmp_path)
    assert browser.ask("document.getElementById('found').textContent") == (
        "1 function: out-of-band 0.00 %, in-band 30.00 %"
    )
    fill = f"(n) => ({FILL})(n).match(/[0-9]+/g).map(Number)"
    red, _, blue = browser.ask(f"({fill})('nioqts')")
    assert red > blue + 100
    red, _, blue = browser.ask(f"({fill})('opitsk')")
    assert blue > red + 40
    assert len(set(browser.ask(f"({fill})('main')"))) == 1
    texts = browser.ask("[...document.querySelectorAll('#graph text')].map(t => t.textContent)")
    assert {"nioqts +30.0", "opitsk −10.0", "main"} <= set(texts)  # noqa: RUF001

    # The other side's widths: what is only in this one is gone, the key follows the colours.
    browser.ask("document.querySelector('input[value=before]').click()")
    assert browser.ask(SHOWN).split() == sorted({"all", "opitsk", *FETCH})
    key = f"{KEY}.map(l => l.textContent)"
    assert browser.ask(key) == ["smaller share", "no change", "larger share"]
    browser.ask("document.querySelector('input[value=layer]').click()")
    assert "Oracle Net: sessions, transports" in browser.ask(key)


def test_no_request_no_error_no_injection(browser: Browser, tmp_path: Path) -> None:
    names: tuple[str, ...] = (HOSTILE, "<svg onload=alert(1)>", "constructor", "__proto__")
    folded: Folded = {names: 3}
    opened(browser, Picture("safe", Side(HOSTILE, folded), find=HOSTILE), tmp_path)
    assert browser.ask("document.title") == "safe"
    assert browser.ask("document.images.length") == 0
    assert browser.ask("calls.length") == 5
    assert browser.ask("calls.slice(1).map(c => c.name)") == list(names)
    (request,) = browser.requests
    assert request.startswith("file://")
    assert browser.problems == []


def test_large_profile_draws_only_what_can_be_seen(browser: Browser, tmp_path: Path) -> None:
    folded: Folded = {("main", f"f{i % 97}", f"g{i}", "h"): 1 + i % 5 for i in range(50_000)}
    opened(browser, Picture("large", Side("large", folded)), tmp_path)
    assert browser.ask("calls.length") > 100_000
    assert browser.ask("document.querySelectorAll('#graph rect').length") < 5_000
