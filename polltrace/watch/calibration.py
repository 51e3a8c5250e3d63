# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of a check, measured for each knot, in the background."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from types import MappingProxyType

from polltrace.errors import PolltraceError
from polltrace.overhead.calibration import CheckCost, cost_per_check
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.poll_cost import Knot
from polltrace.watch.snapshot import PollCosts

# A disturbed measurement is repeated: soon, for the disturbance may be short, and then ever more
# rarely, for each takes half a second of a processor.
_AGAIN_S, _AT_MOST_S = 15.0, 1800.0


class Calibration:
    """Costs by knot: `want` one, and some time later it is in `now`.

    One measurement at a time, half a second each (a timer's check: one and a half), in a
    thread that ends with us. A knot is measured once; again, while it is wanted, where others had
    the processor at the same time: of several the least disturbed counts. fileno() is readable
    when there is a new one; `seen` acknowledges it.
    """

    def __init__(
        self,
        measure: Callable[[Knot], CheckCost] = cost_per_check,
        clock: Callable[[], float] = time.monotonic,
        host: HostFactors | None = None,
    ) -> None:
        self._measure, self._clock, self._host = measure, clock, host
        self._by_knot: dict[Knot, CheckCost] = {}
        # When to repeat it, and the pause before the time after.
        self._again: dict[Knot, tuple[float, float]] = {}
        self._wanted: set[Knot] = set()
        self._failed = ""
        self._thread: threading.Thread | None = None
        self._measured: Knot | None = None
        self._result: CheckCost | Exception | None = None
        self._news, self._bell = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    @property
    def poll_costs(self) -> PollCosts:
        """The costs measured so far."""
        waiting = bool(self._wanted) and not self._failed
        costs = {knot: cost.cost_s for knot, cost in self._by_knot.items()}
        disturbed = frozenset(knot for knot, cost in self._by_knot.items() if cost.disturbed)
        return PollCosts(MappingProxyType(costs), waiting, self._failed, disturbed, self._host)

    def want(self, knots: set[Knot]) -> None:
        """Have these measured, unless they are known or have failed."""
        due = {knot for knot in knots & self._again.keys() if self._is_due(knot)}
        self._wanted |= (knots - self._by_knot.keys()) | due
        if self._wanted and not self._failed and self._thread is None:
            self._measured = min(self._wanted, key=_shortest)
            self._thread = threading.Thread(target=self._run, args=(self._measured,), daemon=True)
            self._thread.start()

    def _is_due(self, knot: Knot) -> bool:
        return self._clock() >= self._again[knot][0]

    def wait(self, most_s: float = 600.0) -> None:
        """Wait until all wanted costs are known or measuring has failed, at most `most_s`."""
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
        if self._thread is None or self._measured is None:
            return
        self._thread.join()
        self._thread = None
        os.read(self._news, 64)
        self._wanted.discard(self._measured)
        if isinstance(self._result, CheckCost):
            self._keep(self._measured, self._result)
        else:
            self._failed = str(self._result)
        self.want(set())

    def _run(self, knot: Knot) -> None:
        try:
            self._result = self._measure(knot)
        except (PolltraceError, OSError, ValueError) as error:
            self._result = error
        os.write(self._bell, b".")

    def _keep(self, knot: Knot, cost: CheckCost) -> None:
        previous = self._by_knot.get(knot)
        if previous is None or (cost.disturbed or 0.0) <= (previous.disturbed or 0.0):
            self._by_knot[knot] = cost
        _, pause_s = self._again.pop(knot, (0.0, _AGAIN_S))
        if cost.disturbed:
            self._again[knot] = self._clock() + pause_s, min(2 * pause_s, _AT_MOST_S)


def _shortest(knot: Knot) -> int:
    return knot.interval_us
