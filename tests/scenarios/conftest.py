# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions of the lab that are busy all the while."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from tests.waiting import cpu_s, until


def busy(*, disable_oob: bool) -> Iterator[int]:
    with LabServer() as server, DriverClient() as client:
        server.connect(client, break_poll_skip=3, disable_oob=disable_oob)
        spid = client.query("select spid from v$process where rownum <= 1")[1][0][0]
        # A request without a wait for its answer: the client runs it until it is killed.
        client.begin(LOTSLIOS, {"n": 10**9})
        wait_until_busy(int(spid))
        yield int(spid)


def wait_until_busy(spid: int) -> None:
    """Until the server executes what it was sent: what came before takes a hundredth of this."""
    wanted_s = cpu_s(spid) + 0.1
    until(lambda: cpu_s(spid) > wanted_s, "a busy server")


@pytest.fixture
def busy_server() -> Iterator[int]:
    """The PID of a dedicated server that executes lotslios, in-band, until the end."""
    yield from busy(disable_oob=True)


@pytest.fixture
def busy_out_of_band() -> Iterator[int]:
    """The same, out-of-band."""
    yield from busy(disable_oob=False)
