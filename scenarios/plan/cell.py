# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell: one way to run a scenario's statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from polltrace.scenarios.clients import PROGRAMS, Program

BREAK_MODES = ("out-of-band", "in-band", "local")
TRANSPORTS = ("tcp", "tcps")
BUSY = ("executing", "waiting", "sending")
KILLED, VANISHED, KEEPALIVES = GONE = ("killed", "vanished", "vanished with keepalives")
KEEPALIVE_S = 3
"""TCP gives a peer up that has answered nothing for this long, in cells with KEEPALIVES."""


def _drivers(has: Callable[[Program], bool]) -> frozenset[str]:
    return frozenset(name for name, program in PROGRAMS.items() if has(program))


NEVER_OUT_OF_BAND = _drivers(lambda program: not program.out_of_band and not program.postgresql)
NO_SDU = _drivers(lambda program: not program.sdu_option)
NEVER_CHECKS = _drivers(lambda program: not program.checks_path)
CANCELS_CALLS_ONLY = _drivers(lambda program: not program.cancels_between_calls)
POSTGRESQL_DRIVERS = _drivers(lambda program: program.postgresql)

RESULT_CACHES = ("off", "exclusive", "shared")
"""The lab's server result cache: unused, or found in with its latch held so."""

CACHING_CLIENT = "python-oracledb"
"""The driver whose load client has a result cache: polltrace's own."""

CLIENT, FOR_LOOP, BULK_COLLECT = FETCHED_BY = ("client", "cursor for loop", "bulk collect")
LOOP_FETCH = 100
"""Rows that a cursor FOR loop fetches at a time, since Oracle 10.1."""

