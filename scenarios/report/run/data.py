# SPDX-License-Identifier: GPL-2.0-or-later
"""A run as JSON-ready data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from polltrace.intervals import Estimate
from polltrace.scenarios.analyse.expectations import checked_expectations
from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.report.run.latches import latch_cell_data


def run_data(result: RunResult) -> dict[str, Any]:
    return {
        "header": dict(result.run.header),
        "blocks": len(result.run.blocks),
        "warnings": list(result.warnings),
        "noise_floor_pct": _interval(result.floor_pct),
        "counts_agree": result.counts_agree,
        "cells": [_cell(cell_result) for cell_result in result.cells],
        "expected": [asdict(expectation) for expectation in checked_expectations(result)],
    }


def _cell(cell_result: CellResult) -> dict[str, Any]:
    counted = cell_result.counted
    return {
        "label": cell_result.label,
        "cell": cell_result.cell.data(),
        "base": cell_result.base,
        "elapsed_s": _interval(cell_result.elapsed_s),
        "cpu_s": _interval(cell_result.cpu_s),
        "over_base_pct": _interval(cell_result.over_base_pct),
        "cpu_over_base_pct": _interval(cell_result.cpu_over_base_pct),
        "remote_cpu_s": _interval(cell_result.remote_cpu_s),
        "remote_cpu_over_base_pct": _interval(cell_result.remote_cpu_over_base_pct),
        "counted": counted
        and {
            **asdict(counted),
            "round_trip_s": counted.round_trip_s,
            "gets_per_poll": counted.gets_per_poll,
        },
        "cancels_ms": list(cell_result.cancels_ms),
        "cancels_lost": cell_result.cancels_lost,
        "cancels_wrong": cell_result.cancels_wrong,
        "found_ms": list(cell_result.found_ms),
        "not_found": cell_result.not_found,
        "in_break_check_pct": _interval(cell_result.check_pct),
        "layers": {
            name: {"round_trip_s": _interval(layer.seconds), "blocks_s": list(layer.blocks_s)}
            for name, layer in cell_result.layers.items()
        },
        "load": _load(cell_result),
        "stacks": {
            k: v for k, v in cell_result.stacks.items() if k not in ("kind", "block", "cell")
        },
    }


def _load(cell_result: CellResult) -> dict[str, Any] | None:
    load = cell_result.load
    if load is None:
        return None
    data = asdict(load)
    del data["lines"]
    return {
        **data,
        "per_s": _interval(load.per_s),
        "found": load.found,
        "latch_figures": latch_cell_data(cell_result),
    }


def _interval(estimate: Estimate | None) -> dict[str, float] | None:
    return None if estimate is None else asdict(estimate)
