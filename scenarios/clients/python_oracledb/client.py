# SPDX-License-Identifier: GPL-2.0-or-later
"""python-oracledb (thin mode) as a scenario client; ../README.md has the requests.

Exit code 3: python-oracledb cannot be imported.
"""

from __future__ import annotations

import ssl
import sys
from typing import Any

from polltrace.scenarios.clients.driver_program import DriverProgram, serve

try:
    import oracledb
except ImportError:
    sys.exit(3)


class PythonOracledb(DriverProgram):
    errors = (oracledb.Error,)

    def connect(self, fetch_size: int, sdu: int, wallet: str, **parameters: Any) -> None:
        if wallet:
            parameters["dsn"] = f"tcps://{parameters['dsn']}"
            parameters["ssl_context"] = ssl.create_default_context(cafile=f"{wallet}/ca.pem")
            parameters["ssl_server_dn_match"] = False
        if sdu:
            parameters["sdu"] = sdu
        self.connection = oracledb.connect(**parameters)
        self.cursor = self.connection.cursor()
        if fetch_size:
            self.cursor.arraysize = self.cursor.prefetchrows = fetch_size

    def execute(self, sql: str, binds: list[Any]) -> tuple[list[Any], int]:
        self.cursor.execute(sql, binds)
        if self.cursor.description:
            return self.cursor.fetchall(), 0
        return [], self.cursor.rowcount

    def cancel(self) -> None:
        self.connection.cancel()

    def ping(self) -> None:
        self.connection.ping()

    def error_text(self, error: Exception) -> str:
        # The reason of a failed connect is in the second line.
        lines = str(error).splitlines()
        return (
            " ".join(lines[:2]) if lines and "DPY-6005" in lines[0] else super().error_text(error)
        )


serve(
    PythonOracledb(),
    driver="python-oracledb",
    version=oracledb.__version__,
    out_of_band=True,
    sdu=True,
)
