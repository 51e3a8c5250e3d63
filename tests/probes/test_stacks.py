# SPDX-License-Identifier: GPL-2.0-or-later
"""How often stacks are taken, what they stand for, and their part in the kernel."""

from __future__ import annotations

import bisect
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.probes.probe_process import Probe, Record, Target, counts, polls_until
from tests.waiting import PATIENCE_S

StartProbe = Callable[..., Probe]


def stacks_of(process: Record, kind: str) -> list[Record]:
    return [s for s in process["stacks"] if s["kind"] == kind]


def test_a_fixed_stride_gives_the_polls_a_stack_stands_for(
    target: Target, start_probe: StartProbe
) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--stacks", "10")
    target.do(f"poll {fd} 50021 0")
    found = counts(probe.stop(), target.pid)
    taken = sum(s["count"] for s in found["stacks"])
    assert found["stack_stride"] == 10
    # The first poll stands for itself.
    assert sum(s["polls"] for s in found["stacks"]) == 10 * (taken - 1) + 1


def test_the_automatic_stride_bounds_the_stacks_a_second(
    variant: str, target: Target, start_probe: StartProbe
) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--stacks", "auto", "--variant", variant)
    start = time.monotonic()
    target.do(f"poll {fd} 1000003 0")
    took = time.monotonic() - start
    found = counts(probe.stop(), target.pid)
    taken = sum(s["count"] for s in found["stacks"])
    assert 30 < taken < 30 + 400 * took
    # They stand for all the polls, within the error of that number of random gaps: their
    # standard deviation is 0.58 of the stride, which is not the same all the time.
    stood_for = sum(s["polls"] for s in found["stacks"])
    assert stood_for == pytest.approx(1000003, rel=7 * 0.58 / taken**0.5)


def test_the_automatic_stride_follows_a_lower_rate(target: Target, start_probe: StartProbe) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--stacks", "auto", "-i", "0.1")
    made = 300007
    target.do(f"poll {fd} {made} 0")

    def fresh() -> Record:
        """The process in a frame that has all polls made so far."""
        frame = probe.wait_for("frame", lambda f: counts(f, target.pid)["break_polls"] == made)
        return counts(frame, target.pid)

    before = fresh()
    deadline = time.monotonic() + PATIENCE_S
    while before["stack_stride"] != 1:
        assert time.monotonic() < deadline, f"still {before}"
        target.do(f"poll {fd} 2 0")
        made += 2
        before = fresh()
    for _ in range(20):  # slower than 200 a second: every poll
        time.sleep(0.02)
        target.do(f"poll {fd} 1 0")
    after = counts(probe.stop(), target.pid)
    assert sum(s["count"] for s in after["stacks"]) == 20 + sum(
        s["count"] for s in before["stacks"]
    )


def test_the_automatic_stride_samples_two_paths_evenly(
    target: Target, start_probe: StartProbe
) -> None:
    """One path polls alone and slowly, another at full speed: each stands for its own polls."""
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--stacks", "auto")
    target.do(f"turns {fd} {fd} 400009")
    target.do(f"poll {fd} 200003 0")
    found = counts(probe.stop(), target.pid)
    stood_for: dict[int, int] = {}
    taken: dict[int, int] = {}
    for stack in found["stacks"]:
        caller = stack["addresses"][4]  # of nsmore2recv: poll_in_turn or poll_often
        stood_for[caller] = stood_for.get(caller, 0) + stack["polls"]
        taken[caller] = taken.get(caller, 0) + stack["count"]
    share = {c: p / sum(stood_for.values()) for c, p in stood_for.items()}
    assert sorted(share.values()) == pytest.approx(
        [1 / 3, 2 / 3], abs=5 * 0.6 / sum(taken.values()) ** 0.5
    )


class KernelNames:
    def __init__(self) -> None:
        lines = map(str.split, Path("/proc/kallsyms").read_text().splitlines())
        table = sorted((int(w[0], 16), w[2] + (w[3] if len(w) > 3 else "")) for w in lines)
        self.starts = [start for start, _ in table]
        self.names = [name for _, name in table]

    def of(self, address: int) -> str:
        return self.names[bisect.bisect_right(self.starts, address) - 1]


