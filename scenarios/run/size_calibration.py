# SPDX-License-Identifier: GPL-2.0-or-later
"""The size at which a scenario's statement takes its time on this host."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from polltrace.errors import LabError
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.plan.scenario import Scenario
from polltrace.scenarios.run.client import Binds, DriverClient
from polltrace.scenarios.run.lost_client import PATIENCE_S
from polltrace.scenarios.run.processors import processors
from polltrace.scenarios.run.servers.server import DatabaseServer
from polltrace.scenarios.run.session import CellSession
from polltrace.scenarios.run.work import Work

COUNTED_GETS = 60_000
"""Counting begins and ends between two polls, at skip 1000 a thousand gets apart: with this many
gets in each counted session, that is a fraction of a per cent."""

COUNTED_S = 2.0
"""Executions that are counted take no longer together, whatever few gets they make: one that checks
by a timer makes hardly any."""

CANCELLED_FACTOR = 40
CANCELLED_S = 0.4
"""How many times longer than the others a call to be cancelled is, and how many seconds it takes at
least: the latest cancel must meet it."""

LEAST_N = 250
"""Where an execution of fewer rows takes its seconds, the time goes elsewhere than to rows."""


def calibrated(
    server: DatabaseServer,
    scenario: Scenario,
    clients: Mapping[Cell, DriverClient],
    watcher: DriverClient,
) -> Work:
    """The scenario's statement, with a bind `n` that makes it take the scenario's seconds here.

    Raises LabError where the statement takes no longer however large `n` is.
    """
    cell = min(clients, key=lambda candidate: (candidate.path != "direct", candidate.sessions))
    client = clients[cell]
    session = CellSession(server, client, replace(cell, path="direct"), {}, processors(), watcher)
    binds: Binds = scenario.binds
    if scenario.seconds is not None:

        def cpu_s(n: int) -> float:
            took = session.execute(Work(scenario.statement, {**binds, "n": n}))
            # CPU time, because on a busy host the server waits for a processor as well.
            return took.cpu_s or took.elapsed_s

        binds = {**binds, "n": fitting_n(cpu_s, scenario.seconds)}
    earlier_views = server.views.read(watcher, session.sid)
    took_s = sum(client.execute(scenario.statement, binds).elapsed_s)
    server.views.publish(client)
    gets = server.views.read(watcher, session.sid).since(earlier_views).gets
    max_executions = max(1, min(1000, int(COUNTED_S / max(took_s, 1e-6))))
    executions = min(math.ceil(COUNTED_GETS / gets), max_executions) if gets > 1 else 1
    client.close()
    longer = CANCELLED_FACTOR
    if scenario.seconds is not None:
        least_s = 2 * PATIENCE_S if "lost client" in scenario.record else CANCELLED_S
        longer = max(longer, math.ceil(least_s / scenario.seconds))
    cancelled = {
        name: value * longer if name == "n" and isinstance(value, int) else value
        for name, value in binds.items()
    }
    return Work(scenario.statement, binds, cancelled, executions, gets)


def fitting_n(cpu_s: Callable[[int], float], seconds: float) -> int:
    """The `n` whose execution takes `seconds` of CPU time, where one takes `cpu_s(n)`.

    Raises LabError where that stays below half of `seconds` however large `n` is.
    """
    n, took_s = LEAST_N, 0.0
    while took_s < seconds / 2:
        n *= 2
        if n > 10**9:
            raise LabError("the statement takes no longer however large n is")
        took_s = cpu_s(n)
        if took_s >= seconds / 2:
            # Time that a hypervisor takes away can count as CPU time: one execution that was
            # disturbed would make the statement a fraction of its size.
            took_s = min(took_s, cpu_s(n), cpu_s(n))
    return max(round(n * seconds / took_s), LEAST_N)
