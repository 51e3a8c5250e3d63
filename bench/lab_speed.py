# SPDX-License-Identifier: GPL-2.0-or-later
"""The speed of the lab: a consistent get, a round trip, a row, a parse. Prints Markdown.

`python -m bench.lab_speed [--rounds N] [--before ORALAB]`, after `make -C lab build/oralab
build/oralab-unchecked`. All that is compared is interleaved in one run, because a machine's speed
drifts. PostgreSQL, where it is installed, answers the same round trips by its simple protocol, from
a cluster in a temporary directory that runs as an unprivileged user. With --before, so does another
build of the lab, and gets, rows and parses are of both. The CPU time of their server processes
distinguishes builds where others use the machine as well.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import oracledb

from polltrace.intervals import Estimate, median
from polltrace.scenarios.plan.lotslios import LOTSLIOS

BUILD = Path(__file__).parents[1] / "lab" / "build"
GETS_AND_CPU = (
    "select (select value from v$mystat m, v$statname n where m.statistic# = n.statistic#"
    " and n.name = 'consistent gets'), (select value from v$sess_time_model"
    " where sid = sys_context('userenv', 'sid') and stat_name = 'DB CPU') from dual"
)
GET_ROWS = 5_000
SKIPS = (1000, 3, 1)
TRIPS = 5_000
TABLE_ROWS = 20_000
ARRAY_SIZES = (1, 15, 100, 1000)
PARSES = 100
PARSED = {
    "one row": "select 1 from dual",
    "a join": "select a.name, count(*) from sys.obj$ a, sys.obj$ b where a.obj# = b.obj#"
    " and a.obj# < 3 group by a.name order by 2 desc",
    "a view": "select table_name from user_tables where table_name like 'X%'",
}
SPID = (
    "select p.spid from v$process p, v$session s"
    " where p.addr = s.paddr and s.sid = sys_context('userenv', 'sid')"
)
OURS = "lab, TTC re-execute and fetch"
BEFORE = "lab before"
BEFORE_OUT_OF_BAND = f"{BEFORE}, out-of-band"
THEIRS = "PostgreSQL, simple protocol"


@contextlib.contextmanager
def running_lab(executable: str | Path) -> Iterator[dict[str, Any]]:
    """A lab on a free port; the line that it prints when it is ready."""
    process = subprocess.Popen(
        [BUILD / executable, "--until-eof"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait()


def connect(port: int, *, in_band: bool = False) -> oracledb.Connection:
    return oracledb.connect(
        user="scott", password="tiger", dsn=f"127.0.0.1:{port}/LAB", disable_oob=in_band
    )


def server_of(connection: oracledb.Connection) -> int:
    """The PID of the session's server process."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select p.spid from v$process p, v$session s"
            " where p.addr = s.paddr and s.sid = sys_context('userenv', 'sid')"
        )
        [(spid,)] = cursor.fetchall()
    return int(spid)


def gets_and_cpu(cursor: oracledb.Cursor) -> tuple[int, int]:
    """The session's consistent gets, and microseconds on CPU in its calls."""
    cursor.execute(GETS_AND_CPU)
    [(gets, cpu_us)] = cursor.fetchall()
    return gets, cpu_us


def ns_per_get(cursor: oracledb.Cursor) -> float:
    gets, cpu_us = gets_and_cpu(cursor)
    cursor.execute(LOTSLIOS, n=GET_ROWS)
    cursor.fetchall()
    gets_after, cpu_us_after = gets_and_cpu(cursor)
    return 1e3 * (cpu_us_after - cpu_us) / (gets_after - gets)


