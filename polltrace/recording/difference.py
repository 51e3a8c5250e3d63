# SPDX-License-Identifier: GPL-2.0-or-later
"""The differences between two recordings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from polltrace.breaks.break_mode import BreakMode
from polltrace.intervals import Estimate, exactly, median, proportion
from polltrace.profiles.off_cpu import OffCpuTime
from polltrace.recording.summary import RecordingSummary, SessionSummary


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure `name` of two recordings, `earlier` and `later`, in `unit` (empty: a plain number).

    None is a value that is not known. The change is certain when its interval excludes zero.
    """

    name: str
    earlier: Estimate | None
    later: Estimate | None
    unit: str

    @property
    def change(self) -> Estimate | None:
        """The difference `later` - `earlier`, their errors taken as independent; None where either
        is None.
        """
        if self.earlier is None or self.later is None:
            return None
        earlier, later = self.earlier, self.later
        value = later.value - earlier.value
        down = math.hypot(later.value - later.low, earlier.high - earlier.value)
        up = math.hypot(later.high - later.value, earlier.value - earlier.low)
        return Estimate(value, value - down, value + up)

    @property
    def has_interval(self) -> bool:
        return any(side is not None and side.high > side.low for side in (self.earlier, self.later))


@dataclass(frozen=True, slots=True)
class Difference:
    """The summaries `earlier` and `later`, and the `changes` between them.

    `waits` are the changes in the parts of the threads' lifetime: on CPU, on a run queue, and
    blocked by reason; empty unless context switches were followed in both. `modes` and `skips` are
    the counts of sessions (earlier, later) by break mode and by configured skip.
    """

    earlier: RecordingSummary
    later: RecordingSummary
    changes: tuple[FigureChange, ...]
    waits: tuple[FigureChange, ...]
    modes: dict[str, tuple[int, int]]
    skips: dict[int, tuple[int, int]]


def difference(earlier: RecordingSummary, later: RecordingSummary) -> Difference:
    """The differences between two recordings. Pure.

    Sessions are other processes in another recording, so the totals of each recording are compared.
    """

    def change(
        name: str, figure: Callable[[RecordingSummary], Estimate | None], unit: str = ""
    ) -> FigureChange:
        return FigureChange(name, figure(earlier), figure(later), unit)

    changes = (
        change("CPUs used", lambda side: exactly(side.used_cores)),
        change("CPUs lost to break polling", lambda side: side.lost_cores),
        change("break polls a CPU second", _rate),
        change("lost", _lost, "% of CPU"),
        change("samples in the check", _sampled, "% of CPU"),
    )
    modes = {
        mode.value: counts
        for mode in BreakMode
        if any(counts := (earlier.count(mode), later.count(mode)))
    }
    skip_values = sorted({*_skips(earlier), *_skips(later)})
    skips = {skip: (_skips(earlier).count(skip), _skips(later).count(skip)) for skip in skip_values}
    return Difference(earlier, later, changes, tuple(_waits(earlier, later)), modes, skips)


def _waits(earlier: RecordingSummary, later: RecordingSummary) -> Iterator[FigureChange]:
    """Changes of waits, measured and not sampled, so without an interval. The longest in either
    recording comes first.
    """
    if earlier.off_cpu is None or later.off_cpu is None:
        return
    sides = [_shares(earlier.off_cpu), _shares(later.off_cpu)]
    names = {name: max(side.get(name, 0.0) for side in sides) for side in sides for name in side}
    for name in sorted(names, key=lambda name: (-names[name], name)):
        shares = [exactly(side.get(name, 0.0)) for side in sides]
        yield FigureChange(name, shares[0], shares[1], "% of the threads' time")


def _shares(time: OffCpuTime) -> dict[str, float]:
    if not time.thread_ns:
        return {}
    ns_by_part = {"on CPU": time.on_cpu_ns, **{reason.reason: reason.ns for reason in time.reasons}}
    return {name: 100 * ns / time.thread_ns for name, ns in ns_by_part.items()}


def _busy(summary: RecordingSummary) -> list[SessionSummary]:
    return [session for session in summary.sessions if session.cpu_s]


def _rate(summary: RecordingSummary) -> Estimate | None:
    """Polls per CPU second of all sessions; the interval is of the median over spans of time."""
    cpu_s = sum(session.cpu_s for session in _busy(summary))
    polls = sum(session.break_polls for session in _busy(summary))
    if not cpu_s:
        return None
    rate = polls / cpu_s
    rates = _rates_over_time(summary)
    if len(rates) < 2:
        return exactly(rate)
    median_rate = median(rates)
    return Estimate(rate, min(rate, median_rate.low), max(rate, median_rate.high))


def _rates_over_time(summary: RecordingSummary) -> Sequence[float]:
    """Polls per CPU later in each span of time, all sessions together."""
    spans: dict[tuple[float, float], tuple[float, float]] = {}
    for session in _busy(summary):
        for span in session.spans:
            seconds = span.to_s - span.from_s
            cpu, polls = spans.get((span.from_s, span.to_s), (0.0, 0.0))
            spans[span.from_s, span.to_s] = (
                cpu + span.busy * seconds,
                polls + span.polls_per_s * seconds,
            )
    return [polls / cpu for cpu, polls in spans.values() if cpu > 0.001]


def _lost(summary: RecordingSummary) -> Estimate | None:
    """The share of all CPU time lost to break checking; sessions' intervals are weighted by their
    CPU time.
    """
    cpu_s = sum(session.cpu_s for session in _busy(summary))
    if not cpu_s or summary.cost_unknown:
        return None
    parts = [(session.share, session.cpu_s) for session in _busy(summary) if session.share]
    value, low, high = (
        sum(getattr(share, end) * weight for share, weight in parts) / cpu_s
        for end in ("value", "low", "high")
    )
    return Estimate(value, low, high)


def _sampled(summary: RecordingSummary) -> Estimate | None:
    samples = sum(session.samples for session in summary.sessions)
    checks = sum(session.checks for session in summary.sessions)
    return proportion(checks, samples) if samples else None


def _skips(summary: RecordingSummary) -> list[int]:
    configured = [
        session.server.settings.known_skip for session in summary.sessions if session.server
    ]
    return [skip for skip in configured if skip is not None]
