# SPDX-License-Identifier: GPL-2.0-or-later
"""The time that `polltrace load` adds to a transaction, and its adherence to a schedule. Prints
Markdown.

`python -m bench.load_speed [--rounds N] [--seconds S]`, after `make build clients`. Its peers run
interleaved with it: a plain loop of the driver against the same kind of lab, and, where PostgreSQL
is installed, pgbench next to a loop without a client library. The lateness of processes that only
sleep is the host's own share of any schedule.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bench.lab_speed import connect, postgresql, postgresql_trip, running_lab, with_interval
from polltrace.intervals import median
from polltrace.scenarios.clients import LOAD_PROGRAMS
from polltrace.scenarios.load.punctual import punctual_children
from polltrace.scenarios.run.processors import moved_to, processors

POLLTRACE = Path(sys.executable).with_name("polltrace")
SQL = "select 1 from dual"
WORKLOAD = f'client = "{{client}}"\n[[statements]]\nsql = "{SQL}"\n'
SESSIONS, RATE = 20, 1000
KEPT_MS = 1.0
"""A schedule is kept where transactions begin no later than this after their time, at p99."""
TRIPS = 4000

Rate = Callable[[], float]


def load(client: str, *options: str) -> Mapping[str, Any]:
    """The JSON of a load by this driver."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "w.toml"
        path.write_text(WORKLOAD.format(client=client))
        words = ["load", str(path), "--json", "-o", f"{folder}/o.jsonl"]
        command = [str(POLLTRACE), *words, *options]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
        data: Mapping[str, Any] = json.loads(ended.stdout)
        return data


def plain_loop(port: int, seconds: float) -> float:
    """Transactions per second of the loop in python-oracledb's documentation."""
    connection = connect(port)
    cursor = connection.cursor()
    count, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        cursor.execute(SQL)
        cursor.fetchall()
        count += 1
    connection.close()
    return count / seconds


def pgbench(port: int, folder: str, *options: str) -> str:
    """The output of pgbench."""
    script = Path(folder) / "one.sql"
    script.write_text("select 1;\n")
    command = [
        "pgbench",
        "-h",
        "127.0.0.1",
        "-p",
        str(port),
        "-U",
        "bench",
        "-n",
        "-f",
        str(script),
    ]
    return subprocess.run(
        [*command, *options, "postgres"], capture_output=True, text=True, check=True, cwd=folder
    ).stdout


def pgbench_rate(port: int, seconds: float) -> float:
    with tempfile.TemporaryDirectory() as folder:
        text = pgbench(port, folder, "-c", "1", "-T", str(max(round(seconds), 1)))
    line = next(
        output_line for output_line in text.splitlines() if output_line.startswith("tps = ")
    )
    return float(line.split()[2])


def bench_overhead(rounds: int, seconds: float) -> Iterator[str]:
    """The rates of a session without think time; the median over rounds of paired differences."""
    ours, servers = ({processor} for processor in processors())
    with contextlib.ExitStack() as stack:
        with moved_to(servers):
            lab = stack.enter_context(running_lab("oralab"))
            port = stack.enter_context(postgresql())
        loops: dict[str, Rate] = {
            "python-oracledb, plain loop": lambda: plain_loop(lab["port"], seconds),
            "polltrace load, python-oracledb": lambda: float(
                load("python-oracledb", "--seconds", f"{seconds:g}s")["per_s"]
            ),
        }
        if port is not None:
            trip = postgresql_trip(port)
            loops["PostgreSQL, plain loop"] = lambda: trip.per_second(TRIPS)
            loops["pgbench"] = lambda: pgbench_rate(port, seconds)
        rates: dict[str, list[float]] = {name: [] for name in loops}
        for _ in range(rounds):
            for name, rate in loops.items():
                # `polltrace load` moves its clients and its lab likewise.
                apart = contextlib.nullcontext() if "load" in name else moved_to(ours)
                with apart:
                    rates[name].append(rate())
    yield "| loop | transactions per second [95 %] |"
    yield "|---|---:|"
    for name, values in rates.items():
        yield f"| {name} | {with_interval(median(values))} |"
    yield ""
    names = list(rates)
    for base, compared in zip(names[::2], names[1::2], strict=True):
        added = median(
            [1e6 * (1 / b - 1 / a) for a, b in zip(rates[base], rates[compared], strict=True)]
        )
        yield f"{compared} adds {with_interval(added, 1)} us to a transaction [95 %]."
    if port is None:
        yield "PostgreSQL is not installed here (`./setup.sh --bench` installs it)."


