# SPDX-License-Identifier: GPL-2.0-or-later
"""The report of a test as text and as data. 1 MiB is 1024 x 1024 bytes, as in oratcptest's
Mbytes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from polltrace.latency.distribution import LatencySummary
from polltrace.latency.distribution_report import distribution_data
from polltrace.latency.net_test.plan import NetTestPlan
from polltrace.latency.net_test.run import NetTestInterval, NetTestResult

_MIB = 1 << 20


def request_lines(where: str, plan: NetTestPlan, streams: int) -> Iterator[str]:
    yield f"[net-test {where}]"
    answer = "an answer to each" if plan.mode == "sync" else "no answers"
    yield f"   Messages    {plan.length:,} bytes, random; {plan.direction}; {answer}"
    buffer = f"{plan.buffer:,} bytes" if plan.buffer else "the system's own"
    yield f"   Streams     {streams}; socket buffers: {buffer}"
    yield f"   Duration    {plan.seconds:g} s, after {plan.warm_up_s:g} s that are not counted"
    # Without answers a short message on a connection of its own measures the latency.
    yield f"{'':10}  {'Throughput':>18}  {'Mean latency':>14}"


def interval_line(interval: NetTestInterval) -> str:
    rate = interval.bytes / interval.seconds / _MIB if interval.seconds else 0.0
    latency = "-" if interval.mean_s is None else f"{1e3 * interval.mean_s:.3f} ms"
    return f"({time.strftime('%H:%M:%S')})  {f'{rate:,.3f} MiB/s':>18}  {latency:>14}"


def result_lines(result: NetTestResult) -> Iterator[str]:
    yield (
        f"Throughput  {result.bytes_per_s / _MIB:,.3f} MiB/s, "
        f"{result.messages_per_s:,.0f} messages/s over {result.seconds:.1f} s"
    )
    if result.latency is not None:
        yield f"Latency     {_latency(result.latency)}"
    if result.loaded is not None:
        yield f"Meanwhile   a short message's round trip: {_latency(result.loaded)}"
    rtts = ", ".join(f"{1e3 * rtt_s:.3f}" for rtt_s in result.rtt_s)
    yield f"Kernel      round trip {rtts} ms smoothed, {result.retransmits} segments sent again"
    yield f"Buffers     {result.send_buffer:,} bytes to send"
    if result.ended_early:
        yield f"THE OTHER END CLOSED THE CONNECTION after {result.seconds:.1f} s."
    if result.saturated:
        yield (
            f"A stream took {100 * result.cpu_share:.0f} % of a processor: it, and not the path, "
            "is the limit. Take longer messages or more streams."
        )


def _latency(summary: LatencySummary) -> str:
    figures = {
        "mean": summary.mean,
        "p50": summary.p50.value,
        "p90": summary.p90,
        "p99": summary.p99,
        "max": summary.maximum,
        "jitter": summary.jitter,
    }
    return " ".join(f"{name} {1e3 * seconds:.3f}" for name, seconds in figures.items()) + " ms"


def result_data(where: str, result: NetTestResult) -> dict[str, Any]:
    return {
        "target": where,
        **asdict(result.plan),
        "streams": result.streams,
        "measured_s": result.seconds,
        "ended_early": result.ended_early,
        "bytes": result.bytes,
        "bytes_per_s": result.bytes_per_s,
        "mib_per_s": result.bytes_per_s / _MIB,
        "messages_per_s": result.messages_per_s,
        "latency": distribution_data(result.latency),
        "latency_under_load": distribution_data(result.loaded),
        "retransmits": result.retransmits,
        "smoothed_rtt_ms": [1e3 * rtt_s for rtt_s in result.rtt_s],
        "send_buffer": result.send_buffer,
        "cpu_share": result.cpu_share,
        "limited_by_this_host": result.saturated,
        "intervals": [asdict(interval) for interval in result.intervals],
    }
