# SPDX-License-Identifier: GPL-2.0-or-later
"""Fits the cost model: `make fit` (as root, on a quiet machine).

Measures the sessions of fit.toml that fit.jsonl lacks, and writes the model's factors with their
prediction intervals into polltrace/overhead/cost_model.json.

A factor is the mean over statements of the logarithm of what a session's polls cost divided by
what was measured in the product's way; those of polls timed in place and of samples rise with the
skip by powers that are fitted with them. Its interval comes from residuals of statements that were
left out one at a time, so it holds for a statement that the model has not seen. What the truth and
the samples are themselves uncertain by is taken off them: the product adds its own.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from bench.break_cost.record import Record, measure, read_records
from bench.break_cost.workload import read_plan
from polltrace.overhead.cost_model import FORMAT, VERSION, CostModel, cost_model

HERE = Path(__file__).parent
MODEL = Path("polltrace/overhead/cost_model.json")
# By statement, for each of its sessions (logarithm of the skip, of the factor, and the variance of
# the latter by what was measured). Where the first is 0 in all, the factor does not depend on it.
Points = Mapping[str, Sequence[tuple[float, float, float]]]
# By statement, logarithms that should be 0, and their variance by what was measured.
Misses = Mapping[str, Sequence[tuple[float, float]]]
# Chosen: the variance of a factor itself, about 10 %, by which sessions are weighted: those whose
# truth is much better known than that count alike.
_OWN = 0.01
# No error of a factor is taken to be less.
_LEAST = 1e-6


def fitted(records: Sequence[Record]) -> dict[str, Any]:
    """The data file. Raises ValueError for fewer than three statements."""
    used = [each for each in records if is_usable(each)]
    if len({each.statement for each in used}) < 3:
        raise ValueError("fewer than three statements")
    check_s = _check_s(used)
    rise, misses = _other_intervals(used, check_s[0])
    points = {
        "calibrated": _by_statement(
            used, lambda one: _cost_ns(one, check_s[0]) / one.calibrated_ns, rises=False
        ),
        "timed": _by_statement(
            used, lambda one: _cost_ns(one, check_s[0]) / (one.timed_ns or math.nan)
        ),
        "sampled": _by_statement(
            used, lambda one: one.saved.value / one.sampled_pct, _sampling_variance
        ),
    }
    left_out = {name: held_out(each) for name, each in points.items()}
    return {
        "format": FORMAT,
        "version": VERSION,
        **{name: _factor(_line(each)[0], left_out[name]) for name, each in points.items()},
        "timed_rise": _line(points["timed"])[1],
        "sampled_rise": _line(points["sampled"])[1],
        "highest_skip": max(each.skip for each in used),
        "rise": rise,
        "other_interval": _factor(0.0, misses),
        "check_s": list(check_s),
        "together": _together(left_out["timed"], left_out["sampled"]),
        "chosen": _chosen(cost_model()),
        "errors_log": {name: _components(each, left_out[name]) for name, each in points.items()},
        "provenance": {
            "fitted": max(each.at for each in used),
            "from": min(each.at for each in used),
            "sessions": len(used),
            "disturbed": len(records) - len(used),
            "statements": sorted({each.statement for each in used}),
            "drivers": sorted({each.driver for each in used}),
            "hosts": sorted({each.host for each in used}),
            "kernels": sorted({each.kernel for each in used}),
            "command": "make fit",
        },
    }


def _chosen(model: CostModel) -> dict[str, Any]:
    """What no fit changes."""
    check = model.timer_check
    return {
        "longest": model.longest,
        "probe_error": model.probe_error,
        "timer_check": [check.value, check.low, check.high],
    }


def is_usable(one: Record) -> bool:
    """Undisturbed, with timed polls, and its truth can be told from nothing."""
    return not one.disturbance and bool(one.timed_ns) and one.saved.low > 0


def _truth_variance(one: Record) -> float:
    """Of its logarithm."""
    return (one.saved.half_width / 1.96 / one.saved.value) ** 2


def _sampling_variance(one: Record) -> float:
    """Of the logarithm of the share of samples."""
    share = one.sampled_pct / 100
    return (1 - share) / (share * one.samples)


def _cost_ns(one: Record, check_s: float) -> float:
    """Nanoseconds that a poll cost, by what being out-of-band saved."""
    own_s = one.saved.value / 100 / one.polls_per_cpu_s - one.skip * check_s
    return 1e9 * max(own_s, 1e-9)


def _check_s(records: Sequence[Record]) -> tuple[float, float, float]:
    """CPU seconds of a check that does not poll, by the samples: the median over sessions, and the
    most in any."""
    each = [one.checks_pct / 100 / one.polls_per_cpu_s / one.skip for one in records]
    return statistics.median(each), 0.0, max(each)


def _by_statement(
    records: Sequence[Record],
    ratio: Callable[[Record], float],
    more_variance: Callable[[Record], float] = lambda _: 0.0,
    *,
    rises: bool = True,
) -> Points:
    """`more_variance`: besides the truth's; `rises`: whether the factor depends on the skip."""
    points = defaultdict(list)
    for one in records:
        skip = math.log(one.skip) if rises else 0.0
        variance = _truth_variance(one) + more_variance(one)
        points[one.statement].append((skip, math.log(ratio(one)), variance))
    return points


