# SPDX-License-Identifier: GPL-2.0-or-later
"""SQL trace of sessions while something else is measured: on, and off again however that ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from polltrace.errors import DriverError, NoSuchProcessError
from polltrace.printable import note
from polltrace.servers.database import PASSWORD, PATIENCE_S, Login


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
    this process ends, killed or not. Raises DriverError with what the driver reported, and
    NoSuchProcessError where the database has no session of one of the processes.
    """

    def __init__(self, login: Login, pids: Sequence[int]) -> None:
        self._login = login
        self._pids = list(pids)
        self.sessions: tuple[TracedSession, ...] = ()
        self.on_s = 0.0  # of CLOCK_MONOTONIC: when the first was switched on, or earlier

    def __enter__(self) -> Self:
        environment = {name: value for name, value in os.environ.items() if name != PASSWORD}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "polltrace.servers.session_trace_client"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=environment,
            start_new_session=True,
        )
        login = self._login
        request = {"dsn": login.dsn, "user": login.user, "password": login.password}
        self.on_s = time.monotonic()
        self._write(json.dumps({**request, "pids": self._pids}) + "\n")
        try:
            self.sessions = self._began(self._answer())
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _began(self, answer: dict[str, Any]) -> tuple[TracedSession, ...]:
        if "failed" in answer:
            reason = str(answer["failed"])
            if self._login.password:
                reason = reason.replace(self._login.password, "…")
            raise DriverError(f"cannot trace by {self._login.dsn or 'the database'}: {reason}")
        sessions = tuple(TracedSession(**each) for each in answer["sessions"])
        if missing := set(self._pids) - {each.pid for each in sessions}:
            raise NoSuchProcessError(
                f"{self._login.dsn} has no session of process {min(missing)}; is it the database "
                "of that server?"
            )
        return sessions

    def _write(self, text: str) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(text)
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # its answer, or its end, says why

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        assert self._process.stderr
        line = self._process.stdout.readline()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        self._process.wait()
        last = self._process.stderr.read().strip().splitlines()[-1:]
        return {"failed": " ".join(last) or "the driver's process ended without a message"}

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Switch off; says on stderr what could not be switched off."""
        process = self._process
        try:
            answers, _ = process.communicate(timeout=PATIENCE_S)  # which ends its stdin
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            answers = ""
        if not self.sessions:
            return
        answer = json.loads(answers.splitlines()[-1]) if answers else {}
        if "left_on" not in answer:
            note(f"the trace may be on still: {answer.get('failed', 'the driver did not answer')}")
        elif answer["left_on"]:
            note(f"still traced, for they could not be switched off: {answer['left_on']}")
