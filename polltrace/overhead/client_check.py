# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of checks that a timer starts, and the cost and delay at another interval.

The model: while a statement runs, one check comes in each interval of elapsed time, whatever the
statement does, and each as late as the observed ones: an interval that expires while the session
waits for a processor is checked after it. A check is a signal, its handler, the system call on the
client's socket and the setting of the timer; polltrace-calibrate measures all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polltrace import procfs
from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.breaks.break_mode import BreakMode
from polltrace.breaks.why import Diagnosis
from polltrace.engines import Trigger
from polltrace.errors import NoSuchProcessError
from polltrace.intervals import Estimate
from polltrace.overhead.calibration import calibrate_timer_check
from polltrace.overhead.cancel import Gaps, on_cpu_gaps
from polltrace.overhead.estimates import counted_pct
from polltrace.overhead.load import SessionLoad, counted_load
from polltrace.overhead.poll_cost import Knot, PollCost
from polltrace.profiles.frames import ProcessTotals
from polltrace.servers.ps_report import BUSY_CPU_S
from polltrace.servers.servers import Server

# The intervals of a forecast, in seconds.
INTERVALS_S = (0.001, 0.01, 0.1, 1.0, 10.0)
# With fewer gaps their shortest is no evidence of the interval.
FEWEST_GAPS = 5
# The timer never comes early, so the interval is the shortest gap but for the clock's error.
_SHORTEST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class IntervalForecast:
    """The present work with a check every `interval_s` seconds.

    `checks_per_cpu_s` is the number of checks per second of CPU time, `cpu_pct` their share of CPU.
    A client that has gone is found within `median_s` seconds in half of the cases, always within
    `worst_s`.
    """

    interval_s: float
    checks_per_cpu_s: float
    cpu_pct: Estimate
    median_s: float
    worst_s: float


@dataclass(frozen=True, slots=True)
class ClientCheckAdvice:
    """The cost of a session's timer checks and its forecast.

    `mode` is the break mode of `server`, `why` the evidence; `load` its load (checks counted),
    `interval_s` the interval in force as measured (None: too few checks), `check_cost_s` the CPU
    seconds of a check, `cpu_pct` the share of CPU that the checks take, and `forecast` has an entry
    for each interval; it is empty where the session was not on CPU, or the cost is not known (both
    estimates are then None). `unbroken_s` is the longest time by which a check came later than its
    interval.
    """

    server: Server
    mode: BreakMode
    why: Diagnosis
    load: SessionLoad
    interval_s: float | None
    check_cost_s: Estimate | None
    cpu_pct: Estimate | None
    unbroken_s: float
    forecast: Sequence[IntervalForecast]


def advise_client_check(server: Server, counted_s: float, timed_s: float) -> ClientCheckAdvice:
    """Measure a live session: its checks, the times between them, the cost of a check on this host.

    Raises NoSuchProcessError where it ends before it was measured, and the probe's errors.
    """
    before_s = procfs.on_cpu_or_waiting_for_one_s(server.pid)
    counted, seconds = _totals(server, ProbeOptions(duration_s=counted_s))
    after_s = procfs.on_cpu_or_waiting_for_one_s(server.pid)
    runnable = (after_s - before_s) / seconds if before_s and after_s else None
    totals = replace(counted, break_polls=server.client_polls(counted))
    gaps = Gaps(())
    if totals.break_polls:
        timed, _ = _totals(server, ProbeOptions(duration_s=timed_s, latency=True))
        gaps = on_cpu_gaps(timed.gaps)
    load = counted_load(totals, seconds, 0.0)
    polls = True if totals.break_polls else False if totals.cpu_s >= BUSY_CPU_S else None
    knots = Knot.nearest(Trigger.INTERVAL, load.interval_s if polls else 0.0).with_ends()
    cost = calibrate_timer_check([1e-6 * knot.interval_us for knot in knots])
    return client_check_advice(server, polls, load, gaps, cost=cost, runnable=runnable)


