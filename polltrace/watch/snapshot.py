# SPDX-License-Identifier: GPL-2.0-or-later
"""One moment of the host: what the views draw, and the same as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from polltrace.breaks.break_mode import BreakMode
from polltrace.intervals import Estimate


@dataclass(frozen=True, slots=True)
class Prices:
    """Seconds a poll takes, by pace in microseconds; `failed` says why there are no more."""

    by_pace_us: Mapping[int, Estimate]
    waiting: bool = False
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One dedicated server, over the last few seconds; None: not known (yet).

    `client` is host and port, or empty where it could not be seen; `cpu_pct` is of one CPU;
    `lost_pct` of the CPU time it used; `past` are poll rates, the newest last. `cpu_s` and `polls`
    are totals since it was first seen, `polls` as far as windows can tell. `worst_gap_s` is the
    longest time between two break polls that was seen, which is how long a cancel could wait.
    `sid`, `user` and `program` are what the database says, where it is asked.
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
    polls_per_s: float | None
    pace_us: int | None
    price_s: float | None
    past: tuple[float, ...]
    cpu_s: float = 0.0
    polls: float = 0.0
    worst_gap_s: float | None = None
    sid: int | None = None
    user: str = ""
    program: str = ""

    @property
    def identity(self) -> tuple[int, int]:
        return self.pid, self.start_ticks

    @property
    def lost_cores(self) -> float | None:
        """CPUs lost to break polling."""
        if self.polls_per_s == 0:
            return 0.0
        if self.polls_per_s is None or self.price_s is None:
            return None
        return self.polls_per_s * self.price_s

    @property
    def lost_pct(self) -> float | None:
        if self.lost_cores is None or not self.cpu_pct:
            return None
        return 1e4 * self.lost_cores / self.cpu_pct


@dataclass(frozen=True, slots=True)
class OwnCost:
    """Per cent of one CPU that polltrace itself takes: the probe's process, its programs in the
    kernel (in the time of whom they look at; None where we may not ask), this process. The first
    two in seconds as well, since attaching."""

    probe_pct: float
    bpf_pct: float | None
    screen_pct: float
    probe_s: float
    bpf_s: float | None


@dataclass(frozen=True, slots=True)
class Totals:
    """All rows together: how many of each mode, CPUs used and lost, and the CPU seconds lost since
    we began, by those that have ended as well.

    `unpriced` sessions poll and have no price; where these are all that poll, `lost_cores` is None.
    """

    sessions: Mapping[BreakMode, int]
    used_cores: float
    lost_cores: float | None
    unpriced: int
    lost_s: float = 0.0


def totals_of(rows: Sequence[Row], ended_lost_s: float = 0.0) -> Totals:
    """The sums of these rows, in one pass: they are many, and most are idle."""
    sessions = Counter([row.mode.value for row in rows])  # an Enum's hash is slow
    busy = [row for row in rows if row.cpu_pct or row.polls_per_s]
    polling = [row for row in busy if row.polls_per_s]
    priced = [row.polls_per_s * row.price_s for row in polling if row.polls_per_s and row.price_s]
    unpriced = len(polling) - len(priced)
    known = any(row.polls_per_s is not None for row in rows)
    return Totals(
        {mode: sessions[mode.value] for mode in BreakMode},
        sum(row.cpu_pct or 0.0 for row in busy) / 100,
        sum(priced) if known and (priced or not unpriced) else None,
        unpriced,
        ended_lost_s + sum([row.polls * row.price_s for row in rows if row.price_s]),
    )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`t_s` since attaching; None before. `lost` counts what the probe could not count, by kind,
    those with none included.

    `to_look_at` processes have not been inspected yet and are in no row.
    """

    host: str
    clock: str
    t_s: float | None
    rows: tuple[Row, ...]
    prices: Prices
    cost: OwnCost | None
    lost: Mapping[str, int]
    totals: Totals
    to_look_at: int = 0

    @property
    def connected(self) -> bool:
        """Whether the database says whom servers serve."""
        return any(row.sid is not None for row in self.rows)


def snapshot_data(snapshot: Snapshot, rows: tuple[Row, ...]) -> dict[str, Any]:
    """The snapshot as JSON-ready data, with these of its rows; null is what is not known."""
    return {
        "host": snapshot.host,
        "time": snapshot.clock,
        "t_s": snapshot.t_s,
        "lost_cores": snapshot.totals.lost_cores,
        "lost_s": snapshot.totals.lost_s,
        "used_cores": snapshot.totals.used_cores,
        "sessions": {mode.value: count for mode, count in snapshot.totals.sessions.items()},
        "prices": [
            {"pace_us": pace, "price_ns": 1e9 * price.value}
            for pace, price in sorted(snapshot.prices.by_pace_us.items())
        ],
        "price_failed": snapshot.prices.failed or None,
        "own_cost": asdict(snapshot.cost) if snapshot.cost else None,
        "lost": dict(snapshot.lost),
        "servers": [
            {
                "pid": row.pid,
                "start_ticks": row.start_ticks,
                "engine": row.engine,
                "instance": row.instance,
                "client": row.client or None,
                "sid": row.sid,
                "user": row.user or None,
                "program": row.program or None,
                "break_mode": row.mode.value,
                "reason": row.reason or None,
                "configured_skip": row.skip,
                "cpu_pct": row.cpu_pct,
                "break_polls_per_s": row.polls_per_s,
                "pace_us": row.pace_us,
                "price_ns": None if row.price_s is None else 1e9 * row.price_s,
                "lost_pct": row.lost_pct,
                "lost_cores": row.lost_cores,
                "worst_gap_ms": None if row.worst_gap_s is None else 1e3 * row.worst_gap_s,
            }
            for row in rows
        ],
    }
