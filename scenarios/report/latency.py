# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace ping`: the layers of a path as a table, as data, and as lines of CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from polltrace.latency.distribution_report import distribution_data
from polltrace.latency.tcp_info import TcpInfo
from polltrace.scenarios.analyse.latency import LayerResult, Part, parts
from polltrace.scenarios.run.latency.layers import LAYERS, ROW, Sample
from polltrace.scenarios.run.latency.rounds import PingMeasurement

CSV_HEADER = "time,seconds,session,layer,ms,round_trips,db_ms,failed"


@dataclass(frozen=True, slots=True)
class PingResult:
    """The results of a ping so far.

    - `target`: host:port/service; `driver`: the client's name and version; `sessions`: how many
    - `seconds`: since the first round
    - `layers`: of LAYERS, those that were measured
    - `kernels`: the kernel's figures about each session's warm channel
    - `late`: rounds that were left out
    - `no_server_time`: why DB time is not known; empty where it is
    """

    target: str
    driver: str
    sessions: int
    seconds: float
    layers: Sequence[LayerResult]
    kernels: Sequence[TcpInfo]
    late: int
    no_server_time: str


def ping_data(result: PingResult) -> dict[str, Any]:
    return {
        "target": result.target,
        "client": result.driver or None,
        "sessions": result.sessions,
        "seconds": result.seconds,
        "late_rounds": result.late,
        "no_server_time": result.no_server_time or None,
        "layers": [_layer_data(layer) for layer in result.layers],
        "parts": [_part_data(part) for part in parts(result.layers)],
        "channels": [_kernel_data(kernel) for kernel in result.kernels],
    }


def _layer_data(layer: LayerResult) -> dict[str, Any]:
    return {
        "name": layer.name,
        "what": LAYERS[layer.name],
        "round_trips": layer.trips,
        **distribution_data(layer.summary),
        "db_time_ms": 1e3 * layer.db_s.value if layer.db_s else None,
        "failures": layer.failures,
        "last_failure": layer.reason or None,
    }


def _part_data(part: Part) -> dict[str, Any]:
    value = part.seconds
    return {
        "name": part.name,
        "of": part.of,
        "ms": 1e3 * value.value,
        "low_ms": 1e3 * value.low,
        "high_ms": 1e3 * value.high,
        "how": part.how,
    }


def _kernel_data(info: TcpInfo) -> dict[str, Any]:
    return {
        "smoothed_rtt_ms": 1e3 * info.rtt_s,
        "rtt_variance_ms": 1e3 * info.rtt_variance_s,
        "min_rtt_ms": None if info.min_rtt_s is None else 1e3 * info.min_rtt_s,
        "retransmits": info.retransmits,
        "segments_in": info.segments_in,
        "segments_out": info.segments_out,
        "mss": info.mss,
    }


def ping_table(result: PingResult) -> Table:
    """Milliseconds of each layer."""
    table = Table(box=None, pad_edge=False, header_style="", padding=(0, 2, 0, 0))
    table.add_column("LAYER", no_wrap=True)
    names = ("N", "FAILED", "TRIPS", "MIN", "P50", "95 % INTERVAL", "P90", "P99", "MAX", "JITTER")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for layer in result.layers:
        summary = layer.summary
        if summary is None:
            table.add_row(layer.name, "0", str(layer.failures))
            continue
        table.add_row(
            layer.name,
            f"{summary.samples:,}",
            f"{layer.failures:,}",
            f"{layer.trips:g}",
            _ms(summary.minimum),
            _ms(summary.p50.value),
            f"{_ms(summary.p50.low)} - {_ms(summary.p50.high)}",
            *map(_ms, (summary.p90, summary.p99, summary.maximum, summary.jitter)),
        )
    return table


def ping_lines(result: PingResult) -> Iterator[str]:
    """The sentences below the table."""
    all_parts = parts(result.layers)
    total = next((e.seconds.value for e in result.layers if e.name == ROW and e.seconds), 0.0)
    if of_a_row := [part for part in all_parts if part.of == ROW and part.name != "SQL"]:
        # Each is a median of its own samples, so on a quick path they need not fit into the whole.
        fits = total > 0 and all(part.seconds.value >= 0 for part in of_a_row)
        verb = "is" if fits else "is too short to divide: its parts, each a median, come to more"
        yield f"A {ROW} of {_ms(total)} ms {verb}:"
        for part in of_a_row:
            share = f"{100 * part.seconds.value / total:5.0f} %" if fits else " " * 7
            yield f"  {part.name:<18} {_ms(part.seconds.value):>9} ms {share}  {part.how}"
    if other_parts := [part for part in all_parts if part not in of_a_row]:
        yield "Differences between layers:"
        for part in other_parts:
            yield f"  {part.name:<18} {_ms(part.seconds.value):>9} ms          {part.how}"
    yield from _channel_lines(result.kernels)
    if result.no_server_time:
        yield f"No DB time: {result.no_server_time}"
    for layer in result.layers:
        if layer.failures:
            yield f"{layer.name}: {layer.failures} failed, the last by: {layer.reason}"
    if result.late:
        yield f"{result.late} rounds were left out: a round takes longer than --interval."


def _channel_lines(kernels: Sequence[TcpInfo]) -> Iterator[str]:
    for number, info in enumerate(kernels):
        which = f" of session {number}" if len(kernels) > 1 else ""
        shortest = "-" if info.min_rtt_s is None else _ms(info.min_rtt_s)
        yield (
            f"Warm channel{which}, by the kernel: round trip {_ms(info.rtt_s)} ms smoothed, "
            f"{_ms(info.rtt_variance_s)} ms variance, {shortest} ms shortest; "
            f"{info.retransmits:,} segment{'s' * (info.retransmits != 1)} sent again."
        )


def ping_title(result: PingResult) -> str:
    sessions = f", {result.sessions} sessions" if result.sessions > 1 else ""
    driver = f" by {result.driver}" if result.driver else ""
    return f"{result.target}{driver}{sessions}, {result.seconds:.1f} s; milliseconds:"


def csv_line(measured: PingMeasurement, time_s: float) -> str:
    """A line under CSV_HEADER; `now` is seconds since the epoch."""
    sample = measured.sample
    start = f"{time_s:.6f},{measured.at_s:.6f},{measured.session},{sample.layer}"
    if not isinstance(sample, Sample):
        return f"{start},,,,1"
    db_ms = "" if sample.db_s is None else f"{1e3 * sample.db_s:.6f}"
    return f"{start},{1e3 * sample.seconds:.6f},{sample.trips:g},{db_ms},0"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3f}"
