# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples of waits in a recording: the limits of its advice are those of live advice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from polltrace import procfs
from polltrace.latency.wait_sampler import Waits
from polltrace.overhead.forecast import CancelLimits
from polltrace.overhead.lock_waits import WITH_LOCKS_S, WITHOUT_LOCKS_S
from polltrace.recording import read
from polltrace.recording.summary import summary
from polltrace.recording.wait_samples import WaitSamples, add_waits, waits_data
from tests.recording.samples import (
    frame,
    probe,
    probe_header,
    process,
    server,
    totals,
    trailer,
    written,
)
from tests.waiting import until


def sampled(samples: int, running: int, **calls: int) -> dict[str, Any]:
    record = {"type": "waits", "at_s": 1.0, "pid": 100, "start_ticks": 7}
    return {**record, "samples": samples, "running": running, "calls": calls}


def limits(path: Path, *waits: dict[str, Any]) -> CancelLimits:
    records = [probe(probe_header(), 0.0), probe(process(100, 7), 0.0), server(100, 7)]
    records.append(probe(frame(1.0, totals(100, 7, 0.5, 1000)), 1.0))
    (session,) = summary(read(written(path, *records, *waits, trailer(1)))).sessions
    return session.limits


def test_the_limits_follow_from_the_sampled_waits(tmp_path: Path) -> None:
    # A session that only waits for its client or a disk
    free = limits(tmp_path / "a", sampled(50, 20, read=20, pread64=10))
    assert free.waiting_s == WITHOUT_LOCKS_S
    assert free.lock_waits is not None
    assert free.lock_waits.by.startswith("none of 50 samples found it waiting for a lock")
    # One that sleeps as for a lock
    locked = limits(tmp_path / "b", sampled(50, 20, read=20, semtimedop=10))
    assert locked.waiting_s == WITH_LOCKS_S
    assert locked.lock_waits is not None
    assert "10 of 50 samples found it asleep as for a lock" in locked.lock_waits.by
    # Too few samples, and none
    few = limits(tmp_path / "c", sampled(20, 20))
    assert (few.waiting_s, few.lock_waits and few.lock_waits.observed) == (WITH_LOCKS_S, None)
    assert limits(tmp_path / "d") == CancelLimits()
    # Several periods of one session add up.
    both = limits(tmp_path / "e", sampled(20, 20), sampled(20, 20))
    assert both.waiting_s == WITHOUT_LOCKS_S


@pytest.mark.parametrize(
    "damage",
    [
        {"samples": -1},
        {"running": 60},
        {"calls": {"read": 60}},
        {"calls": {"read": -1}},
        {"calls": {f"call{n}": 0 for n in range(65)}},
        {"calls": ["read"]},
    ],
)
def test_damaged_samples_end_the_file(tmp_path: Path, damage: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)):
        add_waits(Waits(), {**sampled(50, 20, read=20), **damage})
    path = written(
        tmp_path / "a", probe(probe_header(), 0.0), {**sampled(50, 20, read=20), **damage}
    )
    assert "damaged" in read(path).tear


def test_a_sleeping_process_is_sampled_until_the_end() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; print('up', flush=True); sys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        identity = child.pid, procfs.start_ticks(child.pid) or 0
        samples = WaitSamples()
        gone = 2**22 + 1, 1
        samples.begin([identity, gone])
        sampler = samples._samplers[identity]
        until(lambda: sampler.waits.samples >= 5, "five samples")
        waits = samples.end()
        child.kill()
    assert set(waits) == {identity}
    (record,) = waits_data(waits, 3.0)
    assert record["samples"] == waits[identity].samples >= 5
    assert record["calls"]["read"] >= 1
    again = Waits()
    add_waits(again, record)
    assert (again.samples, again.running) == (record["samples"], record["running"])
    assert samples.end() == {}