def bench_gets(rounds: int, earlier_build: Path | None) -> Iterator[str]:
    """A get by break mode, and the cost that a poll adds to one."""
    with contextlib.ExitStack() as stack:
        checked = stack.enter_context(running_lab("oralab"))
        unchecked = stack.enter_context(running_lab("oralab-unchecked"))
        earlier = (
            earlier_build
            and connect(stack.enter_context(running_lab(earlier_build))["port"]).cursor()
        )
        ns: dict[str, list[float]] = {}
        bare, out_of_band, in_band = (
            connect(lab["port"], in_band=in_band).cursor()
            for lab, in_band in ((unchecked, False), (checked, False), (checked, True))
        )
        for turn in range(rounds + 1):
            took = {"no break check": ns_per_get(bare), "out-of-band": ns_per_get(out_of_band)}
            for skip in SKIPS:
                in_band.execute(f"alter session set break_poll_skip = {skip}")
                took[f"in-band, skip {skip}"] = ns_per_get(in_band)
            if earlier:
                took[BEFORE_OUT_OF_BAND] = ns_per_get(earlier)
            if turn > 0:  # the first fills the caches
                for name, per_get in took.items():
                    ns.setdefault(name, []).append(per_get)
    rarest, *other_skips = (ns[f"in-band, skip {skip}"] for skip in SKIPS)
    yield f"| break mode | ns per consistent get [95 %] | more than at skip {SKIPS[0]} [95 %] |"
    yield "|---|---:|---:|"
    for name, values in ns.items():
        has_no_comparison = values is rarest or name == BEFORE_OUT_OF_BAND
        increase = "" if has_no_comparison else with_interval(difference(values, rarest))
        yield f"| {name} | {with_interval(median(values))} | {increase} |"
    yield ""
    # In one session, so that no difference between programs or processes is in it.
    per_poll = [
        increase / (1 / SKIPS[-1] - 1 / SKIPS[0]) for increase in _minus(other_skips[-1], rarest)
    ]
    yield f"A poll adds {with_interval(median(per_poll))} ns [95 %] in this loop."
    if earlier_build:
        pairs = zip(ns["out-of-band"], ns[BEFORE_OUT_OF_BAND], strict=True)
        ratio = with_interval(median([current / earlier_ns for current, earlier_ns in pairs]), 2)
        yield f"An out-of-band get takes {ratio} times what one of the lab before does [95 %]."


