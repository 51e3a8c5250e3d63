# SPDX-License-Identifier: GPL-2.0-or-later
"""The memory of the lab's servers by session, cursor and row. Prints Markdown.

`python -m bench.lab_memory`, after `make -C lab`. Kilobytes are private memory of the server
process, by smaps_rollup of proc(5): the memory that the kernel would get back if it ended.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path

from bench.lab_speed import connect, running_lab, server_of

SESSIONS = 300
CURSORS = 200
ROWS = 100_000


def private_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def bench_sessions(port: int) -> str:
    """Sessions that have run a query of the dictionary, at once."""
    connections = [connect(port) for _ in range(SESSIONS)]
    for connection in connections:
        connection.cursor().execute("select count(*) from sys.obj$").fetchall()
    private = [private_kb(server_of(connection)) for connection in connections]
    for connection in connections:
        connection.close()
    return f"| a session, of {SESSIONS} at once | {statistics.median(private):,.0f} kB |"


def bench_cursors(port: int) -> str:
    """Statements of one table, each kept open after it was fetched."""
    with connect(port) as connection:
        pid = server_of(connection)
        open_cursors = [connection.cursor() for _ in range(CURSORS)]
        private = []
        for n, cursor in enumerate(open_cursors):
            cursor.execute(f"select obj#, name, {n} from sys.obj$ where obj# = :n", [n]).fetchall()
            private.append(private_kb(pid))
    # The first ones fill what all of them share.
    half = CURSORS // 2
    return f"| an open cursor | {(private[-1] - private[half]) / (CURSORS - 1 - half):,.1f} kB |"


def bench_fetched_rows(port: int) -> str:
    """Rows of 100 bytes in one answer."""
    with connect(port) as connection:
        pid, cursor = server_of(connection), connection.cursor()
        cursor.arraysize = cursor.prefetchrows = ROWS
        private_before = private_kb(pid)
        sql = f"select rpad(level, 100, 'x') from dual connect by level <= {ROWS}"
        rows = len(cursor.execute(sql).fetchall())
        growth = private_kb(pid) - private_before
    return (
        f"| a fetched row of 100 bytes, of {rows:,} in one answer | {growth * 1024 / rows:,.1f} B |"
    )


def bench_bound_rows(port: int) -> str:
    """Rows of 100 bytes in one array of binds."""
    with connect(port) as connection:
        pid, cursor = server_of(connection), connection.cursor()
        cursor.execute("create table bound (n number, v varchar2(100))")
        private_before = private_kb(pid)
        rows = [(n, "x" * 100) for n in range(ROWS)]
        cursor.executemany("insert into bound values (:1, :2)", rows)
        growth = private_kb(pid) - private_before
        connection.rollback()
    return f"| a bound row of 100 bytes, of {ROWS:,} in one array | {growth * 1024 / ROWS:,.1f} B |"


def bench() -> Iterator[str]:
    yield "| what | private memory of its server |"
    yield "|---|---:|"
    with running_lab("oralab") as lab:
        for bench_part in (bench_sessions, bench_cursors, bench_fetched_rows, bench_bound_rows):
            yield bench_part(lab["port"])


if __name__ == "__main__":
    for line in bench():
        print(line, flush=True)
