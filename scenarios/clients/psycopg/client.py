# SPDX-License-Identifier: GPL-2.0-or-later
"""psycopg 3 as a scenario client; ../README.md has the requests.

Exit code 3: psycopg cannot be imported.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from polltrace.scenarios.clients.driver_program import DriverProgram, serve

try:
    import psycopg
except ImportError:
    sys.exit(3)

# A bind, or a part that contains none despite its colons: text, a quoted name, a comment, a `::`.
_BIND = re.compile(
    r"""'(?:[^']|'')*'|"[^"]*"|--[^\n]*|/\*.*?\*/|(?<![\w:]):([A-Za-z]\w*)""", re.DOTALL
)


def _by_position(sql: str) -> str:
    """The statement as the driver reads it: its binds are `%s`, its per cent signs doubled."""
    return _BIND.sub(lambda match: "%s" if match[1] else match[0], sql.replace("%", "%%"))


class Psycopg(DriverProgram):
    errors = (psycopg.Error,)

    def connect(self, dsn: str, user: str, password: str, **_options: Any) -> None:
        address, _, database = dsn.rpartition("/")
        host, _, port = address.rpartition(":")
        self.connection = psycopg.connect(
            host=host, port=port, dbname=database, user=user, password=password, autocommit=True
        )

    def execute(self, sql: str, binds: list[Any]) -> tuple[list[Any], int]:
        cursor = self.connection.execute(_by_position(sql) if binds else sql, binds or None)
        if cursor.description:
            return cursor.fetchall(), 0
        return [], cursor.rowcount

    def cancel(self) -> None:
        self.connection.cancel()

    def ping(self) -> None:
        self.connection.execute("select 1")


serve(
    Psycopg(),
    driver="psycopg",
    version=psycopg.__version__,
    out_of_band=False,
    sdu=False,
)
