# SPDX-License-Identifier: GPL-2.0-or-later
"""A driver in a process of its own, spoken to in lines of JSON.

Requests: connect, query, cancel, close, each with `do` and its arguments. Every request gets one
answer, an object; one with `failed` carries the driver's own error text.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from polltrace.errors import DriverError

Binds = Mapping[str, int | str | float]


@dataclass(frozen=True, slots=True)
class Cancel:
    """How a cancelled call ended: `ms` from sending the break until the call returned."""

    ms: float
    error: str
    usable: bool


class DriverClient:
    """python-oracledb, thin mode, in a child process that lives as long as this object."""

    name = "python-oracledb"

    def __enter__(self) -> Self:
        program = Path(__file__).parent / "clients" / "python_oracledb" / "client.py"
        self._process = subprocess.Popen(
            [sys.executable, str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        return self

    @property
    def pid(self) -> int:
        return self._process.pid

    def connect(self, dsn: str, user: str, password: str, *, disable_oob: bool) -> str:
        """Connect; the driver's name and version. Raises DriverError."""
        answer = self._ask(
            "connect", dsn=dsn, user=user, password=password, disable_oob=disable_oob
        )
        return str(answer["driver"])

    def query(self, sql: str, binds: Binds | None = None) -> tuple[float, list[list[Any]]]:
        """Seconds from execute to the last row, as the client saw them, and the rows."""
        answer = self._ask("query", sql=sql, binds=dict(binds or {}))
        return answer["elapsed_s"], answer["rows"]

    def begin(self, sql: str, binds: Binds) -> None:
        """Execute without waiting for the answer; nothing else can be asked until it came."""
        self._say("query", sql=sql, binds=dict(binds))

    def cancel(self, sql: str, binds: Binds, after_s: float) -> Cancel:
        """Run a statement and cancel it. Raises DriverError if it was over before the break."""
        answer = self._ask("cancel", sql=sql, binds=dict(binds), after_s=after_s)
        if answer["cancel_ms"] is None or answer["error"] is None:
            raise DriverError("the statement ended before it could be cancelled; make it longer")
        return Cancel(answer["cancel_ms"], answer["error"], answer["usable"])

    def close(self) -> None:
        self._ask("close")

    def _ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        self._say(do, **arguments)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise self._ended()
        answer: dict[str, Any] = json.loads(line)
        if "failed" in answer:
            raise DriverError(f"{self.name}: {answer['failed']}")
        return answer

    def _say(self, do: str, **arguments: Any) -> None:
        assert self._process.stdin is not None
        # A client that is gone is noticed by its missing answer.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
            self._process.stdin.flush()

    def _ended(self) -> DriverError:
        match self._process.wait():
            case 3:
                return DriverError("python-oracledb cannot be imported: run 'pip install oracledb'")
            case code:
                return DriverError(f"the {self.name} client ended with code {code}")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.kill()
        self._process.wait()
        # What was said to a client that is gone is still in the buffer.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