def client_check_advice(  # noqa: PLR0913 - each is measured by itself
    server: Server,
    polls: bool | None,
    load: SessionLoad,
    gaps: Gaps,
    *,
    cost: PollCost | None,
    runnable: float | None = None,
) -> ClientCheckAdvice:
    """The advice that follows from measurements. Pure.

    `polls`: whether the session checked while it was on CPU; None: it was not on CPU. `cost` None:
    it was not measured. `runnable`: the share of the time (0 to 1) that it was on CPU or waited for
    one; None: not known.
    """
    interval_s = interval_in_force(gaps)
    late_s = unbroken_s(gaps, interval_s)
    check_cost_s = cost.at(load.interval_s) if cost else None
    chosen = sorted({*INTERVALS_S, *([interval_s] if interval_s else [])})
    return ClientCheckAdvice(
        server=server,
        mode=server.mode(polls),
        why=server.why(polls),
        load=load,
        interval_s=interval_s,
        check_cost_s=check_cost_s,
        cpu_pct=counted_pct(load, check_cost_s) if check_cost_s else None,
        unbroken_s=late_s,
        forecast=[
            _forecast(
                interval,
                checks_per_s(interval, load, interval_s, runnable) / load.busy,
                late_s,
                cost,
            )
            for interval in chosen
        ]
        if cost and load.busy
        else [],
    )


def interval_in_force(gaps: Gaps) -> float | None:
    """The interval in force in seconds, to two digits; None with too few gaps."""
    count = sum(span_count for _, span_count in gaps.spans)
    if count < FEWEST_GAPS:
        return None
    counted = 0.0
    for span_ms, span_count in gaps.spans:
        counted += span_count
        if counted >= _SHORTEST_SHARE * count:
            return float(f"{span_ms / 1e3:.1g}") if _is_near(span_ms) else span_ms / 1e3
    return None


def _is_near(span_ms: float) -> bool:
    """True for a duration that is a round number (one digit) of the engine's unit, apart from the
    duration of a check.
    """
    rounded = float(f"{span_ms:.1g}")
    return rounded <= span_ms * 1.02 and span_ms <= rounded * 1.1 + 0.2


def unbroken_s(gaps: Gaps, interval_s: float | None) -> float:
    """The longest delay of a check after its interval: a stretch of code without an interrupt
    check, or a wait for a processor.
    """
    if interval_s is None or not gaps.spans:
        return 0.0
    return max(0.0, gaps.spans[-1][0] / 1e3 - interval_s)


def checks_per_s(
    interval_s: float, load: SessionLoad, now_s: float | None, runnable: float | None
) -> float:
    """Checks per second of elapsed time, with one every `interval_s` seconds.

    `now_s` is the interval of those in `load`; None: there are none, and statements are assumed to
    run all the time.
    """
    if now_s is None or not load.rate.per_s:
        return 1 / interval_s
    # While a statement waits for a lock or a disk, its checks are the only sign that it runs.
    executes = min(1.0, max(load.busy if runnable is None else runnable, load.rate.per_s * now_s))
    late_s = max(0.0, executes / load.rate.per_s - now_s)
    return executes / (interval_s + late_s)


def _forecast(
    interval_s: float, checks_per_cpu_s: float, late_s: float, cost: PollCost
) -> IntervalForecast:
    return IntervalForecast(
        interval_s=interval_s,
        checks_per_cpu_s=checks_per_cpu_s,
        cpu_pct=cost.at(1 / checks_per_cpu_s).scaled(100 * checks_per_cpu_s),
        median_s=interval_s / 2,
        worst_s=interval_s + late_s,
    )


def recommended_interval(
    forecasts: Sequence[IntervalForecast], limit_s: float
) -> IntervalForecast | None:
    """The longest interval that finds a client gone within the limit; None where none does."""
    within = [forecast for forecast in forecasts if forecast.worst_s <= limit_s * 1.0001]
    return max(within, key=lambda forecast: forecast.interval_s, default=None)


def _totals(server: Server, options: ProbeOptions) -> tuple[ProcessTotals, float]:
    with EbpfProbe([server.pid], options) as probe:
        profile = probe.profile()
    identity = (server.pid, server.start_ticks)
    for totals in profile.totals:
        if totals.identity == identity and identity not in profile.ended:
            return totals, profile.seconds
    raise NoSuchProcessError(f"process {server.pid} ended while it was measured")
