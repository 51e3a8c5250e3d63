# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording reduced to the data of reports, in constant memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from polltrace.errors import FrameError
from polltrace.intervals import Estimate
from polltrace.latency.wait_sampler import Waits
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.poll_cost import Knot
from polltrace.profiles.frames import (
    Burst,
    Exit,
    Identity,
    ProbeFrame,
    ProcessTotals,
    Trailer,
    WatchedProcess,
)
from polltrace.profiles.profile import Profile
from polltrace.profiles.totals import timed_too
from polltrace.recording.check_cost import COSTS, HOST_FACTORS, cost_of
from polltrace.recording.folded_stream import FoldedStream
from polltrace.recording.header import RecordingHeader, RecordingQuality, quality_of
from polltrace.recording.names import RecordedNames
from polltrace.recording.scan import Scan
from polltrace.recording.series import Point, Series
from polltrace.recording.server import server_of
from polltrace.recording.stream import CHECKS, COUNT, CPU, GAPS, SWITCHES, identity_of
from polltrace.recording.wait_samples import WAITS, add_waits
from polltrace.servers.servers import Server

# The exceptions of parsing a record that does not have the shape of its type.
MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, FrameError)


@dataclass(frozen=True, slots=True)
class Recording:
    """The content of the file at `path`, with its `header`; it covers `seconds`.

    Totals in `counted` (every poll), `sampled` (on-CPU stacks) and `switches` (time off CPU) are of
    this file alone; they are None where nothing was seen or recorded. By process: `gaps` are the
    totals of all periods in which gaps between polls were timed, `timed_cpu_s` the seconds of these
    that it was on CPU or runnable, `waits` samples of its waits in these periods; `bursts` its
    counted checks; `lived` its beginning and end, in
    seconds since the recording began; `series` its totals over time; `servers` the server that it
    is. `check_costs` is the CPU
    seconds of a check by knot, `host_factors` the cost model's factors of the host, None where they
    were not measured. `names` are those of functions;
    `quality` is None without a trailer. `tear` is the reason why a file ends early, empty for a
    complete file; `unknown` counts records by types that this release does not know.
    """

    path: Path
    header: RecordingHeader
    seconds: float
    counted: Profile | None
    sampled: Profile | None
    switches: Profile | None
    gaps: Mapping[Identity, ProcessTotals]
    timed_cpu_s: Mapping[Identity, float]
    waits: Mapping[Identity, Waits]
    bursts: Mapping[Identity, Burst]
    lived: Mapping[Identity, tuple[float, float]]
    series: Mapping[Identity, Series]
    servers: Mapping[Identity, Server]
    check_costs: Mapping[Knot, Estimate]
    host_factors: HostFactors | None
    names: RecordedNames
    quality: RecordingQuality | None
    tear: str
    unknown: Mapping[str, int]

    @property
    def identities(self) -> list[Identity]:
        """Every process of the recording, in order of appearance."""
        return list(self.lived)


def read(path: Path) -> Recording:
    """Read a recording to its end, or to the first damage.

    Raises FileError for a file that cannot be read, FileFormatError for one that is no recording.
    """
    scan = Scan(path)
    fold = _Fold(scan.header.at_s)
    for record in scan:
        try:
            fold.take(record)
        except MALFORMED as error:
            scan.damaged(f"{type(error).__name__} in a record of type {record.get('type')!r}")
            break
    return fold.recording(scan)


