# SPDX-License-Identifier: GPL-2.0-or-later
"""The metrics, by the conventions of Prometheus: base units, `_total`, a help text each.

Labels: `engine`, `sid` (not `instance`, which a scrape would rename to `exported_instance`) and
`break_mode`. No metric has a label by process, but those that were asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from polltrace import __version__
from polltrace.exporter.ledger import Group, Sums
from polltrace.watch.snapshot import Row, Snapshot

_LABELS = ["engine", "sid", "break_mode"]
_PROCESS_LABELS = [*_LABELS, "pid", "client"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a scrape is answered with: sums since we began, the servers and how many of them poll
    now, and the processes that are shown one by one. `taken_at` is Unix time in seconds."""

    snapshot: Snapshot
    sums: Mapping[Group, Sums]
    servers: Mapping[Group, int]
    polling: Mapping[Group, int]
    busiest: tuple[Row, ...]
    taken_at: float


def families(reading: Reading) -> Iterator[Metric]:
    """Every metric of a reading."""
    yield _build_info()
    yield from _gauges(reading)
    yield from _counters(reading.sums)
    yield from _prices(reading.snapshot)
    yield from _own(reading)
    if reading.busiest:
        yield from _processes(reading.busiest)


def _build_info() -> Metric:
    family = GaugeMetricFamily(
        "polltrace_build_info", "The release of polltrace; always 1.", labels=["version"]
    )
    family.add_metric([__version__], 1)
    return family


def _names(group: Group) -> list[str]:
    return [group.engine, group.sid, group.break_mode.value]


def _gauges(reading: Reading) -> Iterator[Metric]:
    servers = GaugeMetricFamily(
        "polltrace_servers", "Dedicated server processes there are.", labels=_LABELS
    )
    polling_now = GaugeMetricFamily(
        "polltrace_servers_polling",
        "Dedicated server processes that break-polled in the last five seconds.",
        labels=_LABELS,
    )
    for group in reading.sums:
        servers.add_metric(_names(group), reading.servers.get(group, 0))
        polling_now.add_metric(_names(group), reading.polling.get(group, 0))
    yield servers
    yield polling_now


def _counters(sums: Mapping[Group, Sums]) -> Iterator[Metric]:
    cpu = CounterMetricFamily(
        "polltrace_server_cpu_seconds", "CPU time that dedicated servers used.", labels=_LABELS
    )
    polls = CounterMetricFamily(
        "polltrace_break_polls",
        "Break polls, as counted in short windows and scaled to all of the time.",
        labels=_LABELS,
    )
    lost = CounterMetricFamily(
        "polltrace_break_poll_cpu_seconds",
        "CPU time that break polls took: polls times the price of one, measured on this host.",
        labels=_LABELS,
    )
    unpriced = CounterMetricFamily(
        "polltrace_break_polls_unpriced",
        "Break polls of processes that ended before their price was known: in no CPU time.",
        labels=_LABELS,
    )
    for group, sum_ in sums.items():
        names = _names(group)
        cpu.add_metric(names, sum_.cpu_s)
        polls.add_metric(names, sum_.polls)
        lost.add_metric(names, sum_.lost_s)
        unpriced.add_metric(names, sum_.unpriced)
    yield from (cpu, polls, lost, unpriced)


def _prices(snapshot: Snapshot) -> Iterator[Metric]:
    price = GaugeMetricFamily(
        "polltrace_break_poll_price_seconds",
        "CPU time of one break poll on this host, by the CPU time between two (a power of two).",
        labels=["pace"],
    )
    for pace_us, estimate in sorted(snapshot.prices.by_pace_us.items()):
        price.add_metric([f"{pace_us}us"], estimate.value)
    yield price


def _own(reading: Reading) -> Iterator[Metric]:
    snapshot = reading.snapshot
    yield GaugeMetricFamily(
        "polltrace_last_frame_timestamp_seconds",
        "When the probe last reported, in Unix time.",
        value=reading.taken_at,
    )
    if snapshot.cost is not None:
        yield CounterMetricFamily(
            "polltrace_probe_cpu_seconds",
            "CPU time of polltrace-probe.",
            value=snapshot.cost.probe_s,
        )
    if snapshot.cost is not None and snapshot.cost.bpf_s is not None:
        yield CounterMetricFamily(
            "polltrace_probe_bpf_seconds",
            "CPU time of the probe's programs in the kernel, in the time of the watched.",
            value=snapshot.cost.bpf_s,
        )
    lost = CounterMetricFamily(
        "polltrace_probe_lost", "What the probe could not count, by kind.", labels=["kind"]
    )
    for kind, count in snapshot.lost.items():
        lost.add_metric([kind], count)
    yield lost


def _processes(rows: Iterable[Row]) -> Iterator[Metric]:
    rate = GaugeMetricFamily(
        "polltrace_process_break_polls_per_second",
        "Break polls a second over the last five, of the processes that lose most CPU to them.",
        labels=_PROCESS_LABELS,
    )
    lost = GaugeMetricFamily(
        "polltrace_process_break_poll_cpus",
        "CPUs lost to break polls over the last five seconds, of the processes that lose most.",
        labels=_PROCESS_LABELS,
    )
    for row in rows:
        names = [row.engine, row.instance, row.mode.value, str(row.pid), row.client]
        rate.add_metric(names, row.polls_per_s or 0.0)
        if row.lost_cores is not None:
            lost.add_metric(names, row.lost_cores)
    yield rate
    yield lost
