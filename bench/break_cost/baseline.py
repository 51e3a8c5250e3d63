# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the parts of the cost model with the simplest one: `python -m bench.break_cost.baseline`.

The baseline is one constant per host: the cost of a poll of one statement (--statement), measured
once. Every other estimator may use that statement as well, for one factor of the host, and is
judged on the other statements of the stored sessions, each host by itself: the spread of its errors
(standard deviation of the logarithm), its bias, and the share of sessions within 10 %. A part that
spreads no less than the constant is worth nothing. Measures nothing.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.break_cost.record import SessionRecord, read_records

HERE = Path(__file__).parent
Prediction = Callable[[SessionRecord], float]
# Per cent of CPU time, except for a constant factor.
ESTIMATORS: dict[str, Prediction] = {
    "constant cost of a poll": lambda record: record.polls_per_cpu_s,
    "polltrace's own polls": lambda record: record.polls_per_cpu_s * record.calibrated_ns,
    "durations in place": lambda record: record.polls_per_cpu_s * (record.timed_ns or math.nan),
    "samples": lambda record: record.sampled_pct,
    "durations and samples": lambda record: math.sqrt(
        record.polls_per_cpu_s * (record.timed_ns or math.nan) * record.sampled_pct
    ),
}


def errors_log(
    records: Sequence[SessionRecord], statement: str, predicted: Prediction
) -> list[float]:
    """Logarithms of prediction by truth for the other statements, with the factor that the
    `statement` gives. Raises ValueError where no session of it is known.
    """
    ratios = [(record, math.log(predicted(record) / record.saved.value)) for record in records]
    own_ratios = [ratio for record, ratio in ratios if record.statement == statement]
    if not own_ratios:
        raise ValueError(f"no session of {statement!r}")
    return [
        ratio - statistics.fmean(own_ratios)
        for record, ratio in ratios
        if record.statement != statement
    ]


def lines(records: Sequence[SessionRecord], statement: str) -> list[str]:
    """A line for each estimator, below a heading."""
    report = [f"{'':<26}{'SPREAD':>8}{'BIAS %':>8}{'WITHIN 10 %':>13}"]
    for name, predicted in ESTIMATORS.items():
        errors = errors_log(records, statement, predicted)
        near = sum(abs(math.expm1(error)) <= 0.1 for error in errors)
        report.append(
            f"{name:<26}{statistics.stdev(errors):>8.3f}"
            f"{100 * math.expm1(statistics.fmean(errors)):>+8.1f}{f'{near} of {len(errors)}':>13}"
        )
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--statement", default="lotslios", help="(default: %(default)s)")
    parser.add_argument("--known-to", type=float, default=0.08, help="of the truth (%(default)s)")
    parser.add_argument("records", nargs="*", type=Path, default=[HERE / "fit.jsonl"])
    args = parser.parse_args()
    records = [record for path in args.records for record in read_records(path)]
    for host in sorted({record.host for record in records}):
        used = [
            record
            for record in records
            if record.host == host
            and not record.disturbance
            and record.timed_ns
            and record.saved.low > 0
            and record.saved.half_width <= args.known_to * record.saved.value
        ]
        print(f"{host}: {len(used)} sessions, factors by {args.statement!r}")
        print("\n".join(lines(used, args.statement)))


if __name__ == "__main__":
    main()
