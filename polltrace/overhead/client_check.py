# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of checks of engines without out-of-band breaks, and the cost and delay at another
setting.

The model of an interval: while a statement runs, one check comes in each interval of elapsed time,
whatever the statement does, and each as late as the observed ones: an interval that expires while
the session waits for a processor is checked after it. The model of a count: the session makes
checks at a rate of its own, and every n-th looks at the socket. polltrace-calibrate measures a
complete check as the engine's file declares it: the system calls, and the signal where one starts
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polltrace import procfs
from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.breaks.break_mode import BreakMode
from polltrace.breaks.why import Diagnosis
from polltrace.engines import Engine
from polltrace.errors import NoSuchProcessError
from polltrace.intervals import Estimate
from polltrace.overhead.calibration import calibrate_check
from polltrace.overhead.cancel import Gaps, cancel_latency, on_cpu_gaps
from polltrace.overhead.estimates import counted_pct
from polltrace.overhead.poll_cost import Knot, PollCost
from polltrace.overhead.session_load import SessionLoad, counted_load
from polltrace.profiles.frames import ProcessTotals
from polltrace.servers.ps_report import BUSY_CPU_S
from polltrace.servers.servers import Server

# The intervals of a forecast in seconds, by the unit in which the engine's parameter is set.
INTERVALS_S = {
    "us": (0.001, 0.01, 0.1, 1.0, 10.0),
    "ms": (0.001, 0.01, 0.1, 1.0, 10.0),
    "s": (1.0, 10.0, 60.0),
}
# The checks per poll of a forecast.
COUNTS = (1, 3, 10, 30, 100, 300, 1000)
# With fewer gaps their shortest is no evidence of the interval.
FEWEST_GAPS = 5
# The timer never comes early, so the interval is the shortest gap but for the clock's error.
_SHORTEST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class CheckForecast:
    """The present work at another `setting`: seconds between checks, or checks per poll.

    `checks_per_cpu_s` is the number of checks that look at the socket per second of CPU time,
    `cpu_pct` their share of CPU. An event is noticed within `median_s` seconds in half of the
    cases, always within `worst_s`; None: no gap was timed.
    """

    setting: float
    checks_per_cpu_s: float
    cpu_pct: Estimate
    median_s: float | None
    worst_s: float | None


@dataclass(frozen=True, slots=True)
class ClientCheckAdvice:
    """The cost of a session's checks and its forecast.

    `mode` is the break mode of `server`, `why` the evidence; `load` its load (checks counted),
    `setting` the interval in force as measured (None: too few checks) or the configured checks per
    poll, `check_cost_s` the CPU seconds of a check, `cpu_pct` the CPU share of the checks, and
    `forecast` has an entry for each setting; it is empty where the session was not on CPU, or
    the cost is not known (both estimates are then None). `unbroken_s` is the longest time by which
    a check came later than its interval.
    """

    server: Server
    mode: BreakMode
    why: Diagnosis
    load: SessionLoad
    setting: float | None
    check_cost_s: Estimate | None
    cpu_pct: Estimate | None
    unbroken_s: float
    forecast: Sequence[CheckForecast]


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
    cost = None if server.engine.never_checks else _cost(server.engine, load, polls is True)
    return client_check_advice(server, polls, load, gaps, cost=cost, runnable=runnable)


def _cost(engine: Engine, load: SessionLoad, polls: bool) -> PollCost:
    knots = Knot.nearest(engine.check_kind, load.interval_s if polls else 0.0).with_ends()
    return calibrate_check(engine.check_kind, [1e-6 * knot.interval_us for knot in knots])


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
    engine = server.engine
    setting: float | None = None
    late_s, forecasts = 0.0, []
    if engine.polls_by_count:
        setting = server.settings.known_skip
        if cost and load.busy and load.rate.per_s and setting:
            forecasts = _count_forecasts(load, gaps, round(setting), cost)
    else:
        setting = interval_in_force(gaps)
        late_s = unbroken_s(gaps, setting)
        if cost and load.busy:
            forecasts = _interval_forecasts(
                engine, load, now_s=setting, late_s=late_s, runnable=runnable, cost=cost
            )
    check_cost_s = cost.at(load.interval_s) if cost else None
    return ClientCheckAdvice(
        server=server,
        mode=server.mode(polls),
        why=server.why(polls),
        load=load,
        setting=setting,
        check_cost_s=check_cost_s,
        cpu_pct=counted_pct(load, check_cost_s) if check_cost_s else None,
        unbroken_s=late_s,
        forecast=forecasts,
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


def _interval_forecasts(  # noqa: PLR0913 - each is measured by itself
    engine: Engine,
    load: SessionLoad,
    *,
    now_s: float | None,
    late_s: float,
    runnable: float | None,
    cost: PollCost,
) -> list[CheckForecast]:
    forecasts = []
    for interval_s in sorted({*INTERVALS_S[engine.unit], *([now_s] if now_s else [])}):
        rate = checks_per_s(interval_s, load, now_s, runnable) / load.busy
        share = _share(cost, rate)
        forecasts.append(
            CheckForecast(interval_s, rate, share, interval_s / 2, interval_s + late_s)
        )
    return forecasts


def _count_forecasts(
    load: SessionLoad, gaps: Gaps, now: int, cost: PollCost
) -> list[CheckForecast]:
    forecasts = []
    for count in sorted({*COUNTS, now}):
        rate = load.polls_per_cpu_s * now / count
        delay = cancel_latency(gaps, now, count)
        median_s, worst_s = (delay.median / 1e3, delay.worst / 1e3) if delay else (None, None)
        forecasts.append(CheckForecast(count, rate, _share(cost, rate), median_s, worst_s))
    return forecasts


def _share(cost: PollCost, checks_per_cpu_s: float) -> Estimate:
    """Per cent of the CPU time in so many checks a CPU second."""
    return cost.at(1 / checks_per_cpu_s).scaled(100 * checks_per_cpu_s)


def recommended_check(forecasts: Sequence[CheckForecast], limit_s: float) -> CheckForecast | None:
    """The highest setting that notices an event within the limit; None where none does."""
    within = [
        forecast
        for forecast in forecasts
        if forecast.worst_s is not None and forecast.worst_s <= limit_s * 1.0001
    ]
    return max(within, key=lambda forecast: forecast.setting, default=None)


def _totals(server: Server, options: ProbeOptions) -> tuple[ProcessTotals, float]:
    with EbpfProbe([server.pid], options) as probe:
        profile = probe.profile()
    identity = (server.pid, server.start_ticks)
    for totals in profile.totals:
        if totals.identity == identity and identity not in profile.ended:
            return totals, profile.seconds
    raise NoSuchProcessError(f"process {server.pid} ended while it was measured")
