# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the time of an open session goes, whole, and what of it latches take."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from polltrace.backends.latch_probes import LatchProbes
from polltrace.errors import PolltraceError
from polltrace.profiles.latch_report import latch_screen
from polltrace.profiles.latches import LatchTime
from polltrace.servers.servers import Server
from polltrace.top.followed_session import FollowedSession, Measurement

# Its context switches are followed all the while: docs/tasks/stacks.md has what that costs.
_EVERY_S = 2.0


class SessionTime(FollowedSession["_Measurement"]):
    """Follows one server at a time."""

    def _begin(self, server: Server) -> _Measurement:
        return _Measurement(server)

    def lines(self, width: int) -> Sequence[str]:
        """What its pane shows; empty until something was measured."""
        seen = self._measurement
        if seen is None:
            return []
        if seen.time is None or seen.note:
            return textwrap.wrap(seen.note, width)
        lines = latch_screen(seen.time, names_latches=seen.names_latches)
        return [part for line in lines for part in textwrap.wrap(line, width) or [""]]


class _Measurement(Measurement):
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
