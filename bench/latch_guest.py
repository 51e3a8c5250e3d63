# SPDX-License-Identifier: GPL-2.0-or-later
"""The readers of the result cache's latch on four processors: `make latch-guest`.

A short run of the scenario result-cache-latch in a virtual machine with a stock Debian kernel (the
one whose name contains the argument) and four processors. The machine is emulated, each of its
processors by a thread, on however many the host has: no time in it is that of a processor, a
thread that waits for one of the host's is a processor that stands still, and what the host does at
once is less than what the guest takes for that. So only ratios are printed. Nothing is attached to
the servers there. The run's file is build/latch-guest.run.jsonl.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from polltrace.scenarios.analyse.latch_cells import latch_figures, times_of_fewest
from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.analyse.run import analysed
from polltrace.scenarios.analyse.run_file import read_run
from polltrace.scenarios.plan.scenario_file import built_in
from tests.conftest import ROOT, WITHOUT_CAPABILITIES
from tests.kernels import machine
from tests.kernels.choice import kernel_or_exit
from tests.kernels.packages import BUILD

RUN = ROOT / "build" / "latch-guest.run.jsonl"
_INSIDE = "/run/latch.run.jsonl"
# A transaction that takes 20 ms on the host takes about a second.
_SECONDS = 20


def script(seconds: int, only: str, repeats: int) -> str:
    """The commands of the guest's shell."""
    text = built_in()["result-cache-latch"].read_text()
    changed = text.replace("seconds = 3", f"seconds = {seconds}")
    assert changed != text
    # Without capabilities no probe can be attached (machine.SIDE_BY_SIDE).
    command = [*WITHOUT_CAPABILITIES, str(Path(sys.executable).with_name("polltrace")), "run"]
    command += ["/run/latch.toml", "--only", only, "--repeats", str(repeats), "-o", _INSIDE]
    return f"""
        export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
        export LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
        echo {shlex.quote(changed)} >/run/latch.toml
        tail -n +1 -F {_INSIDE} 2>/dev/null & tail=$!
        {{ {shlex.join(command)}; }} >&2
        code=$?; sleep 1; kill $tail; exit $code
    """


def ratios(result: RunResult) -> Iterator[str]:
    """The table: ratios of times and counts only."""
    by_label = {cell.label: cell for cell in result.cells}
    wide = max(len(label) for label in by_label)
    heads = ("times no cache", "times fewest", "misses", "slept")
    yield f"{'':{wide}}" + "".join(f"{head:>16}" for head in heads)
    for cell in result.cells:
        if not cell.cell.twin and cell.load and cell.load.lines:
            figures = _row(result, cell, by_label.get(cell.base or ""))
            yield f"{cell.label:{wide}}" + "".join(f"{value:>16}" for value in figures)
    yield "times fewest: the rate with the fewest sessions; misses, slept: of 10,000 gets."


def _row(result: RunResult, cell: CellResult, base: CellResult | None) -> Iterator[str]:
    load = cell.load
    assert load is not None
    over = load.times(base.load) if base and base.load else None
    times = times_of_fewest(cell, result.cells)
    for estimate in (over, times):
        yield "-" if estimate is None else f"{estimate.value:.2f}"
    latch, gets = latch_figures(cell), load.latch.get("gets", 0)
    yield f"{latch.misses.value:,.1f}" if latch and latch.misses else "-"
    yield f"{1e4 * load.latch['slept'] / gets:,.2f}" if gets else "-"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.latch_guest", description=__doc__)
    parser.add_argument(
        "kernel", nargs="?", default="6.1 cloud", help="part of a name (%(default)s)"
    )
    parser.add_argument("--budget", type=float, default=1200.0, help="seconds (%(default)s)")
    parser.add_argument("--seconds", type=int, default=_SECONDS, help="of a load (%(default)s)")
    parser.add_argument("--only", default="statement=look-up", help="cells (%(default)s)")
    parser.add_argument("--repeats", type=int, default=1, help="blocks (%(default)s)")
    args = parser.parse_args()
    name, kernel = kernel_or_exit(args.kernel)
    console, began = BUILD / "latch.console", time.monotonic()
    with RUN.open("w", buffering=1) as keep:

        def on_line(line: str) -> None:
            if line.startswith("{"):
                keep.write(line + "\n")

        code = machine.run(
            kernel,
            script(args.seconds, args.only, args.repeats),
            on_line,
            console=console,
            timeout_s=args.budget,
            side_by_side=True,
        )
    took = time.monotonic() - began
    print(f"{name}, four emulated processors on {os.cpu_count()}, {took:,.0f} s")
    if code == machine.TIMED_OUT:
        print(f"not whole: the budget of {args.budget:g} s was over", file=sys.stderr)
    if not RUN.stat().st_size:
        print(f"nothing was measured; see {console.relative_to(ROOT)}", file=sys.stderr)
        return 1
    print("\n".join(ratios(analysed(read_run(RUN)))))
    return 0 if code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
