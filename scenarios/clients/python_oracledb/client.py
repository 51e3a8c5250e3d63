# SPDX-License-Identifier: GPL-2.0-or-later
"""python-oracledb (thin mode) as a scenario client: one request a line in, one answer a line out.

Requests and answers are JSON objects; see scenarios/client.py, the other end. It runs in a
process of its own so that its CPU time is never mistaken for the server's, and ends when its
stdin does, in the middle of a call too: whoever started it may have been killed.
Exit code 3: python-oracledb cannot be imported.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from typing import Any

try:
    import oracledb
except ImportError:
    sys.exit(3)

Answer = dict[str, Any]


class Session:
    """One connection, and what the runner may ask of it."""

    def connect(self, dsn: str, user: str, password: str, disable_oob: bool) -> Answer:
        self.connection = oracledb.connect(
            user=user, password=password, dsn=dsn, disable_oob=disable_oob
        )
        self.cursor = self.connection.cursor()
        return {"driver": f"python-oracledb {oracledb.__version__}", "thin": self.connection.thin}

    def query(self, sql: str, binds: Answer) -> Answer:
        """Execute and fetch everything; `elapsed_s` is what the user of this driver waits."""
        began = time.perf_counter()
        rows = self.cursor.execute(sql, binds).fetchall()
        return {"elapsed_s": time.perf_counter() - began, "rows": rows}

    def cancel(self, sql: str, binds: Answer, after_s: float) -> Answer:
        """Execute, cancel `after_s` later from another thread, and time until the call returns."""
        sent: list[float] = []

        def cancel() -> None:
            sent.append(time.perf_counter())
            self.connection.cancel()

        timer = threading.Timer(after_s, cancel)
        timer.start()
        try:
            self.cursor.execute(sql, binds).fetchall()
            error = None
        except oracledb.DatabaseError as raised:
            error = raised.args[0].full_code
        returned = time.perf_counter()
        timer.cancel()
        timer.join()
        if not sent:
            return {"error": error, "cancel_ms": None, "usable": True}
        usable = self.cursor.execute("select 1 from dual").fetchone() == (1,)
        return {"error": error, "cancel_ms": 1e3 * (returned - sent[0]), "usable": usable}

    def close(self) -> Answer:
        self.connection.close()
        return {}


def read_requests(requests: queue.SimpleQueue[Answer]) -> None:
    for line in sys.stdin:
        requests.put(json.loads(line))
    os._exit(0)


def main() -> None:
    requests: queue.SimpleQueue[Answer] = queue.SimpleQueue()
    threading.Thread(target=read_requests, args=(requests,), daemon=True).start()
    session = Session()
    while True:
        request = requests.get()
        try:
            answer = getattr(session, request.pop("do"))(**request)
        except oracledb.Error as error:
            answer = {"failed": str(error.args[0])}
        print(json.dumps(answer), flush=True)


main()
