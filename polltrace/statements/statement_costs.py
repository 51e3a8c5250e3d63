# SPDX-License-Identifier: GPL-2.0-or-later
"""Join of a session's trace with the figures of its process at the same time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from polltrace.intervals import Estimate
from polltrace.statements.attribution import AFTER, OUTSIDE, Busy, Readings, Share, attribute
from polltrace.statements.clock_alignment import ClockAlignment
from polltrace.statements.scheduler import SchedulerSample
from polltrace.statements.whereabouts import Interval, OnCpuSamples, blocked_in, on_cpu_in


@dataclass(frozen=True, slots=True)
class TracedCall:
    """A database call that the client has made (depth 0): `name` is PARSE, EXEC, FETCH, CLOSE, …

    `statement` is its SQL_ID, or the cursor where the trace has no text; `tim_us` when it ended, on
    the trace's clock; `elapsed_us`, `cpu_us` (c) and `wait_us`, in the call, in microseconds.
    """

    statement: str
    sql: str
    name: str
    tim_us: int
    elapsed_us: int
    cpu_us: int
    wait_us: int
    rows: int


@dataclass(frozen=True, slots=True)
class StatementCost:
    """A statement in the time that was recorded. Times in seconds, of all its calls.

    By the trace: `executions`, `calls`, `rows`, `elapsed_s`, `cpu_s`, `wait_s`. By polltrace:
    break `polls`; `on_cpu_s`; `run_queue_s`, runnable without a CPU; page faults that read a disk,
    `major_faults`, and `minor_faults` that do not. `check_s` is the CPU time in the break check:
    polls times the cost of one; None where that was not measured. `on_cpu_in` has the samples on
    CPU by function, `blocked_in` those that found it blocked, in no wait of the trace, by system
    call.
    """

    statement: str
    sql: str
    executions: int
    calls: int
    rows: int
    elapsed_s: float
    cpu_s: float
    wait_s: float
    polls: Share
    check_s: Estimate | None
    on_cpu_s: Share
    run_queue_s: Share
    minor_faults: Share
    major_faults: Share
    on_cpu_in: Mapping[str, float]
    blocked_in: Mapping[str, int]

    @property
    def unaccounted_s(self) -> float:
        """Elapsed time that is neither CPU nor a wait in the trace; may be negative."""
        return self.elapsed_s - self.cpu_s - self.wait_s

    @property
    def blocked_s(self) -> float:
        """Unaccounted-for time off CPU, out of the run queue and outside traced waits."""
        return max(self.elapsed_s - self.wait_s - self.on_cpu_s.value - self.run_queue_s.value, 0.0)

    @property
    def polls_per_execution(self) -> float | None:
        return self.polls.value / self.executions if self.executions else None


@dataclass(frozen=True, slots=True)
class MeasuredProcess:
    """Figures of the process: break `polls` by the recording's frames, samples of the scheduler and
    of its stack, and the cost of a poll in CPU seconds (None: not measured)."""

    polls: Readings
    scheduler: Sequence[SchedulerSample]
    on_cpu: OnCpuSamples
    poll_cost_s: Estimate | None


@dataclass(frozen=True, slots=True)
class JoinedTrace:
    """Costs of `statements`, the longest first; `outside` has the counts between calls.

    `trailing` has the counts of the last `trailing_s` seconds, after the last call in the trace:
    of a call that has not ended, or of calls that are `missing`, by reason.
    """

    alignment: ClockAlignment
    statements: tuple[StatementCost, ...]
    outside: StatementCost
    trailing: StatementCost
    trailing_s: float
    missing: tuple[str, ...]


def join(
    calls: Iterable[TracedCall],
    waits: Iterable[Interval],
    measured: MeasuredProcess,
    alignment: ClockAlignment,
    missing: Sequence[str] = (),
) -> JoinedTrace:
    """Join calls and waits on the trace's clock with the figures of the process.

    Calls that ended before the first reading count nowhere.
    """
    at_us = measured.polls.at_us
    begin_us, end_us = (at_us[0], at_us[-1]) if at_us else (0, 0)
    by_statement: defaultdict[str, list[TracedCall]] = defaultdict(list)
    busy: list[Busy] = []
    for call in calls:
        ended_us = call.tim_us + alignment.offset_us
        began_us = ended_us - call.elapsed_us
        if began_us >= begin_us and ended_us <= end_us:
            by_statement[call.statement].append(call)
        if ended_us > begin_us and began_us < end_us:
            busy.append(Busy(call.statement, began_us, ended_us, _on_cpu(call)))
    until_us = max((call.end_us for call in busy), default=begin_us)
    # The activity after it is unknown; the span in which the last call ended is more likely that
    # call's.
    trailing = Busy(AFTER, until_us, max(end_us, until_us), weight=1e-6)
    shares = _shares([*busy, trailing], measured, alignment.error_us)
    offset_us = alignment.offset_us
    traced = [Interval(w.begin_us + offset_us, w.end_us + offset_us) for w in waits]
    blocked = blocked_in(busy, traced, measured.scheduler)
    on_cpu = on_cpu_in(busy, measured.on_cpu, alignment.error_us)
    costs = [
        replace(
            _cost(statement, statement_calls, shares, measured.poll_cost_s),
            on_cpu_in=on_cpu.get(statement, {}),
            blocked_in=blocked.get(statement, {}),
        )
        for statement, statement_calls in by_statement.items()
    ]
    return JoinedTrace(
        alignment,
        tuple(sorted(costs, key=lambda cost: (-cost.elapsed_s, cost.statement))),
        _cost(OUTSIDE, [], shares, measured.poll_cost_s),
        _cost(AFTER, [], shares, measured.poll_cost_s),
        1e-6 * (trailing.end_us - trailing.begin_us),
        tuple(missing),
    )


def _on_cpu(call: TracedCall) -> float:
    """Fraction of a call's time on a CPU; 1 for a call that is too short to tell."""
    return max(call.cpu_us, 1) / max(call.elapsed_us, 1)


