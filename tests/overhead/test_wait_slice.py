# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab waits for a row lock in slices as long as the forecast takes Oracle's to be."""

from __future__ import annotations

import time

from polltrace.engines import engines
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer

SLICES = 2


def test_a_wait_times_out_once_in_a_slice(built_lab: None) -> None:
    slice_s = next(each for each in engines() if each.short == "oracle").wait_slice_s
    with LabServer() as lab, DriverClient() as holder, DriverClient() as waiter:
        # GIVEN a session that waits for another's row lock
        for client in (holder, waiter):
            lab.connect(client, break_poll_skip=1, disable_oob=True)
        holder.execute("create table locked (n number)")
        holder.execute("insert into locked values (1)")
        holder.commit()
        holder.execute("update locked set n = 2")
        waiter.begin("update locked set n = 3")
        # WHEN it gets it after more than two slices and a half
        time.sleep((SLICES + 0.5) * slice_s)
        holder.commit()
        (waited_s,) = waiter.finish().elapsed_s
        # THEN the lab has counted each slice that was over
        ((timeouts,),) = waiter.query(
            "select total_timeouts from v$session_event where event = 'enq: TX - row lock"
            " contention' and sid = sys_context('userenv', 'sid')"
        )[1]
    assert int(timeouts) == waited_s // slice_s >= SLICES
