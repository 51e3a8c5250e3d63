# SPDX-License-Identifier: GPL-2.0-or-later
"""No signal of a traced process is lost, however often and however rudely tracing ends.

Planted, and seen here: a tracer that consumes the stop of a signal before it answers it loses one
in some twenty kills.
"""

from __future__ import annotations

import os
import random
import signal
import time

import pytest

from polltrace.backends.ptrace_probe import PtraceProbe
from polltrace.stop_at.capture import StopCondition
from polltrace.stop_at.counter import PtraceCallCounter
from polltrace.stop_at.guard import TracingProcess, stop_at
from polltrace.stop_at.threads import status
from polltrace.stop_at.tracing import Limits
from tests.attacks.storm import Storm
from tests.waiting import until

# `make soak` has 1,000.
ATTACHES = int(os.environ.get("POLLTRACE_ATTACHES", "60"))
PATIENT = Limits(60.0, 10.0)


def count_and_detach(pid: int, chance: random.Random) -> None:
    with PtraceProbe([pid]) as probe:
        time.sleep(chance.uniform(0, 0.02))
        assert sum(each.break_polls for each in probe.stop().totals) >= 0


def stop_at_a_poll(pid: int, _chance: random.Random) -> None:
    stop_at(pid, StopCondition(frozenset({7, 271}), True), PATIENT)


def killed_while_counting(pid: int, chance: random.Random) -> None:
    process = TracingProcess(PtraceCallCounter([pid], PATIENT, False, False).outcome, None)
    process.await_begun()
    time.sleep(chance.uniform(0, 0.02))
    process.close()


def stopped_while_counting(pid: int, chance: random.Random) -> None:
    limits = Limits(60.0, 0.05)
    process = TracingProcess(PtraceCallCounter([pid], limits, False, False).outcome, None)
    process.await_begun()
    time.sleep(chance.uniform(0, 0.02))
    os.kill(process.pid, signal.SIGSTOP)
    process.wait()  # the kernel ends it, at its deadline
    process.close()


@pytest.mark.parametrize(
    "attach", [count_and_detach, stop_at_a_poll, killed_while_counting, stopped_while_counting]
)
def test_no_signal_is_lost_while_traced(storm: Storm, attach: object) -> None:
    assert callable(attach)
    chance = random.Random(18)
    for _ in range(max(1, ATTACHES // 4)):
        attach(storm.pid, chance)
        until(lambda: status(storm.pid, "TracerPid") == 0)
    seen = storm.assert_every_signal_arrived()
    # AND there was a storm
    assert min(seen.alarms, seen.urgents, seen.reaped, seen.real_times) > ATTACHES // 4
