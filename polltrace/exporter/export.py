# SPDX-License-Identifier: GPL-2.0-or-later
"""The exporter's loop: from the probe's lines to the answer to the next scrape."""

from __future__ import annotations

import selectors
import time
from collections import Counter

from polltrace.exporter.counter_totals import CounterTotals
from polltrace.exporter.metrics import HostReading
from polltrace.exporter.service_manager import Watchdog, notify
from polltrace.exporter.serving import MetricsServer
from polltrace.overhead.host_store import this_host
from polltrace.top.columns import SORTS
from polltrace.watch.calibration import Calibration
from polltrace.watch.host_monitor import HostMonitor
from polltrace.watch.inspection import Inspector
from polltrace.watch.probe import LiveProbe
from polltrace.watch.snapshot import Snapshot

_AT_ONCE = 1000


def export(server: MetricsServer, interval_s: float, busiest: int) -> None:
    """Keep `server`'s reading as new as the probe's last frame, and `shown` processes in it.

    Runs until interrupted; raises the probe's failure.
    """
    inspector, calibration, totals = Inspector(), Calibration(host=this_host()), CounterTotals()
    host = HostMonitor(inspector)
    watchdog = Watchdog(interval_s)
    with LiveProbe.of_host(interval_s) as probe, selectors.DefaultSelector() as waiting:
        for source in (probe, calibration):
            waiting.register(source, selectors.EVENT_READ)
        notify("READY=1")
        while True:
            watchdog.turn()
            ready = {key.fileobj for key, _ in waiting.select(1.0)}
            if calibration in ready:
                calibration.seen()
            lines = probe.lines() if probe in ready else []
            if lines is None:
                raise probe.failure()
            for line in lines:
                # The last counts of a process are in the frame before the line of its end.
                if host.feed(line):
                    watchdog.frame()
                    snapshot = host.snapshot(calibration.poll_costs)
                    totals.take(snapshot)
                    calibration.want(snapshot.knots)
                    server.reading = _reading(snapshot, totals, busiest)
            while inspector.due():
                host.inspected(inspector.inspect(_AT_ONCE))


def _reading(snapshot: Snapshot, totals: CounterTotals, busiest: int) -> HostReading:
    polling = [row for row in snapshot.rows if row.polls_per_s]
    return HostReading(
        snapshot=snapshot,
        sums=totals.copy(),
        servers=Counter(map(totals.group, snapshot.rows)),
        polling=Counter(map(totals.group, polling)),
        busiest=tuple(sorted(polling, key=SORTS["lost"])[:busiest]),
        taken_at=time.time(),
    )
