# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab as a server that scenarios start, configure and connect to."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from polltrace.errors import LabError
from polltrace.executables import find_executable
from scenarios.client import DriverClient
from scenarios.sqlnet import write_sqlnet


class LabServer:
    """The lab on a loopback port of its own, from __enter__ to __exit__.

    It ends when our end of its stdin closes, so it does not outlive us, however we end.
    """

    def __init__(self, port: int = 0) -> None:
        self._argv = [
            str(find_executable("oralab", "POLLTRACE_LAB", "scenarios/lab/build/oralab")),
            *("--port", str(port), "--until-eof", "--password-env", "LAB_PASSWORD"),
        ]
        self.user = "scott"
        self.password = secrets.token_hex(8)

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "LAB_PASSWORD": self.password},
        )
        assert self._process.stdout is not None
        ready = self._process.stdout.readline()
        if not ready:
            assert self._process.stderr is not None
            said = self._process.stderr.read().strip().removeprefix("oralab: ")
            self.__exit__(None, None, None)
            raise LabError(said or "the lab ended before it listened")
        announced = json.loads(ready)
        self.port: int = announced["port"]
        self.service: str = announced["service"]
        # The lab's own temporary directory: it removes it, even where we are killed.
        self._tns_admin = Path(announced["tns_admin"])
        return self

    def connect(self, client: DriverClient, *, break_poll_skip: int, disable_oob: bool) -> str:
        """Connect `client` to a new dedicated server with this skip; the driver's version.

        In-band is asked for on the client's side, as a client would that cannot do otherwise.
        """
        write_sqlnet(self._tns_admin, break_poll_skip=break_poll_skip)
        dsn = f"127.0.0.1:{self.port}/{self.service}"
        return client.connect(dsn, self.user, self.password, disable_oob=disable_oob)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()
        self._process.wait()
