# SPDX-License-Identifier: GPL-2.0-or-later
"""A driver in a process of its own, controlled by lines of JSON (clients/README.md)."""

from __future__ import annotations

import datetime
import re
import select
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self

from polltrace.errors import DriverError
from polltrace.scenarios.clients import program
from polltrace.scenarios.plan.statement import placeholders
from polltrace.scenarios.run.answers import Cancel, Ended
from polltrace.scenarios.run.client_process import ClientProcess

Binds = Mapping[str, int | str | float]
TimedBinds = Mapping[str, int | str | float | datetime.datetime]
"""With times that have a zone, which not every client takes (clients/README.md)."""

_CODE = re.compile(r"[A-Z]{2,4}-\d{3,5}")


class DriverClient(ClientProcess):
    """A session's client: a driver's program for scenarios. See ClientProcess."""

    def __init__(
        self,
        name: str = "python-oracledb",
        *,
        processors: Collection[int] | None = None,
        start: Sequence[str] = (),
    ) -> None:
        super().__init__(program(name), processors=processors, start=start)
        self._connected = False

    def __enter__(self) -> Self:
        self._connected = False
        return super().__enter__()

    def connect(  # noqa: PLR0913
        self,
        dsn: str,
        user: str,
        password: str,
        *,
        disable_oob: bool,
        fetch_size: int = 0,
        sdu: int = 0,
        wallet: str = "",
    ) -> str:
        """Connect to host:port/service; the driver's name and version. Raises DriverError.

        0 leaves `fetch_size` (rows) or `sdu` (bytes) as the driver has it. With `wallet`, the
        directory of a ca.pem, the session is over TLS.
        """
        self._ask(
            "connect",
            dsn=dsn,
            user=user,
            password=password,
            disable_oob=disable_oob,
            fetch_size=fetch_size,
            sdu=sdu,
            wallet=wallet,
        )
        self._connected = True
        return self.about.title

    def query(self, sql: str, binds: TimedBinds | None = None) -> tuple[float, list[list[Any]]]:
        """Seconds from execute to the last row, as the client saw them, and the rows."""
        ended = self.execute(sql, binds, keep=True)
        return ended.elapsed_s[0], ended.rows

    def execute(
        self, sql: str, binds: TimedBinds | None = None, *, times: int = 1, keep: bool = False
    ) -> Ended:
        """Execute `times` times, fetching all rows. Raises DriverError where it fails."""
        self.begin(sql, binds, times=times, keep=keep)
        ended = self.finish()
        if ended.error is not None:
            raise DriverError(f"{self.name}: {ended.error}")
        return ended

    def begin(
        self, sql: str, binds: TimedBinds | None = None, *, times: int = 1, keep: bool = False
    ) -> None:
        """Execute without waiting for the answer; until finish() only send_break() may follow.

        Raises DriverError without a connection.
        """
        self._check_connected()
        # The next line of the process is then the answer.
        _ = self.about
        self._send("query", sql=sql, binds=_by_position(sql, binds or {}), times=times, keep=keep)

    def send_break(self) -> None:
        self._send("break")

    def finish(self, within_s: float | None = None) -> Ended:
        """Wait for the answer. Raises DriverError where none comes in time: restart() then."""
        assert self._process.stdout is not None
        # One line answers one request, so nothing can be left in our own buffer.
        answers = [self._process.stdout]
        if within_s is not None and not select.select(answers, [], [], within_s)[0]:
            raise DriverError(f"the {self.name} client did not answer within {within_s:g} s")
        answer = self._answer()
        return Ended(
            elapsed_s=answer.get("elapsed_s", []),
            rows=answer.get("rows", []),
            row_count=answer.get("row_count", 0),
            changed=answer.get("changed", 0),
            error=answer.get("error"),
            break_ms=answer.get("break_ms"),
        )

    def cancel(self, sql: str, binds: Binds, after_s: float) -> Cancel:
        """Run a statement and cancel it. Raises DriverError if it was over before the break."""
        self.begin(sql, binds)
        time.sleep(after_s)
        self.send_break()
        return self.cancelled(self.finish())

    def cancelled(self, ended: Ended) -> Cancel:
        """The outcome of a call that a break was sent to, and of its session."""
        if ended.break_ms is None or ended.error is None:
            raise DriverError("the statement ended before it could be cancelled; make it longer")
        code = _CODE.search(ended.error)
        self.begin("select 1 from dual", keep=True)
        probe_answer = self.finish()
        usable = probe_answer.error is None and [
            [float(v) for v in row] for row in probe_answer.rows
        ] == [[1]]
        return Cancel(ended.break_ms, code[0] if code else ended.error, usable)

    def commit(self) -> None:
        self._check_connected()
        self._ask("commit")

    def rollback(self) -> None:
        self._check_connected()
        self._ask("rollback")

    def ping(self, times: int = 1) -> list[float]:
        """Seconds of each of `times` pings of the driver, one after the other."""
        self._check_connected()
        elapsed_s: list[float] = self._ask("ping", times=times)["elapsed_s"]
        return elapsed_s

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connected:
            self._connected = False
            self._ask("close")

    def _check_connected(self) -> None:
        if not self._connected:
            raise DriverError(f"{self.name}: there is no connection")


def _by_position(sql: str, binds: TimedBinds) -> list[int | str | float | dict[str, str]]:
    """The values in the order of their names in the statement."""
    values = [binds[name] for name in placeholders(sql)]
    return [
        {"timestamp": value.isoformat()} if isinstance(value, datetime.datetime) else value
        for value in values
    ]
