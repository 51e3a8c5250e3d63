# SPDX-License-Identifier: GPL-2.0-or-later
"""A line a second about a load that runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HEAD = (
    f"{'s':>7}{'sessions':>10}{'tx/s':>11}{'p50 ms':>10}{'p99 ms':>10}{'lag p99':>10}{'errors':>8}"
    f"{'dropped':>9}{'polls/s':>10}{'server CPU':>12}{'client CPU':>12}"
)
EVERY = 20
"""Lines between two heads."""


def live_line(line: Mapping[str, Any]) -> str:
    """A second of the load's file as a line, with a dash for an unknown value."""
    seconds = line["seconds"] or 1.0

    def rate(value: float | None, factor: float = 1.0) -> str:
        return "-" if value is None else f"{factor * value / seconds:,.0f}"

    def ms(value: float | None) -> str:
        return "-" if value is None else f"{value:,.2f}"

    server = rate(line["server_cpu_s"], 100)
    return (
        f"{line['at_s']:7.1f}{line['sessions']:10,}{rate(line['transactions']):>11}"
        f"{ms(line['p50_ms']):>10}{ms(line['p99_ms']):>10}{ms(line['lag_p99_ms']):>10}"
        f"{sum(line['errors'].values()):8,}{line['dropped']:9,}{rate(line['break_polls']):>10}"
        f"{server + ' %' if server != '-' else server:>12}"
        f"{rate(line['client_cpu_s'], 100) + ' %':>12}"
    )
