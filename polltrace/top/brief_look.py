# SPDX-License-Identifier: GPL-2.0-or-later
"""Looks that are taken for a moment only, because they cost: gaps between polls, system calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Self

from polltrace.errors import PolltraceError
from polltrace.profiles.frames import Frame, Identity, ProcessTotals, parse
from polltrace.watch.place import Place
from polltrace.watch.probe import LiveProbe
from polltrace.watch.snapshot import Row

SECONDS = 1.0
# All that poll, now and then, briefly: one and a half per cent of the time.
_SURVEY_S, _SURVEY_EVERY_S, _MOST_SURVEYED = 0.2, 15.0, 32


class BriefLook:
    """A probe on processes from now on, that ends by itself. Raises PolltraceError."""

    def __init__(self, identities: Iterable[Identity], probe: LiveProbe) -> None:
        self._identities = set(identities)
        self._probe = probe.__enter__()
        self.totals: dict[Identity, ProcessTotals] = {}

    @classmethod
    def at_gaps(cls, identities: Sequence[Identity], place: Place, seconds: float) -> Self:
        return cls(identities, LiveProbe.of_gaps([pid for pid, _ in identities], seconds, place))

    @classmethod
    def at_syscalls(cls, identity: Identity, place: Place, seconds: float) -> Self:
        return cls([identity], LiveProbe.of_syscalls(identity[0], seconds, place))

    def ended(self) -> bool:
        """Whether it has ended; `totals` then has what it saw of each. Never waits.

        Raises the probe's failure.
        """
        lines = self._probe.lines()
        for record in (parse(line.decode(errors="replace")) for line in lines or ()):
            if isinstance(record, Frame):
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
    that were seen since each began."""

    def __init__(self, place: Place | None, clock: Callable[[], float] = time.monotonic) -> None:
        """`place` None: nothing is timed."""
        self._place, self._clock = place, clock
        self._timing: BriefLook | None = None
        self._next_s = 0.0
        self.worst_s: dict[Identity, float] = {}

    def follow(self, rows: Sequence[Row]) -> bool:
        """Go on, with those of `rows` that poll; whether there is news. Never waits."""
        if self._timing is not None:
            return self._read(self._timing)
        if self._place is None or self._clock() < self._next_s:
            return False
        polling = sorted((row for row in rows if row.polls_per_s), key=_rate, reverse=True)
        if polling:
            there = {row.identity for row in rows}
            self.worst_s = {i: worst for i, worst in self.worst_s.items() if i in there}
            self._next_s = self._clock() + _SURVEY_EVERY_S
            self._start([row.identity for row in polling[:_MOST_SURVEYED]], self._place)
        return False

    def _start(self, identities: list[Identity], place: Place) -> None:
        try:
            self._timing = BriefLook.at_gaps(identities, place, _SURVEY_S)
        except PolltraceError:
            self._place = None  # it will not be had next time either

    def _read(self, timing: BriefLook) -> bool:
        try:
            if not timing.ended():
                return False
        except PolltraceError:
            pass  # all of them ended meanwhile
        for identity, totals in timing.totals.items():
            if totals.gaps:
                longest = 1e-9 * totals.gaps[-1].below_ns
                self.worst_s[identity] = max(longest, self.worst_s.get(identity, 0.0))
        self.close()
        return True

    def close(self) -> None:
        if self._timing is not None:
            self._timing.close()
        self._timing = None


def _rate(row: Row) -> float:
    return row.polls_per_s or 0.0
