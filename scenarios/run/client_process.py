# SPDX-License-Identifier: GPL-2.0-or-later
"""A driver's program in a process of its own, controlled by lines of JSON (clients/README.md)."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import subprocess
from collections.abc import Collection, Sequence
from types import TracebackType
from typing import Any, Self

from polltrace.errors import DriverError
from polltrace.scenarios.clients import Program
from polltrace.scenarios.run.answers import About
from polltrace.scenarios.run.processors import moved_to


class ClientEndedError(DriverError):
    """The client program has ended without an answer."""


class ClientProcess:
    """A client program, a child process that lives as long as this object.

    `processors` are those that all its threads may run on from the start; `start` is a command
    that starts it elsewhere (in a network namespace).
    """

    def __init__(
        self,
        program: Program,
        *,
        processors: Collection[int] | None = None,
        start: Sequence[str] = (),
    ) -> None:
        self.name = program.name
        self._program = program
        self._processors = processors
        self._start = start

    def __enter__(self) -> Self:
        command = [*self._start, *self._program.command()]
        try:
            with moved_to(self._processors or os.sched_getaffinity(0)):
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    encoding="utf-8",
                    start_new_session=True,
                )
        except FileNotFoundError:
            raise DriverError(f"{self.name} needs {command[0]}, which is not installed") from None
        return self

    @property
    def pid(self) -> int:
        return self._process.pid

    @functools.cached_property
    def about(self) -> About:
        """The first answer, read when it is needed, so that clients start in parallel."""
        return About(**self._answer())

    def end(self) -> None:
        """Kill the process, which closes its connection."""
        self._process.kill()
        self._process.wait()

    def restart(self) -> None:
        """A new process, without a connection."""
        self.__exit__(None, None, None)
        self.__dict__.pop("about", None)
        self.__enter__()

    def _ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        _ = self.about
        self._send(do, **arguments)
        answer = self._answer()
        if "error" in answer:
            raise DriverError(f"{self.name}: {answer['error']}")
        return answer

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise self._ended()
        try:
            answer: dict[str, Any] = json.loads(line)
        except ValueError:
            raise DriverError(f"the {self.name} client answers {line.strip()[:80]!r}") from None
        return answer

    def _send(self, do: str, **arguments: Any) -> None:
        assert self._process.stdin is not None
        # The missing answer reveals that the client has ended.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
            self._process.stdin.flush()

    def _ended(self) -> ClientEndedError:
        match self._process.wait():
            case 3:
                package = {"python-oracledb": "oracledb"}.get(self.name, self.name)
                return ClientEndedError(
                    f"{self.name} cannot be imported: run 'pip install {package}'"
                )
            case code:
                return ClientEndedError(f"the {self.name} client ended with code {code}")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.end()
        # Closing flushes the buffer, which a client that has ended does not read.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
