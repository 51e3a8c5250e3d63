# SPDX-License-Identifier: GPL-2.0-or-later
"""psycopg 3 as a scenario client; ../README.md has the requests.

Exit code 3: psycopg cannot be imported.
"""

from __future__ import annotations

import json
import os
import queue
import re
import sys
import threading
import time
from typing import Any

try:
    import psycopg
except ImportError:
    sys.exit(3)

Answer = dict[str, Any]
# A bind, or what holds none whatever colons are in it: text, a quoted name, a comment. `::` casts.
_BIND = re.compile(
    r"""'(?:[^']|'')*'|"[^"]*"|--[^\n]*|/\*.*?\*/|(?<![\w:]):([A-Za-z]\w*)""", re.DOTALL
)


def _by_position(sql: str) -> str:
    """The statement as the driver reads it: its binds are `%s`, its per cent signs doubled."""
    return _BIND.sub(lambda found: "%s" if found[1] else found[0], sql.replace("%", "%%"))


class Client:
    """One connection; each request of ../README.md is a method."""

    connection: psycopg.Connection[Any]
    running = False
    break_sent: float | None = None

    def connect(self, dsn: str, user: str, password: str, fetch_size: int, **_given: Any) -> Answer:
        address, _, database = dsn.rpartition("/")
        host, _, port = address.rpartition(":")
        self.connection = psycopg.connect(
            host=host, port=port, dbname=database, user=user, password=password, autocommit=True
        )
        self.fetch_size = fetch_size
        return {}

    def query(self, sql: str, binds: list[Any], times: int, keep: bool) -> Answer:
        try:
            return self._executed(sql, binds, times, keep)
        except psycopg.Error as error:
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
            cursor = self.connection.execute(text, binds or None)
            if cursor.description:
                rows = cursor.fetchall()
            else:
                changed = cursor.rowcount
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
            self.connection.cancel()

    def commit(self) -> Answer:
        self.connection.commit()
        return {}

    def rollback(self) -> Answer:
        self.connection.rollback()
        return {}

    def ping(self) -> Answer:
        self.connection.execute("select 1")
        return {}

    def close(self) -> Answer:
        self.connection.close()
        return {}


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


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
            "driver": "psycopg",
            "version": psycopg.__version__,
            "out_of_band": False,
            "sdu": False,
        }
    )
    while True:
        request = requests.get()
        try:
            reply(getattr(client, request.pop("do"))(**request))
        except psycopg.Error as error:
            reply({"error": _first_line(error)})


main()
