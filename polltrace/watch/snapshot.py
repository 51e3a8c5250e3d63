# SPDX-License-Identifier: GPL-2.0-or-later
"""A snapshot of the host, as the views draw it, and its form as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from polltrace.breaks.break_mode import BreakMode
from polltrace.intervals import Estimate
from polltrace.overhead.estimates import counted_checking_pct, counted_pct
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.poll_cost import Knot
from polltrace.overhead.session_load import SessionLoad
from polltrace.profiles.frames import PollRate
from polltrace.servers.servers import ServerName


@dataclass(frozen=True, slots=True)
class PollCosts:
    """CPU seconds of a check, by knot.

    `waiting`: some are being measured; `failed` is why there are no more. While those `disturbed`
    were measured, others had the processor for a good part of the time. `host` has the factors of
    the host, None where they were not measured.
    """

    by_knot: Mapping[Knot, Estimate]
    waiting: bool = False
    failed: str = ""
    disturbed: frozenset[Knot] = frozenset()
    host: HostFactors | None = None


_NOTHING = Estimate(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ServerRow:
    """A dedicated server over the last few seconds; None stands for unknown.

    `pid` and `start_ticks` identify the process (see WatchedProcess); `engine` is the name of its
    database engine, `mode` its break mode. `instance` is the database instance of its title;
    `client` host and port, or empty where it could not be seen; `reason` why it is in-band, or
    checks or not; `skip` the configured checks per poll. `cpu_pct` is of one CPU, `rate` of elapsed
    time; `knot` is the calibrated one nearest to the CPU time between its polls,
    `poll_cost_s` the CPU seconds of a whole check at it. `past` are poll rates, the newest last.
    `cpu_s` and `polls` are totals since it was first seen, `polls` estimated from windows.
    `worst_gap_s` is the longest time between two break polls that was seen, an upper bound of how
    long a cancel on CPU waits. `sid`, `user` and `program` are the database session's, where the
    database is read. `client_server` is the server of this host that its client is, over a
    database link.
    """

    pid: int
    start_ticks: int
    engine: str
    instance: str
    client: str
    mode: BreakMode
    reason: str
    skip: int | None
    cpu_pct: float | None
    rate: PollRate | None
    knot: Knot | None
    poll_cost_s: Estimate | None
    past: tuple[float, ...]
    cpu_s: float = 0.0
    polls: float = 0.0
    worst_gap_s: float | None = None
    sid: int | None = None
    user: str = ""
    program: str = ""
    client_server: ServerName | None = None

    @property
    def identity(self) -> tuple[int, int]:
        return self.pid, self.start_ticks

    @property
    def polls_per_s(self) -> float | None:
        """Break polls a second of elapsed time."""
        return self.rate.per_s if self.rate else None

    @property
    def lost_pct(self) -> Estimate | None:
        """Per cent of its CPU time that is lost: the figure of `advise` without samples, by a rate
        that was sampled."""
        if not self.cpu_pct or self.rate is None:
            return None
        if not self.rate.per_s:
            return _NOTHING
        if self.poll_cost_s is None or self.knot is None:
            return None
        load = SessionLoad(self.cpu_pct / 100, self.rate)
        if not self.knot.kind.is_break_poll:
            return counted_pct(load, self.poll_cost_s)
        return counted_checking_pct(load, self.poll_cost_s, self.skip)

    @property
    def lost_cores(self) -> Estimate | None:
        """CPUs lost to break polling."""
        if self.rate is not None and not self.rate.per_s:
            return _NOTHING
        lost = self.lost_pct
        return lost.scaled(self.cpu_pct / 1e4) if lost is not None and self.cpu_pct else None

    @property
    def lost_per_poll_s(self) -> Estimate | None:
        """CPU seconds lost for each of its polls: `lost_cores` by the rate."""
        lost = self.lost_cores
        return lost.scaled(1 / self.polls_per_s) if lost is not None and self.polls_per_s else None


@dataclass(frozen=True, slots=True)
class TimedCost:
    """`cost_s` is the cost of a session's poll, by polls timed in it when `knot` was nearest."""

    knot: Knot
    cost_s: Estimate

    def in_row(self, row: ServerRow) -> ServerRow:
        """The row with that cost, unless the session has turned to other work since, or the timed
        call is not the whole of a check."""
        knot, then_us = row.knot, self.knot.interval_us
        if knot is None or not knot.kind.is_break_poll:
            return row
        if not then_us / 2 <= knot.interval_us <= then_us * 2:
            return row
        return replace(row, poll_cost_s=self.cost_s)


