# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the cost model with sessions on another kernel: `make validate-guest`.

The sessions of `make validate`, as many as the budget allows, in a virtual machine with a stock
Debian kernel (the one whose name contains the argument), into guest.jsonl; the validation's page
includes them. The machine is emulated, so no time in it is that of a processor: only ratios are
compared, the saving of being out-of-band and the saving that advise predicts. Nothing is fitted to
them.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from bench.break_cost.record import read_records
from tests.conftest import ROOT
from tests.kernels import machine
from tests.kernels.choice import kernel_or_exit
from tests.kernels.packages import BUILD

RECORDS = Path(__file__).with_name("guest.jsonl")
_INSIDE = "/run/records.jsonl"
# Booting, and a last session that is slower than its share of the budget.
_SLACK_S = 600.0


def _script(budget_s: float) -> str:
    command = [sys.executable, "-m", "bench.break_cost.validate", "--records", _INSIDE]
    command += ["-o", "/run/page.md", "--budget", f"{budget_s:g}"]
    return f"""
        export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
        export LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 POLLTRACE_PATIENCE_S=900
        cd {shlex.quote(str(ROOT))} && {{ {shlex.join(command)}; cat {_INSIDE}; }}
    """


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.break_cost.guest", description=__doc__)
    parser.add_argument(
        "kernel", nargs="?", default="6.1 cloud", help="part of a name (%(default)s)"
    )
    parser.add_argument("--budget", type=float, default=1200.0, help="seconds (%(default)s)")
    args = parser.parse_args()
    _, kernel = kernel_or_exit(args.kernel)
    console, previous_count = BUILD / "validate.console", len(read_records(RECORDS))
    with RECORDS.open("a", buffering=1) as keep:

        def on_line(line: str) -> None:
            if line.startswith("{"):
                keep.write(line + "\n")

        machine.run(
            kernel,
            _script(args.budget),
            on_line,
            console=console,
            timeout_s=args.budget + _SLACK_S,
        )
    records = read_records(RECORDS)[previous_count:]
    for record in records:
        print(
            f"{record.driver}, {record.statement}, skip {record.skip}: "
            f"{record.saved_pct}, {record.advised_pct}"
        )
    if not records:
        print(f"no session was measured; see {console.relative_to(ROOT)}", file=sys.stderr)
    return 0 if records else 1


if __name__ == "__main__":
    sys.exit(main())
