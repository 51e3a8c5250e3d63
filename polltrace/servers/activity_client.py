# SPDX-License-Identifier: GPL-2.0-or-later
"""The process that holds the login while a session's activity is read.

Its first line on stdin is the login and the server process; it answers each line with one of JSON:
the first with the session, the others with the activity of the session at that moment.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from polltrace.servers.database_client import connected, sessions

_SESSION = """
select status, state, event, wait_time_micro, blocking_session, sql_id, prev_sql_id
from v$session where sid = :sid and serial# = :serial"""
_TEXT = "select sql_text from v$sql where sql_id = :id and rownum <= 1"
_WAITED = "select event, total_waits, time_waited_micro from v$session_event where sid = :sid"
_STATISTICS = """
select n.name, s.value from v$sesstat s, v$statname n
where s.statistic# = n.statistic# and s.sid = :sid and s.value <> 0"""


def main() -> int:
    try:
        import oracledb  # noqa: PLC0415 - missing it is an answer
    except ImportError:
        return _say(failed="python-oracledb is not installed: pip install 'polltrace[drivers]'")
    request = json.loads(sys.stdin.readline())
    try:
        with connected(oracledb, request) as connection:
            _serve(oracledb, connection.cursor(), request["pid"], request["instance"])
    except oracledb.Error as error:
        return _say(failed=_first_line(error))
    return 0


def _serve(oracledb: Any, cursor: Any, pid: int, instance: str) -> None:
    matches = [
        session
        for session in sessions(oracledb, cursor)
        if session["spid"] == pid and session["instance"].upper() == instance.upper()
    ]
    _say(session=matches[0] if matches else None)
    for _ in sys.stdin:
        _say(activity=_activity(oracledb, cursor, matches[0]["sid"], matches[0]["serial"]))


def _activity(oracledb: Any, cursor: Any, sid: int, serial: int) -> dict[str, Any] | None:
    """The session's activity; None for a session that has ended."""
    unread: list[str] = []

    def rows(view: str, sql: str, **values: Any) -> list[Any]:
        try:
            cursor.execute(sql, **values)
            rows_found: list[Any] = cursor.fetchall()
        except oracledb.DatabaseError as error:
            unread.append(f"{view}: {_first_line(error)}")
            return []
        return rows_found

    cursor.execute(_SESSION, sid=sid, serial=serial)
    row = cursor.fetchone()
    if row is None:
        return None
    status, state, event, event_us, blocker, sql_id, last_id = row
    at_s = time.monotonic()
    return {
        "at_s": at_s,
        "status": status,
        "waiting": state == "WAITING",
        "event": event or "",
        "event_s": 1e-6 * float(event_us or 0),
        "blocker": None if blocker is None else int(blocker),
        "sql_id": sql_id or last_id or "",
        "sql_text": _text(rows, sql_id or last_id),
        "executing": bool(sql_id) and status == "ACTIVE",
        "waited": {
            name: (int(waits), 1e-6 * float(us))
            for name, waits, us in rows("v$session_event", _WAITED, sid=sid)
        },
        "statistics": {
            name: float(value) for name, value in rows("v$sesstat", _STATISTICS, sid=sid)
        },
        "unread": unread,
    }


def _text(rows: Callable[..., list[Any]], sql_id: str | None) -> str:
    texts = rows("v$sql", _TEXT, id=sql_id) if sql_id else []
    return str(texts[0][0]) if texts else ""


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _say(**answer: Any) -> int:
    print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
