# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the cost model with sessions that it was not fitted on: `make validate` (as root, on a
quiet machine).

Measures every session of validate.toml anew, each as `polltrace advise` does by default and by its
own executions with polls and without, into build/validate.jsonl; --resume continues an interrupted
run. When all are measured they replace validate.jsonl, and docs/evidence/forecast-proof.md is
written. It never fits anything. `make validate-page` (--stored) only writes the page of the stored
sessions, with the predictions of the model that they were measured with.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.break_cost.page import page
from bench.break_cost.record import measure, read_records
from bench.break_cost.workload import read_plan

HERE = Path(__file__).parent
STORED = HERE / "validate.jsonl"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.break_cost.validate", description=__doc__
    )
    parser.add_argument("--plan", type=Path, default=HERE / "validate.toml")
    parser.add_argument("--records", type=Path, default=Path("build/validate.jsonl"))
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("docs/evidence/forecast-proof.md")
    )
    parser.add_argument("--seconds", type=float, default=12.0, help="of turns (%(default)s)")
    parser.add_argument("--budget", type=float, default=14400.0, help="seconds (%(default)s)")
    parser.add_argument("--resume", action="store_true", help="continue an interrupted run")
    parser.add_argument("--stored", action="store_true", help="measure nothing, write the page")
    args = parser.parse_args()
    plan = read_plan(args.plan)
    if not args.stored:
        if not args.resume:
            args.records.unlink(missing_ok=True)
        args.records.parent.mkdir(parents=True, exist_ok=True)
        missing_sessions = measure(plan, args.records, args.seconds, args.budget)
        if missing_sessions:
            print(f"{missing_sessions} sessions are missing: run it with --resume", file=sys.stderr)
            return 1
        STORED.write_text(args.records.read_text("utf-8"), encoding="utf-8")
    guests = read_records(HERE / "guest.jsonl")
    args.output.write_text(page(read_records(STORED), len(plan.sessions), guests))
    return 0


if __name__ == "__main__":
    sys.exit(main())
