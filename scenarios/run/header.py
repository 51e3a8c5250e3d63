# SPDX-License-Identifier: GPL-2.0-or-later
"""The first line of a run file."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from polltrace import __version__
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.plan.plan import Plan
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.network.choice import Network
from polltrace.scenarios.run.servers.server import DatabaseServer
from polltrace.scenarios.run.work import Work


def header(
    plan: Plan,
    work: Work,
    server: DatabaseServer,
    clients: Mapping[Cell, DriverClient],
    network: Network,
) -> dict[str, Any]:
    """Everything that is needed to understand the numbers on another machine."""
    scenario = plan.scenario
    return {
        "polltrace": __version__,
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "scenario": {
            **{k: v for k, v in asdict(scenario).items() if k != "paths"},
            "paths": {name: asdict(path) for name, path in scenario.paths.items()},
        },
        "cells": [cell.data() for cell in plan.cells],
        "seed": plan.seed,
        "server": server.kind,
        "counts_polls": server.counts_polls,
        "drivers": sorted({client.about.title for client in clients.values()}),
        "work": asdict(work),
        "host": {
            "name": platform.node(),
            "kernel": platform.release(),
            "machine": platform.machine(),
            "processors": len(os.sched_getaffinity(0)),
            "python": platform.python_version(),
        },
        "network": {"how": network.how, "paths": network.words()},
    }
