# SPDX-License-Identifier: GPL-2.0-or-later
"""Off-CPU time of real threads, held against what they and the kernel know of it."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.probes.off_cpu import (
    LASTING,
    MS,
    SOME,
    assert_adds_up,
    assert_all_accounted,
    lost,
    off,
    scheduled_ns,
    settled,
    switched,
    total,
)
from tests.probes.probe_process import Probe, Record, Target, counts
from tests.probes.test_stacks import KernelNames
from tests.waiting import until

StartProbe = Callable[..., Probe]
WATCHED = "watched"
# The state in which each way blocks.
SLEEPS = {
    "nanosleep": "S",
    "poll": "S",
    "select": "S",
    "epoll": "S",
    "futex": "S",
    "semop": "S",
    "pipe": "S",
    "socket": "S",
    "vfork": "D",
}


@pytest.fixture
def together(start_sleeper: Callable[..., Target]) -> tuple[Target, Target]:
    """Two that share a processor, the first of which has the name WATCHED."""
    one, other = start_sleeper(WATCHED), start_sleeper()
    cpu = max(os.sched_getaffinity(0))
    for each in (one, other):
        os.sched_setaffinity(each.pid, {cpu})
    return one, other


def begin_spinning(target: Target) -> None:
    """Have it compute until the end of the test; returns when it does."""
    before, _ = scheduled_ns(target.pid)
    target.begin("spin 3600000")
    until(lambda: scheduled_ns(target.pid)[0] - before > 10 * MS, "a target that computes")


@contextlib.contextmanager
def switches_in(comm: str) -> Iterator[Callable[[], int]]:
    """Within, how many switches to a thread of that name the kernel's own tracing has seen so far.
    (The process ids there are those of another namespace.)"""
    instance = Path(f"/sys/kernel/tracing/instances/polltrace-{os.getpid()}")
    instance.mkdir()
    event = instance / "events/sched/sched_switch"
    (event / "filter").write_text(f'next_comm == "{comm}"')
    (event / "enable").write_text("1")

    def seen() -> int:
        lines = (instance / "trace").read_text().splitlines()
        return sum(not line.startswith("#") for line in lines)

    try:
        yield seen
    finally:
        (event / "enable").write_text("0")
        instance.rmdir()


@pytest.mark.parametrize("way", SLEEPS)
def test_blocked_as_long_as_the_sleeper_measures(
    way: str, switches_by: tuple[str, ...], sleeper: Target, start_probe: StartProbe
) -> None:
    """All that passes around a call is time off its processor or time on it."""
    probe = start_probe("-p", str(sleeper.pid), *switches_by)
    spent = sleeper.do(f"{way} 53 {2 * MS}")
    settled(sleeper.pid)
    frame = probe.stop()
    found = counts(frame, sleeper.pid)
    assert_adds_up(found)
    # The wait for the next command is the one that began before, and the last, still open.
    done = [s for s in off(found) if not s["before"] and not s["open"]]
    blocked = [s for s in done if s["state"] == SLEEPS[way]]
    around = total(done, "blocked_ns") + total(done, "queued_ns") + found["off_cpu"]["on_cpu_ns"]
    by_caller: dict[tuple[int, ...], list[Record]] = {}
    for stack in blocked:  # the kernel may come to one sleep by two ways
        by_caller.setdefault(tuple(stack["addresses"]), []).append(stack)
    sleeps = max(by_caller.values(), key=lambda stacks: total(stacks, "count"))
    slept, times = total(sleeps, "blocked_ns"), total(sleeps, "count")
    # A timer may expire before a thread that was preempted on its way to sleep is there, and a byte
    # that comes early is not waited for: on a busy host most of them.
    by_byte = way in ("pipe", "socket")
    assert (0 if by_byte else SOME) < times <= 53, blocked
    if not by_byte:
        assert slept + around - total(blocked, "blocked_ns") >= 53 * 2 * MS
    assert slept <= spent <= around
    assert lost(frame) == {}


def test_time_on_the_run_queue_agrees_with_the_scheduler(
    switches_by: tuple[str, ...], together: tuple[Target, Target], start_probe: StartProbe
) -> None:
    one, other = together
    probe = start_probe("-p", str(one.pid), *switches_by)
    (_, before), switches = scheduled_ns(one.pid), settled(one.pid)
    begin_spinning(other)
    with switches_in(WATCHED) as seen:
        one.do("spin 400")
        one.do(f"nanosleep 31 {2 * MS}")  # it waits for the processor after each
        switches = settled(one.pid) - switches
        hidden = switches - seen()  # from whoever traces
    waited = scheduled_ns(one.pid)[1] - before
    frame = probe.stop()
    found = counts(frame, one.pid)
    assert_adds_up(found)
    whole = found["off_cpu"]
    assert whole["switches"] == switches > 31
    assert waited > 100 * MS
    assert whole["on_cpu_ns"] > 200 * MS
    assert lost(frame) == {}
    assert frame["lost"]["switches"] <= hidden + 1
    # A hypervisor may take the processor between one clock's reading and the other's; an emulated
    # one's scheduler may have a clock of ticks.
    assert whole["queued_ns"] == pytest.approx(waited, rel=0.25)
    preempted = off(found, "R")
    assert total(preempted, "blocked_ns") == 0
    assert total(preempted, "queued_ns") > 100 * MS
    assert total(off(found, "S"), "queued_ns") > 0


def test_a_thread_that_yields_is_queued_and_not_blocked(
    switches_by: tuple[str, ...], together: tuple[Target, Target], start_probe: StartProbe
) -> None:
    """The kernel counts as involuntary the switches out of a thread that could have gone on."""
    one, other = together
    probe = start_probe("-p", str(one.pid), *switches_by)
    before = switched(one.pid, "nonvoluntary")
    begin_spinning(other)

    def yielded() -> bool:
        one.do("yield 101 0")
        return switched(one.pid, "nonvoluntary") - before > SOME

    until(yielded, "a thread that let another go first")
    settled(one.pid)
    yields = switched(one.pid, "nonvoluntary") - before
    found = counts(probe.stop(), one.pid)
    assert total(off(found, "R"), "count") == yields
    assert total(off(found, "R"), "blocked_ns") == 0
    assert_adds_up(found)


def storm(sleeps: int, sleeper: Target, probe: Probe, before: int) -> Record:
    sleeper.do(f"storm {sleeps}")
    switches = settled(sleeper.pid) - before
    frame = probe.stop()
    found = counts(frame, sleeper.pid)
    assert found["off_cpu"]["switches"] == switches
    assert lost(frame) == {}
    assert_adds_up(found)
    return found


def test_no_wake_up_is_lost_in_a_storm(
    switches_by: tuple[str, ...], sleeper: Target, start_probe: StartProbe
) -> None:
    before = settled(sleeper.pid)
    probe = start_probe("-p", str(sleeper.pid), *switches_by)
    storm(10007, sleeper, probe, before)


@pytest.mark.soak
def test_no_wake_up_is_lost_in_a_million_sleeps(sleeper: Target, start_probe: StartProbe) -> None:
    before = settled(sleeper.pid)
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu")
    found = storm(1_000_003, sleeper, probe, before)
    assert found["off_cpu"]["switches"] > 300_000


def test_a_sleep_that_outlasts_the_probe_counts_up_to_its_end(
    switches_by: tuple[str, ...], sleeper: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(sleeper.pid), *switches_by)
    sleeper.begin(f"nanosleep 1 {LASTING}")
    before = time.monotonic_ns()
    settled(sleeper.pid)
    asleep = time.monotonic_ns()
    time.sleep(0.3)
    least = time.monotonic_ns() - asleep
    found = counts(probe.stop(), sleeper.pid)
    (sleep,) = [s for s in off(found) if s["open"]]
    assert (sleep["count"], sleep["open"], sleep["state"]) == (1, 1, "S")
    assert least < sleep["blocked_ns"] < time.monotonic_ns() - before
    assert sleep["queued_ns"] == 0
    assert_adds_up(found)


def test_a_sleep_that_began_before_the_probe_counts_from_the_start(
    switches_by: tuple[str, ...], sleeper: Target, start_probe: StartProbe
) -> None:
    sleeper.begin(f"nanosleep 1 {LASTING}")
    settled(sleeper.pid)
    probe = start_probe("-p", str(sleeper.pid), *switches_by)
    time.sleep(0.2)
    found = counts(probe.stop(), sleeper.pid)
    (sleep,) = off(found)
    assert (sleep["count"], sleep["open"], sleep["before"], sleep["state"]) == (0, 1, 1, "S")
    assert sleep["blocked_ns"] == found["off_cpu"]["thread_ns"] > 200 * MS
    assert sleep["addresses"] == []
    names = KernelNames()
    assert "hrtimer_nanosleep" in [names.of(a) for a in sleep["kernel"]]


def test_a_thread_on_a_cpu_until_the_end_has_all_its_time(
    switches_by: tuple[str, ...], sleeper: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(sleeper.pid), *switches_by)
    before, _ = scheduled_ns(sleeper.pid)
    with contextlib.suppress(PermissionError):  # so that it has a processor at the end
        os.sched_setscheduler(sleeper.pid, os.SCHED_FIFO, os.sched_param(1))
    sleeper.begin("spin 3600000")

    def ran_ns() -> int:
        return scheduled_ns(sleeper.pid)[0] - before

    until(lambda: ran_ns() > 100 * MS, "a target that computes")
    ran = ran_ns()
    whole = counts(probe.stop(), sleeper.pid)["off_cpu"]
    assert_all_accounted(whole)
    assert whole["on_cpu_ns"] > ran / 2  # by another clock