def _weights(variances: Sequence[float]) -> list[float]:
    """Of a statement's sessions; each statement counts about once, however many it has."""
    return [1 / (_OWN + variance) / len(variances) for variance in variances]


def _line(points: Points) -> tuple[float, float]:
    """(value at 0, slope) by weighted least squares."""
    weighed = [
        (x, y, weight)
        for each in points.values()
        for (x, y, _), weight in zip(each, _weights([v for _, _, v in each]), strict=True)
    ]
    total = sum(weight for _, _, weight in weighed)
    mean_x = sum(weight * x for x, _, weight in weighed) / total
    mean_y = sum(weight * y for _, y, weight in weighed) / total
    spread = sum(weight * (x - mean_x) ** 2 for x, _, weight in weighed)
    together = sum(weight * (x - mean_x) * (y - mean_y) for x, y, weight in weighed)
    slope = together / spread if spread else 0.0
    return mean_y - slope * mean_x, slope


def _misses(points: Points, line: tuple[float, float]) -> Misses:
    at, slope = line
    return {name: [(y - at - slope * x, v) for x, y, v in each] for name, each in points.items()}


def held_out(points: Points) -> Misses:
    """Each statement's distances from the line through the others."""
    found: dict[str, Sequence[tuple[float, float]]] = {}
    for name, each in points.items():
        line = _line({other: its for other, its in points.items() if other != name})
        found |= _misses({name: each}, line)
    return found


def _factor(log: float, misses: Misses) -> list[float]:
    """The factor, its low and its high end: Student's interval of the misses, as many as there are
    statements."""
    half = _student(max(1, len(misses) - 1)) * _rms(misses)
    return [math.exp(log), math.exp(log - half), math.exp(log + half)]


def _together(one: Misses, other: Misses) -> float:
    """The error of the weighted mean of two estimates, of what it would be if their errors were
    independent. `one` has the truth's variance, which both share, `other` more."""
    weights = [1 / _rms(each) ** 2 for each in (one, other)]
    part, rest = (weight / sum(weights) for weight in weights)
    mean = {
        name: [
            (part * a + rest * b, truth + rest**2 * (both - truth))
            for (a, truth), (b, both) in zip(one[name], other[name], strict=True)
        ]
        for name in one
    }
    return _rms(mean) * math.sqrt(sum(weights))


def _rms(misses: Misses) -> float:
    """What the logarithms miss, less what they would by their own variances."""
    squares = total = 0.0
    for each in misses.values():
        for (log, variance), weight in zip(each, _weights([v for _, v in each]), strict=True):
            squares += weight * (log * log - variance)
            total += weight
    return math.sqrt(max(_LEAST, squares / total))


def _student(free: int) -> float:
    """The 97.5 % quantile of Student's t, by the expansion of Fisher and Cornish (1960)."""
    z = statistics.NormalDist().inv_cdf(0.975)
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / free + second / free**2 + third / free**3


def _other_intervals(records: Sequence[Record], check_s: float) -> tuple[float, Misses]:
    """Of two sessions of one statement at two skips: the power of the interval by which the cost
    rises faster than the calibration's curve, and by statement what that misses."""
    pairs = []
    for one, other in combinations(sorted(records, key=lambda each: each.skip), 2):
        if (one.statement, one.driver) == (other.statement, other.driver):
            us, other_us = 1e6 / one.polls_per_cpu_s, 1e6 / other.polls_per_cpu_s
            true = math.log(_cost_ns(other, check_s) / _cost_ns(one, check_s))
            shape = math.log(_at(one, other_us) / _at(one, us))
            variance = _truth_variance(one) + _truth_variance(other)
            pairs.append((one.statement, math.log(other_us / us), true - shape, variance))
    if not pairs:
        raise ValueError("no statement at two skips")
    weights = _weights([variance for *_, variance in pairs])
    rise = sum(weight * miss for weight, (_, _, miss, _) in zip(weights, pairs, strict=True)) / sum(
        weight * longer for weight, (_, longer, _, _) in zip(weights, pairs, strict=True)
    )
    misses = defaultdict(list)
    for statement, longer, miss, variance in pairs:
        misses[statement].append((miss - rise * longer, variance))
    return rise, misses


def _at(one: Record, interval_us: float) -> float:
    (first_us, ns), *others = one.curve
    for knot_us, following in others:
        if interval_us < knot_us:
            share = math.log(max(interval_us, first_us) / first_us) / math.log(knot_us / first_us)
            return ns + share * (following - ns)
        first_us, ns = knot_us, following
    return ns


def _components(points: Points, left_out: Misses) -> dict[str, float]:
    """Standard deviations of the logarithm: between statements, and between sessions of one."""
    misses = _misses(points, _line(points))
    logs = {name: [log for log, _ in each] for name, each in misses.items()}
    within = [log - statistics.fmean(each) for each in logs.values() for log in each]
    free = max(1, len(within) - len(logs))
    measured = sum(log * log for log in within) / free
    noise = statistics.fmean(variance for each in misses.values() for _, variance in each)
    means = [statistics.fmean(each) for each in logs.values()]
    size = statistics.harmonic_mean([len(each) for each in logs.values()])
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
    left = measure(read_plan(args.plan), args.records, args.seconds, args.budget)
    if left:
        print(f"{left} sessions are still to be measured: run it again", file=sys.stderr)
        return 1
    args.output.write_text(json.dumps(fitted(read_records(args.records)), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
