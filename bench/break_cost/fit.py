# SPDX-License-Identifier: GPL-2.0-or-later
"""Fit the cost model: `make fit` (as root, on a quiet machine).

Measures the sessions of fit.toml that fit.jsonl lacks, and writes the model's factors with their
prediction intervals into polltrace/overhead/cost_model.json.

A factor is the mean over statements of the logarithm of the cost of a session's polls divided by
the product's measurement; the factors of polls timed in place and of samples rise with the skip by
powers that are fitted with them. Its interval comes from residuals of statements that were left out
one at a time, so it is valid for a statement that the model has not seen. The variances of the
truth and of the samples themselves are subtracted: the product adds its own.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from bench.break_cost.record import SessionRecord, measure, read_records
from bench.break_cost.workload import read_plan
from polltrace.overhead.cost_model import FORMAT, VERSION, CostModel, cost_model

HERE = Path(__file__).parent
MODEL = Path("polltrace/overhead/cost_model.json")
# By statement, for each of its sessions (logarithm of the skip, of the factor, and the variance of
# the latter by measurement). Where the first is 0 in all, the factor does not depend on it.
Points = Mapping[str, Sequence[tuple[float, float, float]]]
# By statement, logarithms that should be 0, and their variance by measurement.
Misses = Mapping[str, Sequence[tuple[float, float]]]
_FACTORS = ("timed", "sampled", "calibrated")


class OtherHost(NamedTuple):
    """A host whose sessions are not in fit.jsonl: the cost of its polls relative to the model that
    was fitted without them, and the power of the interval by which it rises.
    """

    host: str
    timed: float
    sampled: float
    calibrated: float
    rise: float


# Ten statements at 240 to 300 executions each, against executions without checks; the cost of
# polltrace's own polls as polltrace-calibrate has it, at 6 us.
OTHER_HOSTS = (
    OtherHost("AMD EPYC, 2 processors", timed=0.61, sampled=0.82, calibrated=0.66, rise=0.08),
)
# Chosen: the variance of a factor itself, about 10 %, by which sessions are weighted: those whose
# truth is much better known than that count alike.
_OWN = 0.01
# The smallest variance that is assumed of a factor.
_LEAST = 1e-6


def fitted(records: Sequence[SessionRecord]) -> dict[str, Any]:
    """The content of the data file. Raises ValueError for fewer than three statements."""
    used = [record for record in records if is_usable(record)]
    if len({record.statement for record in used}) < 3:
        raise ValueError("fewer than three statements")
    check_s = _check_s(used)
    points = {
        "calibrated": _by_statement(
            used, lambda record: _cost_ns(record, check_s[0]) / record.calibrated_ns, rises=False
        ),
        "timed": _by_statement(
            used, lambda record: _cost_ns(record, check_s[0]) / (record.timed_ns or math.nan)
        ),
        "sampled": _by_statement(
            used, lambda record: record.saved.value / record.sampled_pct, _sampling_variance
        ),
    }
    left_out = {name: held_out(measurements) for name, measurements in points.items()}
    return {
        "format": FORMAT,
        "version": VERSION,
        **{
            name: _factor(_line(measurements)[0], left_out[name])
            for name, measurements in points.items()
        },
        "timed_rise": _line(points["timed"])[1],
        "sampled_rise": _line(points["sampled"])[1],
        "highest_skip": max(record.skip for record in used),
        "rise": _rise(used, check_s[0]),
        "check_s": list(check_s),
        "together": _together(left_out["timed"], left_out["sampled"]),
        "chosen": _chosen(cost_model(), sorted({record.host for record in used})),
        "errors_log": {
            name: _components(measurements, left_out[name]) for name, measurements in points.items()
        },
        "provenance": {
            "fitted": max(record.at for record in used),
            "from": min(record.at for record in used),
            "sessions": len(used),
            "disturbed": len(records) - len(used),
            "statements": sorted({record.statement for record in used}),
            "drivers": sorted({record.driver for record in used}),
            "hosts": sorted({record.host for record in used}),
            "kernels": sorted({record.kernel for record in used}),
            "command": "make fit",
        },
    }


def _chosen(model: CostModel, hosts: Sequence[str]) -> dict[str, Any]:
    """The numbers that no fit changes, and the spread between hosts."""
    check = model.timer_check
    spread = {name: _spread(getattr(other, name) for other in OTHER_HOSTS) for name in _FACTORS}
    return {
        "longest": model.longest,
        "probe_error": model.probe_error,
        "timer_check": [check.value, check.low, check.high],
        "between_hosts": spread,
        "hosts": [*hosts, *(other.host for other in OTHER_HOSTS)],
    }


def _spread(factors: Iterable[float]) -> list[float]:
    """The middle and the ends of the hosts' factors, on a logarithmic scale. That of the fitted
    hosts is 1. The ends lie half of the distance beyond, because two hosts are few.
    """
    logs = [0.0, *map(math.log, factors)]
    middle, reach = (max(logs) + min(logs)) / 2, max(logs) - min(logs)
    return [math.exp(middle), math.exp(middle - reach), math.exp(middle + reach)]


def is_usable(record: SessionRecord) -> bool:
    """True for an undisturbed record with timed polls whose truth excludes zero."""
    return not record.disturbance and bool(record.timed_ns) and record.saved.low > 0


def _truth_variance(record: SessionRecord) -> float:
    """The variance of the logarithm of the truth."""
    return (record.saved.half_width / 1.96 / record.saved.value) ** 2


def _sampling_variance(record: SessionRecord) -> float:
    """The variance of the logarithm of the share of samples."""
    share = record.sampled_pct / 100
    return (1 - share) / (share * record.samples)


def _cost_ns(record: SessionRecord, check_s: float) -> float:
    """The cost of a poll in nanoseconds, by the saving of being out-of-band."""
    own_s = record.saved.value / 100 / record.polls_per_cpu_s - record.skip * check_s
    return 1e9 * max(own_s, 1e-9)


def _check_s(records: Sequence[SessionRecord]) -> tuple[float, float, float]:
    """CPU seconds of a check that does not poll, by the samples: the median over sessions, and the
    maximum.
    """
    estimates_s = [
        record.checks_pct / 100 / record.polls_per_cpu_s / record.skip for record in records
    ]
    return statistics.median(estimates_s), 0.0, max(estimates_s)


def _by_statement(
    records: Sequence[SessionRecord],
    ratio: Callable[[SessionRecord], float],
    extra_variance: Callable[[SessionRecord], float] = lambda _: 0.0,
    *,
    rises: bool = True,
) -> Points:
    """The points of a factor. `extra_variance` is added to the truth's; `rises`: the factor depends
    on the skip.
    """
    points = defaultdict(list)
    for record in records:
        skip = math.log(record.skip) if rises else 0.0
        variance = _truth_variance(record) + extra_variance(record)
        points[record.statement].append((skip, math.log(ratio(record)), variance))
    return points


def _weights(variances: Sequence[float]) -> list[float]:
    """The weights of a statement's sessions; each statement counts about once, however many it
    has.
    """
    return [1 / (_OWN + variance) / len(variances) for variance in variances]


def _line(points: Points) -> tuple[float, float]:
    """The (value at 0, slope) by weighted least squares."""
    weighed = [
        (x, y, weight)
        for sessions in points.values()
        for (x, y, _), weight in zip(sessions, _weights([v for _, _, v in sessions]), strict=True)
    ]
    total = sum(weight for _, _, weight in weighed)
    mean_x = sum(weight * x for x, _, weight in weighed) / total
    mean_y = sum(weight * y for _, y, weight in weighed) / total
    spread = sum(weight * (x - mean_x) ** 2 for x, _, weight in weighed)
    covariance = sum(weight * (x - mean_x) * (y - mean_y) for x, y, weight in weighed)
    slope = covariance / spread if spread else 0.0
    return mean_y - slope * mean_x, slope


def _misses(points: Points, line: tuple[float, float]) -> Misses:
    intercept, slope = line
    return {
        name: [(y - intercept - slope * x, v) for x, y, v in sessions]
        for name, sessions in points.items()
    }


def held_out(points: Points) -> Misses:
    """Each statement's distances from the line through the other statements."""
    misses: dict[str, Sequence[tuple[float, float]]] = {}
    for name, sessions in points.items():
        line = _line(
            {
                other_name: other_sessions
                for other_name, other_sessions in points.items()
                if other_name != name
            }
        )
        misses |= _misses({name: sessions}, line)
    return misses


