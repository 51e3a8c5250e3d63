# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo on PostgreSQL: the cost of checks for a lost client, and the time to find one.

A run of the scenario client-check on a cluster of its own, `advise` on one more session, whose
forecast is shown next to the measurements of the run, and clients that are killed in a statement.
"""

from __future__ import annotations

import contextlib
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from polltrace.intervals import Estimate
from polltrace.overhead.client_check import ClientCheckAdvice, advise_client_check
from polltrace.overhead.timing_periods import TIMED_S
from polltrace.scenarios.analyse.result import RunResult
from polltrace.scenarios.analyse.run import analysed
from polltrace.scenarios.analyse.run_file import RunWriter, read_run
from polltrace.scenarios.plan.cell import KILLED, Cell
from polltrace.scenarios.plan.plan import Plan
from polltrace.scenarios.plan.scenario_file import find
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.header import header
from polltrace.scenarios.run.lost_client import found_after
from polltrace.scenarios.run.network.choice import chosen_network
from polltrace.scenarios.run.processors import processors
from polltrace.scenarios.run.runner import Progress, ScenarioRunner, watching
from polltrace.scenarios.run.servers.postgresql_server import PostgresqlServer
from polltrace.scenarios.run.servers.server import open_session
from polltrace.scenarios.run.size_calibration import calibrated
from polltrace.servers.servers import servers

# Longer than the longest interval of the demo, so that each execution meets a check. Fresh sessions
# differ more than executions of one, so there are more blocks than turns.
BLOCKS, TIMED, EXECUTION_SECONDS = 6, 3, 0.15
COUNTED_EXECUTIONS = 7
ADVISED_MS, COUNTED_S = 10, 1.0
# Without an end that the demo would see. Each series takes a few megabytes, however long it runs.
LONG = "select count(*) from generate_series(1, 200000) a, generate_series(1, 200000) b"
# Killed in the middle of a statement, at each interval.
CLIENTS_KILLED = 5
# Longer than any interval of the demo; without a check a lost client is not found at all.
PATIENCE_S = 2.0


@dataclass(frozen=True, slots=True)
class IntervalResult:
    """An interval in milliseconds (0: off): `checks_per_s` as counted, the CPU time that it takes
    more (`measured_pct`, A/B; None: it is the base) and that `advise` forecast (`forecast_pct`),
    and the milliseconds until a killed client was found, empty where none was in PATIENCE_S."""

    interval_ms: int
    checks_per_s: float
    measured_pct: Estimate | None
    forecast_pct: Estimate | None
    found_ms: Sequence[float]


@dataclass(frozen=True, slots=True)
class PostgresqlDemo:
    """`run`: the run that the intervals come from; `advice` on a session of ADVISED_MS."""

    run: RunResult
    advice: ClientCheckAdvice
    intervals: Sequence[IntervalResult]


def run_postgresql_demo(progress: Progress, blocks: int = BLOCKS) -> PostgresqlDemo:
    """Raises HostError without PostgreSQL, DriverError, and the probe's errors."""
    with PostgresqlServer() as server:
        run = _run(server, progress, blocks)
        advice = _advised(server)
        intervals = sorted({cell_result.cell.check_interval or 0 for cell_result in run.cells})
        found_ms = {interval: _killed(server, interval) for interval in intervals}
    return PostgresqlDemo(
        run, advice, [_interval(run, advice, interval, found_ms) for interval in intervals]
    )


def _run(server: PostgresqlServer, progress: Progress, blocks: int) -> RunResult:
    scenario = find("client-check")
    scenario = replace(
        scenario,
        matrix={**scenario.matrix, "client": [server.driver]},
        seconds=EXECUTION_SECONDS,
        record=("elapsed", "polls", "statistics"),
        blocks=blocks,
        timed=TIMED,
        counted=1,
    )
    cells = scenario.cells()
    plan = Plan(scenario, cells, random.getrandbits(32), 0, 0, resumes=False, count_polls=True)
    network = chosen_network("auto", scenario.paths, {"direct"}, ours=False)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="polltrace-"))
        clients = {
            cell: stack.enter_context(DriverClient(cell.client, processors={processors()[0]}))
            for cell in cells
        }
        watcher = stack.enter_context(watching(server))
        work = calibrated(server, scenario, clients, watcher)
        work = replace(work, executions=min(work.executions, COUNTED_EXECUTIONS))
        path = Path(folder) / "run.jsonl"
        writer = RunWriter(path, header(plan, work, server, clients, network))
        with contextlib.closing(writer):
            ScenarioRunner(plan, work, server, clients, watcher, {}, writer.write, progress).run()
        return analysed(read_run(path))


@contextlib.contextmanager
def _executing(server: PostgresqlServer, interval_ms: int) -> Iterator[tuple[DriverClient, int]]:
    """A client in the middle of an endless statement, and its server process."""
    with DriverClient(server.driver, processors={processors()[0]}) as client:
        open_session(server, client, Cell(server.driver, check_interval=interval_ms), {})
        pid = server.views.spid(client)
        assert pid is not None
        client.begin(LONG)
        yield client, pid


