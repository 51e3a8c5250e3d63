# SPDX-License-Identifier: GPL-2.0-or-later
"""The power of `polltrace compare` to detect a slower server by its times. Prints Markdown.

    python -m bench.compare_power DIRECTORY [--record 51] [--scenario WORDS]

`--record N` makes runs of one scenario, one after the other, all with the binds of the first, until
DIRECTORY has N. A trial is a run and the following one: without growth a real A/A comparison, with
any change of the host between them. With growth, each execution of the second run gets a share of
its server CPU time on top, in CPU time and in elapsed time, like that of a server slower by that
share. Counts stay equal, so only times can reveal it.

Pairs are not resampled from blocks: two samples of one run's blocks differ by more than the
interval of a comparison covers, and would raise false alarms that real runs do not.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from polltrace.errors import PolltraceError
from polltrace.scenarios.analyse.comparison import ComparisonOutcome, compare
from polltrace.scenarios.analyse.run_file import Line, RunData, read_run

GROWTHS_PCT = (0.0, 1.0, 2.0, 5.0, 10.0)
MARGINS_PCT = (0.0, 1.0, 5.0)
SCENARIO = shlex.quote(str(Path(__file__).with_suffix(".toml")))
"""Arguments of `polltrace run` for the first run."""

POLLTRACE = str(Path(sys.executable).with_name("polltrace"))


def record(directory: Path, runs: int, scenario: Sequence[str]) -> None:
    """Runs in files of their numbers; the second and all others like the first."""
    directory.mkdir(parents=True, exist_ok=True)
    base = directory / "0.run"
    for number in range(runs):
        path = directory / f"{number}.run"
        if not path.exists():
            source = ["--like", str(base)] if number else scenario
            command = [POLLTRACE, "run", *source, "-o", str(path)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def slower(run: RunData, growth: float) -> RunData:
    """The run by a server that takes `growth` (a share) more CPU time for each execution."""
    return replace(run, lines=[_slower(line, growth) for line in run.lines])


def _slower(line: Line, growth: float) -> Line:
    if line["kind"] != "sample":
        return line
    more_s = growth * line["cpu_s"]
    return {**line, "cpu_s": line["cpu_s"] + more_s, "elapsed_s": line["elapsed_s"] + more_s}


def flagged(base: RunData, new: RunData, margin: float) -> bool:
    """True if any time of any cell is called a regression."""
    rows = compare(base, new, margin).rows
    return any(row.outcome is ComparisonOutcome.REGRESSION and not row.exact for row in rows)


def power(runs: Sequence[RunData]) -> Iterator[str]:
    """The lines of a table: how many of the pairs of neighbours were flagged."""
    pairs = list(itertools.pairwise(runs))
    heads = [f"margin {margin:g} %" for margin in MARGINS_PCT]
    yield f"| the server is slower by | {' | '.join(heads)} |"
    yield f"|---:|{'---:|' * len(heads)}"
    for growth in GROWTHS_PCT:
        flagged_pairs = dict.fromkeys(MARGINS_PCT, 0)
        for base, new in pairs:
            for margin in MARGINS_PCT:
                flagged_pairs[margin] += flagged(base, slower(new, growth / 100), margin / 100)
        cells = " | ".join(f"{flagged_pairs[margin]} of {len(pairs)}" for margin in MARGINS_PCT)
        yield f"| {f'{growth:g} %' if growth else 'nothing (A/A)'} | {cells} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("directory", type=Path, help="where the runs' files are")
    parser.add_argument(
        "--record", type=int, default=0, metavar="N", help="have N runs there first"
    )
    parser.add_argument("--scenario", type=shlex.split, default=SCENARIO, metavar="WORDS")
    args = parser.parse_args()
    if args.record:
        record(args.directory, args.record, args.scenario)
    try:
        files = sorted(args.directory.glob("*.run"), key=lambda path: int(path.stem))
        runs = [read_run(path) for path in files]
    except (PolltraceError, ValueError) as error:
        raise SystemExit(str(error)) from None
    if len(runs) < 2:
        raise SystemExit(f"{args.directory} has fewer than two runs; make some with --record N")
    first = runs[0]
    timed = first.header["scenario"]["timed"]
    print(
        f"{len(runs)} runs of {len(first.cells)} cells (one of them the A/A twin), "
        f"{len(first.blocks)} blocks, {timed} timed executions; {os.cpu_count()} processors.\n"
    )
    for line in power(runs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
