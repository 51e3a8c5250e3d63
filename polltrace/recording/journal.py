# SPDX-License-Identifier: GPL-2.0-or-later
"""The entries of a file, in their order, made from the records of probes and /proc. No I/O."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from polltrace import __version__
from polltrace.intervals import Estimate
from polltrace.overhead.host_store import this_host
from polltrace.overhead.poll_cost import Knot
from polltrace.profiles.frames import Identity
from polltrace.recording.check_cost import cost_data, host_data
from polltrace.recording.header import RecordingHeader, RecordingQuality
from polltrace.recording.naming import Naming
from polltrace.recording.probes import StreamRecord
from polltrace.recording.secrets import own_command
from polltrace.recording.server import server_data
from polltrace.recording.stream import CHECKS, COUNT, CPU, GAPS, SWITCHES, Stream, identity_of
from polltrace.servers.servers import Server

Entry = dict[str, Any]

# The other probes' last frames about a process arrive after its exit record.
_KEPT_INTERVALS, _KEPT_S = 2, 1.0


class Journal:
    """Converts records to entries; `opening` gives the first entries of a new file."""

    def __init__(
        self, command: tuple[str, ...], interval_s: float, now_s: Callable[[], float]
    ) -> None:
        self._command, self._interval_s, self._now_s = own_command(command), interval_s, now_s
        self._started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._streams = {name: Stream(name) for name in (COUNT, CPU, SWITCHES, GAPS, CHECKS)}
        self._naming = Naming()
        self._servers: dict[Identity, Entry] = {}
        self._ended: dict[Identity, float] = {}
        self._check_costs: dict[Knot, Entry] = {}
        self._costed: dict[Knot, Estimate] = {}
        self._probe: Mapping[str, Any] = {}
        self._lost: dict[str, Mapping[str, int]] = {}
        self._costs: dict[str, tuple[float, float]] = {}
        self._late = 0
        self._end_s: float | None = None
        self.reason = "interrupted"

    def record(self, read: StreamRecord) -> Iterator[Entry]:
        """The entries for a record of a probe: names before the stacks that need them."""
        record = read.record
        if record is None:
            return
        kind, stream = record["type"], self._streams[read.stream]
        if kind == "header":
            self._probe = record
            self._streams[read.stream] = stream = Stream(read.stream)
        elif kind == "process" and read.stream in (COUNT, CPU):
            self._naming.seen(identity_of(record))
        elif kind == "frame":
            for process in record["processes"]:
                yield from self._naming.new(process)
            self._note(read.stream, record)
        elif kind == "trailer":
            self._end(read.stream, record)
        yield stream.entry(record, read.at_s)
        if read.stream == COUNT and kind == "exit":
            self._ended[identity_of(record)] = read.at_s
        elif read.stream == COUNT and kind == "frame":
            self._forget(read.at_s - _KEPT_INTERVALS * self._interval_s - _KEPT_S)

    def server(self, server: Server) -> Iterator[Entry]:
        """An entry for the server if any of its data has changed."""
        identity = server.pid, server.start_ticks
        data = server_data(server, round(self._now_s(), 6))
        previous = self._servers.get(identity)
        if previous is None or {**previous, "at_s": 0} != {**data, "at_s": 0}:
            self._servers[identity] = data
            yield data

    def check_costs(self, by_knot: Mapping[Knot, Estimate]) -> Iterator[Entry]:
        """Entries for the costs per check that are new or more precise."""
        for knot, cost in by_knot.items():
            if self._costed.get(knot) != cost:
                self._costed[knot] = cost
                self._check_costs[knot] = cost_data(knot, cost, round(self._now_s(), 6))
                yield self._check_costs[knot]

    def opening(self, part: int) -> Iterator[Entry]:
        """The first entries of file number `part`."""
        at_s = round(self._now_s(), 6) if part > 1 else 0.0
        header = RecordingHeader(
            polltrace=__version__,
            host=str(self._probe.get("host", "")),
            kernel=str(self._probe.get("kernel", "")),
            arch=str(self._probe.get("arch", "")),
            command=self._command,
            started=self._started,
            interval_s=self._interval_s,
            part=part,
            at_s=at_s,
        )
        yield header.data()
        if factors := this_host():
            yield host_data(factors, at_s)
        if part == 1:
            return
        yield from self._check_costs.values()
        yield from self._servers.values()
        yield from self._naming.all()
        for stream in self._streams.values():
            yield from stream.opening(at_s)

    def quality(self, reason: str) -> RecordingQuality:
        lost: dict[str, int] = {}
        for losses in self._lost.values():
            for kind, count in losses.items():
                lost[kind] = lost.get(kind, 0) + count
        return RecordingQuality(
            at_s=round(self._now_s() if self._end_s is None else self._end_s, 6),
            reason=reason,
            lost=lost,
            late_frames=self._late,
            probe_cpu_s=round(sum(cpu for cpu, _ in self._costs.values()), 6),
            bpf_s=round(sum(bpf for _, bpf in self._costs.values()), 6),
            recorder_cpu_s=round(time.process_time(), 6),
            unnamed=self._naming.unnamed,
        )

    def _note(self, stream: str, frame: Entry) -> None:
        self._lost[stream] = frame["lost"]
        cost = frame.get("own_cost", {})
        self._costs[stream] = cost.get("cpu_s", 0.0), cost.get("bpf_s", 0.0)

    def _end(self, stream: str, trailer: Entry) -> None:
        self._late += trailer.get("late_frames", 0)
        _, bpf_s = self._costs.get(stream, (0.0, 0.0))
        self._costs[stream] = trailer.get("self_cpu_s", 0.0), bpf_s
        if stream == COUNT:
            self.reason = str(trailer["reason"])
            self._end_s = self._now_s()
        elif stream in (GAPS, CHECKS):  # this probe runs again later
            self._costs[f"{stream} {self._now_s()}"] = self._costs.pop(stream)
            self._lost.pop(stream, None)

    def _forget(self, before_s: float) -> None:
        """Remove the processes that ended earlier than `before_s`."""
        for identity in [ended for ended, at_s in self._ended.items() if at_s < before_s]:
            del self._ended[identity]
            self._naming.forget(identity)
            self._servers.pop(identity, None)
