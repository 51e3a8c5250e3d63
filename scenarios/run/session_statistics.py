# SPDX-License-Identifier: GPL-2.0-or-later
"""The V$ views about a session, read by another session, so that reading changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from polltrace.errors import DriverError
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.client_process import ClientEndedError

_STATISTICS = """
select n.name, s.value
from   v$sesstat s, v$statname n
where  s.statistic# = n.statistic#
and    s.sid = :sid
"""
_EVENTS = """
select event, total_waits, time_waited_micro
from   v$session_event
where  sid = :sid
"""
_TIME_MODEL = """
select stat_name, value
from   v$sess_time_model
where  sid = :sid
"""

_PLAN = """
select q.plan_hash_value
from   v$session s, v$sql q
where  q.sql_id = s.prev_sql_id
and    q.child_number = s.prev_child_number
and    s.sid = :sid
"""

Rows = list[list[Any]]


@dataclass(frozen=True, slots=True)
class StatisticsSnapshot:
    """Totals of a session, each by name. A view that cannot be read is empty.

    - `statistics`: V$SESSTAT
    - `events`: V$SESSION_EVENT, waits and microseconds
    - `time_model`: V$SESS_TIME_MODEL, microseconds
    """

    statistics: Mapping[str, float]
    events: Mapping[str, tuple[float, float]]
    time_model: Mapping[str, float]

    def since(self, earlier: StatisticsSnapshot) -> StatisticsSnapshot:
        """The changes; names without a change are left out."""
        events = {
            name: (
                waits - earlier.events.get(name, (0, 0))[0],
                us - earlier.events.get(name, (0, 0))[1],
            )
            for name, (waits, us) in self.events.items()
        }
        return StatisticsSnapshot(
            _changes(self.statistics, earlier.statistics),
            {name: change for name, change in events.items() if any(change)},
            _changes(self.time_model, earlier.time_model),
        )

    @property
    def gets(self) -> float:
        return self.statistics.get("consistent gets", 0.0)

    def data(self) -> dict[str, Any]:
        return asdict(self)


def sid(client: DriverClient) -> int:
    """The client's session."""
    return int(client.query("select sys_context('userenv', 'sid') from dual")[1][0][0])


def read(watcher: DriverClient, sid: int) -> StatisticsSnapshot:
    """Session `sid` as it is now, by V$SESSTAT, V$SESSION_EVENT and V$SESS_TIME_MODEL.

    A view that `watcher` may not read is left empty.
    """
    return StatisticsSnapshot(
        {str(name): float(value) for name, value in _rows(watcher, _STATISTICS, sid)},
        {str(name): (float(n), float(us)) for name, n, us in _rows(watcher, _EVENTS, sid)},
        {str(name): float(value) for name, value in _rows(watcher, _TIME_MODEL, sid)},
    )


def plan(watcher: DriverClient, sid: int) -> int | None:
    """The plan of the statement that session `sid` has executed last, by V$SQL.PLAN_HASH_VALUE;
    None where that cannot be read. The lab has no such column."""
    rows = _rows(watcher, _PLAN, sid)
    return int(rows[0][0]) if rows and rows[0][0] is not None else None


def _rows(watcher: DriverClient, sql: str, sid: int) -> Rows:
    try:
        return watcher.query(sql, {"sid": sid})[1]
    except ClientEndedError:
        raise
    except DriverError:
        return []


def _changes(later: Mapping[str, float], earlier: Mapping[str, float]) -> dict[str, float]:
    return {
        name: value - earlier.get(name, 0)
        for name, value in later.items()
        if value != earlier.get(name, 0)
    }