def bench_schedule(seconds: float) -> Iterator[str]:
    """Poisson arrivals: the time from the intended to the actual start, of all transactions and of
    those whose session was free, because a busy one waits for its server.
    """
    schedule = f"{RATE} a second, {SESSIONS} sessions"
    limit = f"{KEPT_MS:g} ms at p99"
    yield f"| {schedule} | begun | lag ms p50 | p99 | p99.9 | max | free, p99 | {limit} |"
    yield "|---|---:|---:|---:|---:|---:|---:|---|"
    size = ("--seconds", f"{seconds:g}s", "--sessions", str(SESSIONS), "--rate", str(RATE))
    options = (*size, "--real-time")
    for client, program in LOAD_PROGRAMS.items():
        if program.missing() is None:
            data = load(client, *options)
            lag = {**data["lag_ms"], "free": data["generator_lag_ms"]["p99"]}
            yield _row(f"polltrace load, {client}", data["transactions"], lag)
    ours, servers = ({processor} for processor in processors())
    for real_time, how in ((True, "real time"), (False, "as other processes")):
        with moved_to(ours), punctual_children(real_time=real_time):
            lags = _sleepers_lags(seconds)
        percentiles = _percentiles(lags)
        yield _row(f"sleep alone, {how}", len(lags), {**percentiles, "free": percentiles["p99"]})
    with contextlib.ExitStack() as stack:
        with moved_to(servers):
            port = stack.enter_context(postgresql())
        if port is not None:
            postgresql_trip(port)  # when it answers, it has started
            with moved_to(ours):
                lags = _pgbench_lags(port, seconds)
            yield _row("pgbench", len(lags), _percentiles(lags))


def _percentiles(lags: np.ndarray) -> Mapping[str, float]:
    """Percentiles in milliseconds, of microseconds."""
    shares = {"p50": 0.5, "p99": 0.99, "p99_9": 0.999, "max": 1.0}
    return {name: float(np.quantile(lags, share)) / 1e3 for name, share in shares.items()}


def _sleepers_lags(seconds: float) -> np.ndarray:
    program = str(Path(__file__).with_name("sleeper.py"))
    command = [sys.executable, program, f"{RATE / SESSIONS}", f"{seconds}"]
    sleepers = [
        subprocess.Popen([*command, f"{seed}"], stdout=subprocess.PIPE, text=True)
        for seed in range(SESSIONS)
    ]
    return np.array(
        [float(word) for sleeper in sleepers for word in sleeper.communicate()[0].split()]
    )


def _row(name: str, transactions: int, lag: Mapping[str, float]) -> str:
    keys = ("p50", "p99", "p99_9", "max", "free")
    cells = " | ".join(f"{lag[key]:.3f}" if key in lag else "-" for key in keys)
    verdict = "kept" if lag["p99"] <= KEPT_MS else "NOT kept"
    return f"| {name} | {transactions:,} | {cells} | {verdict} |"


def _pgbench_lags(port: int, seconds: float) -> np.ndarray:
    """Microseconds: the last column of pgbench's log of transactions."""
    with tempfile.TemporaryDirectory() as folder:
        options = ("-c", str(SESSIONS), "-R", str(RATE), "-T", f"{seconds:.0f}", "-l")
        pgbench(port, folder, *options)
        lines = [
            line.split()
            for log in Path(folder).glob("pgbench_log.*")
            for line in log.read_text().splitlines()
        ]
    return np.array([float(words[6]) for words in lines])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=3.0)
    args = parser.parse_args()
    for lines in (bench_overhead(args.rounds, args.seconds), bench_schedule(10.0)):
        for line in lines:
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
