# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics of SET AUTOTRACE: differences of v$sesstat over a statement.

A second session reads them, so that reading adds nothing to the counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

Query = Callable[[str], list[list[str | None]]]

STATISTICS = (
    "recursive calls",
    "db block gets",
    "consistent gets",
    "physical reads",
    "redo size",
    "bytes sent via SQL*Net to client",
    "bytes received via SQL*Net from client",
    "SQL*Net roundtrips to/from client",
    "sorts (memory)",
    "sorts (disk)",
)
_IDLE = "SQL*Net message from client"
_SETTLING_S = 5.0


class SessionStatistics:
    """Statistics of session `sid`; `query` executes in another session."""

    def __init__(self, query: Query, sid: int) -> None:
        self._query = query
        self._sid = sid

    def read(self) -> dict[str, int]:
        """Values once the session waits for its client: an answer may arrive before its count."""
        state = f"select state, event from v$session where sid = {self._sid}"
        deadline = time.monotonic() + _SETTLING_S
        while self._query(state) != [["WAITING", _IDLE]] and time.monotonic() < deadline:
            time.sleep(0.005)
        names = ", ".join(f"'{name}'" for name in STATISTICS)
        rows = self._query(
            "select n.name, s.value from v$sesstat s, v$statname n"
            f" where s.statistic# = n.statistic# and s.sid = {self._sid} and n.name in ({names})"
        )
        return {str(name): int(value or 0) for name, value in rows}


def statistics_lines(start: Mapping[str, int], end: Mapping[str, int], rows: int) -> Iterator[str]:
    """Lines of the report; `-` for a statistic that the server does not count."""
    yield ""
    yield "Statistics"
    yield "-" * 58
    for name in STATISTICS:
        figure = str(end[name] - start.get(name, 0)) if name in end else "-"
        yield f"{figure:>11}  {name}"
    yield f"{rows:>11}  rows processed"
    yield ""
