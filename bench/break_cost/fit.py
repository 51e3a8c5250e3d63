# SPDX-License-Identifier: GPL-2.0-or-later
"""Fits the cost model: `make fit` (as root, on a quiet machine).

Measures the sessions of fit.toml that fit.jsonl lacks, and writes the model's factors with their
prediction intervals into polltrace/overhead/cost_model.json.

A factor is the mean over statements of the logarithm of what a session's polls cost divided by
what was measured in the product's way. Its interval comes from residuals of statements that were
left out one at a time, so it holds for a statement that the model has not seen.
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
from polltrace.overhead.cost_model import FORMAT, VERSION

HERE = Path(__file__).parent
MODEL = Path("polltrace/overhead/cost_model.json")
Logs = Mapping[str, Sequence[float]]


def fitted(records: Sequence[Record]) -> dict[str, Any]:
    """The data file. Raises ValueError for fewer than three statements."""
    used = [each for each in records if not each.disturbance and each.timed_ns]
    if len({each.statement for each in used}) < 3:
        raise ValueError("fewer than three statements")
    check_s = _check_s(used)
    rise, misses = _other_intervals(used, check_s[0])
    logs = {
        "calibrated": _by_statement(
            used, lambda one: _cost_ns(one, check_s[0]) / one.calibrated_ns
        ),
        "timed": _by_statement(
            used, lambda one: _cost_ns(one, check_s[0]) / (one.timed_ns or math.nan)
        ),
        "sampled": _by_statement(used, lambda one: one.saved.value / one.sampled_pct),
    }
    factors = {name: _factor(each) for name, each in logs.items()}
    return {
        "format": FORMAT,
        "version": VERSION,
        **factors,
        "rise": rise,
        "other_interval": _factor(misses, at=0.0),
        "check_s": list(check_s),
        "together": _together(logs["timed"], logs["sampled"]),
        "errors_log": {name: _components(each) for name, each in logs.items()},
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


def _cost_ns(one: Record, check_s: float) -> float:
    """Nanoseconds that a poll cost, by what being out-of-band saved."""
    own_s = one.saved.value / 100 / one.polls_per_cpu_s - one.skip * check_s
    return 1e9 * max(own_s, 1e-9)


def _check_s(records: Sequence[Record]) -> tuple[float, float, float]:
    """CPU seconds of a check that does not poll, by the samples: the median over sessions, and the
    most in any."""
    each = [one.checks_pct / 100 / one.polls_per_cpu_s / one.skip for one in records]
    return statistics.median(each), 0.0, max(each)


def _by_statement(records: Sequence[Record], ratio: Callable[[Record], float]) -> Logs:
    logs = defaultdict(list)
    for one in records:
        logs[one.statement].append(math.log(ratio(one)))
    return logs


def held_out(logs: Logs) -> list[list[float]]:
    """By statement, the residuals from the mean of the others."""
    means = {name: statistics.fmean(each) for name, each in logs.items()}
    return [
        [log - statistics.fmean([m for other, m in means.items() if other != name]) for log in each]
        for name, each in logs.items()
    ]


def _factor(logs: Logs, at: float | None = None) -> list[float]:
    """The factor, its low and its high end: the mean over statements, and Student's interval of
    the held-out residuals, as many as there are statements. `at` is a mean that is known."""
    if at is None:
        centre = statistics.fmean(statistics.fmean(each) for each in logs.values())
        error, free = _held_out_rms(logs), len(logs) - 1
    else:
        all_logs = [log for each in logs.values() for log in each]
        centre, free = at, max(1, len(logs) - 1)
        error = math.sqrt(statistics.fmean(log * log for log in all_logs))
    half = _student(free) * error
    return [math.exp(centre), math.exp(centre - half), math.exp(centre + half)]


def _together(one: Logs, other: Logs) -> float:
    """The held-out error of the weighted mean of two estimates, of what it would be if their errors
    were independent."""
    weights = [1 / _held_out_rms(each) ** 2 for each in (one, other)]
    mean = {
        name: [
            (weights[0] * a + weights[1] * b) / sum(weights)
            for a, b in zip(one[name], other[name], strict=True)
        ]
        for name in one
    }
    return _held_out_rms(mean) * math.sqrt(sum(weights))


def _held_out_rms(logs: Logs) -> float:
    """Each statement counts once, however many sessions it has."""
    return math.sqrt(
        statistics.fmean(statistics.fmean(log * log for log in each) for each in held_out(logs))
    )


def _student(free: int) -> float:
    """The 97.5 % quantile of Student's t, by the expansion of Fisher and Cornish (1960)."""
    z = statistics.NormalDist().inv_cdf(0.975)
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / free + second / free**2 + third / free**3


def _other_intervals(records: Sequence[Record], check_s: float) -> tuple[float, Logs]:
    """Of two sessions of one statement at two skips: the power of the interval by which the cost
    rises faster than the calibration's curve, and by statement what that misses."""
    pairs = []
    for one, other in combinations(sorted(records, key=lambda each: each.skip), 2):
        if (one.statement, one.driver) == (other.statement, other.driver):
            us, other_us = 1e6 / one.polls_per_cpu_s, 1e6 / other.polls_per_cpu_s
            true = math.log(_cost_ns(other, check_s) / _cost_ns(one, check_s))
            shape = math.log(_at(one, other_us) / _at(one, us))
            pairs.append((one.statement, math.log(other_us / us), true - shape))
    if not pairs:
        raise ValueError("no statement at two skips")
    rise = sum(miss for _, _, miss in pairs) / sum(longer for _, longer, _ in pairs)
    misses = defaultdict(list)
    for statement, longer, miss in pairs:
        misses[statement].append(miss - rise * longer)
    return rise, misses


def _at(one: Record, interval_us: float) -> float:
    (first_us, ns), *others = one.curve
    for knot_us, following in others:
        if interval_us < knot_us:
            share = math.log(max(interval_us, first_us) / first_us) / math.log(knot_us / first_us)
            return ns + share * (following - ns)
        first_us, ns = knot_us, following
    return ns


def _components(logs: Logs) -> dict[str, float]:
    """Standard deviations of the logarithm: between statements, and between sessions of one."""
    within = [log - statistics.fmean(each) for each in logs.values() for log in each]
    free = max(1, len(within) - len(logs))
    session = math.sqrt(sum(log * log for log in within) / free)
    means = [statistics.fmean(each) for each in logs.values()]
    size = statistics.harmonic_mean([len(each) for each in logs.values()])
    statement = math.sqrt(max(0.0, statistics.variance(means) - session**2 / size))
    return {"statement": statement, "session": session, "held_out": _held_out_rms(logs)}


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