def _factor(log: float, misses: Misses) -> list[float]:
    """The factor, its low and its high end: Student's interval of the misses, with the number of
    statements as sample size.
    """
    half = _student(max(1, len(misses) - 1)) * _rms(misses)
    return [math.exp(log), math.exp(log - half), math.exp(log + half)]


def _together(first: Misses, second: Misses) -> float:
    """The error of the weighted mean of two estimates, relative to that of independent errors.

    `first` has the truth's variance, which both share; `second` has more.
    """
    weights = [1 / _rms(misses) ** 2 for misses in (first, second)]
    first_share, second_share = (weight / sum(weights) for weight in weights)
    mean = {
        name: [
            (first_share * a + second_share * b, truth + second_share**2 * (both - truth))
            for (a, truth), (b, both) in zip(first[name], second[name], strict=True)
        ]
        for name in first
    }
    return _rms(mean) * math.sqrt(sum(weights))


def _rms(misses: Misses) -> float:
    """The root mean square of the misses, less their own variances."""
    squares = total = 0.0
    for sessions in misses.values():
        for (log, variance), weight in zip(
            sessions, _weights([v for _, v in sessions]), strict=True
        ):
            squares += weight * (log * log - variance)
            total += weight
    return math.sqrt(max(_LEAST, squares / total))


