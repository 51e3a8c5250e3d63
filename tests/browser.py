# SPDX-License-Identifier: GPL-2.0-or-later
"""Headless Chromium over its debugging pipe: enough to open a page, act on it and ask it."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.waiting import PATIENCE_S

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_PROBLEMS = (
    *("Runtime.exceptionThrown", "Runtime.consoleAPICalled"),
    *("Log.entryAdded", "Network.loadingFailed"),
)


def program() -> str | None:
    """The browser installed here, None if there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """One page. Messages are JSON, each ended by a zero byte, on descriptors 3 and 4."""

    def __init__(self, profile: Path) -> None:
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
            "--no-first-run",
            "--window-size=1280,900",
        ]

        def place_pipes() -> None:
            away = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, to_write)]
            os.dup2(away[0], 3)
            os.dup2(away[1], 4)

        self._child = subprocess.Popen(
            [program() or "chromium", *options],
            preexec_fn=place_pipes,  # noqa: PLW1509  nothing here has threads
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of one command; events that arrive meanwhile are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def open(self, page: Path) -> None:
        """Load a page and wait until it has."""
        self.go(page.as_uri())

    def go(self, url: str) -> None:
        """The same, of any address."""
        self.events.clear()
        self.call("Page.navigate", url=url)
        while not self._has_loaded(url):
            self.events.append(self._receive())

    @property
    def requests(self) -> list[str]:
        """The addresses that the page has asked for, its own first."""
        sent = [each for each in self.events if each.get("method") == "Network.requestWillBeSent"]
        return [each["params"]["request"]["url"] for each in sent]

    @property
    def problems(self) -> list[dict[str, Any]]:
        """What the page has thrown or logged, and what it asked for and did not get."""
        return [each for each in self.events if each.get("method") in _PROBLEMS]

    def _has_loaded(self, url: str) -> bool:
        """Whether this page has come, and then its load event: the one before has one as well."""
        come = False
        for event in self.events:
            if event.get("method") == "Page.frameNavigated":
                come = event["params"]["frame"]["url"] == url
            elif come and event.get("method") == "Page.loadEventFired":
                return True
        return False

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def key(self, name: str) -> None:
        """Press a key on what has the focus."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name)

    def close(self) -> None:
        self._session = None
        try:
            self.call("Browser.close")
            self._child.wait(timeout=PATIENCE_S)
        finally:
            self._child.kill()
        os.close(self._to)
        os.close(self._from)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            assert select.select([self._from], [], [], PATIENCE_S)[0], "the browser is silent"
            data = os.read(self._from, 1 << 20)
            assert data, "the browser ended"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        decoded: dict[str, Any] = json.loads(message)
        return decoded
