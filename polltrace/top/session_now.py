# SPDX-License-Identifier: GPL-2.0-or-later
"""What an open session does now, measured in the background while its pane is shown."""

from __future__ import annotations

import contextlib
import textwrap
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

from polltrace.dump.report import database_lines, on_cpu, time_line
from polltrace.dump.session_state import DatabaseState
from polltrace.errors import PolltraceError
from polltrace.intervals import Estimate
from polltrace.latency.observe_session import observe_process
from polltrace.latency.time_budget import TimeBudget
from polltrace.profiles.frames import Identity
from polltrace.servers.activity import SessionActivity, activity_change
from polltrace.servers.database import Login, why_not
from polltrace.servers.servers import Server

_EVERY_S = 2.0
_RATE_HZ = 100.0  # two hundred samples each time, for 1.2 to 1.4 % of a processor (lock_waits.py)
# Lines of the statement next to its waits; another pane has all that the database has.
_MOST_SQL = 2
_SQL_TEXT = 1000  # characters, as many as V$SQL.SQL_TEXT has


@dataclass(frozen=True, slots=True)
class _Doing:
    """Where its time went (`budget`, None: not measured yet), what the database knows of it (None:
    it was not asked, or does not know), and a `note` on what is missing."""

    budget: TimeBudget | None = None
    database: DatabaseState | None = None
    note: str = ""


class SessionNow:
    """Follows one server at a time."""

    def __init__(self, login: Login | None) -> None:
        self._login = login
        self._of: Identity | None = None
        self._measurement: _Measurement | None = None

    def lines(self, polling: Estimate | None, width: int) -> Sequence[str]:
        """What its pane shows; empty until something was measured. `polling`: per cent of its CPU
        time that its polls take, None where that is not known."""
        doing = self._measurement.doing if self._measurement else _Doing()
        lines: list[str] = []
        if doing.budget is not None:
            first = _on_cpu(doing.budget, polling)
            lines += [*textwrap.wrap(f"Time {time_line(doing.budget, first)}", width), ""]
        if doing.database is not None:
            lines += database_lines(doing.database, width, _MOST_SQL)
        return [*lines, *textwrap.wrap(doing.note, width)]

    def statement(self, width: int) -> Sequence[str]:
        """The statement, as far as the database has it; empty until it was asked."""
        doing = self._measurement.doing if self._measurement else _Doing()
        if doing.database is None:
            return textwrap.wrap(doing.note, width)
        now = doing.database.now
        lines = [f"{now.sql_id}{'' if now.executing else ' (the last one)'}".strip(), ""]
        for line in now.sql_text.splitlines():
            lines += textwrap.wrap(line, width, replace_whitespace=False) or [""]
        if len(now.sql_text) >= _SQL_TEXT:
            lines += ["", f"These are its first {_SQL_TEXT:,} characters."]
        return lines if now.sql_id or now.sql_text else ["No statement."]

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


def _on_cpu(budget: TimeBudget, polling: Estimate | None) -> str:
    """Its time on CPU, divided into polls and the rest where the polls' part is known."""
    if polling is None:
        return on_cpu(budget)
    polls = polling.scaled(budget.cpu)
    return (
        f"at work on CPU {max(100 * budget.cpu - polls.value, 0.0):.1f} %,"
        f" polling {polls.value:.1f} % [{polls.low:.1f}, {polls.high:.1f}]"
        f" ({polling.value:.2f} % of its CPU)"
    )


class _Measurement:
    """Of one server, in a thread of its own until `over`; what it is `doing` by the last one."""

    def __init__(self, server: Server, login: Login | None) -> None:
        self._server, self._login = server, login
        self._news = threading.Event()
        self.over = threading.Event()
        self.doing = _Doing()
        threading.Thread(target=self._run, daemon=True).start()

    def has_news(self) -> bool:
        """Whether something was measured since it was asked last."""
        news = self._news.is_set()
        self._news.clear()
        return news

    def _run(self) -> None:
        try:
            with contextlib.ExitStack() as ending:
                self._measure(*self._reader(ending))
        except PolltraceError as error:
            self._show(replace(self.doing, note=str(error)))

    def _reader(self, ending: contextlib.ExitStack) -> tuple[SessionActivity | None, str]:
        """None, and the reason, where the database cannot be asked."""
        if self._login is None:
            return None, "--connect adds its statement, its waits and statistics."
        if missing := why_not(self._login, self._server):
            return None, missing
        try:
            return ending.enter_context(SessionActivity(self._login, self._server)), ""
        except PolltraceError as error:
            return None, str(error)

    def _measure(self, reader: SessionActivity | None, missing: str) -> None:
        before = reader.read() if reader else None
        while not self.over.is_set():
            budget = observe_process(self._server, _EVERY_S, self.over.is_set, _RATE_HZ).budget
            if reader is None or before is None:
                self._show(_Doing(budget, note=missing))
                continue
            now = reader.read()
            change = activity_change(before, now)
            self._show(_Doing(budget, DatabaseState(reader.session, now, change)))
            before = now

    def _show(self, doing: _Doing) -> None:
        self.doing = doing
        self._news.set()
