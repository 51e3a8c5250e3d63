# SPDX-License-Identifier: GPL-2.0-or-later
"""Start the lab's executable, and read where it listens."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from polltrace.errors import LabError
from polltrace.executables import find_executable


@dataclass(frozen=True, slots=True)
class Oralab:
    """A lab that listens.

    - `pid`: its listener's; `host`, `port`: where it listens; `service`: the database's name
    - `local_port`: where LOCAL=YES sessions connect to; their server has no socket, gets breaks by
      a signal and never polls
    - `tcps_port`: where sessions over TLS connect to, and `wallet`, the directory of the
      certificates that they need; 0 and "" where there are none
    - `user`, `password`: of the database
    - `tns_admin`: its directory: the data files, traces, and its sqlnet.ora
    - `name`: of a lab in the background
    """

    pid: int
    port: int
    local_port: int
    service: str
    user: str
    password: str
    tns_admin: Path
    host: str = "127.0.0.1"
    tcps_port: int = 0
    wallet: str = ""
    name: str = "lab"

    @property
    def dsn(self) -> str:
        return f"{self.host}:{self.port}/{self.service}"

    @property
    def local_dsn(self) -> str:
        return f"127.0.0.1:{self.local_port}/{self.service}"

    @property
    def sqlnet_ora(self) -> Path:
        return self.tns_admin / "sqlnet.ora"

    def to_json(self) -> str:
        return json.dumps({**asdict(self), "tns_admin": str(self.tns_admin)})

    @staticmethod
    def from_json(text: str) -> Oralab:
        """Raises ValueError, KeyError or TypeError for anything but the result of to_json()."""
        data = json.loads(text)
        return Oralab(**{**data, "tns_admin": Path(data["tns_admin"])})


def start_oralab(
    options: Sequence[str], *, stdin: int, password: str | None = None
) -> tuple[subprocess.Popen[str], Oralab]:
    """A new lab in a session of its own, and its process. Raises LabError with the lab's error.

    `stdin` is subprocess's; with `--until-eof` among the options the lab ends when it does. The
    password, a random one unless given, goes by the environment, where ps does not show it.
    """
    password = password or secrets.token_hex(8)
    executable = find_executable("oralab")
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [executable, *options, "--password-env", "LAB_PASSWORD"],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
            start_new_session=True,
            env={**os.environ, "LAB_PASSWORD": password},
        )
        assert process.stdout is not None
        with process.stdout:
            ready = process.stdout.readline()
        if not ready:
            process.wait()
            errors.seek(0)
            message = errors.read().strip().removeprefix("oralab: ")
            raise LabError(message or "the lab ended before it listened")
    announced = json.loads(ready)
    return process, Oralab(
        pid=announced["pid"],
        port=announced["port"],
        local_port=announced["local_port"],
        service=announced["service"],
        user=announced["user"],
        password=password,
        tns_admin=Path(announced["tns_admin"]),
        host=announced["host"],
        tcps_port=announced.get("tcps_port", 0),
        wallet=announced.get("wallet", ""),
    )