_COUNTERS = ("on_cpu_ns", "run_queue_ns", "minor_faults", "major_faults")


_Shares = dict[str, dict[str, Share]]
"""Shares by counter and statement."""


def _shares(busy: Sequence[Busy], measured: MeasuredProcess, error_us: int) -> _Shares:
    samples = measured.scheduler
    at_us = [sample.at_us for sample in samples]
    counters = {
        name: Readings(at_us, [float(getattr(sample, name)) for sample in samples])
        for name in _COUNTERS
    } | {"polls": measured.polls}
    return {name: attribute(busy, readings, error_us) for name, readings in counters.items()}


def _cost(
    statement: str,
    calls: Sequence[TracedCall],
    shares: _Shares,
    poll_cost_s: Estimate | None,
) -> StatementCost:
    def of(counter: str, unit: float = 1.0) -> Share:
        share = shares[counter].get(statement, Share())
        return Share(unit * share.value, unit * share.low, unit * share.high)

    polls = of("polls")
    return StatementCost(
        statement=statement,
        sql=next((call.sql for call in calls if call.sql), ""),
        executions=sum(call.name == "EXEC" for call in calls),
        calls=len(calls),
        rows=sum(call.rows for call in calls),
        elapsed_s=1e-6 * sum(call.elapsed_us for call in calls),
        cpu_s=1e-6 * sum(call.cpu_us for call in calls),
        wait_s=1e-6 * sum(call.wait_us for call in calls),
        polls=polls,
        check_s=_times(poll_cost_s, polls) if poll_cost_s else None,
        on_cpu_s=of("on_cpu_ns", 1e-9),
        run_queue_s=of("run_queue_ns", 1e-9),
        minor_faults=of("minor_faults"),
        major_faults=of("major_faults"),
        on_cpu_in={},
        blocked_in={},
    )


def _times(cost_s: Estimate, polls: Share) -> Estimate:
    return Estimate(polls.value * cost_s.value, polls.low * cost_s.low, polls.high * cost_s.high)
