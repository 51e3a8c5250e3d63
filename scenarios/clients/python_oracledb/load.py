# SPDX-License-Identifier: GPL-2.0-or-later
"""python-oracledb (thin mode) as a load client; ../README.md has the requests.

Exit code 3: python-oracledb cannot be imported.
"""

from __future__ import annotations

import base64
import json
import os
import queue
import struct
import sys
import threading
import time
from typing import Any

from result_cache import ResultCache

try:
    import oracledb
except ImportError:
    sys.exit(3)

Message = dict[str, Any]

ENTRY = struct.Struct("<IId")
RECORD = struct.Struct("<dddii")
FLUSH_NS = 100_000_000
FLUSH_RECORDS = 2048
EXECUTED, DROPPED = 0, -1

now_ns = time.monotonic_ns
output = threading.Lock()


def reply(message: Message) -> None:
    text = json.dumps(message) + "\n"
    with output:
        sys.stdout.write(text)
        sys.stdout.flush()


def brief(error: Exception) -> str:
    return str(error).partition("\n")[0][:300]


class Records:
    """The transactions of a session since its last flush."""

    def __init__(self, session: int) -> None:
        self.session = session
        self.data = bytearray()
        self.errors: list[str] = []
        self.flushed = now_ns()

    def add(self, due: float, began: float, ended: float, statement: int, outcome: int) -> None:
        self.data += RECORD.pack(due, began, ended, statement, outcome)

    def failed(self, error: str) -> int:
        """The outcome that stands for this error until the next flush."""
        if error not in self.errors:
            self.errors.append(error)
        return 1 + self.errors.index(error)

    def flush_if_due(self, until: int) -> None:
        """`until`: when this session can flush again."""
        full = len(self.data) >= FLUSH_RECORDS * RECORD.size
        if full or until - self.flushed >= FLUSH_NS:
            self.flush()

    def flush(self) -> None:
        self.flushed = now_ns()
        if self.data:
            records = base64.b64encode(self.data).decode()
            reply({"session": self.session, "records": records, "errors": self.errors})
            self.data, self.errors = bytearray(), []


