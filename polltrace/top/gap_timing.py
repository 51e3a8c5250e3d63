# SPDX-License-Identifier: GPL-2.0-or-later
"""The gaps between one session's break polls, timed for a second because the user asks."""

from __future__ import annotations

from polltrace.errors import PolltraceError
from polltrace.frames import Frame, ProcessTotals, parse
from polltrace.top.frame_line import Identity
from polltrace.top.place import Place
from polltrace.top.probe import LiveProbe

SECONDS = 1.0


class GapTiming:
    """A probe that times one process from now on, and ends by itself. Raises PolltraceError."""

    def __init__(self, identity: Identity, place: Place) -> None:
        self._identity = identity
        self._probe = LiveProbe.of_gaps([identity[0]], SECONDS, place).__enter__()
        self.totals: ProcessTotals | None = None

    def ended(self) -> bool:
        """Whether it has ended; `totals` then has the gaps, None where it saw nothing. Never waits.

        Raises the probe's failure.
        """
        lines = self._probe.lines()
        for record in (parse(line.decode(errors="replace")) for line in lines or ()):
            if isinstance(record, Frame):
                mine = (t for t in record.processes if (t.pid, t.start_ticks) == self._identity)
                self.totals = next(mine, None)
        if lines is None and self.totals is None:
            failure: PolltraceError = self._probe.failure()
            raise failure
        return lines is None

    def close(self) -> None:
        self._probe.__exit__(None, None, None)
