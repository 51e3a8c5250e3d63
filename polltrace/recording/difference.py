# SPDX-License-Identifier: GPL-2.0-or-later
"""Two recordings compared: what changed from one to the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from polltrace.breaks.break_mode import BreakMode
from polltrace.intervals import Estimate, exactly, median, proportion
from polltrace.profiles.off_cpu import OffCpuTime
from polltrace.recording.summary import SessionSummary, Summary


@dataclass(frozen=True, slots=True)
class Change:
    """A figure `name` of two recordings, `before` and `after`, in `unit` (empty: a plain number).
    None is a value that is not known. The change is certain when its interval excludes zero."""

    name: str
    before: Estimate | None
    after: Estimate | None
    unit: str

    @property
    def change(self) -> Estimate | None:
        """`after` less `before`, their errors taken as independent; None where either is."""
        if self.before is None or self.after is None:
            return None
        before, after = self.before, self.after
        value = after.value - before.value
        down = math.hypot(after.value - after.low, before.high - before.value)
        up = math.hypot(after.high - after.value, before.value - before.low)
        return Estimate(value, value - down, value + up)

    @property
    def has_interval(self) -> bool:
        return any(each is not None and each.high > each.low for each in (self.before, self.after))


@dataclass(frozen=True, slots=True)
class Difference:
    """The summaries `before` and `after`, and the `changes` between them. `waits` are those of what
    the threads' lives divide into: on CPU, on a run queue, and blocked by reason; empty unless
    context switches were followed in both. `modes` and `skips` are the counts of sessions (before,
    after) by break mode and by configured skip."""

    before: Summary
    after: Summary
    changes: tuple[Change, ...]
    waits: tuple[Change, ...]
    modes: dict[str, tuple[int, int]]
    skips: dict[int, tuple[int, int]]


def difference(before: Summary, after: Summary) -> Difference:
    """Pure. Sessions are other processes in another recording, so what is compared is all of
    each."""

    def change(name: str, figure: Callable[[Summary], Estimate | None], unit: str = "") -> Change:
        return Change(name, figure(before), figure(after), unit)

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
        if any(counts := (before.count(mode), after.count(mode)))
    }
    known = sorted({*_skips(before), *_skips(after)})
    skips = {skip: (_skips(before).count(skip), _skips(after).count(skip)) for skip in known}
    return Difference(before, after, changes, tuple(_waits(before, after)), modes, skips)


def _waits(before: Summary, after: Summary) -> Iterator[Change]:
    """Measured, not sampled: without an interval. The longest in either comes first."""
    if before.off_cpu is None or after.off_cpu is None:
        return
    sides = [_shares(before.off_cpu), _shares(after.off_cpu)]
    names = {name: max(side.get(name, 0.0) for side in sides) for side in sides for name in side}
    for name in sorted(names, key=lambda each: (-names[each], each)):
        first, second = (exactly(side.get(name, 0.0)) for side in sides)
        yield Change(name, first, second, "% of the threads' time")


def _shares(time: OffCpuTime) -> dict[str, float]:
    if not time.thread_ns:
        return {}
    found = {"on CPU": time.on_cpu_ns, **{each.reason: each.ns for each in time.reasons}}
    return {name: 100 * ns / time.thread_ns for name, ns in found.items()}


def _busy(summary: Summary) -> list[SessionSummary]:
    return [each for each in summary.sessions if each.cpu_s]


def _rate(summary: Summary) -> Estimate | None:
    """Polls a CPU second of all sessions; the interval is of the median over spans of time."""
    cpu_s = sum(each.cpu_s for each in _busy(summary))
    polls = sum(each.break_polls for each in _busy(summary))
    if not cpu_s:
        return None
    whole = polls / cpu_s
    rates = _rates_over_time(summary)
    if len(rates) < 2:
        return exactly(whole)
    found = median(rates)
    return Estimate(whole, min(whole, found.low), max(whole, found.high))


def _rates_over_time(summary: Summary) -> Sequence[float]:
    """Polls a CPU second in each span of time, all sessions together."""
    spans: dict[tuple[float, float], tuple[float, float]] = {}
    for each in _busy(summary):
        for span in each.spans:
            seconds = span.to_s - span.from_s
            cpu, polls = spans.get((span.from_s, span.to_s), (0.0, 0.0))
            spans[span.from_s, span.to_s] = (
                cpu + span.busy * seconds,
                polls + span.polls_per_s * seconds,
            )
    return [polls / cpu for cpu, polls in spans.values() if cpu > 0.001]


def _lost(summary: Summary) -> Estimate | None:
    """Share of all CPU time; sessions' intervals weighted by their CPU time."""
    cpu_s = sum(each.cpu_s for each in _busy(summary))
    if not cpu_s or summary.cost_unknown:
        return None
    parts = [(each.share, each.cpu_s) for each in _busy(summary) if each.share]
    value, low, high = (
        sum(getattr(share, end) * weight for share, weight in parts) / cpu_s
        for end in ("value", "low", "high")
    )
    return Estimate(value, low, high)


def _sampled(summary: Summary) -> Estimate | None:
    samples = sum(each.samples for each in summary.sessions)
    checks = sum(each.checks for each in summary.sessions)
    return proportion(checks, samples) if samples else None


def _skips(summary: Summary) -> list[int]:
    known = [each.server.settings.known_skip for each in summary.sessions if each.server]
    return [skip for skip in known if skip is not None]
