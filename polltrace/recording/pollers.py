# SPDX-License-Identifier: GPL-2.0-or-later
"""The processes that break-poll, their knots, and the schedule of timing their gaps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polltrace.engines import BREAK_POLL
from polltrace.overhead.poll_cost import Knot
from polltrace.overhead.timing_periods import (
    MOST_TIMED,
    RECORDED_EVERY_S,
    RECORDED_FIRST_S,
    TIMED_S,
)
from polltrace.profiles.frames import Identity
from polltrace.recording.stream import identity_of
from polltrace.servers.servers import Server

# Fewer polls in a frame do not determine a session's interval. Checks by time are all rare.
_FEWEST_POLLS = 100


class Pollers:
    """Reads the counting probe's frames.

    `servers` are those found so far; `timed_s` is the duration for which gaps are to be timed;
    `ran` are the processes that used CPU in the last frame.
    """

    def __init__(self, duration_s: float | None, servers: Mapping[Identity, Server]) -> None:
        self._servers = servers
        shortest = duration_s if duration_s is not None else RECORDED_EVERY_S
        self._next_s = min(RECORDED_FIRST_S, shortest / 3)
        self.timed_s = max(min(TIMED_S, shortest / 3), 0.01)
        self._last: dict[Identity, tuple[float, int]] = {}
        self._polls: dict[Identity, int] = {}
        self.ran: list[Identity] = []

    def frame(self, frame: Mapping[str, Any]) -> set[Knot]:
        """Take in a frame; return the knots at which the cost of a check is needed for the
        processes that polled since the last.
        """
        knots: set[Knot] = set()
        self._polls, self.ran = {}, []
        for process in frame["processes"]:
            identity = identity_of(process)
            cpu_s, polls = self._last.get(identity, (0.0, 0))
            self._last[identity] = process["cpu_s"], process["break_polls"]
            cpu_s, polls = process["cpu_s"] - cpu_s, process["break_polls"] - polls
            if cpu_s > 0:
                self.ran.append(identity)
            server = self._servers.get(identity)
            kind = server.engine.check_kind if server else BREAK_POLL
            fewest_polls = _FEWEST_POLLS if kind.is_break_poll else 1
            if polls >= fewest_polls and cpu_s > 0:
                self._polls[identity] = polls
                knots |= Knot.nearest(kind, cpu_s / polls).with_ends()
        return knots

    def gone(self, identity: Identity) -> None:
        self._last.pop(identity, None)
        self._polls.pop(identity, None)

    def due(self, now_s: float) -> list[Identity]:
        """The processes to measure now; empty while that is not due, or nothing polls."""
        if now_s < self._next_s or not self._polls:
            return []
        self._next_s = now_s + RECORDED_EVERY_S
        return sorted(self._polls, key=lambda identity: -self._polls[identity])[:MOST_TIMED]