DEFAULT_SKIP = 3
LARGEST_WAITING_SKIP = 10
"""The largest skip of cells that wait for a row lock: a cancel takes up to half a minute there."""
WAIT_SLICE_S = 3
"""A server that waits for a lock checks for a break once in this many seconds (the article)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A way to run the statement; each field but `twin` is a key of the matrix.

    - `client`: the name of a driver
    - `break_mode`: one of BREAK_MODES
    - `skip`: BREAK_POLL_SKIP; None where nothing polls, or where the server's own is kept
    - `fetch_size`: rows per fetch; 0: the driver's default
    - `fetched_by`: one of FETCHED_BY: the client, or a PL/SQL block in the server, which keeps the
      rows: a cursor FOR loop, which fetches LOOP_FETCH rows, or BULK COLLECT of `fetch_size`
    - `sdu`: session data unit in bytes; 0: the driver's default
    - `path`: the name of a network path
    - `path_check`: whether the server tests at connect if the path carries urgent data
    - `transport`: one of TRANSPORTS; over TLS no driver sends urgent data
    - `check_interval`: PostgreSQL's client_connection_check_interval in ms, 0: off; None: the
      server is no PostgreSQL
    - `busy`: what a session is doing when it is cancelled, one of BUSY
    - `gone`: how a client is lost in a statement, one of GONE: its process is killed, or its host
      vanishes, where the server's TCP asks after it in hours (Linux's default) or KEEPALIVE_S
    - `sessions`: how many execute the statement at the same time; figures are of one of them. Of a
      load: how many it has; figures are of all
    - `cache`: of a load: whether its sessions use the workload's client result cache
    - `result_cache`: of a load against the lab: one of RESULT_CACHES; empty: as the workload has it
    - `statement`: of a load: the name of the one statement that is executed; empty: all of them
    - `link_path`: the name of the network path of the session's database link; empty: it has none
    - `link_sdu`: the link's SDU in bytes; 0: the default
    - `link_skip`: BREAK_POLL_SKIP of the server at the link's other end; 0: the default
    - `twin`: marks the second of the A/A pair, which is equal in all else
    """

    client: str = "python-oracledb"
    break_mode: str = "out-of-band"
    skip: int | None = None
    fetch_size: int = 0
    fetched_by: str = CLIENT
    sdu: int = 0
    path: str = "direct"
    path_check: bool = True
    transport: str = "tcp"
    busy: str = "executing"
    gone: str = KILLED
    sessions: int = 1
    check_interval: int | None = None
    cache: bool = False
    result_cache: str = ""
    statement: str = ""
    link_path: str = ""
    link_sdu: int = 0
    link_skip: int = 0
    twin: bool = False

    def label(self, varied: Sequence[str]) -> str:
        """The values of the keys that vary in this run, as text."""
        words = [_text(name, getattr(self, name)) for name in varied]
        return " ".join(filter(None, [*words, "(A/A)" if self.twin else ""]))

    @property
    def checks(self) -> int:
        """The spacing of its checks: its skip, or its interval in ms; 0: none, as far as known."""
        return self.skip or self.check_interval or 0

    def data(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        return cls(**data)

    def feasible(self) -> Self | None:
        """The cell without values of no effect in it; None if no such session exists."""
        cell = self if self.break_mode == "in-band" else replace(self, skip=None)
        if cell.fetched_by != CLIENT:
            cell = replace(cell, sdu=0)
        if cell.fetched_by == FOR_LOOP:
            cell = replace(cell, fetch_size=LOOP_FETCH)
        impossible = (
            # A session that waits polls once in 3 s times the skip: with more a run takes hours.
            (cell.busy == "waiting" and (cell.skip or 0) > LARGEST_WAITING_SKIP)
            or (cell.break_mode == "out-of-band" and cell.client in NEVER_OUT_OF_BAND)
            or (cell.break_mode == "local" and cell.path != "direct")
            or (cell.transport == "tcps" and cell.break_mode != "in-band")
            # A relay knows one port of the server.
            or (cell.transport == "tcps" and cell.path != "direct")
            or (cell.transport == "tcps" and cell.client in POSTGRESQL_DRIVERS)
            or (cell.sdu > 0 and cell.client in NO_SDU)
            or (cell.fetched_by != CLIENT and cell.client in POSTGRESQL_DRIVERS)
            or (cell.fetched_by == BULK_COLLECT and not cell.fetch_size)
            or (cell.cache and cell.client != CACHING_CLIENT)
        )
        return None if impossible else cell

    def chosen_by(self, only: Mapping[str, Sequence[str]]) -> bool:
        """True if each restricted key has an allowed value; a cell without the key is kept."""
        return all(
            value is None or str(value).lower() in allowed or str(value) in allowed
            for name, allowed in only.items()
            for value in [getattr(self, name)]
        )


MATRIX = tuple(field.name for field in fields(Cell) if field.name != "twin")
"""The keys of a scenario's matrix."""

OF_LINKS = frozenset({"link_path", "link_sdu", "link_skip"})
"""Those of sessions with a database link."""


def varied(cells: Sequence[Cell]) -> list[str]:
    """The keys that differ between cells, in the matrix's order; at least the client."""
    names = [name for name in MATRIX if len({getattr(cell, name) for cell in cells}) > 1]
    return names or ["client"]


_BEFORE = {
    "skip": "skip",
    "fetched_by": "by",
    "sdu": "SDU",
    "link_path": "link",
    "link_sdu": "link SDU",
    "link_skip": "remote skip",
}
"""The prefix of a key's value in a label."""


def _text(name: str, value: Any) -> str:
    """The value of a key in the words of a label; empty for one that the cell does not have."""
    text = str(value)
    match name, value:
        case (_, None | "") | ("fetched_by", "client") | ("sdu" | "link_sdu" | "link_skip", 0):
            text = ""
        case ("check_interval", interval):
            text = f"a check every {interval} ms" if interval else "no checks"
        case ("fetch_size", rows):
            text = f"{rows or 'default'} rows/fetch"
        case ("sessions", sessions):
            text = f"{sessions} session{'s' if sessions > 1 else ''}"
        case ("cache", cached):
            text = "cache" if cached else "no cache"
        case ("result_cache", mode):
            text = "no result cache" if mode == "off" else f"{mode} latch"
        case ("path_check", checked):
            text = "checked" if checked else "unchecked"
        case _ if name in _BEFORE:
            text = f"{_BEFORE[name]} {value}"
    return text