class SessionThread(threading.Thread):
    """A connection, which takes its requests from a queue."""

    def __init__(self, number: int, statements: list[Message]) -> None:
        super().__init__(daemon=True)
        self.number = number
        self.statements = statements
        self.requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self.entries: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.stopped = threading.Event()
        self.cache: ResultCache | None = None

    def run(self) -> None:
        try:
            self.connect(**self.requests.get())
        except (oracledb.Error, OSError) as error:
            reply({"session": self.number, "failed": brief(error)})
            return
        failure = None
        try:
            failure = self.execute_all(**self.requests.get())
            self.connection.close()
        except oracledb.Error as error:
            failure = brief(error)
        statistics = dict(self.cache.statistics()) if self.cache else None
        reply({"session": self.number, "ended": failure, "cache": statistics})

    def connect(  # noqa: PLR0913
        self,
        *,
        at_ns: int,
        fetch_size: int,
        sdu: int,
        first: list[str],
        identify: list[str],
        cache: Message | None = None,
        **parameters: Any,
    ) -> None:
        if sdu:
            parameters["sdu"] = sdu
        self.stopped.wait(max(at_ns - now_ns(), 0) / 1e9)
        began = now_ns()
        self.connection = oracledb.connect(**parameters)
        ended = now_ns()
        self.cursors = [self.connection.cursor() for _ in self.statements]
        for cursor in self.cursors:
            if fetch_size:
                cursor.arraysize = cursor.prefetchrows = fetch_size
        with self.connection.cursor() as cursor:
            for sql in first:
                cursor.execute(sql)
            identity = [self.one_value(cursor, sql) for sql in identify]
        if cache:
            self.open_cache(**cache)
        reply(
            {
                "session": self.number,
                "began_ns": began,
                "connected_ns": ended,
                "identity": identity,
            }
        )

    def open_cache(self, changes: str, lag_ns: int, most_bytes: int, statistics: str) -> None:
        cursor = self.connection.cursor()
        if statistics:
            sql = (
                f"insert into {statistics} (value, name, cache_id, stat_id) values (:1, :2, :3, :4)"
            )
            cursor.executemany(sql, self.statistics_rows(ResultCache(list, 0, 0)))
            self.connection.commit()

        def rows() -> list[Any]:
            if statistics and self.cache and self.cache.looks > 1:
                self.push_statistics(statistics)
            cursor.execute(changes)
            return list(cursor.fetchall())

        self.cache = ResultCache(rows, lag_ns, most_bytes)

    def push_statistics(self, table: str) -> None:
        """Write the statistics to a table of the server, as Oracle's client does."""
        sql = f"update {table} set value = :1, name = :2 where cache_id = :3 and stat_id = :4"
        with self.connection.cursor() as cursor:
            cursor.executemany(sql, self.statistics_rows(self.cache))
        self.connection.commit()

    def statistics_rows(self, cache: ResultCache) -> list[tuple[Any, ...]]:
        return [
            (value, name, self.number, number)
            for number, (name, value) in enumerate(cache.statistics(), 1)
        ]

    @staticmethod
    def one_value(cursor: oracledb.Cursor, sql: str) -> str | None:
        try:
            cursor.execute(sql)
            row = cursor.fetchone()
        except oracledb.Error:
            return None
        return None if row is None or row[0] is None else str(row[0])

    def execute_all(  # noqa: PLR0913
        self,
        *,
        start_ns: int,
        end_ns: int,
        open_loop: bool,
        max_lag_ns: int | None,
        per_commit: int,
        rollback: bool,
    ) -> str | None:
        """Carry out the plan until the end; why the session ended before that, or None."""
        finish = self.connection.rollback if rollback else self.connection.commit
        records = Records(self.number)
        changed, previous = 0, start_ns
        failure = None
        for statement, row, due_ns in self.plan(records):
            due = (start_ns if open_loop else previous) + int(due_ns)
            if due >= end_ns or not self.wait_until(due, records):
                break
            began = now_ns()
            if began >= end_ns:
                break
            if max_lag_ns is not None and began - due > max_lag_ns:
                late = due - start_ns
                records.add(late, began - start_ns, began - start_ns, statement, DROPPED)
                records.flush_if_due(began)
                continue
            outcome = EXECUTED
            try:
                if self.execute(statement, row, cached=not changed):
                    changed += 1
                    if changed >= per_commit:
                        changed = 0
                        finish()
                        if self.cache:
                            self.cache.own_change()
            except oracledb.Error as error:
                outcome = records.failed(brief(error))
                if not self.connection.is_healthy():
                    failure = brief(error)
            previous = now_ns()
            records.add(due - start_ns, began - start_ns, previous - start_ns, statement, outcome)
            if failure:
                break
            records.flush_if_due(previous)
        records.flush()
        if changed and not failure:
            finish()
        return failure

    def plan(self, records: Records) -> Any:
        """Every entry of the plan; waits where the next has not come yet."""
        while not self.stopped.is_set():
            try:
                entries = self.entries.get_nowait()
            except queue.Empty:
                records.flush()
                entries = self.entries.get()
            if not entries:
                return
            yield from ENTRY.iter_unpack(entries)

    def wait_until(self, due: int, records: Records) -> bool:
        """Wait for a moment; False if the session was stopped before it."""
        records.flush_if_due(max(due, now_ns()))
        remaining_ns = due - now_ns()
        return not (
            self.stopped.wait(remaining_ns / 1e9) if remaining_ns > 0 else self.stopped.is_set()
        )

    def execute(self, number: int, row: int, *, cached: bool) -> bool:
        """Execute and fetch all rows; whether it may have changed something."""
        statement = self.statements[number]
        binds = statement["rows"][row]
        if not statement["query"]:
            self.cursors[number].execute(statement["sql"], binds)
            if self.cache and statement["settings"]:
                self.cache.forget()
            return True
        if self.cache and cached and statement["cacheable"]:
            self.cache.rows((number, *binds), lambda: self.fetched(number, binds))
            return False
        cursor = self.cursors[number]
        cursor.execute(statement["sql"], binds)
        size = cursor.arraysize
        while len(cursor.fetchmany()) == size:
            pass
        return False

    def fetched(self, number: int, binds: list[Any]) -> list[Any]:
        self.cursors[number].execute(self.statements[number]["sql"], binds)
        return list(self.cursors[number].fetchall())


def stop(session: SessionThread) -> None:
    session.stopped.set()
    session.entries.put(b"")


def main() -> None:
    reply({"driver": "python-oracledb", "version": oracledb.__version__})
    sessions: dict[int, SessionThread] = {}
    statements: list[Message] = []
    for line in sys.stdin:
        request = json.loads(line)
        number = request.pop("session", None)
        match request.pop("do"):
            case "prepare":
                statements += request["statements"]
            case "connect":
                sessions[number] = SessionThread(number, statements)
                sessions[number].start()
                sessions[number].requests.put(request)
            case "plan":
                sessions[number].entries.put(base64.b64decode(request["entries"]))
            case "run":
                sessions[number].requests.put(request)
            case "stop":
                stop(sessions[number])
    os._exit(0)


main()
