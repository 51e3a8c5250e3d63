# SPDX-License-Identifier: GPL-2.0-or-later
"""What SQL trace costs a session of the lab, by its level, and while it is off. Prints Markdown.

`python -m bench.sql_trace_cost [--rounds N]`, after `make -C scenarios/lab build/oralab
build/oralab-untraced`; the latter is a lab that never asks whether it is traced. All sessions make
the same round trips in turn, in one run.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from bench.lab_speed import BUILD, Trip, difference, oracle_trip, running_lab, with_interval
from polltrace.intervals import median

TRIPS = 2_000
LEVELS = (1, 8, 12)
_ON = "alter session set events '10046 trace name context forever, level {}'"
_UNTRACED, _OFF = "a lab without SQL trace", "off"


def bench_levels(rounds: int) -> Iterator[str]:
    """Microseconds of a round trip with one row, and how much more than without SQL trace."""
    with running_lab("oralab-untraced") as untraced, running_lab("oralab") as lab:
        sessions: dict[str, Trip] = {
            _UNTRACED: oracle_trip(untraced["port"]),
            _OFF: oracle_trip(lab["port"]),
        }
        for level in LEVELS:
            sessions[f"level {level}"] = oracle_trip(lab["port"], _ON.format(level))
        us: dict[str, list[float]] = {name: [] for name in sessions}
        for turn in range(rounds + 1):
            for name, trip in sessions.items():
                one = 1e6 / trip.per_second(TRIPS)
                if turn > 0:  # the first fills the caches
                    us[name].append(one)
    yield "| SQL trace | us per round trip [95 %] | more than without [95 %] |"
    yield "|---|---:|---:|"
    for name, each in us.items():
        more = "" if name == _UNTRACED else with_interval(difference(each, us[_UNTRACED]), 2)
        yield f"| {name} | {with_interval(median(each), 2)} | {more} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="what SQL trace costs, as Markdown")
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    missing = [name for name in ("oralab", "oralab-untraced") if not (BUILD / name).exists()]
    if missing:
        raise SystemExit(f"not built: {', '.join(missing)}; see bench/sql_trace_cost.py")
    print(f"Medians of {rounds} rounds on {os.cpu_count()} processors.\n")
    print("\n".join(bench_levels(rounds)))


if __name__ == "__main__":
    main()
