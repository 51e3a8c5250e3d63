# SPDX-License-Identifier: GPL-2.0-or-later
"""The latch of the server's result cache around a load, by V$LATCH."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from polltrace.scenarios.load.latch_time import ServerLatchTime
from polltrace.scenarios.load.sql_text import placeholders, with_names
from polltrace.scenarios.load.workload import Workload
from polltrace.scenarios.run.client import DriverClient

LATCH = (
    "select l.gets, l.misses, l.spin_gets, l.sleep1 + l.sleep2 + l.sleep3 + l.sleep4 slept,"
    " l.sleeps, l.wait_time, s.value finds from v$latch l, v$result_cache_statistics s"
    " where l.name = 'Result Cache: RC Latch' and s.name = 'Find Count'"
)
FIGURES = ("gets", "misses", "spin_gets", "slept", "sleeps", "wait_us", "finds")
OBJECTS = (
    "select type, count(*), sum(block_count) from v$result_cache_objects"
    " where status = 'Published' group by type"
)


def server_cache(mode: str) -> Mapping[str, str]:
    """The parameters of a session for one of RESULT_CACHES."""
    if mode == "off":
        return {"result_cache_mode": "manual"}
    return {"result_cache_mode": "force", '"_result_cache_latch_mode"': mode}


class LatchWatch:
    """Fills the cache with each result of the workload, then counts the latch's events of the load.

    So a load only finds results, and its gets can be told exactly.
    """

    def __init__(self, workload: Workload, times: ServerLatchTime, *, fill: bool) -> None:
        self._workload, self._times, self._fill = workload, times, fill
        self._filled: dict[str, int] = {"fill_gets": 0, "results": 0, "blocks": 0, "tables": 0}
        self._before: dict[str, int] = {}
        self._after: dict[str, int] = {}

    def begins(self, watcher: DriverClient) -> None:
        watcher.execute("call dbms_result_cache.flush()")
        gets_at_start = _read(watcher)["gets"]
        if self._fill:
            self._execute_all(watcher)
        self._before = _read(watcher)
        self._filled["fill_gets"] = self._before["gets"] - gets_at_start
        for kind, count, blocks in watcher.query(OBJECTS)[1]:
            self._filled["results" if kind == "Result" else "tables"] = int(count)
            if kind == "Result":
                self._filled["blocks"] = int(blocks)

    def connected(self, pids: Sequence[int]) -> None:
        self._times.begins(pids)

    def ends(self, watcher: DriverClient) -> None:
        self._after = _read(watcher)

    def figures(self) -> dict[str, int]:
        """FIGURES as the load changed them; of the filling, its gets, and the results, their
        blocks and the tables that the cache had afterwards."""
        spent = {name: self._after[name] - self._before[name] for name in FIGURES}
        return {**spent, **self._filled}

    def times(self) -> dict[str, int]:
        """Time that the servers spun and slept in the first part of the load (ServerLatchTime)."""
        return self._times.figures()

    def _execute_all(self, watcher: DriverClient) -> None:
        watcher.execute("alter session set result_cache_mode = force")
        for statement in self._workload.statements:
            if statement.fill:
                watcher.execute(statement.fill)
                continue
            sql = with_names(statement.sql)
            names = [name.lower() for name in placeholders(sql)]
            for row in statement.rows:
                binds: dict[str, Any] = dict(zip(names, row, strict=True))
                watcher.execute(sql, binds)
        watcher.execute("alter session set result_cache_mode = manual")


def _read(watcher: DriverClient) -> dict[str, int]:
    [values] = watcher.query(LATCH)[1]
    return {name: int(value) for name, value in zip(FIGURES, values, strict=True)}
