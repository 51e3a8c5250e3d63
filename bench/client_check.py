# SPDX-License-Identifier: GPL-2.0-or-later
"""What client_connection_check_interval costs, and what `polltrace advise` says that it does:
`python -m bench.client_check [MILLISECONDS...]` (1 10 100).

For each interval one PostgreSQL session executes the same statement in pairs, with the interval and
without, in random order; the CPU time of its server process is the kernel's (schedstat), with no
probe attached. Then `advise` measures the session in a longer statement. Prints a line for each:
per cent more CPU by A/B, the forecast, and by A/A, what two executions without checks differ
by. It wants a quiet machine.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence

from polltrace import procfs
from polltrace.intervals import Estimate, paired_overhead
from polltrace.overhead.client_check import CHECKS_TIMED_SECONDS, advise_client_check
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.processors import processors
from polltrace.scenarios.run.servers.postgresql_server import PostgresqlServer
from polltrace.scenarios.run.servers.server import open_session
from polltrace.servers.servers import servers

PAIRS, COUNTED_S = 60, 3.0
ROWS = 2_000_000
STATEMENT = f"select count(*) from generate_series(1, {ROWS}) a where a % 7 > 2"
LONG = "select count(*) from generate_series(1, 2000000000) a where a % 7 > 2"


def cpu_s(client: DriverClient, pid: int, interval_ms: int) -> float:
    """CPU seconds of the statement with this interval."""
    client.execute(f"set client_connection_check_interval = {interval_ms}")
    before = procfs.running_s(pid)
    client.query(STATEMENT)
    after = procfs.running_s(pid)
    assert before is not None
    assert after is not None
    return after - before


def alternating(client: DriverClient, pid: int, intervals: Sequence[int]) -> list[list[float]]:
    """PAIRS measurements of each interval, those of one pair next to each other."""
    found: list[list[float]] = [[] for _ in intervals]
    for _ in range(PAIRS):
        for position in random.sample(range(len(intervals)), len(intervals)):
            found[position].append(cpu_s(client, pid, intervals[position]))
    return found


def forecast(client: DriverClient, pid: int, interval_ms: int) -> Estimate:
    """Of its CPU time, in per cent of what it would take without, as the A/B has it."""
    client.execute(f"set client_connection_check_interval = {interval_ms}")
    client.begin(LONG)
    (server,) = servers([pid])
    advice = advise_client_check(server, COUNTED_S, CHECKS_TIMED_SECONDS)
    client.send_break()
    client.finish()
    assert advice.now is not None
    return Estimate(*(100 * each / (100 - each) for each in _ends(advice.now)))


def _pairs(values: Sequence[float]) -> list[list[float]]:
    """Each measurement a block of its own."""
    return [[each] for each in values]


def _ends(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.value, estimate.low, estimate.high


def _text(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def main(intervals_ms: Sequence[int]) -> None:
    print(f"{'INTERVAL':>9} {'A/B, % MORE CPU':>24} {'ADVISE':>24} {'A/A':>26}")
    with PostgresqlServer() as server:
        for interval_ms in intervals_ms:
            with DriverClient(server.driver, processors={processors()[0]}) as client:
                open_session(server, client, Cell(server.driver, check_interval=0), {})
                pid = server.views.spid(client)
                assert pid is not None
                cpu_s(client, pid, 0)  # the first has to plan, and to make room
                without, with_checks, again = alternating(client, pid, [0, interval_ms, 0])
                measured = paired_overhead(_pairs(without), _pairs(with_checks))
                floor = paired_overhead(_pairs(without), _pairs(again))
                said = forecast(client, pid, interval_ms)
            line = f"{_text(measured):>24} {_text(said):>24} {_text(floor):>26}"
            print(f"{interval_ms:>6} ms {line}", flush=True)


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or [1, 10, 100])
