# SPDX-License-Identifier: GPL-2.0-or-later
"""The activity of a database session by the database's own views: statement, current wait, waits,
statistics."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from polltrace.errors import NoSuchProcessError
from polltrace.printable import note
from polltrace.servers.database_sessions import DatabaseSession, why_not
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
    known), where `blocker` is the SID of the session that holds the resource (None: none is
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
        locks = {
            event: wait for event, wait in self.waited.items() if event.startswith(LOCK_EVENTS)
        }
        if self.waiting and self.event.startswith(LOCK_EVENTS):
            earlier = locks.get(self.event, Waited(0, 0.0))
            locks[self.event] = Waited(earlier.waits + 1, earlier.seconds + (self.event_s or 0.0))
        return locks


@dataclass(frozen=True, slots=True)
class ActivityChange:
    """Changes of a session's counters in `seconds`: `waited` by event, longest first, and
    `statistics`, largest change first. Unchanged counters are left out."""

    seconds: float
    waited: Sequence[tuple[str, Waited]]
    statistics: Sequence[tuple[str, float]]


def activity_change(earlier: Activity, later: Activity) -> ActivityChange:
    """The change between two activities of one session."""
    none = Waited(0, 0.0)
    waited = [
        (
            event,
            Waited(wait.waits - earlier_wait.waits, max(wait.seconds - earlier_wait.seconds, 0.0)),
        )
        for event, wait in later.waited.items()
        if wait != (earlier_wait := earlier.waited.get(event, none))
    ]
    statistics = [
        (name, value - earlier.statistics.get(name, 0.0))
        for name, value in later.statistics.items()
        if value != earlier.statistics.get(name, 0.0)
    ]
    return ActivityChange(
        later.at_s - earlier.at_s,
        sorted(waited, key=lambda item: -item[1].seconds),
        sorted(statistics, key=lambda item: -abs(item[1])),
    )


class SessionActivity:
    """Reads the session of one server process from __enter__ to __exit__. Raises DriverError with
    the message of the driver, NoSuchProcessError where the database has no session of the
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
        facts = answer["activity"]
        waited = {event: Waited(*waits) for event, waits in facts.pop("waited").items()}
        return Activity(**facts, waited=waited)

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
