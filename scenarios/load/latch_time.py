# SPDX-License-Identifier: GPL-2.0-or-later
"""Time that a load's servers spin and sleep for latches, in the first part of the load.

Following their context switches and sampling them takes time of theirs, so rates are those of the
load's later half, when neither goes on.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Sequence

from polltrace.backends.latch_probes import LatchProbes
from polltrace.errors import PolltraceError
from polltrace.scenarios.load.generator import START_MARGIN_S

SHORTEST_S = 0.3
"""At least, although it may then reach into the later half of a short load."""


class ServerLatchTime:
    """The probes on a load's servers. `why_not`: why they cannot be attached; empty: they can."""

    def __init__(self, seconds: float, why_not: str) -> None:
        # Figures come once a second; the later half is those that end in it.
        self._seconds = max(math.floor(START_MARGIN_S + seconds / 2), SHORTEST_S)
        self._why_not = why_not
        self._stack = contextlib.ExitStack()
        self._probes: LatchProbes | None = None
        self._reader: threading.Thread | None = None

    def begins(self, pids: Sequence[int]) -> None:
        """Attach to idle servers, which are about to begin. Raises PolltraceError."""
        if self._why_not or not pids:
            return
        # To attach takes part of a second: the time counts from when both probes are.
        probes = self._stack.enter_context(LatchProbes(pids, None))
        timer = threading.Timer(self._seconds, probes.detach)
        self._stack.callback(timer.cancel)
        timer.start()
        # Read from now on, so that a server that ends keeps its names.
        self._reader = threading.Thread(target=self._read, args=[probes])
        self._reader.start()
        self._probes = probes

    @staticmethod
    def _read(probes: LatchProbes) -> None:
        with contextlib.suppress(PolltraceError):  # reading the figures raises it again
            probes.read()

    def figures(self) -> dict[str, int]:
        """Nanoseconds and counts of all the servers, after the load; empty where not measured."""
        if self._probes is None or self._reader is None:
            return {}
        with self._stack:
            self._reader.join()
            latch_times = self._probes.latch_time()
        return {
            "thread_ns": latch_times.whole.thread_ns,
            "cpu_ns": latch_times.whole.cpu_ns,
            "samples": latch_times.samples,
            "spun": latch_times.spun,
            "sleeps": latch_times.sleeps,
            "slept_ns": latch_times.slept_ns,
        }