def _advised(server: PostgresqlServer) -> ClientCheckAdvice:
    with _executing(server, ADVISED_MS) as (client, pid):
        (backend,) = servers([pid])
        advice = advise_client_check(backend, COUNTED_S, TIMED_S)
        client.send_break()
        client.finish()
    return advice


def _killed(server: PostgresqlServer, interval_ms: int) -> list[float]:
    """Milliseconds from the end of a client until its server has ended as well."""
    latencies_ms = []
    for _ in range(CLIENTS_KILLED if interval_ms else 1):
        with _executing(server, interval_ms) as (client, pid):
            time.sleep(0.2 + random.uniform(0, interval_ms / 1e3))
            found_s = found_after(client, pid, KILLED, PATIENCE_S)
            if found_s is None:
                _end(server, pid)
            else:
                latencies_ms.append(1e3 * found_s)
    return latencies_ms


def _end(server: PostgresqlServer, pid: int) -> None:
    with DriverClient(server.driver) as client:
        open_session(server, client, Cell(server.driver, check_interval=0), {})
        server.views.end(client, pid)


def _interval(
    run: RunResult,
    advice: ClientCheckAdvice,
    interval_ms: int,
    found_ms: Mapping[int, Sequence[float]],
) -> IntervalResult:
    (cell,) = [e for e in run.cells if e.cell.check_interval == interval_ms and not e.cell.twin]
    counted = cell.counted
    forecast = {round(1e3 * point.setting): point.cpu_pct for point in advice.forecast}
    return IntervalResult(
        interval_ms=interval_ms,
        checks_per_s=(counted.known_polls or 0) / counted.elapsed_s if counted else 0.0,
        measured_pct=cell.cpu_over_base_pct,
        forecast_pct=forecast.get(interval_ms),
        found_ms=found_ms[interval_ms],
    )


def postgresql_demo_text(demo: PostgresqlDemo) -> str:
    """A table with a line for each interval."""
    version = ", ".join(demo.run.run.header["drivers"])
    floor = demo.run.floor_pct
    lines = [
        f"PostgreSQL's client_connection_check_interval, by {version}: a statement of "
        f"{1e3 * EXECUTION_SECONDS:.0f} ms,",
        f"{len(demo.run.run.blocks)} blocks of fresh sessions, interleaved; CPU of the server "
        "process, against no checks.",
        "",
        f"{'INTERVAL':>10} {'CHECKS/S':>9} {'MEASURED, % MORE CPU':>24} {'FORECAST, % OF CPU':>24}"
        f" {'KILLED CLIENT FOUND AFTER':>27}",
    ]
    lines += [_line(interval) for interval in demo.intervals]
    if floor is not None:
        lines += ["", f"Two equal sessions differ by {_pct(floor)} (A/A)."]
    lines += [
        "The forecast is 'polltrace advise' of one session with a check every "
        f"{ADVISED_MS} ms, at {1e6 * _cost_s(demo):.1f} us a check.",
        f"Not found: the server was still executing {PATIENCE_S:g} s after its client's end.",
    ]
    return "\n".join(lines)


def _cost_s(demo: PostgresqlDemo) -> float:
    cost = demo.advice.check_cost_s
    assert cost is not None  # it was calibrated for the advice
    return cost.value


def _line(interval: IntervalResult) -> str:
    name = f"{interval.interval_ms} ms" if interval.interval_ms else "off"
    latency = "not found"
    if interval.found_ms:
        latency = (
            f"{statistics.median(interval.found_ms):.1f} ms (up to {max(interval.found_ms):.1f})"
        )
    measured = _pct(interval.measured_pct) if interval.measured_pct else "-"
    forecast = _pct(interval.forecast_pct) if interval.forecast_pct else "-"
    return f"{name:>10} {interval.checks_per_s:>9,.1f} {measured:>24} {forecast:>24} {latency:>27}"


def _pct(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def postgresql_demo_data(demo: PostgresqlDemo) -> dict[str, object]:
    """The demo as JSON; unknown values are null."""

    def ends(estimate: Estimate | None) -> list[float] | None:
        return None if estimate is None else [estimate.value, estimate.low, estimate.high]

    return {
        "drivers": demo.run.run.header["drivers"],
        "blocks": len(demo.run.run.blocks),
        "floor_pct": ends(demo.run.floor_pct),
        "check_cost_us": 1e6 * _cost_s(demo),
        "intervals": [
            {
                "interval_ms": interval.interval_ms,
                "checks_per_s": interval.checks_per_s,
                "measured_pct": ends(interval.measured_pct),
                "forecast_pct": ends(interval.forecast_pct),
                "found_ms": list(interval.found_ms),
            }
            for interval in demo.intervals
        ],
    }
