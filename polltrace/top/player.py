# SPDX-License-Identifier: GPL-2.0-or-later
"""Plays a recording: the state of its host at any moment of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from polltrace.engines import BREAK_POLL
from polltrace.errors import HostError, PolltraceError
from polltrace.overhead.calibration import CheckCost
from polltrace.overhead.cost_model import timed_cost
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.poll_cost import Knot
from polltrace.profiles.frames import (
    Exit,
    Header,
    Identity,
    PollRate,
    PollWindows,
    ProbeFrame,
    ProcessTotals,
    WatchedProcess,
)
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import SymbolSource
from polltrace.profiles.totals import since
from polltrace.recording import RecordedFrame, Recording, frames, read
from polltrace.recording.stream import COUNT, CPU, GAPS
from polltrace.servers.servers import Server
from polltrace.watch.host_monitor import HostMonitor
from polltrace.watch.inspection import Inspector
from polltrace.watch.snapshot import PollCosts, Snapshot, TimedCost
from polltrace.watch.window_rate import FEWEST_WINDOWS, NO_PRODUCTS


class RecordedHost:
    """The host of a recording: nothing runs there, and all that is known of it is in the file."""

    def __init__(self, recording: Recording) -> None:
        self._names, self._factors = recording.names, recording.host_factors
        self._servers: dict[int, Server] = {}

    def argv(self, _options: Sequence[str]) -> list[str]:
        raise HostError("a recording has no processes to measure")

    def failure(self, _code: int, _stderr: str, /) -> PolltraceError | None:
        return None

    def add(self, server: Server) -> None:
        """Keep the facts that the file has about a server."""
        self._servers[server.pid] = server

    def note(self, process: WatchedProcess) -> None:
        """Nothing to keep: the file has all observations of it."""

    def servers(self, pids: Iterable[int]) -> list[Server]:
        return [self._servers[pid] for pid in pids if pid in self._servers]

    def check_cost(self, _knot: Knot) -> CheckCost:
        raise HostError("a recording has the costs that were measured")

    def factors(self) -> HostFactors | None:
        return self._factors

    def names(self) -> SymbolSource:
        return self._names


class Player:
    """`at_s` is where it is, in seconds since the file began. Raises as `read` does."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.recording = read(path)
        self.costs = PollCosts(
            MappingProxyType(dict(self.recording.check_costs)), host=self.recording.host_factors
        )
        self._begin()

    def _begin(self) -> None:
        self.probe_host = RecordedHost(self.recording)
        self.inspector = Inspector(self.probe_host.servers, lambda: 0.0)
        self._host = HostMonitor(self.inspector, self.probe_host, cpu_clock=lambda: 0.0)
        self._base: dict[tuple[str, Identity], ProcessTotals] = {}
        self.totals: dict[tuple[str, Identity], ProcessTotals] = {}
        self._host.set_timed_costs(_timed_costs(self.recording))
        self._worst_s: dict[Identity, float] = {}
        self._frames = 0
        self.at_s = 0.0
        self._records: Iterator[RecordedFrame] = frames(self._path)

    @property
    def length_s(self) -> float:
        return self.recording.seconds

    def to(self, at_s: float) -> bool:
        """Play up to this moment, from the beginning if it is in the past; whether anything of
        the table changed."""
        at_s = min(max(at_s, 0.0), self.length_s)
        back = at_s < self.at_s
        if back:
            self._begin()
        came = False
        for record in self._records:
            if record.at_s - self.recording.header.at_s > at_s:
                self._records = itertools.chain([record], self._records)
                break
            came = self._take(record) or came
        self.at_s = at_s
        return came or back

    def next_frame(self) -> bool:
        """Play up to the next frame of the table; False at the end."""
        for record in self._records:
            self.at_s = max(self.at_s, record.at_s - self.recording.header.at_s)
            if self._take(record):
                return True
        return False

    def snapshot(self) -> Snapshot:
        """The host at that moment."""
        snapshot = self._host.snapshot(self.costs)
        clock = f"{self.at_s:.0f} of {self.length_s:.0f} s"
        return replace(snapshot, host=self.recording.header.host, clock=clock, cost=None)

    def session(self, identity: Identity) -> tuple[Profile, ProcessTotals | None] | None:
        """The records of one process until now, counted and sampled, and its timed gaps."""
        counted, sampled = self.totals.get((COUNT, identity)), self.totals.get((CPU, identity))
        if counted is None or not self.at_s:
            return None
        rate = counted.break_polls / self.at_s
        stacks = sampled.stacks if sampled else ()
        totals = replace(counted, rate=PollRate(rate, rate, rate), stacks=stacks)
        header = Header("", self.recording.header.host, self.recording.header.kernel, COUNT, "")
        profile = Profile(header, self.at_s, {}, (totals,), frozenset(), {}, complete=False)
        return profile, self.totals.get((GAPS, identity))

    def _take(self, recorded: RecordedFrame) -> bool:
        """Take in one record; whether it makes a new table."""
        record = recorded.record
        if isinstance(record, Server):
            self.probe_host.add(record)
            self.inspector.announced((record.pid, record.start_ticks), is_new=False)
            self.inspector.inspect(1)
        elif isinstance(record, ProbeFrame):
            return self._frame(recorded, record)
        elif isinstance(record, WatchedProcess | Exit) and recorded.stream == COUNT:
            self._host.take(record)
        return False

    def _frame(self, recorded: RecordedFrame, frame: ProbeFrame) -> bool:
        stream = recorded.stream
        for totals in frame.processes:
            key = stream, (totals.pid, totals.start_ticks)
            if recorded.is_base:
                self._base[key] = totals
            else:
                self.totals[key] = since(self._base[key], totals) if key in self._base else totals
        if stream == GAPS:
            self._timed(frame)
        if stream != COUNT or recorded.is_base:
            return False
        self._frames += 1
        at_s = recorded.at_s - self.recording.header.at_s
        # Every poll was counted, so the windows are all of the time.
        count = self._frames + FEWEST_WINDOWS
        counted = [self.totals[COUNT, process.identity] for process in frame.processes]
        processes = tuple(
            replace(
                totals,
                windows=PollWindows(
                    count, totals.break_polls, at_s, totals.cpu_s, 0.0, NO_PRODUCTS, NO_PRODUCTS
                ),
            )
            for totals in counted
        )
        return self._host.take(ProbeFrame(at_s, processes, frame.lost))

    def _timed(self, frame: ProbeFrame) -> None:
        for totals in frame.processes:
            if totals.gaps:
                identity = totals.pid, totals.start_ticks
                longest = 1e-9 * totals.gaps[-1].below_ns
                self._worst_s[identity] = max(longest, self._worst_s.get(identity, 0.0))
        self._host.set_worst_gaps(self._worst_s)


def _timed_costs(recording: Recording) -> dict[Identity, TimedCost]:
    """The cost per poll of the processes whose polls were timed in the recording."""
    costs = {}
    for identity, totals in recording.gaps.items():
        if totals.cpu_s and totals.break_polls:
            interval_s = totals.cpu_s / totals.break_polls
            server = recording.servers.get(identity)
            skip = server.settings.known_skip if server else None
            cost = timed_cost(totals.durations, skip, recording.host_factors)
            if cost is not None:
                costs[identity] = TimedCost(Knot.nearest(BREAK_POLL, interval_s), cost)
    return costs
