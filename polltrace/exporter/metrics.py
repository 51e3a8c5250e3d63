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
from polltrace.engines import CheckKind
from polltrace.exporter.counter_totals import Group, Sums
from polltrace.overhead.poll_cost import in_order
from polltrace.watch.snapshot import ServerRow, Snapshot

_LABELS = ["engine", "sid", "break_mode"]
_PROCESS_LABELS = [*_LABELS, "pid", "client"]


@dataclass(frozen=True, slots=True)
class HostReading:
    """The answer to a scrape: the last `snapshot`, `sums` since we began, the number of `servers`
    and of those `polling` in the last five seconds, and the `busiest` processes, which are shown
    one by one. `taken_at` is Unix time in seconds."""

    snapshot: Snapshot
    sums: Mapping[Group, Sums]
    servers: Mapping[Group, int]
    polling: Mapping[Group, int]
    busiest: tuple[ServerRow, ...]
    taken_at: float


def families(reading: HostReading) -> Iterator[Metric]:
    """Every metric of a reading."""
    yield _build_info()
    yield from _gauges(reading)
    yield from _counters(reading.sums)
    yield from _poll_costs(reading.snapshot)
    yield from _own(reading)
    if reading.busiest:
        yield from _processes(reading.busiest)


def frame_age(seconds: float) -> Metric:
    """Taken at the scrape: it grows while the probe, or the loop that reads it, is frozen."""
    return GaugeMetricFamily(
        "polltrace_frame_age_seconds",
        "Time since the probe's last frame, or since the exporter began.",
        value=seconds,
    )


def _build_info() -> Metric:
    family = GaugeMetricFamily(
        "polltrace_build_info", "The release of polltrace; always 1.", labels=["version"]
    )
    family.add_metric([__version__], 1)
    return family


def _names(group: Group) -> list[str]:
    return [group.engine, group.sid, group.break_mode.value]


def _gauges(reading: HostReading) -> Iterator[Metric]:
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
        "CPU time that break checking took: polls times the cost of one, measured on this host.",
        labels=_LABELS,
    )
    low = CounterMetricFamily(
        "polltrace_break_poll_cpu_low_seconds",
        "The same by the lower bounds of the rate and of the cost per poll (95 % interval).",
        labels=_LABELS,
    )
    high = CounterMetricFamily(
        "polltrace_break_poll_cpu_high_seconds",
        "The same by the upper bounds of the rate and of the cost per poll (95 % interval).",
        labels=_LABELS,
    )
    without_cost = CounterMetricFamily(
        "polltrace_break_polls_without_cost",
        "Break polls of processes that ended before their cost was known: in no CPU time.",
        labels=_LABELS,
    )
    for group, sum_ in sums.items():
        names = _names(group)
        cpu.add_metric(names, sum_.cpu_s)
        polls.add_metric(names, sum_.polls)
        if sum_.is_cost_known:
            lost.add_metric(names, sum_.lost_s)
            low.add_metric(names, sum_.lost_low_s)
            high.add_metric(names, sum_.lost_high_s)
        without_cost.add_metric(names, sum_.without_cost)
    yield from (cpu, polls, lost, low, high, without_cost)


def _poll_costs(snapshot: Snapshot) -> Iterator[Metric]:
    cost = GaugeMetricFamily(
        "polltrace_break_poll_cost_seconds",
        "CPU time of one check on this host, by its trigger (a count of checks, or an interval of "
        "time), its system calls, and the CPU time between two (a power of two).",
        labels=["trigger", "calls", "interval"],
    )
    for knot, estimate in in_order(snapshot.costs.by_knot):
        labels = [knot.trigger.value, _calls(knot.kind), f"{knot.interval_us}us"]
        cost.add_metric(labels, estimate.value)
    yield cost


def _calls(kind: CheckKind) -> str:
    """`signal+epoll_wait`: unequal for unequal kinds, because a series may come once."""
    parts = [*(["signal"] if kind.by_signal else []), *kind.calls]
    return "+".join(parts) + (f" ({kind.model})" if kind.model else "")


def _own(reading: HostReading) -> Iterator[Metric]:
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
            "CPU time of the probe's programs in the kernel, spent in the watched processes.",
            value=snapshot.cost.bpf_s,
        )
    lost = CounterMetricFamily(
        "polltrace_probe_lost",
        "Losses of the probe, by kind.",
        labels=["kind"],
    )
    for kind, count in snapshot.lost.items():
        lost.add_metric([kind], count)
    yield lost


def _processes(rows: Iterable[ServerRow]) -> Iterator[Metric]:
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
    low, high = (
        GaugeMetricFamily(
            f"polltrace_process_break_poll_cpus_{end}",
            f"The {bound} bound of that (95 % interval).",
            labels=_PROCESS_LABELS,
        )
        for end, bound in (("low", "lower"), ("high", "upper"))
    )
    for row in rows:
        names = [row.engine, row.instance, row.mode.value, str(row.pid), row.client]
        if row.polls_per_s is not None:
            rate.add_metric(names, row.polls_per_s)
        if row.lost_cores is not None:
            lost.add_metric(names, row.lost_cores.value)
            low.add_metric(names, row.lost_cores.low)
            high.add_metric(names, row.lost_cores.high)
    yield from (rate, lost, low, high)
