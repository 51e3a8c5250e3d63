# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of client_connection_check_interval by A/B, and the figure of `polltrace advise`:

    python -m bench.client_check [--interval MILLISECONDS] [STATEMENT...]

By default every statement at 1 ms: with longer intervals the cost is below the difference of two
equal executions. "arithmetic" and "lookups" are the two that the factor `timer_check` of the cost
model was set on; only the others can judge it.

For each statement one PostgreSQL session executes it in groups of three, in random order: with the
interval, and twice without. The CPU time of its server process is the kernel's (schedstat), with no
probe attached. Then `advise` measures the session in a longer run of the same statement. Prints a
line for each: per cent more CPU by A/B, the forecast, and by A/A, the difference of two executions
without checks. About three minutes a line; it needs a quiet machine.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path

from bench.probes.probe_costs import host
from polltrace import procfs
from polltrace.intervals import Estimate, paired_overhead
from polltrace.overhead.client_check import advise_client_check
from polltrace.overhead.timing_periods import TIMER_CHECKS_TIMED_S
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.processors import processors
from polltrace.scenarios.run.servers.postgresql_server import PostgresqlServer
from polltrace.scenarios.run.servers.server import open_session
from polltrace.servers.servers import servers

GROUPS, COUNTED_S = 400, 3.0
EXECUTION_S, LONGER = 0.1, 10_000
ROWS = 100_000
# M times something of N rows. The factor was set on one that stays in the processor's
# caches, and one that reads pages of a table at random. It is judged by sorts of texts, a scan for
# a text, hash aggregation, and documents made and taken apart.
STATEMENTS = {
    "arithmetic": "select count(*) from generate_series(1, {m}) a, generate_series(1, {n}) b, "
    "generate_series(1, 100) c where (a + b) % 7 = c % 7",
    "lookups": "select sum(length((select filler from looked_up where id = 1 + (a + b * 7919) % "
    f"{ROWS}))) from generate_series(1, {{m}}) a, generate_series(1, {{n}}) b",
    "sorts": "select max(last) from generate_series(1, {m}) a, lateral (select max(v) last from "
    '(select md5((a + b)::text) collate "C" v from generate_series(1, {n}) b order by 1 '
    "offset 0) s) t",
    "scans": "select sum(found) from generate_series(1, {m}) a, lateral (select count(*) found "
    "from looked_up where id <= {n} and filler ~ ('x' || a % 10 || 'y')) t",
    "groups": "select sum(found) from generate_series(1, {m}) a, lateral (select count(*) found "
    "from (select (a + b * 7) % 1000, sum(b) from generate_series(1, {n}) b group by 1) s) t",
    "documents": "select sum(found) from generate_series(1, {m}) a, lateral (select count(*) found "
    "from generate_series(1, {n}) b where jsonb_build_object('k', b, 'v', a) ->> 'v' = b::text) t",
}
TABLE = (
    f"create table looked_up as select id, repeat('x', 500) filler from generate_series(1, {ROWS}) "
    "id",
    "alter table looked_up add primary key (id)",
    "analyze looked_up",
)


def cpu_s(client: DriverClient, pid: int, interval_ms: int, statement: str) -> float:
    """CPU seconds of the statement with this interval."""
    client.execute(f"set client_connection_check_interval = {interval_ms}")
    before_s = at_rest(pid)
    client.query(statement)
    return at_rest(pid) - before_s


def at_rest(pid: int) -> float:
    """The CPU seconds of the process once it waits for its client: those of a running one are a
    tick old.
    """
    status = Path(f"/proc/{pid}/stat")
    while status.read_text().rpartition(")")[2].split()[0] != "S":
        time.sleep(0.0002)
    time.sleep(0.001)
    running_s = procfs.running_s(pid)
    assert running_s is not None
    return running_s


def sized(client: DriverClient, pid: int, statement: str) -> int:
    """The N with which the statement takes EXECUTION_S."""
    n = 100
    while (took := cpu_s(client, pid, 0, statement.format(m=1, n=n))) < EXECUTION_S / 4:
        n *= 2
    return max(1, round(n * EXECUTION_S / took))


def alternating(
    client: DriverClient, pid: int, statement: str, intervals: Sequence[int]
) -> list[list[list[float]]]:
    """GROUPS measurements of each interval, those of one group next to each other; each is a
    block.
    """
    measurements: list[list[list[float]]] = [[] for _ in intervals]
    for _ in range(GROUPS):
        for position in random.sample(range(len(intervals)), len(intervals)):
            measurements[position].append([cpu_s(client, pid, intervals[position], statement)])
    return measurements


def forecast(client: DriverClient, pid: int, interval_ms: int, statement: str) -> Estimate:
    """The forecast of advise, in per cent of the CPU time without checks, as in the A/B."""
    client.execute(f"set client_connection_check_interval = {interval_ms}")
    client.begin(statement)
    (server,) = servers([pid])
    advice = advise_client_check(server, COUNTED_S, TIMER_CHECKS_TIMED_S)
    client.send_break()
    client.finish()
    assert advice.cpu_pct is not None
    ends = advice.cpu_pct.value, advice.cpu_pct.low, advice.cpu_pct.high
    return Estimate(*(100 * end / (100 - end) for end in ends))


def _text(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def main(interval_ms: int, names: Sequence[str]) -> None:
    print(f"{host()}; {GROUPS} groups of three executions of {EXECUTION_S:g} s")
    print(
        f"{'STATEMENT':<11} {'INTERVAL':>9} {'A/B, % MORE CPU':>24} {'ADVISE':>24} {'A/A':>26}",
        flush=True,
    )
    with (
        PostgresqlServer() as server,
        DriverClient(server.driver, processors={processors()[0]}) as client,
    ):
        open_session(server, client, Cell(server.driver, check_interval=0), {})
        pid = server.views.spid(client)
        assert pid is not None
        for sql in TABLE:
            client.execute(sql)
        for name in names:
            statement = STATEMENTS[name]
            n = sized(client, pid, statement)
            without, with_checks, without_again = alternating(
                client, pid, statement.format(m=1, n=n), [0, interval_ms, 0]
            )
            measured = paired_overhead(without, with_checks)
            floor = paired_overhead(without, without_again)
            advised = forecast(client, pid, interval_ms, statement.format(m=LONGER, n=n))
            print(
                f"{name:<11} {interval_ms:>6} ms {_text(measured):>24} {_text(advised):>24} "
                f"{_text(floor):>26}",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--interval", type=int, default=1, metavar="MILLISECONDS")
    parser.add_argument("statements", nargs="*", metavar="STATEMENT")
    args = parser.parse_args()
    if unknown := set(args.statements) - STATEMENTS.keys():
        parser.error(f"{', '.join(unknown)}: not one of {', '.join(STATEMENTS)}")
    main(args.interval, args.statements or list(STATEMENTS))
