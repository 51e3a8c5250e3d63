# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs made up of numbers, to hold the judging of them to."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scenarios.expectations.network import BYTES_SENT
from scenarios.run_analysis import MORE_DATA, ROUND_TRIPS
from scenarios.run_file import Line, RunData
from scenarios.scenario import Cell, Expected, Scenario
from scenarios.session import Work

BLOCKS, TURNS = 10, 4


def made_run(
    cells: Mapping[Cell, Mapping[str, float]], expected: Sequence[Expected] = (), seed: int = 1
) -> RunData:
    """Ten blocks of each cell: `cpu_ms` of an execution with some noise, `waited_ms` more until it
    has a processor; in each block `gets` and `polls`, by probe and server alike, are counted, and a
    call is cancelled in `cancel_ms`."""
    order = random.Random(seed)
    lines: list[Line] = []
    for block in range(BLOCKS):
        for number, figures in enumerate(cells.values()):
            for turn in range(TURNS):
                cpu_s = 1e-3 * figures["cpu_ms"] * order.uniform(0.99, 1.01)
                waited_s = 1e-3 * figures.get("waited_ms", 0) * order.uniform(0.5, 1.5)
                lines.append(
                    {
                        **{"kind": "sample", "block": block, "turn": turn, "cell": number},
                        **{"elapsed_s": cpu_s + waited_s, "cpu_s": cpu_s, "waited_s": waited_s},
                        "yardstick_s": 5e-3 * order.uniform(0.995, 1.005),
                    }
                )
            lines.append(_counted(block, number, figures))
            if "cancel_ms" in figures:
                lines.append(_cancel(block, number, figures["cancel_ms"] * order.uniform(0.9, 1.1)))
        lines.append({"kind": "block", "block": block})
    return RunData(_header(cells, expected), list(cells), frozenset(range(BLOCKS)), lines, False)


def _counted(block: int, cell: int, figures: Mapping[str, float]) -> Line:
    gets, polls = figures.get("gets", 9000.0), figures.get("polls", 0.0)
    statistics = {
        "consistent gets": gets,
        "user calls": figures.get("calls", 1.0),
        "lab break polls": polls,
        "DB time": figures["cpu_ms"],
        ROUND_TRIPS: figures.get("trips", 1.0),
        BYTES_SENT: figures.get("sent", 0.0),
    }
    events = {MORE_DATA: (figures["more"], 0)} if "more" in figures else {}
    return {
        **{"kind": "counted", "block": block, "cell": cell, "executions": 1},
        **{"elapsed_s": 0.05, "cpu_s": 0.05, "break_polls": polls, "lost": 0},
        "v$": {"statistics": statistics, "events": events, "time_model": {}},
    }


def _cancel(block: int, cell: int, ms: float) -> Line:
    """Lost where it takes for ever."""
    ended = {"ms": ms, "error": "ORA-01013", "usable": True}
    lost = ms == math.inf
    return {
        **{"kind": "cancel", "block": block, "cell": cell, "after_s": 0.05, "lost": lost},
        **({} if lost else ended),
    }


def _header(cells: Mapping[Cell, Any], expected: Sequence[Expected]) -> Line:
    scenario = Scenario(
        name="made",
        title="made",
        statement="select 1 from dual",
        binds={},
        seconds=None,
        matrix={},
        base={"break_mode": "out-of-band"},
        paths={},
        record=("elapsed", "polls", "statistics"),
        blocks=BLOCKS,
        timed=TURNS,
        counted=BLOCKS,
        expected=tuple(expected),
    )
    return {
        "scenario": {**asdict(scenario), "paths": {"direct": {}}},
        "cells": [cell.data() for cell in cells],
        "seed": 1,
        "server": "lab",
        "counts_polls": True,
        "drivers": ["made 1"],
        "work": asdict(Work("select 1 from dual", {})),
        "host": {"name": "h", "kernel": "6", "machine": "x", "processors": 2, "python": "3"},
    }
