# SPDX-License-Identifier: GPL-2.0-or-later
"""What a database session does, by the database's own views: statement, current wait, waits,
statistics."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from polltrace.errors import NoSuchProcessError
from polltrace.printable import note
from polltrace.servers.database import DatabaseSession, why_not
from polltrace.servers.login import Login
from polltrace.servers.login_process import OPTIONAL, LoginProcess
from polltrace.servers.servers import Server

LOCK_EVENTS = "enq: "
_CLIENTS = {
    "oracle": "polltrace.servers.activity_client",
    "postgresql": "polltrace.servers.postgresql_client",
}


@dataclass(frozen=True, slots=True)
class Waited:
    """Waits for one event: how many (`waits`), and `seconds` altogether."""

    waits: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Activity:
    """A session at one moment, `at_s` (seconds of CLOCK_MONOTONIC).

    `status` and `event` are the columns of V$SESSION (PostgreSQL: state, and wait_event with its
    type, of pg_stat_activity). `waiting`: it waits for `event`, since `event_s` seconds (None: not
    known), where `blocker` is the SID of the session that holds what it waits for (None: none is
    known); otherwise it is on CPU or between waits. `sql_id` is the statement that it executes, or
    executed last where it is not `executing`; `sql_text` its first 1000 characters.

    Totals since it logged on: `waited` by event (V$SESSION_EVENT, ended waits), `statistics`
    (V$SESSTAT, without zeros); PostgreSQL's views have neither of a session. `unread` names the
    views that this user may not read, each with the reason.
    """

    at_s: float
    status: str
    waiting: bool
    event: str
    event_s: float | None
    blocker: int | None
    sql_id: str
    sql_text: str
    executing: bool
    waited: Mapping[str, Waited]
    statistics: Mapping[str, float]
    unread: Sequence[str] = ()

    @property
    def lock_waits(self) -> Mapping[str, Waited]:
        """The waits for locks, the one that is under way included."""
        found = {
            event: each for event, each in self.waited.items() if event.startswith(LOCK_EVENTS)
        }
        if self.waiting and self.event.startswith(LOCK_EVENTS):
            before = found.get(self.event, Waited(0, 0.0))
            found[self.event] = Waited(before.waits + 1, before.seconds + (self.event_s or 0.0))
        return found


@dataclass(frozen=True, slots=True)
class ActivityChange:
    """What a session did in `seconds`: `waited` by event, longest first, and `statistics`, each by
    how much it changed, largest first. What did not change is left out."""

    seconds: float
    waited: Sequence[tuple[str, Waited]]
    statistics: Sequence[tuple[str, float]]


def activity_change(before: Activity, now: Activity) -> ActivityChange:
    """From one moment to a later one of the same session."""
    none = Waited(0, 0.0)
    waited = [
        (event, Waited(each.waits - then.waits, max(each.seconds - then.seconds, 0.0)))
        for event, each in now.waited.items()
        if each != (then := before.waited.get(event, none))
    ]
    statistics = [
        (name, value - before.statistics.get(name, 0.0))
        for name, value in now.statistics.items()
        if value != before.statistics.get(name, 0.0)
    ]
    return ActivityChange(
        now.at_s - before.at_s,
        sorted(waited, key=lambda each: -each[1].seconds),
        sorted(statistics, key=lambda each: -abs(each[1])),
    )


class SessionActivity:
    """Reads the session of one server process from __enter__ to __exit__. Raises DriverError with
    what the driver reported, NoSuchProcessError where the database has no session of the
    process."""

    def __init__(self, login: Login, server: Server) -> None:
        self._login, self._server = login, server
        self._process = LoginProcess(_CLIENTS[login.views], login, "ask", OPTIONAL)

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as ending:
            process = ending.enter_context(self._process)
            answer = process.log_in(pid=self._server.pid, instance=self._server.instance)
            if not answer["session"]:
                raise self._gone()
            self.session = DatabaseSession(**answer["session"])
            self._ending = ending.pop_all()
        return self

    def read(self) -> Activity:
        """The session now. Raises NoSuchProcessError once it has ended."""
        answer = self._process.ask({})
        if not answer["activity"]:
            raise self._gone()
        found = answer["activity"]
        waited = {event: Waited(*each) for event, each in found.pop("waited").items()}
        return Activity(**found, waited=waited)

    def _gone(self) -> NoSuchProcessError:
        return NoSuchProcessError(
            f"{self._login.dsn or 'the database'} has no session of process {self._server.pid}; is "
            "it the database of that server?"
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ending.close()


def activity_reader(
    ending: contextlib.ExitStack, server: Server, login: Login | None
) -> SessionActivity | None:
    """A reader until `ending`; None, with a line on stderr, where the database does not know the
    process, and None without a login. Raises DriverError."""
    if login is None:
        return None
    if missing := why_not(login, server):
        note(missing)
        return None
    try:
        return ending.enter_context(SessionActivity(login, server))
    except NoSuchProcessError as error:
        note(str(error))
        return None
