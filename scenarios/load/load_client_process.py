# SPDX-License-Identifier: GPL-2.0-or-later
"""A load client: a driver's program that carries out the plans of one or more sessions.

The protocol is in clients/README.md. Nothing here waits for an answer: `read()` takes the
bytes that have come.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
from collections.abc import Collection, Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polltrace.errors import DriverError
from polltrace.scenarios.clients import load_program
from polltrace.scenarios.load.punctual import punctual_children
from polltrace.scenarios.run.processors import moved_to

RECORD = np.dtype(
    [
        ("due_ns", "<f8"),
        ("began_ns", "<f8"),
        ("ended_ns", "<f8"),
        ("statement", "<i4"),
        ("outcome", "<i4"),
    ]
)
"""One transaction, in nanoseconds after its session's start. `outcome`: 0 executed, -1 dropped
before it began, otherwise the number of its error among the message's, from 1."""
EXECUTED, DROPPED = 0, -1

_LONGEST_LINE = 64 << 20
Message = dict[str, Any]


class LoadClient:
    """The process of a driver's load program, from __enter__ to __exit__.

    `sessions` are the numbers of those that it carries; `processors` and `start` are
    DriverClient's. `real_time`: it runs before all ordinary processes
    on them (punctual.py).
    """

    def __init__(
        self,
        name: str,
        sessions: Sequence[int],
        processors: Collection[int],
        start: Sequence[str] = (),
        *,
        real_time: bool = False,
    ) -> None:
        self.name = name
        self.sessions = sessions
        self._processors = processors
        self._start = start
        self._real_time = real_time
        self._partial = b""
        self.pending = bytearray()

    def __enter__(self) -> Self:
        command = [*self._start, *load_program(self.name).command()]
        try:
            with moved_to(self._processors), punctual_children(real_time=self._real_time):
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    bufsize=0,
                    start_new_session=True,
                )
        except FileNotFoundError:
            raise DriverError(f"{self.name} needs {command[0]}, which is not installed") from None
        os.set_blocking(self.input, False)
        return self

    @property
    def pid(self) -> int:
        return self._process.pid

    def fileno(self) -> int:
        """The descriptor of its output, to wait for."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def send(self, do: str, **arguments: Any) -> None:
        """Send a request; bytes that its pipe has no room for stay `pending`."""
        self.pending += json.dumps({"do": do, **arguments}).encode() + b"\n"
        self.flush()

    def flush(self) -> None:
        """Send the pending bytes, without waiting: a client that writes may not read before we
        do."""
        assert self._process.stdin is not None
        try:
            while self.pending and (sent := self._process.stdin.write(self.pending)):
                del self.pending[:sent]
        except BrokenPipeError:
            self.pending.clear()  # the end of its output reports its end

    @property
    def input(self) -> int:
        """The descriptor of its input, to wait for room."""
        assert self._process.stdin is not None
        return self._process.stdin.fileno()

    def read(self) -> list[Message] | None:
        """The messages that have come since; None where the process has ended. Raises
        DriverError for anything but messages."""
        part = os.read(self.fileno(), 1 << 20)
        if not part:
            return None
        *lines, self._partial = (self._partial + part).split(b"\n")
        if len(self._partial) > _LONGEST_LINE:
            raise DriverError(f"the {self.name} load client sends a line without an end")
        return [self._message(line) for line in lines]

    def _message(self, line: bytes) -> Message:
        try:
            message: Message = json.loads(line)
            if "records" in message:
                message["records"] = records(message["records"])
        except (ValueError, RecursionError):
            text = line.decode(errors="replace")[:80]
            raise DriverError(f"the {self.name} load client answers {text!r}") from None
        return message

    def how_it_ended(self) -> str:
        """Waits for its end, after its output's."""
        match self._process.wait():
            case 3 if self.name == "python-oracledb":
                return "python-oracledb cannot be imported: run 'pip install oracledb'"
            case code if code < 0:
                return f"its client process (PID {self.pid}) was killed by {_signal(-code)}"
            case code:
                return f"its client process (PID {self.pid}) ended with code {code}"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


def records(text: str) -> NDArray[np.void]:
    """Records of type RECORD from a message's text. Raises ValueError."""
    return np.frombuffer(base64.b64decode(text, validate=True), RECORD)


def entries_text(entries: NDArray[np.void]) -> str:
    """A plan's entries, as a request has them."""
    return base64.b64encode(entries.tobytes()).decode()


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