def difference(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """The median of the rounds' differences, with its interval."""
    return median(_minus(first, second))


def _minus(first: Sequence[float], second: Sequence[float]) -> list[float]:
    return [a - b for a, b in zip(first, second, strict=True)]


def with_interval(estimate: Estimate, digits: int = 0) -> str:
    value, low, high = (
        f"{bound:,.{digits}f}" for bound in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} [{low}, {high}]"


class Trip:
    """A request on a socket, sent repeatedly: `ends` recognizes a complete answer."""

    def __init__(
        self, connection: socket.socket, request: bytes, ends: Callable[[bytes], bool]
    ) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection, self._request, self._ends = connection, request, ends

    def per_second(self, trips: int) -> float:
        began = time.perf_counter()
        for _ in range(trips):
            self._connection.sendall(self._request)
            if not answer(self._connection, self._ends):
                raise RuntimeError("the server has closed the connection")
        return trips / (time.perf_counter() - began)


def answer(connection: socket.socket, ends: Callable[[bytes], bool]) -> bool:
    """Read a complete answer; False where the server closes the connection earlier."""
    received = connection.recv(65536)
    while not ends(received):
        data = connection.recv(65536)
        if not data:
            return False
        received += data
    return True


def ends_oracle(answer: bytes) -> bool:
    return len(answer) >= 4 and len(answer) >= int.from_bytes(answer[:4], "big")


def ends_postgresql(answer: bytes) -> bool:
    return answer.endswith(b"Z\0\0\0\x05I")


def oracle_trip(port: int) -> Trip:
    """A session that a driver has opened through a relay, with the last request of the driver.

    So one loop waits for the answers of both databases, and no driver's cost is in the figures.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    requests: list[bytes] = []
    server = socket.create_connection(("127.0.0.1", port))

    def carry(source: socket.socket, to: socket.socket, recorded: list[bytes] | None) -> None:
        while data := source.recv(65536):
            last = stop.is_set()  # before the reader of this data can set it
            if recorded is not None:
                recorded.append(data)
            to.sendall(data)
            if last:
                return

    def serve() -> None:
        client, _ = listener.accept()
        back = threading.Thread(target=carry, args=(server, client, None))
        back.start()
        threading.Thread(target=carry, args=(client, server, requests), daemon=True).start()
        back.join()

    stop = threading.Event()
    thread = threading.Thread(target=serve)
    thread.start()
    connection = connect(listener.getsockname()[1], in_band=True)
    cursor = connection.cursor()
    cursor.prefetchrows = 2
    for _ in range(3):
        cursor.execute("select 1 from dual")
        cursor.fetchall()
    stop.set()
    connection.ping()  # its answer ends the thread that reads from the server
    thread.join()
    _open_connections.append(connection)
    return Trip(server, requests[-2], ends_oracle)


_open_connections: list[oracledb.Connection] = []  # closing one would end its session


@contextlib.contextmanager
def postgresql() -> Iterator[int | None]:
    """The port of a new cluster; None where PostgreSQL is not installed."""
    installations = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not installations:
        yield None
        return
    binaries = installations[-1].parent
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as directory:
        data = Path(directory) / "data"
        prefix: list[str] = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("nobody")
            os.chown(directory, user.pw_uid, user.pw_gid)
            prefix = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}"]
            prefix += ["--clear-groups"]
        # It must not outlive us, however we end.
        dies = ["setpriv", "--pdeathsig=INT"]
        initdb = [*prefix, str(binaries / "initdb"), "-D", str(data), "-A", "trust"]
        subprocess.run([*initdb, "-U", "bench"], check=True, capture_output=True, cwd=directory)
        server = subprocess.Popen(
            [*prefix, *dies, str(binaries / "postgres"), "-D", str(data), "-p", str(port),
             "-h", "127.0.0.1", "-k", directory],
            stderr=subprocess.DEVNULL, cwd=directory,
        )  # fmt: skip
        try:
            yield port
        finally:
            server.send_signal(signal.SIGINT)  # without waiting for its clients
            server.wait()


def postgresql_trip(port: int) -> Trip:
    """A session opened by the start-up message, which a cluster with trust authentication
    accepts.
    """
    start = (196608).to_bytes(4, "big") + b"user\0bench\0database\0postgres\0\0"
    for _ in range(100):
        with contextlib.suppress(ConnectionError):  # it may be starting still
            connection = socket.create_connection(("127.0.0.1", port), timeout=30)
            connection.sendall((len(start) + 4).to_bytes(4, "big") + start)
            if answer(connection, ends_postgresql):
                break
        time.sleep(0.1)
    else:
        raise RuntimeError("PostgreSQL does not answer")
    query = b"select 1\0"
    return Trip(connection, b"Q" + (len(query) + 4).to_bytes(4, "big") + query, ends_postgresql)


def bench_trips(rounds: int, earlier_build: Path | None) -> Iterator[str]:
    """Round trips that answer with one row of one number."""
    with contextlib.ExitStack() as stack:
        lab, port = stack.enter_context(running_lab("oralab")), stack.enter_context(postgresql())
        trips = {OURS: oracle_trip(lab["port"])}
        if earlier_build:
            trips[BEFORE] = oracle_trip(stack.enter_context(running_lab(earlier_build))["port"])
        if port is not None:
            trips[THEIRS] = postgresql_trip(port)
        rates: dict[str, list[float]] = {name: [] for name in trips}
        for turn in range(rounds + 1):
            for name, trip in trips.items():
                rate = trip.per_second(TRIPS)
                if turn > 0:
                    rates[name].append(rate)
        for connection in _open_connections:
            with contextlib.suppress(oracledb.Error):
                connection.close()
    yield "| server | single-row round trips per second [95 %] |"
    yield "|---|---:|"
    for name, values in rates.items():
        yield f"| {name} | {with_interval(median(values))} |"
    yield ""
    if port is None:
        yield "PostgreSQL is not installed here (`./setup.sh --bench` installs it)."
    for peer in rates.keys() - {OURS}:
        ratio = median([a / b for a, b in zip(rates[OURS], rates[peer], strict=True)])
        yield f"The lab makes {with_interval(ratio, 2)} times as many as {peer} [95 %]."


class Served:
    """A session of one build of the lab, and the CPU time of its server process."""

    def __init__(self, port: int) -> None:
        self.cursor = connect(port).cursor()
        self.cursor.execute(SPID)
        [(spid,)] = self.cursor.fetchall()
        self._schedstat = Path(f"/proc/{spid}/schedstat")

    def measure(self, work: Callable[[oracledb.Cursor], int]) -> tuple[float, float]:
        """The results of `work` per second, and the server's microseconds on CPU for one of
        these.
        """
        began, cpu = time.perf_counter(), self._cpu_ns()
        completed = work(self.cursor)
        return completed / (time.perf_counter() - began), (self._cpu_ns() - cpu) / 1e3 / completed

    def _cpu_ns(self) -> int:
        return int(self._schedstat.read_text().split()[0])


def bench_work(
    unit: str,
    work: dict[str, Callable[[oracledb.Cursor], int]],
    rounds: int,
    earlier_build: Path | None,
) -> Iterator[str]:
    """A table of each kind of `work`, which returns the number of units that it has done."""
    builds: dict[str, str | Path] = {OURS: "oralab"} | (
        {BEFORE: earlier_build} if earlier_build else {}
    )
    measured: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with contextlib.ExitStack() as stack:
        served = {
            name: Served(stack.enter_context(running_lab(build))["port"])
            for name, build in builds.items()
        }
        for turn in range(rounds + 1):
            for kind, run in work.items():
                for name, session in served.items():
                    result = session.measure(run)
                    if turn > 0:  # the first fills the caches
                        measured.setdefault((name, kind), []).append(result)
    head = ["", f"{unit}s per second [95 %]", f"server's CPU per {unit}, µs [95 %]"]
    yield (
        "| "
        + " | ".join(head + (["CPU, times that before [95 %]"] if earlier_build else []))
        + " |"
    )
    yield "|---:" * (len(head) + bool(earlier_build)) + "|"
    for kind in work:
        rates, costs = zip(*measured[OURS, kind], strict=True)
        cells = [kind, with_interval(median(rates)), with_interval(median(costs), 2)]
        if earlier_build:
            old = [cost for _, cost in measured[BEFORE, kind]]
            ratios = [cost / old_cost for cost, old_cost in zip(costs, old, strict=True)]
            cells.append(with_interval(median(ratios), 2))
        yield "| " + " | ".join(cells) + " |"


def rows_of(size: int) -> Callable[[oracledb.Cursor], int]:
    """A fetch of rows of a number and a text of 30, by python-oracledb."""

    def fetch(cursor: oracledb.Cursor) -> int:
        cursor.arraysize = cursor.prefetchrows = size
        cursor.execute(f"select obj#, name from sys.obj$ where rownum <= {TABLE_ROWS}")
        return len(cursor.fetchall())

    return fetch


_texts = itertools.count()


def parses_of(sql: str) -> Callable[[oracledb.Cursor], int]:
    """Executions of `sql`, each with a different text, so that each is parsed."""

    def parse(cursor: oracledb.Cursor) -> int:
        for _ in range(PARSES):
            cursor.execute(sql.replace("select", f"select /* {next(_texts)} */", 1))
            cursor.fetchall()
        return PARSES

    return parse


def main() -> None:
    parser = argparse.ArgumentParser(description="how fast the lab is, as Markdown")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--before", type=Path, metavar="ORALAB", help="another build to compare")
    arguments = parser.parse_args()
    rounds = arguments.rounds
    missing = [name for name in ("oralab", "oralab-unchecked") if not (BUILD / name).exists()]
    if missing:
        raise SystemExit(f"not built: {', '.join(missing)}; see {Path(__file__).name}")
    if not shutil.which("setpriv"):
        raise SystemExit("setpriv is missing: it is in util-linux")
    cpus, load = os.cpu_count(), os.getloadavg()[0]
    print(f"Medians of {rounds} rounds on {cpus} processors; load before: {load:.1f}.\n")
    earlier_build = arguments.before and arguments.before.resolve()
    rows = {f"{size:,} rows a fetch": rows_of(size) for size in ARRAY_SIZES}
    parses = {name: parses_of(sql) for name, sql in PARSED.items()}
    for lines in (
        bench_gets(rounds, earlier_build),
        bench_trips(rounds, earlier_build),
        bench_work("row", rows, rounds, earlier_build),
        bench_work("parse", parses, rounds, earlier_build),
    ):
        print("\n".join(lines), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
