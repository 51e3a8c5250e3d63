# SPDX-License-Identifier: GPL-2.0-or-later
"""The process that holds one session: it makes a table, reads it when asked, and drops it.

It answers each line of JSON on stdin with one line. The table is named for polltrace, is made only
where there is none of that name, and is dropped when stdin ends.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from typing import Any

_TABLE = "polltrace_verify"
_FILL = f"begin for i in 1..100 loop insert into {_TABLE} values (i); end loop; commit; end;"
_READ = f"select count(*) from {_TABLE} a, {_TABLE} b where a.n + b.n > 0"
_SPID = (
    "select p.spid from v$process p, v$session s where p.addr = s.paddr"
    " and s.sid = (select sid from v$mystat where rownum = 1)"
)
_GETS = (
    "select m.value from v$mystat m, v$statname n where m.statistic# = n.statistic#"
    " and n.name = 'session logical reads'"
)


def main() -> int:
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    try:
        import oracledb  # noqa: PLC0415 - missing it is an answer
    except ImportError:
        return _say(failed="python-oracledb is not installed: pip install 'polltrace[drivers]'")
    request = json.loads(sys.stdin.readline())
    try:
        with oracledb.connect(
            dsn=request["dsn"],
            user=request["user"],
            password=request["password"],
            disable_oob=not request["out_of_band"],
            tcp_connect_timeout=10,
        ) as connection:
            return _serve(connection, request["makes_table"])
    except oracledb.Error as error:
        return _say(failed=str(error).splitlines()[0])


def _serve(connection: Any, makes_table: bool) -> int:
    cursor = connection.cursor()
    if makes_table:
        cursor.execute(f"create table {_TABLE} (n number)")
    try:
        if makes_table:
            cursor.execute(_FILL)
        _say(pid=int(_value(cursor, _SPID)), release=str(connection.version))
        for line in sys.stdin:
            _say(gets=_read_for(cursor, json.loads(line)["seconds"]))
    finally:
        if makes_table:
            cursor.execute(f"drop table {_TABLE}")
    return _say(dropped=makes_table)


def _read_for(cursor: Any, seconds: float) -> int:
    """The session's logical reads during about `seconds` of reading."""
    gets = int(_value(cursor, _GETS))
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        _value(cursor, _READ)
    return int(_value(cursor, _GETS)) - gets


def _value(cursor: Any, sql: str) -> Any:
    cursor.execute(sql)
    return cursor.fetchone()[0]


def _say(**answer: Any) -> int:
    print(json.dumps(answer), flush=True)
    return 1 if "failed" in answer else 0


if __name__ == "__main__":
    sys.exit(main())
