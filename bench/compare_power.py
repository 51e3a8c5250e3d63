# SPDX-License-Identifier: GPL-2.0-or-later
"""How often `polltrace compare` tells a slower server by its times. Prints Markdown.

    python -m bench.compare_power DIRECTORY [--record 12] [--scenario WORDS] [--trials 50]

`--record N` makes runs of one scenario, all with the binds of the first, until DIRECTORY has N. A
trial is a pair of different runs, so without growth it is a real A/A comparison with whatever the
host did in between. With growth, each execution of the second run gets a share of its server CPU
time on top, in CPU time and in elapsed time, like that of a server slower by that share. Counts
stay equal, so only times can tell.

Pairs are not resampled from blocks: two samples of one run's blocks differ by more than the
interval of a comparison covers, and would raise false alarms that real runs do not.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from polltrace.errors import PolltraceError
from polltrace.scenarios.analyse.comparison import Outcome, compare
from polltrace.scenarios.analyse.run_file import Line, RunData, read_run

GROWTHS_PCT = (0.0, 1.0, 2.0, 5.0, 10.0)
MARGINS_PCT = (0.0, 1.0, 5.0)
SCENARIO = "break-poll --only client=python-oracledb,skip=3,skip=1000 --repeats 20"
"""Arguments of `polltrace run` for the first run."""

POLLTRACE = str(Path(sys.executable).with_name("polltrace"))


def record(directory: Path, runs: int, scenario: Sequence[str]) -> None:
    """Runs in files of their numbers; the second and all others like the first."""
    directory.mkdir(parents=True, exist_ok=True)
    base = directory / "0.run"
    for number in range(runs):
        path = directory / f"{number}.run"
        if not path.exists():
            what = ["--like", str(base)] if number else scenario
            command = [POLLTRACE, "run", *what, "-o", str(path)]
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
    """Whether any time of any cell is called a regression."""
    rows = compare(base, new, margin).rows
    return any(row.outcome is Outcome.REGRESSION and not row.exact for row in rows)


def power(runs: Sequence[RunData], trials: int, seed: int) -> Iterator[str]:
    """The lines of a table: how many of the trials were flagged."""
    pairs = list(itertools.permutations(runs, 2))
    drawn = random.Random(seed).sample(pairs, min(trials, len(pairs)))
    heads = [f"margin {margin:g} %" for margin in MARGINS_PCT]
    yield f"| the server is slower by | {' | '.join(heads)} |"
    yield f"|---:|{'---:|' * len(heads)}"
    for growth in GROWTHS_PCT:
        found = dict.fromkeys(MARGINS_PCT, 0)
        for base, new in drawn:
            for margin in MARGINS_PCT:
                found[margin] += flagged(base, slower(new, growth / 100), margin / 100)
        cells = " | ".join(f"{found[margin]} of {len(drawn)}" for margin in MARGINS_PCT)
        yield f"| {f'{growth:g} %' if growth else 'nothing (A/A)'} | {cells} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("directory", type=Path, help="where the runs' files are")
    parser.add_argument(
        "--record", type=int, default=0, metavar="N", help="have N runs there first"
    )
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenario", type=shlex.split, default=SCENARIO, metavar="WORDS")
    args = parser.parse_args()
    if args.record:
        record(args.directory, args.record, args.scenario)
    try:
        runs = [read_run(path) for path in sorted(args.directory.glob("*.run"))]
    except PolltraceError as error:
        raise SystemExit(str(error)) from None
    if len(runs) < 2:
        raise SystemExit(f"{args.directory} has fewer than two runs; make some with --record N")
    first = runs[0]
    timed = first.header["scenario"]["timed"]
    print(
        f"Pairs of {len(runs)} runs of {len(first.cells)} cells, "
        f"{len(first.blocks)} blocks, {timed} timed executions; {os.cpu_count()} processors.\n"
    )
    for line in power(runs, args.trials, args.seed):
        print(line, flush=True)


if __name__ == "__main__":
    main()