def _student(free: int) -> float:
    """The 97.5 % quantile of Student's t, by the expansion of Fisher and Cornish (1960)."""
    z = statistics.NormalDist().inv_cdf(0.975)
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / free + second / free**2 + third / free**3


def _rise(records: Sequence[SessionRecord], check_s: float) -> list[float]:
    """The power of the interval by which the cost of a poll rises, from pairs of sessions of one
    statement at two skips, with an interval for the statement of any host: the mean of the hosts'
    means, and the spread of the statements beyond the outermost. A rarer poll is never cheaper.
    """
    pairs = defaultdict(list)
    for first, second in combinations(sorted(records, key=lambda record: record.skip), 2):
        same_work = (first.statement, first.driver) == (second.statement, second.driver)
        if same_work and first.skip < second.skip:
            longer = math.log(first.polls_per_cpu_s / second.polls_per_cpu_s)
            dearer = math.log(_cost_ns(second, check_s) / _cost_ns(first, check_s))
            variance = _truth_variance(first) + _truth_variance(second)
            pairs[first.statement].append((longer, dearer, 1 / (2 * _OWN + variance)))
    if len(pairs) < 2:
        raise ValueError("fewer than two statements at two skips")
    rises = [
        sum(weight * x * y for x, y, weight in statement)
        / sum(weight * x * x for x, _, weight in statement)
        for statement in pairs.values()
    ]
    means = [statistics.fmean(rises), *(other.rise for other in OTHER_HOSTS)]
    half = _student(len(rises) - 1) * statistics.stdev(rises)
    low, high = min(means) - half, max(means) + half
    return [(max(means) + min(means)) / 2, max(0.0, low), high]


def _components(points: Points, left_out: Misses) -> dict[str, float]:
    """Standard deviations of the logarithm: between statements, and between sessions of one."""
    misses = _misses(points, _line(points))
    logs = {name: [log for log, _ in sessions] for name, sessions in misses.items()}
    within = [
        log - statistics.fmean(session_logs)
        for session_logs in logs.values()
        for log in session_logs
    ]
    free = max(1, len(within) - len(logs))
    measured = sum(log * log for log in within) / free
    noise = statistics.fmean(variance for sessions in misses.values() for _, variance in sessions)
    means = [statistics.fmean(session_logs) for session_logs in logs.values()]
    size = statistics.harmonic_mean([len(session_logs) for session_logs in logs.values()])
    statement = math.sqrt(max(0.0, statistics.variance(means) - measured / size))
    session = math.sqrt(max(0.0, measured - noise))
    return {"statement": statement, "session": session, "held_out": _rms(left_out)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.break_cost.fit", description=__doc__)
    parser.add_argument("--plan", type=Path, default=HERE / "fit.toml")
    parser.add_argument("--records", type=Path, default=HERE / "fit.jsonl")
    parser.add_argument("-o", "--output", type=Path, default=MODEL)
    parser.add_argument("--seconds", type=float, default=16.0, help="of turns (%(default)s)")
    parser.add_argument("--budget", type=float, default=7200.0, help="seconds (%(default)s)")
    args = parser.parse_args()
    missing_sessions = measure(read_plan(args.plan), args.records, args.seconds, args.budget)
    if missing_sessions:
        print(
            f"{missing_sessions} sessions are still to be measured: run it again", file=sys.stderr
        )
        return 1
    args.output.write_text(json.dumps(fitted(read_records(args.records)), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
