# SPDX-License-Identifier: GPL-2.0-or-later
"""The process that times connects (polltrace/latency/prober.py), as a child of ours."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import polltrace
from polltrace.errors import HostError


class ConnectProber:
    """A prober, started by the command `start` (in a network namespace), until __exit__."""

    def __init__(self, start: Sequence[str] = ()) -> None:
        self._start = start

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [*self._start, sys.executable, "-m", "polltrace.latency.prober"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
            cwd=Path(polltrace.__file__).parents[1],
        )
        return self

    def connect(
        self, address: tuple[str, int], name: str, service: str | None, timeout_s: float
    ) -> dict[str, Any]:
        """Have the prober connect; its answer. Raises HostError if the connect fails."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"address": address, "name": name, "service": service, "timeout_s": timeout_s}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise HostError("the process that times connects has ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise HostError(f"no connection to {name}:{address[1]}: {answer['error']}")
        return answer

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()
