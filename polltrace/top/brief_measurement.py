# SPDX-License-Identifier: GPL-2.0-or-later
"""Short intrusive measurements: of the gaps between polls, and of system calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Self

from polltrace.errors import PolltraceError
from polltrace.overhead.cost_model import timed_cost
from polltrace.overhead.poll_cost import Knot
from polltrace.overhead.timing_periods import MOST_TIMED, SURVEYED_EVERY_S, SURVEYED_S
from polltrace.profiles.decoder import parse
from polltrace.profiles.frames import Identity, ProbeFrame, ProcessTotals
from polltrace.watch.probe import LiveProbe
from polltrace.watch.probe_host import ProbeHost
from polltrace.watch.snapshot import ServerRow, TimedCost


class BriefMeasurement:
    """A probe on processes from now on, that ends by itself. Raises PolltraceError."""

    def __init__(self, identities: Iterable[Identity], probe: LiveProbe) -> None:
        self._identities = set(identities)
        self._probe = probe.__enter__()
        self.totals: dict[Identity, ProcessTotals] = {}

    @classmethod
    def at_gaps(cls, identities: Sequence[Identity], probe_host: ProbeHost, seconds: float) -> Self:
        return cls(
            identities, LiveProbe.of_gaps([pid for pid, _ in identities], seconds, probe_host)
        )

    @classmethod
    def at_syscalls(cls, identity: Identity, probe_host: ProbeHost, seconds: float) -> Self:
        return cls([identity], LiveProbe.of_syscalls(identity[0], seconds, probe_host))

    def ended(self) -> bool:
        """True if the probe has ended; `totals` then has its counts by process. Never waits.

        Raises the probe's failure.
        """
        lines = self._probe.lines()
        for record in (parse(line) for line in lines or ()):
            if isinstance(record, ProbeFrame):
                self.totals |= {(t.pid, t.start_ticks): t for t in record.processes}
        if lines is None and not self.totals:
            failure: PolltraceError = self._probe.failure()
            raise failure
        if lines is None:
            # A PID that went to another process meanwhile.
            self.totals = {i: t for i, t in self.totals.items() if i in self._identities}
        return lines is None

    def close(self) -> None:
        self._probe.__exit__(None, None, None)


class GapSurvey:
    """Times all sessions that poll for a moment, once in a while; `worst_s` are the longest gaps
    that were seen since each began, `costs` the cost of a poll to each by the polls timed last."""

    def __init__(
        self, probe_host: ProbeHost | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`probe_host` None: nothing is timed."""
        self._probe_host, self._clock = probe_host, clock
        self._host = probe_host.factors() if probe_host else None
        self._timing: BriefMeasurement | None = None
        self._next_s = 0.0
        self.worst_s: dict[Identity, float] = {}
        self.costs: dict[Identity, TimedCost] = {}
        self._places: dict[Identity, tuple[Knot, int | None]] = {}

    def follow(self, rows: Sequence[ServerRow]) -> bool:
        """Go on, with those of `rows` that poll; whether there is news. Never waits."""
        if self._timing is not None:
            return self._read(self._timing)
        if self._probe_host is None or self._clock() < self._next_s:
            return False
        polling = sorted((row for row in rows if row.polls_per_s), key=_rate, reverse=True)
        if polling:
            present = {row.identity for row in rows}
            self.worst_s = {i: worst for i, worst in self.worst_s.items() if i in present}
            self.costs = {i: cost for i, cost in self.costs.items() if i in present}
            self._places = {row.identity: (row.knot, row.skip) for row in rows if row.knot}
            self._next_s = self._clock() + SURVEYED_EVERY_S
            self._start([row.identity for row in polling[:MOST_TIMED]], self._probe_host)
        return False

    def _start(self, identities: list[Identity], probe_host: ProbeHost) -> None:
        try:
            self._timing = BriefMeasurement.at_gaps(identities, probe_host, SURVEYED_S)
        except PolltraceError:
            self._probe_host = None  # it will not be had next time either

    def _read(self, timing: BriefMeasurement) -> bool:
        try:
            if not timing.ended():
                return False
        except PolltraceError:
            pass  # all of them ended meanwhile
        for identity, totals in timing.totals.items():
            if totals.gaps:
                longest = 1e-9 * totals.gaps[-1].below_ns
                self.worst_s[identity] = max(longest, self.worst_s.get(identity, 0.0))
            if place := self._places.get(identity):
                knot, skip = place
                cost = timed_cost(totals.durations, skip, self._host)
                if cost is not None:
                    self.costs[identity] = TimedCost(knot, cost)
        self.close()
        return True

    def close(self) -> None:
        if self._timing is not None:
            self._timing.close()
        self._timing = None


def _rate(row: ServerRow) -> float:
    return row.polls_per_s or 0.0
