# SPDX-License-Identifier: GPL-2.0-or-later
"""The process that holds the driver: reads one login from stdin, prints the sessions, ends.

A database without one of the columns is asked for fewer.
"""

from __future__ import annotations

import json
import sys
from typing import Any

# Every field as v$session has it, and its substitute where the database has no such column.
_COLUMNS = {
    "spid": "p.spid",
    "sid": "s.sid",
    "serial": "s.serial#",
    "user": "s.username",
    "program": "s.program",
    "module": "s.module",
    "machine": "s.machine",
    "sql_id": "s.sql_id",
}
_NEEDED = ("spid", "sid", "serial", "user")
_OLDEST = 3  # as pyproject.toml has it
_NUMBERS = ("spid", "sid", "serial")


def main() -> int:
    try:
        import oracledb  # noqa: PLC0415 - missing it is an answer
    except ImportError:
        return _say(failed="python-oracledb is not installed: pip install 'polltrace[drivers]'")
    request = json.loads(sys.stdin.readline())
    try:
        with connected(oracledb, request) as connection:
            return _say(sessions=sessions(oracledb, connection.cursor()))
    except oracledb.Error as error:
        return _say(failed=str(error).splitlines()[0] + _too_old(oracledb.__version__))


def _too_old(version: str) -> str:
    """A possible cause of a failure: distributions have drivers that were never tried."""
    if int(version.partition(".")[0]) >= _OLDEST:
        return ""
    return f" (by python-oracledb {version}; polltrace asks for {_OLDEST} or newer)"


def connected(oracledb: Any, request: dict[str, str]) -> Any:
    if request["user"]:
        return oracledb.connect(
            dsn=request["dsn"],
            user=request["user"],
            password=request["password"],
            tcp_connect_timeout=10,
        )
    try:
        oracledb.init_oracle_client()
    except oracledb.Error as error:
        first = str(error).splitlines()[0]
        sys.exit(
            _say(
                failed="OS authentication needs Oracle's client libraries, which python-oracledb "
                f"did not find ({first}); or name a user: --connect USER@DSN"
            )
        )
    return oracledb.connect(dsn=request["dsn"] or None, externalauth=True)


def sessions(oracledb: Any, cursor: Any) -> list[dict[str, Any]]:
    """Every session that has a server process, as DatabaseSession has it."""
    cursor.execute("select sys_context('userenv', 'instance_name') from dual")
    instance = cursor.fetchone()[0]
    names = list(_COLUMNS)
    while True:
        columns = ", ".join(_COLUMNS[name] for name in names)
        try:
            cursor.execute(f"select {columns} from v$session s, v$process p where s.paddr = p.addr")
            break
        except oracledb.DatabaseError as error:
            # ORA-00904: invalid identifier; the column's name is in quotes, if at all.
            missing = next((n for n in names if _names(str(error), n)), names[-1])
            if error.args[0].code != 904 or missing in _NEEDED:
                raise
            names.remove(missing)
    empty = dict.fromkeys(_COLUMNS, "") | {"instance": instance or ""}
    return [
        empty | {name: _value(name, value) for name, value in zip(names, row, strict=True)}
        for row in cursor.fetchall()
    ]


def _names(message: str, name: str) -> bool:
    return _COLUMNS[name].partition(".")[2].upper() in message.upper()


def _value(name: str, value: Any) -> Any:
    return int(value) if name in _NUMBERS else value or ""


def _say(**answer: Any) -> int:
    print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
