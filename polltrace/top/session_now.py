# SPDX-License-Identifier: GPL-2.0-or-later
"""The present activity of an open session, measured while its pane is shown."""

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
from polltrace.servers.database_sessions import why_not
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
    """A session's present activity.

    `budget` divides its time (None: not measured yet), `database` is the database's view of it
    (None: not queried, or the session is unknown there), `note` names the missing part.
    """

    budget: TimeBudget | None = None
    database: DatabaseState | None = None
    note: str = ""


class SessionNow(FollowedSession["_ActivityMeasurement"]):
    """Follows one server at a time."""

    def __init__(self, login: Login | None) -> None:
        super().__init__()
        self._login = login

    def _begin(self, server: Server) -> _ActivityMeasurement:
        return _ActivityMeasurement(server, self._login)

    def lines(self, polling: Estimate | None, width: int) -> Sequence[str]:
        """The lines of the pane; empty before the first result.

        `polling` is the share of the session's CPU time in polls, in per cent; None: unknown.
        """
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
        activity = doing.database.activity
        lines = [f"{activity.sql_id}{'' if activity.executing else ' (the last one)'}".strip(), ""]
        for line in activity.sql_text.splitlines():
            lines += textwrap.wrap(line, width, replace_whitespace=False) or [""]
        if len(activity.sql_text) >= _SQL_TEXT:
            lines += ["", f"These are its first {_SQL_TEXT:,} characters."]
        return lines if activity.sql_id or activity.sql_text else ["No statement."]


def _on_cpu(budget: TimeBudget, polling: Estimate | None) -> str:
    """The session's time on CPU, divided into polls and other work where the share is known."""
    if polling is None:
        return on_cpu(budget)
    polls = polling.scaled(budget.cpu)
    return (
        f"at work on CPU {max(100 * budget.cpu - polls.value, 0.0):.1f} %,"
        f" polling {polls.value:.1f} % [{polls.low:.1f}, {polls.high:.1f}]"
        f" ({polling.value:.2f} % of its CPU)"
    )


class _ActivityMeasurement(Measurement):
    """Repeated measurement of one server; `doing` is the last result."""

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
        """The reader of the database's views; None, and the reason, where there is none."""
        if self._login is None:
            return None, "--connect adds its statement, its waits and statistics."
        if missing := why_not(self._login, self._server):
            return None, missing
        try:
            return ending.enter_context(SessionActivity(self._login, self._server)), ""
        except PolltraceError as error:
            return None, str(error)

    def _measure(self, reader: SessionActivity | None, missing: str) -> None:
        earlier = reader.read() if reader else None
        while not self.over.is_set():
            budget = observe_process(self._server, _EVERY_S, self.over.is_set, _RATE_HZ).budget
            if reader is None or earlier is None:
                self._show(_Doing(budget, note=missing))
                continue
            activity = reader.read()
            change = activity_change(earlier, activity)
            self._show(_Doing(budget, DatabaseState(reader.session, activity, change)))
            earlier = activity

    def _show(self, doing: _Doing) -> None:
        self.doing = doing
        self._news.set()
