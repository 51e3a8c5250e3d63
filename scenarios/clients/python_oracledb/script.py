# SPDX-License-Identifier: GPL-2.0-or-later
"""python-oracledb (thin mode) for `polltrace lab sql`; ../README.md has the requests.

Exit code 3: python-oracledb cannot be imported.
"""

from __future__ import annotations

import datetime
import decimal
import json
import re
import socket
import sys
from typing import Any

try:
    import oracledb
except ImportError:
    sys.exit(3)

Answer = dict[str, Any]

_TYPES = {
    "NUMBER": decimal.Decimal,
    "BINARY_DOUBLE": oracledb.DB_TYPE_BINARY_DOUBLE,
    "BINARY_FLOAT": oracledb.DB_TYPE_BINARY_FLOAT,
    "CHAR": oracledb.DB_TYPE_CHAR,
    "VARCHAR2": oracledb.DB_TYPE_VARCHAR,
    "REFCURSOR": oracledb.DB_TYPE_CURSOR,
}
# A block that takes as many lines of DBMS_OUTPUT in one round trip. Each has a bind of its own: a
# line may be as long as a bind.
_LINES = 20
_OUTPUT = f"""declare
    status integer := 0;
    taken integer := 0;
begin
    {
    "".join(
        f'''if status = 0 then
        dbms_output.get_line(:line{i}, status);
        taken := taken + 1 - status;
    end if;
    '''
        for i in range(_LINES)
    )
}:taken := taken;
end;"""


class Client:
    """A connection and a script's variables; each request of ../README.md is a method."""

    def __init__(self) -> None:
        self.variables: dict[str, Any] = {}
        self.kinds: dict[str, tuple[str, int]] = {}
        self.connection: Any = None
        self.cursor: Any = None

    def connect(self, **parameters: Any) -> Answer:
        self.connection = oracledb.connect(**parameters)
        self.cursor = self.connection.cursor()
        # A variable belongs to a connection; its value to the script.
        for name, (kind, size) in self.kinds.items():
            previous = None if kind == "REFCURSOR" else self.variables[name].getvalue()
            self.variable(name, kind, size)
            if previous is not None:
                self.variables[name].setvalue(0, previous)
        return {}

    def variable(self, name: str, type: str, size: int) -> Answer:
        self.kinds[name] = type, size
        self.variables[name] = self.connection.cursor().var(_TYPES[type], size)
        return {}

    def enable(self, on: bool) -> Answer:
        cursor = self.connection.cursor()
        cursor.execute(f"begin dbms_output.{'enable(null)' if on else 'disable'}; end;")
        return {}

    def execute(self, sql: str, fetch_size: int, prefetch: int) -> Answer:
        # Another cursor's rows are over; its own close goes along with the next request.
        self.cursor = self.connection.cursor()
        self.cursor.arraysize, self.cursor.prefetchrows = fetch_size, prefetch
        self.cursor.prepare(sql)
        names = list(dict.fromkeys(self.cursor.bindnames()))
        missing = [name for name in names if name not in self.variables]
        if missing:
            return {"undeclared": missing[0]}
        self.cursor.execute(None, {name: self.variables[name] for name in names})
        warning = self.cursor.warning
        return self._described() | {"warning": str(warning) if warning else ""}

    def _described(self) -> Answer:
        described = self.cursor.description
        columns = [
            {"name": column.name, "type": column.type_code.name, "size": column.display_size or 0}
            for column in described or ()
        ]
        self.texts = [_text_of(column["type"]) for column in columns]
        return {"columns": columns if described else None, "changed": max(self.cursor.rowcount, 0)}

    def fetch(self) -> Answer:
        rows = self.cursor.fetchmany()
        texts = self.texts
        return {
            "rows": [
                [None if v is None else text(v) for text, v in zip(texts, row, strict=True)]
                for row in rows
            ]
        }

    def open(self, name: str, fetch_size: int) -> Answer:
        opened = self.variables[name].getvalue()
        if opened is None:
            return {"columns": None, "changed": 0}
        self.cursor = opened
        self.cursor.arraysize = fetch_size
        return self._described()

    def value(self, name: str) -> Answer:
        variable = self.variables[name]
        value = variable.getvalue()
        return {"value": None if value is None else _text_of(variable.type.name)(value)}

    def output(self) -> Answer:
        cursor = self.connection.cursor()
        binds = {f"line{i}": cursor.var(str, 32767) for i in range(_LINES)}
        line_count = cursor.var(int)
        lines: list[str] = []
        while len(lines) % _LINES == 0:
            cursor.execute(_OUTPUT, binds | {"taken": line_count})
            new = [variable.getvalue() or "" for variable in binds.values()][
                : line_count.getvalue()
            ]
            if not new:
                break
            lines += new
        return {"lines": lines}

    def commit(self) -> Answer:
        self.connection.commit()
        return {}

    def rollback(self) -> Answer:
        self.connection.rollback()
        return {}

    def close(self) -> Answer:
        self.connection.close()
        return {}


def _text_of(type_name: str) -> Any:
    """A function from a value of that type to its text."""
    if type_name == "DB_TYPE_NUMBER":
        return str
    if type_name in ("DB_TYPE_BINARY_DOUBLE", "DB_TYPE_BINARY_FLOAT"):
        return repr
    if type_name == "DB_TYPE_DATE" or type_name.startswith("DB_TYPE_TIMESTAMP"):
        return datetime.datetime.isoformat
    if type_name in ("DB_TYPE_RAW", "DB_TYPE_LONG_RAW", "DB_TYPE_BLOB"):
        return lambda value: value.hex().upper()
    if type_name == "DB_TYPE_INTERVAL_DS":
        return _interval
    return str


def _interval(value: datetime.timedelta) -> str:
    """`+02 03:04:05.000000`, as Oracle shows INTERVAL DAY(2) TO SECOND(6)."""
    sign = "-" if value < datetime.timedelta(0) else "+"
    value = abs(value)
    minutes, seconds = divmod(value.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{value.days:02} {hours:02}:{minutes:02}:{seconds:02}.{value.microseconds:06}"


def failure(error: oracledb.Error | OSError, client: Client) -> Answer:
    if isinstance(error, OSError):
        return _unreachable(error)
    # The driver adds a line that says where its documentation has the error.
    first = error.args[0]
    text = re.sub(r"\nHelp: \S+\s*$", "", str(first))
    healthy = client.connection is not None and client.connection.is_healthy()
    return {
        "error": text,
        "code": getattr(first, "code", 0),
        "offset": getattr(first, "offset", 0) or 0,
        "connected": healthy,
    }


def _unreachable(error: OSError) -> Answer:
    """The failure of a connect: the driver passes on the resolver's error for an unknown host."""
    code, text = 12545, "Connect failed because target host or object does not exist"
    if not isinstance(error, socket.gaierror):
        code, text = 12541, "Cannot connect"
    detail = f"ORA-{code}: {text} ({error.strerror or error})"
    return {"error": detail, "code": code, "offset": 0, "connected": False}


def main() -> None:
    oracledb.defaults.fetch_decimals = True
    oracledb.defaults.fetch_lobs = False
    client = Client()
    about = {"driver": "python-oracledb", "version": oracledb.__version__}
    print(json.dumps(about | {"out_of_band": True, "sdu": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(client, request.pop("do"))(**request)
        except (oracledb.Error, OSError) as error:
            answer = failure(error, client)
        print(json.dumps(answer), flush=True)


main()
