# SPDX-License-Identifier: GPL-2.0-or-later
"""What an open session does now, measured in the background while its pane is shown."""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

from polltrace.dump.report import database_lines, on_cpu, time_line
from polltrace.dump.session_state import DatabaseState
from polltrace.errors import PolltraceError
from polltrace.intervals import Estimate
from polltrace.latency.observe_session import observe_process
from polltrace.latency.time_budget import TimeBudget
from polltrace.servers.activity import SessionActivity, activity_change
from polltrace.servers.database import why_not
from polltrace.servers.login import Login
from polltrace.servers.servers import Server
from polltrace.top.followed_session import FollowedSession, Measurement

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


class SessionNow(FollowedSession["_Measurement"]):
    """Follows one server at a time."""

    def __init__(self, login: Login | None) -> None:
        super().__init__()
        self._login = login

    def _begin(self, server: Server) -> _Measurement:
        return _Measurement(server, self._login)

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


class _Measurement(Measurement):
    """What one server is `doing`, by the last time that it was measured."""

    def __init__(self, server: Server, login: Login | None) -> None:
        self._login = login
        self.doing = _Doing()
        super().__init__(server)

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
