# SPDX-License-Identifier: GPL-2.0-or-later
"""The process that switches SQL trace on for sessions, and off again when stdin ends.

It takes one line of JSON on stdin: the login, and the PIDs of the server processes. It answers with
one line, the sessions that it traces, and with another one when it has switched them off. Because
it waits for the end of stdin and ignores the terminal's signals, it also does so when polltrace is
killed. A session that was traced before stays so.
"""

from __future__ import annotations

import json
import signal
import sys
from typing import Any

from polltrace.servers.database_client import connected

_SESSIONS = """
select s.sid, s.serial#, p.spid, p.tracefile, s.sql_trace
from v$session s, v$process p where s.paddr = p.addr"""
_ON = (
    "begin dbms_monitor.session_trace_enable(session_id => :sid, serial_num => :serial,"
    " waits => true, binds => false); end;"
)
_OFF = "begin dbms_monitor.session_trace_disable(session_id => :sid, serial_num => :serial); end;"


def main() -> int:
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    try:
        import oracledb  # noqa: PLC0415 - missing it is an answer
    except ImportError:
        return _say(failed="python-oracledb is not installed: pip install 'polltrace[drivers]'")
    request = json.loads(sys.stdin.readline())
    try:
        with connected(oracledb, request) as connection:
            return _trace(oracledb, connection.cursor(), set(request["pids"]))
    except oracledb.Error as error:
        return _say(failed=str(error).splitlines()[0])


def _trace(oracledb: Any, cursor: Any, pids: set[int]) -> int:
    cursor.execute(_SESSIONS)
    rows = [row for row in cursor.fetchall() if int(row[2]) in pids]
    ours: list[tuple[int, int]] = []
    try:
        for sid, serial, _, _, traced in rows:
            if traced != "ENABLED":
                ours.append((sid, serial))  # before: it may come into force although it fails
                cursor.execute(_ON, sid=sid, serial=serial)
        _say(
            sessions=[
                {"sid": sid, "serial": serial, "pid": int(spid), "file": file, "was_on": was_on}
                for sid, serial, spid, file, traced in rows
                for was_on in (traced == "ENABLED",)
            ]
        )
        sys.stdin.read()
    finally:
        still_on = [number for number in ours if not _off(oracledb, cursor, *number)]
    return _say(left_on=[f"{sid},{serial}" for sid, serial in still_on])


def _off(oracledb: Any, cursor: Any, sid: int, serial: int) -> bool:
    """True if tracing of the session is off; a session that has ended counts as such."""
    try:
        cursor.execute(_OFF, sid=sid, serial=serial)
    except oracledb.Error as error:
        return "ORA-00030" in str(error)
    return True


def _say(**answer: Any) -> int:
    print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
