# SPDX-License-Identifier: GPL-2.0-or-later
"""Off-CPU time of threads that come and go, whose stacks have no room, and what else ends."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
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
    settled,
    switched,
    total,
)
from tests.probes.probe_process import PROBE, Probe, Target, counts
from tests.probes.test_life import assert_vanish, held_by
from tests.probes.test_stacks import KernelNames

StartProbe = Callable[..., Probe]


def test_a_thread_killed_in_its_sleep_was_blocked_until_then(
    sleeper: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu")
    sleeper.begin(f"nanosleep 1 {LASTING}")
    settled(sleeper.pid)
    os.kill(sleeper.pid, signal.SIGKILL)
    frame = probe.drain()
    found = counts(frame, sleeper.pid)
    assert found["off_cpu"]["open"] == 0
    assert found["off_cpu"]["threads"] == 1
    assert_adds_up(found)


@pytest.mark.parametrize("at_once", [False, True])
def test_threads_that_come_and_go(at_once: bool, sleeper: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu")
    sleeper.do(f"{'crowd' if at_once else 'threads'} 41 {3 * MS}")
    settled(sleeper.pid)
    frame = probe.stop()
    found = counts(frame, sleeper.pid)
    whole = found["off_cpu"]
    assert whole["threads"] == 42
    assert whole["open"] == 1
    assert_adds_up(found)
    naps = max(off(found, "S"), key=lambda s: int(s["blocked_ns"]) * (not s["open"]))
    assert SOME < naps["count"] <= 41
    assert naps["blocked_ns"] > naps["count"] * 2 * MS
    assert lost(frame) == {}


def test_a_thread_that_executes_a_program_is_followed(
    sleeper: Target, start_probe: StartProbe
) -> None:
    """Its sleeps after that are those in which the kernel has it block. (A preempted one may be
    over before it blocks.) They may have several stacks: of an older and a newer kind, while the
    new program's libc is read, and by several ways within the kernel."""
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu")
    sleeper.do("execute")
    before, blocked = settled(sleeper.pid), switched(sleeper.pid, "voluntary")
    sleeper.do(f"nanosleep 53 {MS}")
    switches = settled(sleeper.pid) - before
    sleeps = switched(sleeper.pid, "voluntary") - blocked - 1  # then it waits for a command
    found = counts(probe.stop(), sleeper.pid)
    names = KernelNames()
    naps = [s for s in off(found, "S") if "do_nanosleep" in map(names.of, s.get("kernel", ()))]
    assert total(naps, "count") == sleeps > 26
    assert found["off_cpu"]["switches"] >= switches
    assert found["off_cpu"]["open"] == 1
    assert_adds_up(found)


def test_forks_are_followed_with_the_follow_option(
    sleeper: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu", "-f")
    sleeper.do(f"pipe 31 {MS}")
    settled(sleeper.pid)
    probe.stop()
    children = [
        process
        for frame in probe.of("frame")
        for process in frame["processes"]
        if process["pid"] != sleeper.pid
    ]
    assert children
    naps = max(off(children[-1], "S"), key=lambda s: int(s["count"]))
    assert SOME < naps["count"] <= 31
    assert naps["blocked_ns"] > naps["count"] * MS // 2


def test_stacks_without_room_are_counted_as_lost(sleeper: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu", "--max-stacks", "1")
    spent = sleeper.do(f"nanosleep 53 {MS}")
    settled(sleeper.pid)
    frame = probe.stop()
    found = counts(frame, sleeper.pid)
    whole = found["off_cpu"]
    assert frame["lost"]["stacks"] > SOME
    assert len(found["stacks"]) == 1
    assert_all_accounted(whole)
    assert whole["thread_ns"] >= spent


def test_threads_without_room_are_counted_as_lost(sleeper: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu", "--max-processes", "1")
    sleeper.do(f"crowd 100 {1000 * MS}")
    settled(sleeper.pid)
    frame = probe.stop()
    followed = counts(frame, sleeper.pid)["off_cpu"]["threads"]
    assert followed < 101
    assert followed + frame["lost"]["threads"] == 101


def test_user_and_kernel_frames(
    switches_by: tuple[str, ...], sleeper: Target, sleeper_program: Path, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(sleeper.pid), *switches_by)
    sleeper.do(f"futex 53 {MS}")
    settled(sleeper.pid)
    found = counts(probe.stop(), sleeper.pid)
    sleep = max(off(found, "S"), key=lambda s: int(s["count"]))
    assert sleep["count"] > 13  # by two ways of the kernel, and two of the walk
    assert sleep["hidden"] != "unknown" or len(sleep["addresses"]) > 2
    names = KernelNames()
    chain = [names.of(a) for a in sleep["kernel"]]
    assert not any(name.startswith("bpf_prog") for name in chain), chain
    assert "__schedule" in chain
    assert any(name.startswith("futex_wait") for name in chain), chain
    symbols = subprocess.run(
        ["nm", sleeper_program], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    by_futex = next(int(s.split()[0], 16) for s in symbols if s.endswith(" by_futex"))
    maps = next(m for m in probe.of("maps") if m["pid"] == sleeper.pid)["maps"]
    (base,) = [m["start"] - m["offset"] for m in maps if m["path"] == str(sleeper_program)]
    assert any(0 < a - base - by_futex < 200 for a in sleep["addresses"])


def test_a_killed_off_cpu_probe_leaves_no_bpf_programs(
    sleeper: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu")
    mine = held_by(probe.process.pid)
    assert mine
    sleeper.begin(f"nanosleep 300 {MS}")
    probe.process.kill()
    probe.process.wait()
    assert_vanish(mine)
    assert sleeper.finish() >= 300 * MS


@pytest.mark.parametrize(
    ("options", "code", "why"),
    [
        (["--variant", "fentry"], 2, "attached to system calls"),
        (["--variant", "kprobe"], 2, "attached to system calls"),
        (["--stacks", "auto"], 2, "counts no polls"),
        (["-n", "x"], 2, "by -p alone"),
        (["--watch"], 2, "exclude each other"),
        (["--no-mmap"], 2, "needs Linux 5.8"),
    ],
)
def test_options_that_exclude_off_cpu_mode_are_refused(
    options: list[str], code: int, why: str, root: None
) -> None:
    done = subprocess.run(
        [PROBE, "-p", str(os.getpid()), "--off-cpu", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert why in done.stderr
    assert done.stderr.count("\n") == 1
