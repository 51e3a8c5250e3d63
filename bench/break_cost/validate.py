# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds the cost model against sessions that it was not fitted on: `make validate` (as root, on a
quiet machine).

Measures the sessions of validate.toml that validate.jsonl lacks, each as `polltrace advise` does by
default and by its own executions with polls and without, and writes
docs/evidence/forecast-proof.md of all. It can be ended and begun again. It never fits anything.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.break_cost.page import page
from bench.break_cost.record import measure, read_records
from bench.break_cost.workload import read_plan

HERE = Path(__file__).parent


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.break_cost.validate", description=__doc__
    )
    parser.add_argument("--plan", type=Path, default=HERE / "validate.toml")
    parser.add_argument("--records", type=Path, default=HERE / "validate.jsonl")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("docs/evidence/forecast-proof.md")
    )
    parser.add_argument("--seconds", type=float, default=12.0, help="of turns (%(default)s)")
    parser.add_argument("--budget", type=float, default=14400.0, help="seconds (%(default)s)")
    args = parser.parse_args()
    plan = read_plan(args.plan)
    missing_sessions = measure(plan, args.records, args.seconds, args.budget)
    records = read_records(args.records)
    if records:
        guests = read_records(HERE / "guest.jsonl")
        args.output.write_text(page(records, len(plan.sessions), guests))
    if missing_sessions:
        print(
            f"{missing_sessions} sessions are still to be measured: run it again", file=sys.stderr
        )
    return 1 if missing_sessions else 0


if __name__ == "__main__":
    sys.exit(main())
