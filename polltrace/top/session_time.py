# SPDX-License-Identifier: GPL-2.0-or-later
"""The division of an open session's time, with the share of latches."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from polltrace.backends.latch_probes import LatchProbes
from polltrace.errors import PolltraceError
from polltrace.profiles.latch_report import latch_screen
from polltrace.profiles.latches import LatchTime
from polltrace.servers.servers import Server
from polltrace.top.followed_session import FollowedSession, Measurement

# Its context switches are followed all the while: docs/tasks/stacks.md has the cost of that.
_EVERY_S = 2.0


class SessionTime(FollowedSession["_LatchMeasurement"]):
    """Follows one server at a time."""

    def _begin(self, server: Server) -> _LatchMeasurement:
        return _LatchMeasurement(server)

    def lines(self, width: int) -> Sequence[str]:
        """The lines of the pane; empty before the first result."""
        measurement = self._measurement
        if measurement is None:
            return []
        if measurement.time is None or measurement.note:
            return textwrap.wrap(measurement.note, width)
        lines = latch_screen(measurement.time, names_latches=measurement.names_latches)
        return [part for line in lines for part in textwrap.wrap(line, width) or [""]]


class _LatchMeasurement(Measurement):
    """The `time` of one server as it was measured last; `note` is why it cannot be."""

    def __init__(self, server: Server) -> None:
        self.time: LatchTime | None = None
        self.note = ""
        self.names_latches = bool(server.engine.latches)
        super().__init__(server)

    def _run(self) -> None:
        try:
            while not self.over.is_set():
                with LatchProbes([self._server.pid], _EVERY_S) as probes:
                    probes.read()
                    self.time = probes.latch_time()
                self._news.set()
        except PolltraceError as error:
            self.note = str(error)
            self._news.set()
