# SPDX-License-Identifier: GPL-2.0-or-later
"""The report of a run, in every form; `polltrace report` finds it by the file's first line."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from polltrace.intervals import Estimate
from scenarios.expectations import findings
from scenarios.run_analysis import CellResult, analysed
from scenarios.run_file import read_run
from scenarios.run_html import run_html
from scenarios.run_text import run_text


class RunReport:
    """Raises UsageError or FrameError for a file that is no whole run."""

    def __init__(self, path: Path) -> None:
        self._result = analysed(read_run(path))

    def text(self) -> str:
        return run_text(self._result)

    def html(self) -> str:
        return run_html(self._result)

    def data(self) -> Any:
        result = self._result
        return {
            "header": dict(result.run.header),
            "blocks": len(result.run.blocks),
            "warnings": list(result.warnings),
            "noise_floor_pct": _interval(result.floor_pct),
            "counts_agree": result.counts_agree,
            "cells": [_cell(each) for each in result.cells],
            "expected": [asdict(each) for each in findings(result)],
        }


def _cell(each: CellResult) -> dict[str, Any]:
    counted = each.counted
    return {
        "label": each.label,
        "cell": each.cell.data(),
        "base": each.base,
        "elapsed_s": _interval(each.elapsed_s),
        "cpu_s": _interval(each.cpu_s),
        "over_base_pct": _interval(each.over_base_pct),
        "cpu_over_base_pct": _interval(each.cpu_over_base_pct),
        "counted": None
        if counted is None
        else {
            **asdict(counted),
            "gets_per_poll": counted.gets_per_poll,
        },
        "cancels_ms": list(each.cancels_ms),
        "cancels_lost": each.cancels_lost,
        "cancels_wrong": each.cancels_wrong,
        "in_break_check_pct": _interval(each.check_pct),
        "stacks": {k: v for k, v in each.stacks.items() if k not in ("kind", "block", "cell")},
    }


def _interval(estimate: Estimate | None) -> dict[str, float] | None:
    return None if estimate is None else asdict(estimate)
