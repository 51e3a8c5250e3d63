# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs made up of numbers, to hold the judging of them to."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from polltrace.scenarios.analyse.counted import MORE_DATA, ROUND_TRIPS
from polltrace.scenarios.analyse.expectations.network import BYTES_SENT
from polltrace.scenarios.analyse.run_file import Line, RunData
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.plan.scenario import Expected, Scenario
from polltrace.scenarios.run.work import Work

BLOCKS, TURNS = 10, 4


def made_run(
    cells: Mapping[Cell, Mapping[str, float]],
    expected: Sequence[Expected] = (),
    seed: int = 1,
    base: Mapping[str, str] = MappingProxyType({"break_mode": "out-of-band"}),
) -> RunData:
    """Ten blocks of each cell, with some noise.

    An execution takes `cpu_ms`, and waits `waited_ms` more for a processor; the yardstick takes
    `yardstick_ms`. In each block `gets` and `polls` are counted, by probe and server alike, and a
    call is cancelled in `cancel_ms`, a lost client found after `found_ms` (inf: not found); a round
    trip takes `trip_ms` outside the server.
    """
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
                        "yardstick_s": 1e-3
                        * figures.get("yardstick_ms", 5.0)
                        * order.uniform(0.995, 1.005),
                    }
                )
            lines.append(_counted(block, number, figures))
            if "cancel_ms" in figures:
                lines.append(_cancel(block, number, figures["cancel_ms"] * order.uniform(0.9, 1.1)))
            if "found_ms" in figures:
                lines.append(_lost_client(block, number, figures["found_ms"]))
        lines.append({"kind": "block", "block": block})
    return RunData(
        _header(cells, expected, base), list(cells), frozenset(range(BLOCKS)), lines, False
    )


def _counted(block: int, cell: int, figures: Mapping[str, float]) -> Line:
    gets, polls = figures.get("gets", 9000.0), figures.get("polls", 0.0)
    trips = figures.get("trips", 1.0)
    statistics = {
        "consistent gets": gets,
        "user calls": figures.get("calls", 1.0),
        "lab break polls": polls,
        "DB time": figures["cpu_ms"],
        ROUND_TRIPS: trips,
        BYTES_SENT: figures.get("sent", 0.0),
    }
    events = {MORE_DATA: (figures["more"], 0)} if "more" in figures else {}
    return {
        **{"kind": "counted", "block": block, "cell": cell, "executions": 1},
        "plan": figures.get("plan"),
        **{"elapsed_s": 0.05 + 1e-3 * trips * figures.get("trip_ms", 0.0), "cpu_s": 0.05},
        **{"break_polls": polls, "lost": 0},
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


def _lost_client(block: int, cell: int, ms: float) -> Line:
    found = {"found": False} if ms == math.inf else {"found": True, "ms": ms}
    return {**{"kind": "lost client", "block": block, "cell": cell, "after_s": 0.1}, **found}


def _header(
    cells: Mapping[Cell, Any], expected: Sequence[Expected], base: Mapping[str, str]
) -> Line:
    scenario = Scenario(
        name="made",
        title="made",
        statement="select 1 from dual",
        binds={},
        seconds=None,
        matrix={},
        base=dict(base),
        paths={},
        record=("elapsed", "polls", "statistics"),
        blocks=BLOCKS,
        timed=TURNS,
        counted=BLOCKS,
        expected=tuple(expected),
    )
    return {
        "scenario": {**asdict(scenario), "paths": {"direct": {}, "far": {"round_trip_s": 0.006}}},
        "cells": [cell.data() for cell in cells],
        "seed": 1,
        "server": "lab",
        "counts_polls": True,
        "drivers": ["made 1"],
        "work": asdict(Work("select 1 from dual", {})),
        "host": {"name": "h", "kernel": "6", "machine": "x", "processors": 2, "python": "3"},
    }