def test_the_kernels_part_at_break_polls(
    variant: str, target: Target, start_probe: StartProbe
) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--stacks", "1", "--kernel", "--variant", variant)
    target.do(f"poll {fd} 1009 0")
    frame = probe.stop()
    stacks = stacks_of(counts(frame, target.pid), "poll")
    assert sum(s["count"] for s in stacks) == 1009
    names = KernelNames()
    for stack in stacks:
        chain = [names.of(a) for a in stack["kernel"]]
        assert chain[-1].startswith("entry_SYSCALL_64"), chain
        assert not any(name.startswith("bpf_prog") for name in chain), chain
    assert frame["lost"]["kernel_stacks"] == 0


def test_the_kernels_part_of_cpu_samples(target: Target, start_probe: StartProbe) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--watch", "--hz", "999", "--kernel")
    target.do(f"poll {fd} 1000003 0")
    stacks = stacks_of(counts(probe.stop(), target.pid), "cpu")
    names = KernelNames()
    inside = [names.of(s["kernel"][-1]) for s in stacks if "kernel" in s]
    assert sum(name.startswith("entry_SYSCALL_64") for name in inside) > len(inside) / 2 > 0
    assert any("kernel" not in s for s in stacks)  # in user mode
    assert not any("kernel" in s and not s["addresses"] for s in stacks)


def test_a_full_kernel_map_is_counted_as_loss(target: Target, start_probe: StartProbe) -> None:
    fd = target.do("open tcp")
    options = ["--watch", "--hz", "999", "--kernel", "--max-stacks", "2"]
    probe = start_probe("-p", str(target.pid), *options)
    target.do(f"poll {fd} 500009 0")
    lost = probe.stop()["lost"]
    assert lost["kernel_stacks"] > 0
    assert lost["stacks"] > 0


def test_stacks_have_no_kernel_part_without_the_option(
    target: Target, start_probe: StartProbe
) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--stacks", "1")
    target.do(f"poll {fd} 101 0")
    assert not any("kernel" in s for s in counts(probe.stop(), target.pid)["stacks"])


def test_watching_without_stacks(target: Target, start_probe: StartProbe) -> None:
    options = ("--watch", "--no-stacks", "--gap", "0.05", "-i", "0.2")
    probe = start_probe("-p", str(target.pid), *options)
    polls_until(target, probe, lambda p: p["windows"]["polls"] > 0)
    found = counts(probe.stop(), target.pid)
    assert found["cpu_samples"] == 0
    assert "stacks" not in found
    assert not probe.of("maps")


@pytest.mark.parametrize("watch", [[], ["--watch", "--gap", "0.05"]])
def test_frames_omit_processes_without_changes(
    watch: list[str], start_target: Callable[..., Target], start_probe: StartProbe
) -> None:
    busy, idle = start_target(), start_target()
    fd = busy.do("open tcp")
    pids = f"{busy.pid},{idle.pid}"
    probe = start_probe("-p", pids, "--changed", "-i", "0.1", *watch)
    assert probe.records[0]["changed_only"]
    for _ in range(3):
        busy.do(f"poll {fd} 100003 0")
        probe.wait_for("frame", lambda f: any(p["pid"] == busy.pid for p in f["processes"]))
    idle.do("getppid 0 1009")
    probe.wait_for("frame", lambda f: any(p["pid"] == idle.pid for p in f["processes"]))
    final = probe.stop()
    first, *between, last = ([p["pid"] for p in f["processes"]] for f in probe.of("frame"))
    assert sorted(first) == sorted(last) == sorted([busy.pid, idle.pid])
    assert sum(idle.pid in pids for pids in between) <= 2  # a moment's work may span two frames
    assert sum(busy.pid in pids for pids in between) >= 2
    if not watch:
        assert counts(final, busy.pid)["break_polls"] == 300009
