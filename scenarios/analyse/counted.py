# SPDX-License-Identifier: GPL-2.0-or-later
"""The counts of a cell's executions: by the probe, and by the V$ views."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from polltrace.scenarios.analyse.run_file import Line

ROUND_TRIPS = "SQL*Net roundtrips to/from client"
MORE_DATA = "SQL*Net more data to client"
GETS = "consistent gets"
TRIPS_TO_DBLINK = "SQL*Net roundtrips to/from dblink"
LAB_POLLS = "lab break polls"


@dataclass(frozen=True, slots=True)
class CountedTotals:
    """The counted executions of a cell.

    Totals of them all:

    - `executions`: how many
    - `elapsed_s`, `cpu_s`: as the client saw them, and CPU time of the server (None: unknown)
    - `gets`: consistent gets
    - `polls`: break polls by the probe; None without a probe
    - `polls_server`: break polls by the server's own count, which only the lab has
    - `lost`: events that the probe reports as lost
    - `round_trips` between client and server

    Others:

    - `plans`: PLAN_HASH_VALUE of the statement, all that were seen; empty where it is not known
    - `round_trips_s`: for each block, what a round trip takes outside the server: (elapsed - time
      in the server) / round trips; empty where the server's time is unknown
    - `statistics`, `events`, `time_model`: changes in V$SESSTAT, V$SESSION_EVENT (waits,
      microseconds) and V$SESS_TIME_MODEL (microseconds) for each execution
    - `remote`: the same of the session at the other end of its database link; None: it has no link
    """

    executions: int
    elapsed_s: float
    cpu_s: float | None
    gets: float
    polls: int | None
    polls_server: float | None
    lost: int
    round_trips: float
    round_trips_s: Sequence[float]
    plans: Sequence[int] = field(default_factory=tuple, kw_only=True)
    statistics: Mapping[str, float]
    events: Mapping[str, tuple[float, float]]
    time_model: Mapping[str, float]
    remote: CountedTotals | None = field(default=None, kw_only=True)

    @property
    def known_polls(self) -> float | None:
        """The probe's count, else the server's."""
        return self.polls if self.polls is not None else self.polls_server

    @property
    def polls_per_execution(self) -> float | None:
        return None if self.known_polls is None else self.known_polls / self.executions

    @property
    def gets_per_poll(self) -> float | None:
        return self.gets / self.known_polls if self.known_polls else None

    @property
    def round_trip_s(self) -> float | None:
        """The median of the blocks: a client's first execution may have to load itself."""
        return statistics.median(self.round_trips_s) if self.round_trips_s else None

    @property
    def trips_per_execution(self) -> float:
        return self.round_trips / self.executions

    @property
    def more_packets(self) -> float:
        """Packets for each execution that followed the first of an answer."""
        return self.waits(MORE_DATA)

    @property
    def count_agrees(self) -> bool | None:
        """True if probe and server counted the same polls; None if one of them did not count."""
        if self.polls is None or self.polls_server is None:
            return None
        return self.polls == self.polls_server and not self.lost

    def waits(self, event: str) -> float:
        """The number of waits for this event per execution."""
        return self.events.get(event, (0.0, 0.0))[0]


def counted_of(lines: Sequence[Line], *, counts_polls: bool) -> CountedTotals | None:
    """The `counted` lines of a cell, added up; None for no lines.

    `counts_polls` is whether the server counts its own polls.
    """
    if not lines:
        return None
    executions = sum(line["executions"] for line in lines)
    totals = _summed([line["v$"]["statistics"] for line in lines])
    waits, waited_us = (
        _summed([{k: wait[n] for k, wait in line["v$"]["events"].items()} for line in lines])
        for n in (0, 1)
    )
    cpu = [line["cpu_s"] for line in lines]
    outside = [seconds for seconds in map(_round_trip_s, lines) if seconds is not None]
    by_probe = all("break_polls" in line for line in lines)
    return CountedTotals(
        executions=executions,
        elapsed_s=sum(line["elapsed_s"] for line in lines),
        cpu_s=sum(cpu) if None not in cpu else None,
        gets=totals.get(GETS, 0.0),
        polls=sum(line["break_polls"] for line in lines) if by_probe else None,
        polls_server=totals.get(LAB_POLLS, 0.0) if counts_polls else None,
        lost=sum(line.get("lost", 0) for line in lines),
        round_trips=totals.get(ROUND_TRIPS, 0.0),
        round_trips_s=outside,
        plans=sorted({line["plan"] for line in lines if line.get("plan") is not None}),
        statistics={name: value / executions for name, value in totals.items()},
        events={n: (waits[n] / executions, waited_us[n] / executions) for n in waits},
        time_model={
            name: value / executions
            for name, value in _summed([line["v$"]["time_model"] for line in lines]).items()
        },
        remote=counted_of(
            [line["remote"] for line in lines if "remote" in line], counts_polls=counts_polls
        ),
    )


def _summed(tables: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = sorted({name for table in tables for name in table})
    return {name: float(sum(table.get(name, 0) for table in tables)) for name in names}


def _round_trip_s(line: Line) -> float | None:
    trips = line["v$"]["statistics"].get(ROUND_TRIPS, 0)
    db_us = line["v$"]["time_model"].get("DB time", 0)
    server_s = db_us / 1e6 if db_us else line["cpu_s"]
    return None if server_s is None or not trips else (line["elapsed_s"] - server_s) / trips
