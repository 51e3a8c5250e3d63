# SPDX-License-Identifier: GPL-2.0-or-later
"""pg8000 (pure Python) as a scenario client; ../README.md has the requests.

Exit code 3: pg8000 cannot be imported.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys
from typing import Any

from polltrace.scenarios.clients.driver_program import DriverProgram, serve

try:
    import pg8000.dbapi
except ImportError:
    sys.exit(3)

# A bind, or a part that contains none despite its colons: text, a quoted name, a comment, a `::`.
_BIND = re.compile(
    r"""'(?:[^']|'')*'|"[^"]*"|--[^\n]*|/\*.*?\*/|%|(?<![\w:]):([A-Za-z]\w*)""", re.DOTALL
)


def _by_position(sql: str) -> str:
    """The statement in the driver's format: its binds are `%s`, and its per cent signs are doubled,
    except in quotes and in comments to the end of a line, which the driver does not parse."""

    def part(match: re.Match[str]) -> str:
        if match[1]:
            return "%s"
        return match[0] if match[0][0] in "'\"-" else match[0].replace("%", "%%")

    return _BIND.sub(part, sql)


class Pg8000(DriverProgram):
    errors = (pg8000.dbapi.Error,)

    def connect(self, dsn: str, user: str, password: str, **_options: Any) -> None:
        address, _, database = dsn.rpartition("/")
        host, _, port = address.rpartition(":")
        self.parameters = {
            "user": user,
            "host": host,
            "port": int(port),
            "database": database,
            "password": password,
        }
        self.connection = pg8000.dbapi.connect(**self.parameters)
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        self.cursor.execute("select pg_backend_pid()")
        (self.backend,) = self.cursor.fetchone()

    def execute(self, sql: str, binds: list[Any]) -> tuple[list[Any], int]:
        self.cursor.execute(_by_position(sql) if binds else sql, binds)
        if self.cursor.description:
            return self.cursor.fetchall(), 0
        return [], self.cursor.rowcount

    def cancel(self) -> None:
        """pg8000 has no cancel of its own, so SQL in another connection cancels the statement."""
        canceller = pg8000.dbapi.connect(**self.parameters)
        canceller.cursor().execute("select pg_cancel_backend(%s)", (self.backend,))
        canceller.close()

    def ping(self) -> None:
        self.cursor.execute("select 1")

    def error_text(self, error: Exception) -> str:
        fields = error.args[0] if error.args else ""
        text = fields.get("M", "") if isinstance(fields, dict) else str(fields)
        return (text.splitlines() or [type(error).__name__])[0]


serve(
    Pg8000(),
    driver="pg8000",
    version=importlib.metadata.version("pg8000"),
    out_of_band=False,
    sdu=False,
)
