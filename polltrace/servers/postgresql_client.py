# SPDX-License-Identifier: GPL-2.0-or-later
"""The process that holds a login to PostgreSQL: its sessions, and the activity of one.

Its first line on stdin is the login; it answers with every session. With the PID of a server
process in it, it answers with that one's session, and every other line with its activity then.
Source of the columns: PostgreSQL documentation, "Monitoring Database Activity" (pg_stat_activity)
and "pg_locks"; to_jsonb gives null for one that a release does not have.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import Any

# Of another user's session only the first four columns are shown without pg_read_all_stats.
_SESSIONS = """
select a.pid, a.datname, a.usename, a.application_name,
       coalesce(a.client_hostname, host(a.client_addr), ''), to_jsonb(a) ->> 'query_id',
       a.backend_start
from   pg_stat_activity a
where  coalesce(a.backend_type, 'client backend') = 'client backend' and a.datname is not null
and    (%(pid)s::int is null or a.pid = %(pid)s)"""
# To ask who holds a lock stops the lock manager for a moment, so only of one that waits for it.
_ACTIVITY = """
select a.state, a.wait_event_type, a.wait_event, extract(epoch from clock_timestamp() - case
           when a.wait_event_type = 'Lock' then
               (select min((to_jsonb(l) ->> 'waitstart')::timestamptz)
                from   pg_locks l where l.pid = a.pid and not l.granted)
           when a.wait_event = 'ClientRead' then a.state_change
       end),
       case when a.wait_event_type = 'Lock' then (pg_blocking_pids(a.pid))[1] end,
       to_jsonb(a) ->> 'query_id', left(a.query, 1000)
from   pg_stat_activity a
where  a.pid = %(pid)s and a.backend_start is not distinct from %(started)s::timestamptz"""
_HIDDEN = "<insufficient privilege>"


def main() -> int:
    try:
        import psycopg  # noqa: PLC0415 - missing it is an answer
    except ImportError:
        return _say(failed="psycopg is not installed: pip install 'polltrace[postgresql]'")
    request = json.loads(sys.stdin.readline())
    try:
        with psycopg.connect(
            f"postgresql://{request['dsn']}",
            autocommit=True,
            connect_timeout=10,
            application_name="polltrace",
            **{name: request[name] for name in ("user", "password") if request[name]},
        ) as connection:
            _serve(connection.cursor(), request.get("pid"), request.get("instance"))
    except psycopg.Error as error:
        return _say(failed=(str(error).splitlines() or [type(error).__name__])[0])
    return 0


def _serve(cursor: Any, pid: int | None, instance: str | None) -> None:
    rows = cursor.execute(_SESSIONS, {"pid": pid}).fetchall()
    if pid is None:
        _say(sessions=[_session(row) for row in rows])
        return
    matches = [row for row in rows if row[1] == instance]
    _say(session=_session(matches[0]) if matches else None)
    for _ in sys.stdin:
        _say(activity=_activity(cursor, pid, matches[0][-1]))


def _session(row: Sequence[Any]) -> dict[str, Any]:
    """The fields of a DatabaseSession."""
    pid, database, user, program, machine, query, _ = row
    return {
        "spid": pid,
        "instance": database or "",
        "sid": pid,
        "serial": 0,
        "user": user or "",
        "program": program or "",
        "module": "",
        "machine": machine,
        "sql_id": query or "",
    }


def _activity(cursor: Any, pid: int, started: object) -> dict[str, Any] | None:
    """The session's activity; None for a session that has ended."""
    row = cursor.execute(_ACTIVITY, {"pid": pid, "started": started}).fetchone()
    if row is None:
        return None
    state, kind, event, since_s, blocker, query_id, text = row
    hidden = text == _HIDDEN
    return {
        "at_s": time.monotonic(),
        "status": state or "state unknown",
        "waiting": event is not None,
        "event": f"{kind}: {event}" if event else "",
        "event_s": None if since_s is None else max(float(since_s), 0.0),
        "blocker": blocker,
        "sql_id": query_id or "",
        "sql_text": "" if hidden else text or "",
        "executing": state == "active",
        "waited": {},
        "statistics": {},
        "unread": [f"pg_stat_activity: {_HIDDEN}; grant pg_read_all_stats"] if hidden else [],
    }


def _say(**answer: Any) -> int:
    print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
