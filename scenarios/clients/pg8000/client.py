# SPDX-License-Identifier: GPL-2.0-or-later
"""pg8000 (pure Python) as a scenario client; ../README.md has the requests.

Exit code 3: pg8000 cannot be imported.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import queue
import re
import sys
import threading
import time
from typing import Any

try:
    import pg8000.dbapi
except ImportError:
    sys.exit(3)

Answer = dict[str, Any]
# A bind, or what holds none whatever colons are in it: text, a quoted name, a comment. `::` casts.
_BIND = re.compile(
    r"""'(?:[^']|'')*'|"[^"]*"|--[^\n]*|/\*.*?\*/|%|(?<![\w:]):([A-Za-z]\w*)""", re.DOTALL
)


def _by_position(sql: str) -> str:
    """The statement as the driver reads it: its binds are `%s`, its per cent signs doubled but for
    those in quotes and at the end of a line, where the driver does not look."""

    def part(found: re.Match[str]) -> str:
        if found[1]:
            return "%s"
        return found[0] if found[0][0] in "'\"-" else found[0].replace("%", "%%")

    return _BIND.sub(part, sql)


class Client:
    """One connection; each request of ../README.md is a method."""

    connection: pg8000.dbapi.Connection
    running = False
    break_sent: float | None = None

    def connect(self, dsn: str, user: str, password: str, fetch_size: int, **_given: Any) -> Answer:
        address, _, database = dsn.rpartition("/")
        host, _, port = address.rpartition(":")
        self.connection = pg8000.dbapi.connect(
            user, host=host, port=int(port), database=database, password=password
        )
        self.connection.autocommit = True
        self.fetch_size = fetch_size
        self.cursor = self.connection.cursor()
        self.cursor.execute("select pg_backend_pid()")
        (self.backend,) = self.cursor.fetchone()
        self.given = (user, host, int(port), database, password)
        return {}

    def query(self, sql: str, binds: list[Any], times: int, keep: bool) -> Answer:
        try:
            return self._executed(sql, binds, times, keep)
        except pg8000.dbapi.Error as error:
            returned = time.perf_counter()
            answer: Answer = {"error": _first_line(error)}
            if self.break_sent is not None:
                answer["break_ms"] = 1e3 * (returned - self.break_sent)
            return answer
        finally:
            self.running = False

    def _executed(self, sql: str, binds: list[Any], times: int, keep: bool) -> Answer:
        text = _by_position(sql) if binds else sql
        elapsed_s, rows, changed = [], [], 0
        for _ in range(times):
            began = time.perf_counter()
            self.cursor.execute(text, binds)
            if self.cursor.description:
                rows = self.cursor.fetchall()
            else:
                changed = self.cursor.rowcount
            elapsed_s.append(time.perf_counter() - began)
        return {
            "elapsed_s": elapsed_s,
            "rows": rows if keep else [],
            "row_count": len(rows),
            "changed": changed,
        }

    def send_break(self) -> None:
        if self.running:
            self.break_sent = time.perf_counter()
            self.cancel()

    def cancel(self) -> None:
        """pg8000 has no cancel of its own: by another connection, in SQL."""
        user, host, port, database, password = self.given
        other = pg8000.dbapi.connect(
            user, host=host, port=port, database=database, password=password
        )
        other.cursor().execute("select pg_cancel_backend(%s)", (self.backend,))
        other.close()

    def commit(self) -> Answer:
        self.connection.commit()
        return {}

    def rollback(self) -> Answer:
        self.connection.rollback()
        return {}

    def ping(self) -> Answer:
        self.cursor.execute("select 1")
        return {}

    def close(self) -> Answer:
        self.connection.close()
        return {}


def _first_line(error: Exception) -> str:
    fields = error.args[0] if error.args else ""
    text = fields.get("M", "") if isinstance(fields, dict) else str(fields)
    return (text.splitlines() or [type(error).__name__])[0]


def reply(answer: Answer) -> None:
    print(json.dumps(answer, default=str), flush=True)


def read_requests(client: Client, requests: queue.SimpleQueue[Answer]) -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "break":
            client.send_break()
        else:
            # From here on it runs: a break that comes next is meant for it.
            client.break_sent = None
            client.running = request["do"] == "query"
            requests.put(request)
    os._exit(0)


def main() -> None:
    requests: queue.SimpleQueue[Answer] = queue.SimpleQueue()
    client = Client()
    threading.Thread(target=read_requests, args=(client, requests), daemon=True).start()
    reply(
        {
            "driver": "pg8000",
            "version": importlib.metadata.version("pg8000"),
            "out_of_band": False,
            "sdu": False,
        }
    )
    while True:
        request = requests.get()
        try:
            reply(getattr(client, request.pop("do"))(**request))
        except pg8000.dbapi.Error as error:
            reply({"error": _first_line(error)})


main()
