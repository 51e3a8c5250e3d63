# SPDX-License-Identifier: GPL-2.0-or-later
"""Cancels at random moments, several sessions at a time, by each driver in each break mode."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from polltrace.scenarios.run.client import DriverClient
from tests.waiting import until

from .conftest import SOAK, STATUS_OF, Lab, Session
from .test_drivers import BURN, CASES, connected

SESSIONS = 10 if SOAK else 4
EACH = 50 if SOAK else 5
LONGEST_S = 60.0  # Upper bound; only a lost cancel waits this long
# Cancels that are lost before the statement has reached the server: ojdbc11's meet its own
# execute(), and of go-ora's, which it does not repeat, nobody can tell what they were for.
LOST_EARLY = ("go out-of-band", "java in-band", "java out-of-band")


def cancelled(client: DriverClient, moments: random.Random, watcher: Session | None) -> list[str]:
    """What went wrong with each cancel; "" where nothing did. With `watcher`, the moments are
    counted from when the server has the statement."""
    wrong = []
    [[sid]] = client.query("select sid from v$mystat where rownum = 1")[1]
    for _ in range(EACH):
        client.begin(BURN)
        if watcher:
            until(lambda: watcher.one(STATUS_OF, sid=int(sid)) == "ACTIVE", "the statement")
        after_s = moments.uniform(0, 0.06)
        time.sleep(after_s)
        client.send_break()
        ended = client.finish(LONGEST_S)
        after = client.query("select 7 from dual")[1]
        usable = [[float(value) for value in row] for row in after] == [[7]]
        fine = usable and "ORA-01013" in (ended.error or "")
        wrong.append("" if fine else f"{after_s:.4f} s: {ended.error}, {after}")
    return wrong


# JVMs on a busy machine are slower to send a statement than a cancel waits.
QUICK = [case for case in CASES if SOAK or not case.startswith("java")]


@pytest.mark.parametrize("case", QUICK)
def test_random_cancels(lab: Lab, case: str) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(connected(lab, case)) for _ in range(SESSIONS)]
        with ThreadPoolExecutor(SESSIONS) as pool:
            seeds = [random.Random(f"{case} {n}") for n in range(SESSIONS)]
            watchers = [lab.connect() if case in LOST_EARLY else None for _ in range(SESSIONS)]
            each = pool.map(cancelled, clients, seeds, watchers)
            outcomes = [what for one in each for what in one]
    assert len(outcomes) == SESSIONS * EACH
    assert [what for what in outcomes if what] == []
