# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab in the background, and its load, as text and as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from polltrace.scenarios.run.busy_sessions import BusySession
from polltrace.scenarios.run.servers.oralab import Oralab

# Ready to paste, in the form of each driver's own documentation.
_CONNECT = """\
python-oracledb  oracledb.connect(user="{user}", password="{password}", dsn="{dsn}")
node-oracledb    oracledb.getConnection(
                   {{user: "{user}", password: "{password}", connectString: "{dsn}"}})
go-ora           sql.Open("oracle", "oracle://{user}:{password}@{dsn}")
JDBC thin        DriverManager.getConnection("jdbc:oracle:thin:@//{dsn}", "{user}", "{password}")"""


def lab_text(lab: Oralab) -> str:
    return "\n".join(
        [
            f"The lab listens on 127.0.0.1:{lab.port}, service {lab.service} (PID {lab.pid}).",
            f"sqlnet.ora: {lab.sqlnet_ora}",
            f"For a LOCAL=YES session connect to {lab.local_dsn} instead of {lab.dsn}.",
            "",
            _CONNECT.format(user=lab.user, password=lab.password, dsn=lab.dsn),
        ]
    )


def others_text(labs: Sequence[Oralab]) -> str:
    """Labs that run as well, one a line."""
    return "\n".join(
        f"Lab {lab.name} runs as well, on port {lab.port} (PID {lab.pid}): "
        f"'polltrace lab status --name {lab.name}'."
        for lab in labs
    )


def lab_data(lab: Oralab | None, *, running: bool) -> dict[str, Any]:
    if lab is None:
        return {"running": False}
    return {
        "running": running,
        "name": lab.name,
        "pid": lab.pid,
        "host": lab.host,
        "port": lab.port,
        "service": lab.service,
        "dsn": lab.dsn,
        "local_port": lab.local_port,
        "local_dsn": lab.local_dsn,
        "user": lab.user,
        "password": lab.password,
        "directory": str(lab.tns_admin),
        "sqlnet_ora": str(lab.sqlnet_ora),
    }


def load_text(sessions: Sequence[BusySession], until: str) -> str:
    lines = [f"{'PID':>8} {'BREAK MODE':<12} CLIENT"]
    for session in sessions:
        how = ", disable_oob=True, like a Windows client" if session.disable_oob else ""
        lines.append(f"{session.pid:>8} {session.break_mode:<12} {session.client}{how}")
    return "\n".join([*lines, f"Both execute the article's statement until {until}."])


def load_data(sessions: Sequence[BusySession]) -> dict[str, Any]:
    return {"sessions": [asdict(session) for session in sessions]}
