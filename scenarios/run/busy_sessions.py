# SPDX-License-Identifier: GPL-2.0-or-later
"""Two busy sessions of a lab, one out-of-band and one in-band, that execute the article's statement
over and over."""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from polltrace import interrupts
from polltrace.errors import DriverError
from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.oralab import Oralab
from polltrace.scenarios.run.servers.session_views import OracleViews
from polltrace.servers.servers import servers

ROWS = 30_000
FOR_EVER = 1_000_000


@dataclass(frozen=True, slots=True)
class BusySession:
    """A session that executes without end.

    - `pid`: of its dedicated server
    - `break_mode`: as the server process shows it, whatever the client asked for
    - `client`: the driver's name and version; `disable_oob`: how it connected
    """

    pid: int
    break_mode: str
    client: str
    disable_oob: bool


@contextlib.contextmanager
def busy_sessions(lab: Oralab) -> Iterator[list[BusySession]]:
    """Keep both sessions until the end. Raises DriverError."""
    with contextlib.ExitStack() as stack:
        yield [_busy(stack, lab, disable_oob=disable_oob) for disable_oob in (False, True)]


def _busy(stack: contextlib.ExitStack, lab: Oralab, *, disable_oob: bool) -> BusySession:
    client = stack.enter_context(DriverClient())
    driver = client.connect(lab.dsn, lab.user, lab.password, disable_oob=disable_oob)
    pid = OracleViews().spid(client)
    found_servers = servers([pid]) if pid is not None else []
    if not found_servers:
        raise DriverError("the lab's server process cannot be seen: run as the lab's user or root")
    client.begin(LOTSLIOS, {"n": ROWS}, times=FOR_EVER)
    mode = found_servers[0].mode(None).value
    return BusySession(found_servers[0].pid, mode, driver, disable_oob)


def wait(sessions: Sequence[BusySession], seconds: float | None, ready: Callable[[], None]) -> bool:
    """Wait until the time is over, for Ctrl-C, or for the end of a session.

    Calls `ready` as soon as Ctrl-C is an end like any other. Returns whether all sessions still
    run.
    """
    wake_reader, wake = os.pipe()
    with contextlib.ExitStack() as stack:
        for fd in (wake_reader, wake):
            stack.callback(os.close, fd)
        pidfds = [os.pidfd_open(session.pid) for session in sessions]
        for fd in pidfds:
            stack.callback(os.close, fd)

        def interrupted() -> None:
            os.write(wake, b"!")

        with interrupts.detaching(interrupted):
            ready()
            over, _, _ = select.select([wake_reader, *pidfds], [], [], seconds)
    return not set(over) & set(pidfds)
