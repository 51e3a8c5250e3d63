# SPDX-License-Identifier: GPL-2.0-or-later
"""What a session's own V$ views say: statistics, wait events, time model; SQL for any server."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from polltrace.errors import DriverError
from scenarios.client import DriverClient

_STATISTICS = """
select n.name, s.value
from   v$mystat s, v$statname n
where  s.statistic# = n.statistic#
"""
_EVENTS = """
select event, total_waits, time_waited_micro
from   v$session_event
where  sid = sys_context('userenv', 'sid')
"""
_TIME_MODEL = """
select stat_name, value
from   v$sess_time_model
where  sid = sys_context('userenv', 'sid')
"""

Rows = list[list[Any]]


@dataclass(frozen=True, slots=True)
class SessionStatistics:
    """`events`: waits and microseconds; `time_model`: microseconds. Empty: not to be read here."""

    statistics: Mapping[str, float]
    events: Mapping[str, tuple[float, float]]
    time_model: Mapping[str, float]

    def since(self, before: SessionStatistics) -> SessionStatistics:
        """What changed, without what did not."""
        events = {
            name: (
                waits - before.events.get(name, (0, 0))[0],
                us - before.events.get(name, (0, 0))[1],
            )
            for name, (waits, us) in self.events.items()
        }
        return SessionStatistics(
            _changes(self.statistics, before.statistics),
            {name: change for name, change in events.items() if any(change)},
            _changes(self.time_model, before.time_model),
        )

    def data(self) -> dict[str, Any]:
        return asdict(self)


def read(client: DriverClient, *, statistics_last: bool = False) -> SessionStatistics:
    """The client's own session, as it is now. What it may not read is left empty.

    Reading changes them a little: `statistics_last` before something that is to be measured, and
    first after it, so that nothing but that is between the two readings of the statistics.
    """
    if not statistics_last:
        statistics = _rows(client, _STATISTICS)
    events, times = _rows(client, _EVENTS), _rows(client, _TIME_MODEL)
    if statistics_last:
        statistics = _rows(client, _STATISTICS)
    return SessionStatistics(
        {str(name): float(value) for name, value in statistics},
        {str(event): (float(n), float(us)) for event, n, us in events},
        {str(name): float(value) for name, value in times},
    )


def _rows(client: DriverClient, sql: str) -> Rows:
    with contextlib.suppress(DriverError):
        return client.query(sql)[1]
    return []


def _changes(now: Mapping[str, float], before: Mapping[str, float]) -> dict[str, float]:
    return {
        name: value - before.get(name, 0)
        for name, value in now.items()
        if value != before.get(name, 0)
    }
