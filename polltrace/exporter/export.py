# SPDX-License-Identifier: GPL-2.0-or-later
"""The exporter's loop: from the probe's lines to what the next scrape is answered with."""

from __future__ import annotations

import selectors
import time
from collections import Counter

from polltrace.exporter.ledger import Ledger
from polltrace.exporter.metrics import Reading
from polltrace.exporter.serving import MetricsServer
from polltrace.top.columns import SORTS
from polltrace.watch.host import Host
from polltrace.watch.inspection import Inspector
from polltrace.watch.pricing import PriceList
from polltrace.watch.probe import LiveProbe
from polltrace.watch.snapshot import Snapshot

_AT_ONCE = 1000


def export(server: MetricsServer, interval_s: float, shown: int) -> None:
    """Keep `server`'s reading as new as the probe's last frame, and `shown` processes in it.

    Runs until interrupted; raises the probe's failure.
    """
    inspector, prices, ledger = Inspector(), PriceList(), Ledger()
    host = Host(inspector)
    with LiveProbe.of_host(interval_s) as probe, selectors.DefaultSelector() as waiting:
        for source in (probe, prices):
            waiting.register(source, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in waiting.select(1.0)}
            if prices in ready:
                prices.seen()
            lines = probe.lines() if probe in ready else []
            if lines is None:
                raise probe.failure()
            for line in lines:
                # What a process did last is in the frame before the line of its end.
                if host.feed(line):
                    snapshot = host.snapshot(prices.now)
                    ledger.take(snapshot)
                    prices.want({row.pace_us for row in snapshot.rows if row.pace_us})
                    server.reading = _reading(snapshot, ledger, shown)
            while inspector.due():
                host.looked_at(inspector.look(_AT_ONCE))


def _reading(snapshot: Snapshot, ledger: Ledger, shown: int) -> Reading:
    polling = [row for row in snapshot.rows if row.polls_per_s]
    return Reading(
        snapshot=snapshot,
        sums=ledger.copy(),
        servers=Counter(map(ledger.group, snapshot.rows)),
        polling=Counter(map(ledger.group, polling)),
        busiest=tuple(sorted(polling, key=SORTS["lost"])[:shown]),
        taken_at=time.time(),
    )
