# SPDX-License-Identifier: GPL-2.0-or-later
"""What goes into a file, in which order: pure bookkeeping over what probes and /proc say."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from polltrace import __version__
from polltrace.intervals import Estimate
from polltrace.profiles.frames import Identity
from polltrace.recording.header import Quality, RecordingHeader
from polltrace.recording.naming import Naming
from polltrace.recording.probes import Said
from polltrace.recording.secrets import own_command
from polltrace.recording.server import server_data
from polltrace.recording.stream import CHECKS, COUNT, CPU, GAPS, Stream, identity_of
from polltrace.servers.servers import Server

Entry = dict[str, Any]


class Journal:
    """Gives the entries for what it is told; `opening` is all that a new file must begin with."""

    def __init__(
        self, command: tuple[str, ...], interval_s: float, now_s: Callable[[], float]
    ) -> None:
        self._command, self._interval_s, self._now_s = own_command(command), interval_s, now_s
        self._started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._streams = {look: Stream(look) for look in (COUNT, CPU, GAPS, CHECKS)}
        self._naming = Naming()
        self._servers: dict[Identity, Entry] = {}
        self._prices: dict[int, Entry] = {}
        self._probe: Mapping[str, Any] = {}
        self._lost: dict[str, Mapping[str, int]] = {}
        self._costs: dict[str, tuple[float, float]] = {}
        self._late = 0
        self._end_s: float | None = None
        self.reason = "interrupted"

    def said(self, said: Said) -> Iterator[Entry]:
        """The entries for a record of a probe: names before the stacks that need them."""
        record = said.record
        if record is None:
            return
        kind, stream = record["type"], self._streams[said.look]
        if kind == "header":
            self._probe = record
            self._streams[said.look] = stream = Stream(said.look)
        elif kind == "process" and said.look in (COUNT, CPU):
            self._naming.seen(identity_of(record))
        elif kind == "frame":
            for process in record["processes"]:
                yield from self._naming.new(process)
            self._note(said.look, record)
        elif kind == "trailer":
            self._end(said.look, record)
        yield stream.entry(record, said.at_s)
        if kind == "exit" and said.look == COUNT:
            self._forget(identity_of(record))

    def server(self, server: Server) -> Iterator[Entry]:
        """An entry if this is news of it."""
        identity = server.pid, server.start_ticks
        data = server_data(server, round(self._now_s(), 6))
        before = self._servers.get(identity)
        if before is None or {**before, "at_s": 0} != {**data, "at_s": 0}:
            self._servers[identity] = data
            yield data

    def prices(self, by_pace_us: Mapping[int, Estimate]) -> Iterator[Entry]:
        """Entries for the prices that are new."""
        for pace_us, price in by_pace_us.items():
            if pace_us not in self._prices:
                self._prices[pace_us] = {
                    "type": "price",
                    "at_s": round(self._now_s(), 6),
                    "pace_us": pace_us,
                    "price_s": [price.value, price.low, price.high],
                }
                yield self._prices[pace_us]

    def opening(self, part: int) -> Iterator[Entry]:
        """What file number `part` begins with."""
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
        if part == 1:
            return
        yield from self._prices.values()
        yield from self._servers.values()
        yield from self._naming.all()
        for stream in self._streams.values():
            yield from stream.opening(at_s)

    def quality(self, reason: str) -> Quality:
        lost: dict[str, int] = {}
        for losses in self._lost.values():
            for kind, count in losses.items():
                lost[kind] = lost.get(kind, 0) + count
        return Quality(
            at_s=round(self._now_s() if self._end_s is None else self._end_s, 6),
            reason=reason,
            lost=lost,
            late_frames=self._late,
            probe_cpu_s=round(sum(cpu for cpu, _ in self._costs.values()), 6),
            bpf_s=round(sum(bpf for _, bpf in self._costs.values()), 6),
            recorder_cpu_s=round(time.process_time(), 6),
            unnamed=self._naming.unnamed,
        )

    def _note(self, look: str, frame: Entry) -> None:
        self._lost[look] = frame["lost"]
        cost = frame.get("own_cost", {})
        self._costs[look] = cost.get("cpu_s", 0.0), cost.get("bpf_s", 0.0)

    def _end(self, look: str, trailer: Entry) -> None:
        self._late += trailer.get("late_frames", 0)
        _, bpf_s = self._costs.get(look, (0.0, 0.0))
        self._costs[look] = trailer.get("self_cpu_s", 0.0), bpf_s
        if look == COUNT:
            self.reason = str(trailer["reason"])
            self._end_s = self._now_s()
        elif look in (GAPS, CHECKS):  # there will be others
            self._costs[f"{look} {self._now_s()}"] = self._costs.pop(look)
            self._lost.pop(look, None)

    def _forget(self, identity: Identity) -> None:
        self._naming.forget(identity)
        self._servers.pop(identity, None)
