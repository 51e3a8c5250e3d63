# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's experiment: the article's statement, out-of-band against in-band at three skips.

A scenario run (runner.py) whose lines stay in memory; one more session, which the product advises
while it executes; and one user stack at a break poll.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import replace

from polltrace.backends.ebpf import ProbeOptions
from polltrace.errors import DriverError
from polltrace.overhead.advice import Advice
from polltrace.overhead.measurements import advise_session
from polltrace.profiles.profile import Profile
from polltrace.scenarios.analyse.run_file import Line
from polltrace.scenarios.demo.result import DemoResult, demo_session
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.plan.plan import Plan
from polltrace.scenarios.plan.scenario import Scenario
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.executing_session import kept_busy
from polltrace.scenarios.run.processors import processors
from polltrace.scenarios.run.runner import Progress, ScenarioRunner, watching
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.session import CellSession
from polltrace.scenarios.run.size_calibration import calibrated
from polltrace.scenarios.run.work import Work
from polltrace.servers.servers import servers

# Shared machines change speed many times a second: many short executions, so that those of two
# cells are close in time. New processes in every block: the addresses of its memory make a process
# a few per cent faster or slower than another for as long as it lives.
BLOCKS = 20
TIMED = 12
EXECUTION_SECONDS = 0.02
# One user stack for this many break polls: enough samples, and little slowdown.
STACK_EVERY = 64

CLIENT = "python-oracledb"
CELLS = (
    Cell(CLIENT, "out-of-band"),
    Cell(CLIENT, "in-band", 3),
    Cell(CLIENT, "in-band", 10),
    Cell(CLIENT, "in-band", 1000),
)
FASTEST, POLLING = CELLS[0], CELLS[1]

SCENARIO = Scenario(
    name="demo",
    title="what break polling costs, and what making it rarer would cost in its turn",
    statement=LOTSLIOS,
    binds={},
    seconds=EXECUTION_SECONDS,
    matrix={},
    base={"break_mode": "out-of-band"},
    paths={"direct": NetworkPath()},
    record=("elapsed", "polls", "cancel"),
    blocks=BLOCKS,
    timed=TIMED,
    counted=BLOCKS,
    expected=(),
)

NameStack = Callable[[int, Profile], list[str]]


def run_demo(
    lab: LabServer,
    clients: Mapping[Cell, DriverClient],
    *,
    name_stack: NameStack,
    progress: Progress,
    blocks: int = BLOCKS,
) -> DemoResult:
    """Run the experiment. `name_stack(pid, profile)` names the stack at a break poll.

    Raises LabError, DriverError, and the probe's errors.
    """
    scenario = replace(SCENARIO, blocks=blocks, counted=blocks)
    plan = Plan(scenario, CELLS, random.getrandbits(32), 0, 0, resumes=False, count_polls=True)
    lines: list[Line] = []

    def write(kind: str, block: int, **values: object) -> None:
        lines.append({"kind": kind, "block": block, **values})

    with watching(lab) as watcher:
        work = calibrated(lab, scenario, clients, watcher)
        # A run counts in a few blocks and needs hundreds of polls in each, at skip 1000 too. Here
        # every session is counted, and together they make enough polls.
        work = replace(work, polls=0, executions=math.ceil(work.executions / 3))
        ScenarioRunner(plan, work, lab, clients, watcher, {}, write, progress).run()
        session = CellSession(lab, clients[POLLING], POLLING, {}, processors(), watcher)
        advised = _advised(session, work)
        profile, stack = _at_poll(session, work, name_stack)
    return DemoResult(
        driver=clients[FASTEST].about.title,
        probe=profile.header.variant,
        rows=int(work.binds["n"]),
        timed=TIMED,
        counted=work.executions,
        sessions={
            cell: [demo_session(lines, number, block) for block in range(blocks)]
            for number, cell in enumerate(CELLS)
        },
        stack=stack,
        advice=advised,
        fastest=FASTEST,
        polling=POLLING,
    )


def _advised(session: CellSession, work: Work) -> Advice:
    """The advice of `polltrace advise` for the session while it executes.

    Raises DriverError where the session has ended.
    """
    assert session.spid is not None
    with kept_busy(lambda: session.execute(work, TIMED)):
        found = servers([session.spid])
        if not found:
            raise DriverError("a session ended before its time")
        return advise_session(found[0])


def _at_poll(session: CellSession, work: Work, name_stack: NameStack) -> tuple[Profile, list[str]]:
    """Profile one more session, with user stacks at its polls."""
    assert session.spid is not None
    with session.probe(ProbeOptions(stack_every=STACK_EVERY)) as probe:
        session.execute(work)
        profile = probe.stop()
    stack = name_stack(session.spid, profile)
    session.close()
    return profile, stack
