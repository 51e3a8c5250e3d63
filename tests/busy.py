# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions that are busy until their end.

A session that polls without an end would take a whole processor for as long as a test looks at it,
and there is other work for that processor meanwhile. So it is limited to a part of one."""

from __future__ import annotations

import atexit
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.session_views import OracleViews
from tests.waiting import cpu_s, until

SHARE = 0.15  # of a processor: a thousand polls in a window of a tenth of a second
_PERIOD_US = 20_000
_GROUPS = Path("/sys/fs/cgroup")
NICE = 5  # a third of the share that another process has, and all that is left over


def leave_processors(*pids: int) -> None:
    """Limit each of these processes to SHARE of a processor, by a control group of its own. As a
    group it counts as much as a process that is never idle, so a busy host leaves it its share.
    Where no group can be made, the processes have what others leave."""
    for pid in pids:
        try:
            _limit(pid)
        except OSError:
            os.setpriority(os.PRIO_PROCESS, pid, NICE)


def _limit(pid: int) -> None:
    """Raises OSError where there are no control groups, or where they may not be changed."""
    _remove_unused_groups()
    quota_us = int(SHARE * _PERIOD_US)
    # cgroup v2 has one hierarchy for all controllers, v1 one for this one.
    if (_GROUPS / "cgroup.controllers").exists():
        top = _GROUPS
        (top / "cgroup.subtree_control").write_text("+cpu")
        limits = {"cpu.max": f"{quota_us} {_PERIOD_US}"}
    else:
        top = _GROUPS / "cpu"
        limits = {"cpu.cfs_period_us": f"{_PERIOD_US}", "cpu.cfs_quota_us": f"{quota_us}"}
    group = top / f"{_ours()}{pid}"
    group.mkdir(exist_ok=True)
    for name, value in limits.items():
        (group / name).write_text(value)
    (group / "cgroup.procs").write_text(f"{pid}")


def _ours() -> str:
    """What the names of our groups begin with. Tests of another namespace, which may have processes
    of the same numbers, have names of their own."""
    return f"polltrace-tests-{Path('/proc/self/ns/pid').stat().st_ino}-"


@atexit.register
def _remove_unused_groups() -> None:
    for top in (_GROUPS, _GROUPS / "cpu"):
        for group in top.glob(f"{_ours()}*"):
            with contextlib.suppress(OSError):  # a process is in it
                group.rmdir()


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
    """Until the server executes what it was sent: what came before takes a tenth of this."""
    wanted_s = cpu_s(spid) + 0.02
    until(lambda: cpu_s(spid) > wanted_s, "a busy server")
