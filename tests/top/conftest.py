# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

from collections.abc import Iterator

import pytest

from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer


@pytest.fixture(scope="module")
def busy_server() -> Iterator[int]:
    """The PID of a dedicated server that executes lotslios, in-band, until the end."""
    with LabServer() as lab, DriverClient() as client:
        lab.connect(client, break_poll_skip=3, disable_oob=True)
        spid = client.query("select spid from v$process where rownum <= 1")[1][0][0]
        client.begin(LOTSLIOS, {"n": 10**9})
        yield int(spid)
