# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stacks --at offcpu` of a process that blocks in known ways."""

from __future__ import annotations

import json
import re

import pytest

from polltrace.stacks import parse_folded
from tests.conftest import Run
from tests.probes.off_cpu import MS
from tests.probes.probe_process import Target

# The reason that `polltrace stacks` gives for each way to block.
REASONS = {
    "nanosleep": "sleep",
    "poll": "poll, select, epoll",
    "select": "poll, select, epoll",
    "epoll": "poll, select, epoll",
    "futex": "lock",
    "semop": "lock",
    "pipe": "pipe",
    "socket": "socket read",
    "vfork": "child process",
}


@pytest.mark.parametrize("way", REASONS)
def test_the_command_names_the_reason_for_blocking(
    way: str, sleeper: Target, root: None, run: Run
) -> None:
    sleeper.begin(f"{way} 100000 {2 * MS}")
    options = ("--at", "offcpu", "-d", "400ms", "--format", "json")
    done = run("stacks", "-p", str(sleeper.pid), *options)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    reasons = {each["reason"]: each for each in found["off_cpu"]["reasons"]}
    # On a busy host it waits for a processor most of all. It may have been woken while the probe
    # was taking it in: that wait has no stack.
    queued, bare = reasons.pop("run queue", None), reasons.pop("without a stack", None)
    first = max(reasons.values(), key=lambda each: int(each["ns"]))
    assert first["reason"] == REASONS[way]
    assert first["switches"] > 0
    function = {"socket": "by_read", "pipe": "by_read", "vfork": "vfork"}.get(way, f"by_{way}")
    stacks = [each for each in found["stacks"] if each["functions"][-1] == f"[{REASONS[way]}]"]
    names = max(stacks, key=lambda s: int(s["count"]))["functions"]
    assert function in names
    assert not any(name.endswith("_[k]") for name in names)
    rest = [each["ns"] for each in (queued, bare) if each]
    whole = found["off_cpu"]["blocked_ns"] + found["off_cpu"]["queued_ns"]
    assert sum(each["ns"] for each in reasons.values()) + sum(rest) == whole
    without = bare or {"ns": 0, "switches": 0}
    assert sum(each["count"] for each in found["stacks"]) == whole - without["ns"]
    assert without["switches"] <= 1


def test_the_command_shows_the_kernels_functions(sleeper: Target, root: None, run: Run) -> None:
    sleeper.begin(f"nanosleep 100000 {2 * MS}")
    options = ("--at", "offcpu", "-d", "300ms", "--kernel", "--format", "folded")
    done = run("stacks", "-p", str(sleeper.pid), *options)
    stacks = parse_folded(done.stdout)
    longest = max(stacks, key=lambda stack: stacks[stack])
    assert longest[-1] == "[sleep]"
    assert "hrtimer_nanosleep_[k]" in longest
    assert longest.index("by_nanosleep") < longest.index("hrtimer_nanosleep_[k]")
    assert not any("bpf" in name for name in longest)
    assert "the time up to then is counted" not in done.stdout


def test_the_command_prints_the_division(sleeper: Target, root: None, run: Run) -> None:
    sleeper.begin(f"nanosleep 100000 {2 * MS}")
    done = run("stacks", "-p", str(sleeper.pid), "--at", "offcpu", "-d", "300ms")
    assert re.match(r"1 thread in \d+\.\d s: ", done.stdout)  # a busy host ends it late
    assert "\nCPU, waits and run queue miss 0 ns of it.\n" in done.stdout
    assert "\nsleep  " in done.stdout
    assert "\n(taken from it) " in done.stdout
    assert "(not seen)" not in done.stdout
    assert "by_nanosleep > " in done.stdout


@pytest.mark.parametrize("options", [["--backend", "ptrace"], ["demo"]])
def test_the_command_refuses_what_has_no_off_cpu_stacks(
    options: list[str], sleeper: Target, run: Run
) -> None:
    target = [] if options == ["demo"] else ["-p", str(sleeper.pid)]
    done = run("stacks", *options, *target, "--at", "offcpu", "-d", "100ms")
    assert done.returncode == 2
    assert done.stdout == ""
