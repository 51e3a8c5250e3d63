# SPDX-License-Identifier: GPL-2.0-or-later
"""The long checks: `make -C probes soak`. The probe's promises, a hundred times over."""

from __future__ import annotations

import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.probes.probe_process import Probe, Target, poll_rate, total
from tests.probes.test_life import assert_vanish, held_by

pytestmark = pytest.mark.soak

StartProbe = Callable[..., Probe]
StartTarget = Callable[..., Target]
RUNS = 100


def test_a_million_polls_a_hundred_times(variant: str, target: Target, root: None) -> None:
    """1,000,003 polls on 1, 2 or 7 threads across forks: exactly that number."""
    fd = target.do("open tcp")
    wrong = []
    for run in range(RUNS):
        threads = (1, 2, 7)[run % 3]
        probe = Probe.start("-p", str(target.pid), "-f", "--variant", variant)
        target.do(f"threads {fd} 500009 {threads}")
        target.do(f"forks {fd} 499994 3 {threads}")
        probe.stop()
        if total(probe) != 1000003:
            wrong.append(total(probe))
    assert not wrong


@pytest.fixture
def others(request: pytest.FixtureRequest) -> Iterator[None]:
    """As many busy processes as the parameter asks for."""
    running = [subprocess.Popen(["yes"], stdout=subprocess.DEVNULL) for _ in range(request.param)]
    yield
    for process in running:
        process.kill()
        process.wait()


@pytest.mark.usefixtures("root", "others")
@pytest.mark.parametrize("others", [0, 4], indirect=True)
@pytest.mark.parametrize(
    ("command", "polls", "half_width"),
    [("poll {} 1500007 0", 1500007, 0.3), ("work {} 100003 20000", 100003, 0.15)],
    ids=["a loop of nothing but polls", "with work in between"],
)
def test_the_interval_holds_the_truth(
    command: str, polls: int, half_width: float, target: Target
) -> None:
    """Rates from windows agree with the target's own count, and their intervals are narrow."""
    fd = target.do("open tcp")
    held, widths = 0, []
    for _ in range(RUNS):
        probe = Probe.start("-p", str(target.pid), "--watch", "--gap", "0.06", "-i", "100")
        start = time.monotonic()
        target.begin(command.format(fd))
        target.finish(120)
        took = time.monotonic() - start
        rate = poll_rate(probe.stop(), target.pid)
        held += rate.low <= polls / took <= rate.high
        widths.append((rate.high - rate.low) / 2 / rate.per_s)
    assert held >= 95
    assert statistics.median(widths) < half_width


def test_attached_within_a_tenth_of_a_second(target: Target, root: None) -> None:
    took = []
    for _ in range(20):
        start = time.monotonic()
        probe = Probe.start("-p", str(target.pid))
        took.append(time.monotonic() - start)
        probe.stop()
    assert statistics.median(took) < 0.1


def nanoseconds_per_poll(target: Target, fd: int) -> float:
    """Nanoseconds a poll, of the best of a few rounds."""
    best = float("inf")
    for _ in range(15):
        start = time.monotonic()
        target.do(f"poll {fd} 100003 0")
        best = min(best, time.monotonic() - start)
    return best / 100003 * 1e9


def test_killed_a_hundred_times_under_load(target: Target, root: None) -> None:
    fd = target.do("open tcp")
    before = nanoseconds_per_poll(target, fd)
    target.begin(f"poll {fd} 60000011 0")
    mine: set[tuple[str, int]] = set()
    for _ in range(RUNS):
        probe = Probe.start("-p", str(target.pid))
        mine |= held_by(probe.process.pid)
        probe.process.kill()
        probe.close()
        assert target.process.poll() is None
    assert mine
    target.finish(300)
    assert_vanish(mine)
    assert nanoseconds_per_poll(target, fd) < before * 1.15


def test_two_thousand_processes(
    start_target: StartTarget, start_probe: StartProbe, poller: Path
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 8192), hard), hard))
    targets = [start_target() for _ in range(2000)]
    fds = [t.do("open tcp") for t in targets]
    pids = ",".join(str(t.pid) for t in targets)
    probe = start_probe("-p", pids, "-i", "0.5", "--max-processes", "2048")
    for number, (target, fd) in enumerate(zip(targets, fds, strict=True)):
        target.do(f"poll {fd} {number + 1} 0")
    probe.read_until("frame")
    status = Path(f"/proc/{probe.process.pid}/status").read_text()
    resident_kb = int(status.split("VmRSS:")[1].split()[0])
    frame = probe.stop()
    assert {p["pid"]: p["break_polls"] for p in frame["processes"]} == {
        t.pid: n + 1 for n, t in enumerate(targets)
    }
    assert resident_kb < 10 * 1024
    assert statistics.mean(p["break_polls"] for p in frame["processes"]) == 1000.5
