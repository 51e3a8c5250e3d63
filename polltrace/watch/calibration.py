# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of a check, measured once for each knot, in the background."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from types import MappingProxyType

from polltrace.errors import PolltraceError
from polltrace.intervals import Estimate
from polltrace.overhead.calibration import cost_per_check
from polltrace.overhead.poll_cost import Knot
from polltrace.watch.snapshot import PollCosts


class Calibration:
    """Costs by knot: `want` one, and some time later it is in `now`.

    One measurement at a time, half a second each (a timer's check: one and a half), in a
    thread that ends with us. fileno() is readable when there is a new one; `seen` acknowledges it.
    """

    def __init__(self, measure: Callable[[Knot], Estimate] = cost_per_check) -> None:
        self._measure = measure
        self._by_knot: dict[Knot, Estimate] = {}
        self._wanted: set[Knot] = set()
        self._failed = ""
        self._thread: threading.Thread | None = None
        self._news, self._bell = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    @property
    def now(self) -> PollCosts:
        """All costs known now."""
        waiting = bool(self._wanted) and not self._failed
        return PollCosts(MappingProxyType(dict(self._by_knot)), waiting, self._failed)

    def want(self, knots: set[Knot]) -> None:
        """Have these measured, unless they are known or have failed."""
        self._wanted |= knots - self._by_knot.keys()
        if self._wanted and not self._failed and self._thread is None:
            self._thread = threading.Thread(
                target=self._run, args=(min(self._wanted, key=_shortest),), daemon=True
            )
            self._thread.start()

    def wait(self, most_s: float = 600.0) -> None:
        """Until everything wanted is known, or measuring has failed; no longer than this."""
        until_s = time.monotonic() + most_s
        while self._thread is not None:
            self._thread.join(max(0.0, until_s - time.monotonic()))
            if self._thread.is_alive():
                return
            self.seen()

    def fileno(self) -> int:
        return self._news

    def seen(self) -> None:
        """Take note of a finished measurement, and start the next."""
        if self._thread is None:
            return
        self._thread.join()
        self._thread = None
        os.read(self._news, 64)
        self.want(set())

    def _run(self, knot: Knot) -> None:
        try:
            self._by_knot[knot] = self._measure(knot)
        except (PolltraceError, OSError, ValueError) as error:
            self._failed = str(error)
        self._wanted.discard(knot)
        os.write(self._bell, b".")


def _shortest(knot: Knot) -> int:
    return knot.interval_us
