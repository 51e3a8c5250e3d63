# SPDX-License-Identifier: GPL-2.0-or-later
"""The site that `make docs` makes, in a browser: each page opens without a complaint, has its
pictures, asks nobody else for anything, and links to what is there."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from tests.browser import Browser
from tests.conftest import ROOT, missing

_LINKS = "[...document.links].map(link => link.href)"
_IDS = "[...document.querySelectorAll('[id]')].map(element => element.id)"
_UNSEEN = "[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src)"
# What its head names and no browser loads by itself.
_NAMED = "[...document.querySelectorAll('head link[href]')].map(link => link.href)"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, _format: str, *_args: object) -> None:
        pass


@dataclass(frozen=True)
class Page:
    """As the browser has it: where it leads (`links`), and the anchors in it (`ids`)."""

    title: str
    links: list[str]
    ids: set[str]
    complaints: list[object]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("sphinx") is None:
        missing("Sphinx is not installed: make docs")
    folder = tmp_path_factory.mktemp("site")
    made = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", ROOT / "docs", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the site is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def pages(site: Path, address: str, browser: Browser) -> Mapping[str, Page]:
    """Every page, by its path, opened."""
    return {
        path: opened(browser, address, path)
        for path in sorted(str(page.relative_to(site)) for page in site.rglob("*.html"))
    }


def opened(browser: Browser, address: str, path: str) -> Page:
    browser.go(f"{address}{path}")
    links = [*browser.ask(_LINKS), *browser.ask(_NAMED)]
    title, ids, unseen = (browser.ask(each) for each in ("document.title", _IDS, _UNSEEN))
    answers = [
        event["params"]["response"]
        for event in browser.events
        if event.get("method") == "Network.responseReceived"
    ]
    complaints: list[object] = [
        *browser.problems,
        *(f"not loaded: {picture}" for picture in unseen),
        *(f"asks another site: {url}" for url in browser.requests if not of(address, url)),
        *(f"{each['status']}: {each['url']}" for each in answers if each["status"] >= 400),
    ]
    return Page(title, links, set(ids), complaints)


def of(address: str, url: str) -> bool:
    return url.startswith((address, "data:"))


def test_each_page_opens_without_browser_errors(pages: Mapping[str, Page]) -> None:
    assert {path: page.complaints for path, page in pages.items() if page.complaints} == {}


def test_every_link_and_anchor_leads_somewhere(
    pages: Mapping[str, Page], site: Path, address: str
) -> None:
    lost = []
    for path, page in pages.items():
        for link in page.links:
            url, anchor = urldefrag(link)
            if not of(address, url):
                # Another site's page is not opened here; a file of somebody's disk is none.
                lost += [] if url.startswith("https://") else [(path, link)]
                continue
            to = unquote(urlsplit(url).path[1:]) or "index.html"
            known = pages.get(to)
            there = known is not None or (site / to).is_file()
            if not there or (anchor and (known is None or unquote(anchor) not in known.ids)):
                lost.append((path, link))
    assert lost == []


def test_pages_and_links_are_found(pages: Mapping[str, Page]) -> None:
    """The tests above would pass on a site without any."""
    sources = {
        str(path.relative_to(ROOT / "docs").with_suffix(""))
        for path in (ROOT / "docs").rglob("*.md")
        if "build" not in path.parts
    }
    assert sources - {path.removesuffix(".html") for path in pages} == set()
    assert pages["index.html"].title == "polltrace"
    links = [link for page in pages.values() for link in page.links]
    assert sum("#" in link for link in links) > 100
    # Every page is reached from the first one.
    linked = {urlsplit(link).path.removeprefix("/") for link in pages["index.html"].links}
    assert {f"{name}.html" for name in sources - {"index"}} <= linked
