# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of SQL trace to a session of the lab that is not traced. Prints Markdown.

`python -m bench.sql_trace_off [--rounds N]`, after `make -C lab build/oralab build/oralab-
untraced`, the same lab with the trace compiled out. Two measures: the instructions of an execution
in user mode, counted one by one (the fewest of a few), which no other process and no address of
code disturbs; and the server's CPU time, the two labs interleaved, to find a cost in time that is
no instruction.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import oracledb
from ptrace.binding import func

from bench.lab_speed import connect, difference, running_lab, server_of, with_interval
from polltrace.intervals import median
from polltrace.scenarios.load.cpu_time import cpu_time
from polltrace.stop_at import ptrace

STATEMENTS = {
    "a query of one row": "select 1 from dual",
    "a query of 100 rows": "select obj# from sys.obj$ where rownum <= 100",
    "an update and its commit": "update counted set n = n + 1",
}
COUNTED, TIMED = 5, 1000
QUIET_S = 0.2
"""A server that executes nothing for that time waits for its client."""


@dataclass(frozen=True, slots=True)
class LabSession:
    """A session with statements that have run, and the PID of its server."""

    connection: oracledb.Connection
    cursor: oracledb.Cursor
    pid: int

    def execute(self, sql: str) -> None:
        self.cursor.execute(sql)
        if self.cursor.description:
            self.cursor.fetchall()
        else:
            self.connection.commit()

    def cpu_us(self, sql: str) -> float:
        """The server's CPU time for one execution, in microseconds."""
        used_before = cpu_time([self.pid])
        for _ in range(TIMED):
            self.execute(sql)
        return 1e6 * cpu_time([self.pid]).since(used_before).ran_s / TIMED

    def instructions(self, sql: str) -> int:
        """The server's instructions in user mode for one execution."""
        ptrace.seize(self.pid)
        ptrace.interrupt(self.pid)
        os.waitpid(self.pid, ptrace.WALL)
        client = threading.Thread(target=self.execute, args=(sql,))
        client.start()
        steps, moved_at = 0, time.monotonic()
        func.ptrace_singlestep(self.pid)
        while client.is_alive() or time.monotonic() - moved_at < QUIET_S:
            if not os.waitpid(self.pid, ptrace.WALL | os.WNOHANG)[0]:
                continue
            steps, moved_at = steps + 1, time.monotonic()
            func.ptrace_singlestep(self.pid)
        self._let_go()
        client.join()
        return steps

    def _let_go(self) -> None:
        """Detach from the server. Its pending step ends in a trap, which would end the server once
        it is not traced.
        """
        ptrace.interrupt(self.pid)
        os.waitpid(self.pid, ptrace.WALL)
        func.ptrace_cont(self.pid)
        time.sleep(QUIET_S)
        if not os.waitpid(self.pid, ptrace.WALL | os.WNOHANG)[0]:
            ptrace.interrupt(self.pid)
            os.waitpid(self.pid, ptrace.WALL)
        ptrace.detach(self.pid)


@contextlib.contextmanager
def session(executable: str) -> Iterator[LabSession]:
    with running_lab(executable) as lab, connect(lab["port"]) as connection:
        cursor = connection.cursor()
        cursor.execute("create table counted (n number)")
        cursor.execute("insert into counted values (0)")
        connection.commit()
        lab_session = LabSession(connection, cursor, server_of(connection))
        for sql in STATEMENTS.values():
            for _ in range(3):
                lab_session.execute(sql)
        yield lab_session


def bench(rounds: int) -> Iterator[str]:
    yield (
        "| an execution in a session that is not traced | instructions | without the trace "
        "| more | CPU us | more [95 %] |"
    )
    yield "|---|---:|---:|---:|---:|---:|"
    with session("oralab") as built, session("oralab-untraced") as without:
        for name, sql in STATEMENTS.items():
            ours, theirs = (
                min(lab_session.instructions(sql) for _ in range(COUNTED))
                for lab_session in (built, without)
            )
            cpu_us = [(built.cpu_us(sql), without.cpu_us(sql)) for _ in range(rounds)]
            built_us, without_us = zip(*cpu_us, strict=True)
            yield (
                f"| {name} | {ours:,} | {theirs:,} | {ours - theirs:+,} "
                f"| {with_interval(median(built_us), 1)} "
                f"| {with_interval(difference(built_us, without_us), 2)} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description="what SQL trace costs that is off, as Markdown")
    parser.add_argument("--rounds", type=int, default=15)
    print("\n".join(bench(parser.parse_args().rounds)), flush=True)


if __name__ == "__main__":
    main()
