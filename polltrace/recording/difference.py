# SPDX-License-Identifier: GPL-2.0-or-later
"""The differences between two recordings."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from polltrace.breaks.break_mode import BreakMode
from polltrace.intervals import Estimate, exactly, proportion
from polltrace.profiles.off_cpu import OffCpuTime
from polltrace.recording.summary import RecordingSummary, SessionSummary

# Relative standard deviation between recordings of one unchanged session, beyond the variation of
# each: six of 8 s each, one after the other, of a lab session on a busy virtual machine differed by
# 0.08, where the blocks of each gave 0.06.
_DRIFT = 0.05
_BLOCKS = 8


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure `name` of two recordings, `earlier` and `later`, in `unit` (empty: a plain number).

    None is a value that is not known. The change is certain when its interval excludes zero.
    `comparisons` is the number of figures with an interval that are compared together.
    """

    name: str
    earlier: Estimate | None
    later: Estimate | None
    unit: str
    comparisons: int = 1

    @property
    def change(self) -> Estimate | None:
        """The difference `later` - `earlier`, their errors taken as independent; None where either
        is None. Its interval covers all `comparisons` of a report together (Bonferroni), so that
        one of many does not look certain by chance.
        """
        if self.earlier is None or self.later is None:
            return None
        earlier, later = self.earlier, self.later
        value = later.value - earlier.value
        wider = NormalDist().inv_cdf(1 - 0.025 / self.comparisons) / NormalDist().inv_cdf(0.975)
        down = wider * math.hypot(later.value - later.low, earlier.high - earlier.value)
        up = wider * math.hypot(later.high - later.value, earlier.value - earlier.low)
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

    changes: tuple[FigureChange, ...] = (
        change("CPUs used", lambda side: exactly(side.used_cores)),
        change("CPUs lost to break polling", lambda side: side.lost_cores),
        change("break polls a CPU second", _rate),
        change("lost", _lost, "% of CPU"),
        change("samples in the check", _sampled, "% of CPU"),
    )
    comparisons = max(1, sum(figure.has_interval for figure in changes))
    changes = tuple(replace(figure, comparisons=comparisons) for figure in changes)
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
    """Polls per CPU second of all sessions. The interval is that of another recording of the same
    work: by the variation of blocks of time, and the drift between recordings.
    """
    cpu_s = sum(session.cpu_s for session in _busy(summary))
    polls = sum(session.break_polls for session in _busy(summary))
    if not cpu_s:
        return None
    rate = polls / cpu_s
    blocks = _blocks(_rates_over_time(summary))
    if not rate or len(blocks) < 2:
        return exactly(rate)
    error = statistics.stdev(blocks) / statistics.fmean(blocks) / math.sqrt(len(blocks))
    half = rate * 1.96 * math.hypot(error, _DRIFT)
    return Estimate(rate, max(0.0, rate - half), rate + half)


def _blocks(rates: Sequence[float]) -> list[float]:
    """The means of neighbouring rates, in at most _BLOCKS blocks: neighbours are alike, so single
    ones vary less than recordings do.
    """
    size = max(1, math.ceil(len(rates) / _BLOCKS))
    return [statistics.fmean(rates[i : i + size]) for i in range(0, len(rates), size)]


def _rates_over_time(summary: RecordingSummary) -> Sequence[float]:
    """Polls per CPU second in each span of time, all sessions together."""
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
    """Per cent of the samples in the check, with the interval of another recording."""
    samples = sum(session.samples for session in summary.sessions)
    checks = sum(session.checks for session in summary.sessions)
    if not samples:
        return None
    share = proportion(checks, samples)
    drift = 1.96 * _DRIFT * share.value
    return Estimate(
        share.value,
        max(0.0, share.value - math.hypot(share.value - share.low, drift)),
        min(100.0, share.value + math.hypot(share.high - share.value, drift)),
    )


def _skips(summary: RecordingSummary) -> list[int]:
    configured = [
        session.server.settings.known_skip for session in summary.sessions if session.server
    ]
    return [skip for skip in configured if skip is not None]