class _Fold:
    def __init__(self, begins_s: float) -> None:
        self._begins_s = self._now_s = begins_s
        self._streams = {name: FoldedStream() for name in (COUNT, CPU, SWITCHES)}
        self._timing: FoldedStream | None = None
        self._timed_until_s = -1.0
        self._gaps: dict[Identity, ProcessTotals] = {}
        self._timed_cpu_s: dict[Identity, float] = {}
        self._waits: dict[Identity, Waits] = {}
        self._bursts: dict[Identity, Burst] = {}
        self._came: dict[Identity, float] = {}
        self._went: dict[Identity, float] = {}
        self._series: dict[Identity, Series] = {}
        self._servers: dict[Identity, Server] = {}
        self._check_costs: dict[Knot, Estimate] = {}
        self._host_factors: HostFactors | None = None
        self._names = RecordedNames()
        self._quality: RecordingQuality | None = None
        self._unknown: Counter[str] = Counter()

    def take(self, data: dict[str, Any]) -> None:
        """Add a record. Raises one of MALFORMED for a record that does not have the shape of its
        type.
        """
        kind = data["type"]
        if kind in ("probe", "base"):
            at_s = float(data["at_s"])
            if not 0 <= at_s - self._begins_s < 1e9:
                raise ValueError("a time before the beginning")
            self._probe(str(data["stream"]), data["record"], at_s, is_base=kind == "base")
            self._now_s = max(self._now_s, at_s)
        elif kind == "symbols":
            self._names.add(data)
        elif kind == "server":
            if server := server_of(data):
                previous = self._servers.get(server.identity)
                # A database link that has been closed since is part of the session as well.
                sockets = dict.fromkeys((*server.sockets, *(previous.sockets if previous else ())))
                self._servers[server.identity] = replace(server, sockets=tuple(sockets))
        elif kind == "timed":
            identity = identity_of(data)
            before_s = self._timed_cpu_s.get(identity, 0.0)
            self._timed_cpu_s[identity] = before_s + float(data["on_cpu_s"])
        elif kind == WAITS:
            add_waits(self._waits.setdefault(identity_of(data), Waits()), data)
        elif kind in COSTS:
            knot, cost = cost_of(data)
            self._check_costs[knot] = cost
        elif kind == HOST_FACTORS:
            self._host_factors = HostFactors.of(data)
        elif kind == "trailer":
            self._quality = quality_of(data)
        else:
            self._unknown[str(kind)[:40]] += 1

    def _probe(self, name: str, data: dict[str, Any], at_s: float, *, is_base: bool) -> None:
        if name in (GAPS, CHECKS):
            self._intrusive(data, at_s, is_base=is_base)
            return
        stream = self._streams.get(name)
        if stream is None:
            self._unknown[name[:40]] += 1
            return
        since_s = stream.last_at_s
        record = stream.take(data, at_s, is_base=is_base)
        if name != COUNT:
            return
        match record:
            case WatchedProcess():
                # Announced some time after its birth, which was after the last frame.
                came_s = max(since_s, self._begins_s)
                self._came.setdefault((record.pid, record.start_ticks), came_s)
            case Exit():
                self._went[record.pid, record.start_ticks] = at_s
            case ProbeFrame():
                timed = self._timing is not None or self._timed_until_s > since_s
                for totals in record.processes:
                    self._point(totals, since_s, at_s, timed=timed)

    def _point(self, totals: ProcessTotals, since_s: float, at_s: float, *, timed: bool) -> None:
        identity = totals.pid, totals.start_ticks
        series = self._series.get(identity)
        if series is None:
            series = self._series[identity] = Series()
            came = self._came.setdefault(identity, self._begins_s)
            if identity not in self._streams[COUNT].base and came < at_s:
                series.add(Point(came, 0.0, 0), timed=False)
        # Frames omit a process that did nothing.
        if series.last is not None and series.last.at_s < since_s:
            series.add(series.last._replace(at_s=since_s), timed=False)
        series.add(Point(at_s, totals.cpu_s, totals.break_polls), timed=timed)

    def _intrusive(self, data: dict[str, Any], at_s: float, *, is_base: bool) -> None:
        if is_base:  # a measurement that began before the file did is incomplete
            return
        if data["type"] == "header" or self._timing is None:
            self._timing = FoldedStream()
        record = self._timing.take(data, at_s, is_base=False)
        self._timed_until_s = at_s
        if isinstance(record, Trailer):
            for identity, totals in self._timing.totals.items():
                # An interrupted count does not replace one that saw polls.
                if totals.burst and (totals.burst.break_polls or identity not in self._bursts):
                    self._bursts[identity] = totals.burst
                if totals.gaps:
                    previous = self._gaps.get(identity)
                    self._gaps[identity] = timed_too(previous, totals) if previous else totals
            self._timing = None

    def recording(self, scan: Scan) -> Recording:
        end_s = self._quality.at_s if self._quality else self._now_s
        return Recording(
            path=scan.path,
            header=scan.header,
            seconds=max(end_s - self._begins_s, 0.0),
            counted=self._streams[COUNT].profile(),
            sampled=self._streams[CPU].profile(),
            switches=self._streams[SWITCHES].profile(),
            gaps=self._gaps,
            timed_cpu_s=self._timed_cpu_s,
            waits=self._waits,
            bursts=self._bursts,
            lived={
                identity: (came, self._went.get(identity, end_s))
                for identity, came in self._came.items()
            },
            series=self._series,
            servers=self._servers,
            check_costs=self._check_costs,
            host_factors=self._host_factors,
            names=self._names,
            quality=self._quality,
            tear=scan.tear,
            unknown=self._unknown,
        )
