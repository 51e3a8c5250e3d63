# SPDX-License-Identifier: GPL-2.0-or-later
"""python-oracledb (thin mode) as a scenario client; ../README.md has the requests.

Exit code 3: python-oracledb cannot be imported.
"""

from __future__ import annotations

import json
import os
import queue
import ssl
import sys
import threading
import time
from typing import Any

try:
    import oracledb
except ImportError:
    sys.exit(3)

Answer = dict[str, Any]


class Client:
    """One connection; each request of ../README.md is a method."""

    connection: oracledb.Connection
    running = False
    break_sent: float | None = None

    def connect(self, fetch_size: int, sdu: int, wallet: str, **given: Any) -> Answer:
        if wallet:
            given["dsn"] = f"tcps://{given['dsn']}"
            given["ssl_context"] = ssl.create_default_context(cafile=f"{wallet}/ca.pem")
            given["ssl_server_dn_match"] = False
        if sdu:
            given["sdu"] = sdu
        self.connection = oracledb.connect(**given)
        self.cursor = self.connection.cursor()
        if fetch_size:
            self.cursor.arraysize = self.cursor.prefetchrows = fetch_size
        return {}

    def query(self, sql: str, binds: list[Any], times: int, keep: bool) -> Answer:
        try:
            return self._executed(sql, binds, times, keep)
        except oracledb.Error as error:
            returned = time.perf_counter()
            answer: Answer = {"error": str(error).partition("\n")[0]}
            if self.break_sent is not None:
                answer["break_ms"] = 1e3 * (returned - self.break_sent)
            return answer
        finally:
            self.running = False

    def _executed(self, sql: str, binds: list[Any], times: int, keep: bool) -> Answer:
        elapsed_s, rows, changed = [], [], 0
        for _ in range(times):
            began = time.perf_counter()
            self.cursor.execute(sql, binds)
            if self.cursor.description:
                rows = self.cursor.fetchall()
            else:
                changed = self.cursor.rowcount
            elapsed_s.append(time.perf_counter() - began)
        count = len(rows)
        return {
            "elapsed_s": elapsed_s,
            "rows": rows if keep else [],
            "row_count": count,
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

    def ping(self, times: int) -> Answer:
        elapsed_s = []
        for _ in range(times):
            began = time.perf_counter()
            self.connection.ping()
            elapsed_s.append(time.perf_counter() - began)
        return {"elapsed_s": elapsed_s}

    def close(self) -> Answer:
        self.connection.close()
        return {}


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
            "driver": "python-oracledb",
            "version": oracledb.__version__,
            "out_of_band": True,
            "sdu": True,
        }
    )
    while True:
        request = requests.get()
        try:
            reply(getattr(client, request.pop("do"))(**request))
        except oracledb.Error as error:
            reply({"error": str(error).partition("\n")[0]})


main()
