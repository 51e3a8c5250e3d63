# SPDX-License-Identifier: GPL-2.0-or-later
"""SQL trace of sessions while something else is measured: on, and off again however that ends."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from polltrace.errors import NoSuchProcessError
from polltrace.printable import note
from polltrace.servers.login import Login
from polltrace.servers.login_process import LoginProcess


@dataclass(frozen=True, slots=True)
class TracedSession:
    """A session, by `sid` and `serial`, of the server process `pid`. Its trace goes to `file`, on
    the server's host; `was_on`: somebody else had switched it on, and it stays on."""

    sid: int
    serial: int
    pid: int
    file: str
    was_on: bool


class SessionTrace:
    """Extended SQL trace with waits (10046, level 8) of the sessions of `pids`, by DBMS_MONITOR.

    On from __enter__ to __exit__: a process of its own holds the login, and switches it off when
    this process ends, killed or not. Raises DriverError with the message of the driver, and
    NoSuchProcessError where the database has no session of one of the processes.
    """

    def __init__(self, login: Login, pids: Sequence[int]) -> None:
        self._login = login
        self._pids = list(pids)
        self._process = LoginProcess("polltrace.servers.session_trace_client", login, "trace by")
        self.sessions: tuple[TracedSession, ...] = ()
        self.on_s = 0.0  # of CLOCK_MONOTONIC: when the first was switched on, or earlier

    def __enter__(self) -> Self:
        self._process.__enter__()
        self.on_s = time.monotonic()
        try:
            answer = self._process.log_in(pids=self._pids)
            self.sessions = tuple(TracedSession(**session) for session in answer["sessions"])
            if missing := set(self._pids) - {session.pid for session in self.sessions}:
                raise NoSuchProcessError(
                    f"{self._login.dsn} has no session of process {min(missing)}; is it the "
                    "database of that server?"
                )
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Switch off; name on stderr the sessions that could not be switched off."""
        process = self._process
        answer = process.hang_up()
        process.__exit__(kind, error, traceback)
        if "left_on" in answer:
            if answer["left_on"]:
                note(f"still traced, for they could not be switched off: {answer['left_on']}")
        elif self.sessions or process.late:
            note(f"the trace may be on still: {answer['failed']}")
