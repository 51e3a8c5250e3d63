# SPDX-License-Identifier: GPL-2.0-or-later
"""What an open session does now, measured in the background while its pane is shown."""

from __future__ import annotations

import contextlib
import textwrap
import threading
from collections.abc import Sequence

from polltrace.dump.report import database_lines, time_line
from polltrace.dump.session_state import DatabaseState
from polltrace.errors import PolltraceError
from polltrace.latency.observe_session import observe_process
from polltrace.profiles.frames import Identity
from polltrace.servers.activity import SessionActivity, activity_change
from polltrace.servers.database import Login
from polltrace.servers.servers import Server

_EVERY_S = 2.0
# Two hundred samples each time, for a hundredth of a processor.
_RATE_HZ = 100.0
_WIDTH = 80


class SessionNow:
    """Follows one server at a time."""

    def __init__(self, login: Login | None) -> None:
        self._login = login
        self._of: Identity | None = None
        self._measurement: _Measurement | None = None

    @property
    def lines(self) -> Sequence[str]:
        """What its pane shows; empty until something was measured."""
        return self._measurement.lines if self._measurement else ()

    def follow(self, server: Server | None) -> bool:
        """Measure this one, or none; whether there is news. Never waits."""
        of = (server.pid, server.start_ticks) if server else None
        if of != self._of:
            self.close()
            self._of = of
            self._measurement = _Measurement(server, self._login) if server else None
            return True
        return self._measurement is not None and self._measurement.has_news()

    def close(self) -> None:
        """Measure no more."""
        if self._measurement is not None:
            self._measurement.over.set()
        self._of = self._measurement = None


class _Measurement:
    """Of one server, in a thread of its own until `over`; the last one's `lines`."""

    def __init__(self, server: Server, login: Login | None) -> None:
        self._server, self._login = server, login
        self._news = threading.Event()
        self.over = threading.Event()
        self.lines: Sequence[str] = ()
        threading.Thread(target=self._run, daemon=True).start()

    def has_news(self) -> bool:
        """Whether lines came since it was asked last."""
        news = self._news.is_set()
        self._news.clear()
        return news

    def _run(self) -> None:
        try:
            with contextlib.ExitStack() as ending:
                self._measure(*self._reader(ending))
        except PolltraceError as error:
            self._show([*self.lines, "", str(error)])

    def _reader(self, ending: contextlib.ExitStack) -> tuple[SessionActivity | None, str]:
        """None, and the reason, where the database cannot be asked."""
        if self._login is None:
            return None, "--connect adds its statement, its waits and statistics."
        try:
            return ending.enter_context(SessionActivity(self._login, self._server)), ""
        except PolltraceError as error:
            return None, str(error)

    def _measure(self, reader: SessionActivity | None, missing: str) -> None:
        before = reader.read() if reader else None
        while not self.over.is_set():
            seen = observe_process(self._server, _EVERY_S, self.over.is_set, _RATE_HZ)
            lines = [*textwrap.wrap(f"Time {time_line(seen.budget, None)}", _WIDTH), ""]
            if reader is None or before is None:
                self._show([*lines, missing])
                continue
            now = reader.read()
            state = DatabaseState(reader.session, now, activity_change(before, now))
            self._show([*lines, *database_lines(state, _WIDTH)])
            before = now

    def _show(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._news.set()