@dataclass(frozen=True, slots=True)
class OwnCost:
    """The CPU time of polltrace itself, per cent of one CPU and in seconds since attaching.

    `probe`: the probe's process; `bpf`: its programs in the kernel, which run in the time of the
    watched processes (None where it may not read that); `screen`: this process.
    """

    probe_pct: float
    bpf_pct: float | None
    screen_pct: float
    probe_s: float
    bpf_s: float | None


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over all rows: `sessions` by mode, `used_cores` and `lost_cores` in CPUs, and `lost_s`,
    the CPU seconds lost since observation began, by sessions that have ended too.

    `without_cost` is the number of sessions that poll at a cost still unknown; `lost_cores` is
    None if that holds for all of them.
    """

    sessions: Mapping[BreakMode, int]
    used_cores: float
    lost_cores: Estimate | None
    without_cost: int
    lost_s: float = 0.0


def totals_of(rows: Sequence[ServerRow], lost_s: float = 0.0) -> Totals:
    """The sums of these rows, in one pass: they are many, and most are idle. A busy one that has
    polled and was in no window since is one whose cost is not known."""
    sessions = Counter([row.mode.value for row in rows])  # an Enum's hash is slow
    busy = [row for row in rows if row.cpu_pct or row.polls_per_s]
    polling = [row for row in busy if row.polls_per_s]
    lost = [lost_cores for row in polling if (lost_cores := row.lost_cores) is not None]
    unseen = sum(row.rate is None and row.polls > 0 for row in busy)
    without_cost = len(polling) - len(lost) + unseen
    has_rates = any(row.polls_per_s is not None for row in rows)
    return Totals(
        {mode: sessions[mode.value] for mode in BreakMode},
        sum(row.cpu_pct or 0.0 for row in busy) / 100,
        _sum(lost) if has_rates and (lost or not without_cost) else None,
        without_cost,
        lost_s,
    )


def _sum(estimates: Sequence[Estimate]) -> Estimate:
    """The bounds add up: all rest on one calibration, whose error they share."""
    values = [(estimate.value, estimate.low, estimate.high) for estimate in estimates]
    return Estimate(*map(sum, zip(*values, strict=True))) if values else _NOTHING


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The servers of `host` at `t_s` seconds since attaching (None before).

    `clock` is the time to show, as text. `totals` is of all `rows`. `costs` are the costs per check
    that were calibrated, `cost` the use of polltrace itself (None: not known yet). `lost` counts
    events that the probe could not count, by kind, those with none included.
    `to_inspect` processes have not been inspected yet and are in no row.
    """

    host: str
    clock: str
    t_s: float | None
    rows: tuple[ServerRow, ...]
    costs: PollCosts
    cost: OwnCost | None
    lost: Mapping[str, int]
    totals: Totals
    to_inspect: int = 0

    @property
    def knots(self) -> set[Knot]:
        """The knots at which the cost of these servers' checks is to be measured."""
        return {row.knot for row in self.rows if row.knot}

    @property
    def has_skips(self) -> bool:
        """True if a row may have a skip, or if there are no rows yet."""
        return not self.rows or any(row.skip is not None for row in self.rows)

    @property
    def connected(self) -> bool:
        """True if the database was queried for the servers' sessions."""
        return any(row.sid is not None for row in self.rows)
