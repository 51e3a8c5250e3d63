# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions that are busy until their end.

They run at a lower priority than the tests: a session that polls takes a whole processor for as
long as a test looks at it, and there is other work for that processor meanwhile."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.session_views import OracleViews
from tests.waiting import cpu_s, until

NICE = 5  # a third of the share that another process has, and all that is left over


def leave_processors(*pids: int) -> None:
    """Let these processes have what others leave of the processors."""
    for pid in pids:
        os.setpriority(os.PRIO_PROCESS, pid, NICE)


def begin_lotslios(client: DriverClient) -> int:
    """Let the client's dedicated server execute lotslios without an end, and give its PID. It may
    not have begun."""
    spid = OracleViews().spid(client)
    assert spid is not None  # of this host
    leave_processors(spid)
    client.begin(LOTSLIOS, {"n": 10**9})  # a request without a wait for its answer
    return spid


@contextlib.contextmanager
def busy_session(*, disable_oob: bool = True) -> Iterator[int]:
    """The PID of a dedicated server of a lab of its own, which executes lotslios by now."""
    with LabServer() as server, DriverClient() as client:
        server.connect(client, break_poll_skip=3, disable_oob=disable_oob)
        spid = begin_lotslios(client)
        wait_until_busy(spid)
        yield spid


def wait_until_busy(spid: int) -> None:
    """Until the server executes what it was sent: what came before takes a hundredth of this."""
    wanted_s = cpu_s(spid) + 0.1
    until(lambda: cpu_s(spid) > wanted_s, "a busy server")
