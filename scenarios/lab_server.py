# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab as a server that a scenario starts, configures and connects to."""

from __future__ import annotations

import subprocess
from types import TracebackType
from typing import Self

from scenarios.client import DriverClient
from scenarios.oralab import start_oralab
from scenarios.relay import LOOPBACK
from scenarios.sqlnet import write_sqlnet


class LabServer:
    """The lab on a port of its own, from __enter__ to __exit__.

    `address` is loopback's, or one that only namespaces of ours reach (netem.py): the lab is no
    place for secrets.

    It ends when our end of its stdin closes, so it does not outlive us, however we end; and it
    removes its temporary directory, with our sqlnet.ora in it.
    """

    def __init__(self, port: int = 0, address: str = LOOPBACK) -> None:
        self._options = ["--port", str(port), "--until-eof", "--listen", address]
        if address != LOOPBACK:
            self._options.append("--i-understand-this-is-not-a-database")

    def __enter__(self) -> Self:
        self._process, self.oralab = start_oralab(self._options, stdin=subprocess.PIPE)
        return self

    def connect(self, client: DriverClient, *, break_poll_skip: int, disable_oob: bool) -> str:
        """Connect `client` to a new dedicated server with this skip; the driver's version.

        In-band is asked for on the client's side, as a client would that cannot do otherwise.
        """
        lab = self.oralab
        write_sqlnet(lab.tns_admin, break_poll_skip=break_poll_skip)
        return client.connect(lab.dsn, lab.user, lab.password, disable_oob=disable_oob)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
