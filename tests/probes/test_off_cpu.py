# SPDX-License-Identifier: GPL-2.0-or-later
"""Off-CPU time of real threads, held against what they and the kernel know of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polltrace.stacks import parse_folded
from tests.conftest import Run
from tests.probes.conftest import TARGETS
from tests.probes.probe_process import PROBE, Probe, Record, Target, counts
from tests.probes.test_life import assert_vanish, held_by
from tests.probes.test_stacks import KernelNames
from tests.waiting import until

StartProbe = Callable[..., Probe]
Start = Callable[[], Target]
MS = 1_000_000
LASTING = 3600 * 1000 * MS  # nanoseconds; the target is killed at the end of the test


@pytest.fixture(scope="module")
def executable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("targets") / "sleeper"
    subprocess.run(
        [
            *("gcc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"),
            *("-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"),
            *(str(TARGETS / "sleeper.c"), "-o", str(output)),
        ],
        check=True,
    )
    return output


@pytest.fixture
def start_sleeper(executable: Path) -> Iterator[Start]:
    running: list[Target] = []

    def start() -> Target:
        running.append(Target.start(executable))
        settled(running[-1].pid)
        return running[-1]

    yield start
    for target in running:
        target.close()


@pytest.fixture
def sleeper(start_sleeper: Start) -> Target:
    return start_sleeper()


@pytest.fixture(params=["tp_btf", "raw_tp"])
def switches_by(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return "--off-cpu", "--variant", request.param


def switched(pid: int) -> int:
    """The switches out of the first thread, as proc(5) counts them."""
    lines = Path(f"/proc/{pid}/task/{pid}/status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if "voluntary_ctxt_switches" in line)


def settled(pid: int) -> int:
    """The same, once it waits for a command: its switch out comes a moment after its answer."""

    def unchanged() -> int | None:
        before = switched(pid)
        time.sleep(0.05)
        asleep = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"
        return before if asleep and switched(pid) == before else None

    return until(unchanged, "the target waiting for a command")


def queued_ns(pid: int) -> int:
    """Time that the first thread waited on a run queue, by the scheduler itself."""
    return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[1])


def off(process: Record, states: str = "RSDTt?") -> list[Record]:
    return [s for s in process["stacks"] if s["kind"] == "offcpu" and s["state"] in states]


def lost(frame: Record) -> dict[str, int]:
    return {kind: count for kind, count in frame["lost"].items() if count}


def total(stacks: list[Record], key: str) -> int:
    return sum(s[key] for s in stacks)


def stolen_ns() -> int:
    """Time that a hypervisor took from all processors, by proc(5), in ticks of 10 ms."""
    return int(Path("/proc/stat").read_text().splitlines()[0].split()[8]) * 10 * MS


@pytest.fixture(autouse=True)
def slack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STOLEN_BEFORE", str(stolen_ns()))


def taken_ns() -> int:
    """An upper bound of what a hypervisor and interrupts took since the test began: the scheduler's
    clock does not count it."""
    return stolen_ns() - int(os.environ["STOLEN_BEFORE"]) + 20 * MS


def unaccounted_ns(whole: Record) -> int:
    parts = ("cpu_ns", "blocked_ns", "queued_ns")
    return int(whole["thread_ns"]) - sum(int(whole[part]) for part in parts)


def assert_all_accounted(whole: Record) -> None:
    """The scheduler's clock may run from the wake-up on where the processor was idle, and goes on
    while a thread ends; it is read a moment after the counters."""
    least = -2 * MS - whole["queued_ns"] - whole["threads"] * MS // 10
    assert least < unaccounted_ns(whole) < taken_ns() + 0.05 * whole["cpu_ns"], whole


def assert_adds_up(process: Record) -> None:
    """Of a process whose stacks were all kept."""
    whole = process["off_cpu"]
    stacks = off(process)
    for key in ("blocked_ns", "queued_ns", "open"):
        assert total(stacks, key) == whole[key], key
    assert total(stacks, "count") == whole["switches"]
    assert_all_accounted(whole)


# How each way blocks: the state, and whether every one of its calls does.
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
    away = total(done, "blocked_ns") + total(done, "queued_ns")
    by_caller: dict[tuple[int, ...], list[Record]] = {}
    for stack in blocked:  # the kernel may come to one sleep by two ways
        by_caller.setdefault(tuple(stack["addresses"]), []).append(stack)
    sleeps = max(by_caller.values(), key=lambda stacks: total(stacks, "count"))
    slept, times = total(sleeps, "blocked_ns"), total(sleeps, "count")
    cpu = found["off_cpu"]["cpu_ns"]
    if way in ("pipe", "socket"):  # a byte that comes early is not waited for
        assert 20 < times <= 53, blocked
    else:
        assert times == 53, blocked
        assert 53 * 2 * MS - cpu - total(done, "queued_ns") < slept
    assert slept <= spent
    assert spent - cpu - taken_ns() <= away
    assert lost(frame) == {}


def test_preempted_as_long_as_the_scheduler_says(
    switches_by: tuple[str, ...], start_sleeper: Start, start_probe: StartProbe
) -> None:
    one, other = start_sleeper(), start_sleeper()
    cpu = max(os.sched_getaffinity(0))
    for each in (one, other):
        os.sched_setaffinity(each.pid, {cpu})
    probe = start_probe("-p", str(one.pid), *switches_by)
    before, switches = queued_ns(one.pid), settled(one.pid)
    other.begin("spin 3000")
    one.do("spin 400")
    one.do(f"nanosleep 31 {2 * MS}")  # it waits for the processor after each
    switches = settled(one.pid) - switches
    waited = queued_ns(one.pid) - before
    other.finish()
    found = counts(probe.stop(), one.pid)
    assert_adds_up(found)
    whole = found["off_cpu"]
    assert whole["switches"] == switches > 31
    assert waited > 100 * MS
    # A hypervisor may take the processor between one clock's reading and the other's.
    assert whole["queued_ns"] == pytest.approx(waited, abs=taken_ns() + 2_000 * switches)
    preempted = off(found, "R")
    assert total(preempted, "blocked_ns") == 0
    assert total(preempted, "queued_ns") > 100 * MS
    assert total(off(found, "S"), "queued_ns") > 0


def test_a_yield_is_no_blocking(
    switches_by: tuple[str, ...], start_sleeper: Start, start_probe: StartProbe
) -> None:
    one, other = start_sleeper(), start_sleeper()
    cpu = max(os.sched_getaffinity(0))
    for each in (one, other):
        os.sched_setaffinity(each.pid, {cpu})
    probe = start_probe("-p", str(one.pid), *switches_by)
    other.begin("spin 1000")
    one.do("yield 101 0")
    settled(one.pid)
    found = counts(probe.stop(), one.pid)
    assert total(off(found, "R"), "count") > 10
    assert total(off(found, "R"), "blocked_ns") == 0
    assert_adds_up(found)


def storm(sleeps: int, sleeper: Target, probe: Probe, before: int) -> Record:
    sleeper.do(f"storm {sleeps}")
    switches = settled(sleeper.pid) - before
    frame = probe.stop()
    found = counts(frame, sleeper.pid)
    assert found["off_cpu"]["switches"] == switches
    assert frame["lost"]["wakeups"] == 0
    assert lost(frame) == {}
    assert_adds_up(found)
    return found


def test_no_wake_up_is_lost_in_a_storm(
    switches_by: tuple[str, ...], sleeper: Target, start_probe: StartProbe
) -> None:
    before = settled(sleeper.pid)
    probe = start_probe("-p", str(sleeper.pid), *switches_by)
    storm(30011, sleeper, probe, before)


@pytest.mark.soak
def test_no_wake_up_is_lost_in_a_million_sleeps(sleeper: Target, start_probe: StartProbe) -> None:
    before = settled(sleeper.pid)
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu")
    found = storm(1_000_003, sleeper, probe, before)
    assert found["off_cpu"]["switches"] > 300_000


def test_a_sleep_that_does_not_end_counts_up_to_the_end(
    switches_by: tuple[str, ...], sleeper: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(sleeper.pid), *switches_by)
    sleeper.begin(f"nanosleep 1 {LASTING}")
    before = time.monotonic_ns()
    settled(sleeper.pid)
    time.sleep(0.3)
    least = time.monotonic_ns() - before
    found = counts(probe.stop(), sleeper.pid)
    (sleep,) = [s for s in off(found) if s["open"]]
    assert (sleep["count"], sleep["open"], sleep["state"]) == (1, 1, "S")
    assert least - 20 * MS < sleep["blocked_ns"] < time.monotonic_ns() - before
    assert sleep["queued_ns"] == 0
    assert_adds_up(found)


def test_a_sleep_that_began_before_counts_from_the_start(
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


def test_killed_in_its_sleep(sleeper: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu")
    sleeper.begin(f"nanosleep 1 {LASTING}")
    settled(sleeper.pid)
    os.kill(sleeper.pid, signal.SIGKILL)
    frame = probe.drain()
    found = counts(frame, sleeper.pid)
    assert found["off_cpu"]["open"] == 0
    assert found["off_cpu"]["threads"] == 1
    assert_adds_up(found)


@pytest.mark.parametrize("together", [False, True])
def test_threads_that_come_and_go(together: bool, sleeper: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu")
    sleeper.do(f"{'crowd' if together else 'threads'} 41 {3 * MS}")
    settled(sleeper.pid)
    frame = probe.stop()
    found = counts(frame, sleeper.pid)
    whole = found["off_cpu"]
    assert whole["threads"] == 42
    assert whole["open"] == 1
    assert_adds_up(found)
    naps = max(off(found, "S"), key=lambda s: int(s["blocked_ns"]) * (not s["open"]))
    assert naps["count"] == 41
    assert naps["blocked_ns"] > 41 * 2 * MS
    assert lost(frame) == {}


def test_a_thread_that_executes_a_program_is_followed(
    sleeper: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu")
    sleeper.do("execute")
    before = settled(sleeper.pid)
    sleeper.do(f"nanosleep 53 {MS}")
    switches = settled(sleeper.pid) - before
    found = counts(probe.stop(), sleeper.pid)
    assert max(s["count"] for s in off(found, "S")) >= 53
    assert found["off_cpu"]["switches"] >= switches
    assert found["off_cpu"]["open"] == 1
    assert_adds_up(found)


def test_forks_are_followed_where_asked_for(sleeper: Target, start_probe: StartProbe) -> None:
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
    assert max(s["count"] for s in off(children[-1], "S")) == 31
    assert total([s for s in off(children[-1], "S") if s["count"] == 31], "blocked_ns") > 20 * MS


def test_what_there_is_no_room_for_is_counted(sleeper: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu", "--max-stacks", "1")
    spent = sleeper.do(f"nanosleep 53 {MS}")
    settled(sleeper.pid)
    frame = probe.stop()
    found = counts(frame, sleeper.pid)
    whole = found["off_cpu"]
    assert frame["lost"]["stacks"] >= 53
    assert len(found["stacks"]) == 1
    assert whole["blocked_ns"] + whole["queued_ns"] >= spent - whole["cpu_ns"] - taken_ns()
    assert_all_accounted(whole)


def test_threads_without_room_are_counted(sleeper: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu", "--max-processes", "1")
    sleeper.do(f"crowd 100 {200 * MS}")
    settled(sleeper.pid)
    frame = probe.stop()
    followed = counts(frame, sleeper.pid)["off_cpu"]["threads"]
    assert followed < 101
    assert followed + frame["lost"]["threads"] == 101


def test_user_and_kernel_frames(
    switches_by: tuple[str, ...], sleeper: Target, executable: Path, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(sleeper.pid), *switches_by)
    sleeper.do(f"futex 53 {MS}")
    settled(sleeper.pid)
    found = counts(probe.stop(), sleeper.pid)
    (sleep,) = [s for s in off(found, "S") if s["count"] == 53]
    assert sleep["hidden"] != "unknown" or len(sleep["addresses"]) > 2
    names = KernelNames()
    chain = [names.of(a) for a in sleep["kernel"]]
    assert not any(name.startswith("bpf_prog") for name in chain), chain
    assert "__schedule" in chain
    assert any(name.startswith("futex_wait") for name in chain), chain
    symbols = subprocess.run(
        ["nm", executable], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    by_futex = next(int(s.split()[0], 16) for s in symbols if s.endswith(" by_futex"))
    maps = next(m for m in probe.of("maps") if m["pid"] == sleeper.pid)["maps"]
    (base,) = [m["start"] - m["offset"] for m in maps if m["path"] == str(executable)]
    assert any(0 < a - base - by_futex < 200 for a in sleep["addresses"])


def test_nothing_is_left_of_a_probe_that_is_killed(
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
        (["--variant", "tracepoint"], 2, "attached to system calls"),
        (["--variant", "kprobe"], 2, "attached to system calls"),
        (["--stacks", "auto"], 2, "counts no polls"),
        (["-n", "x"], 2, "by -p alone"),
        (["--watch"], 2, "exclude each other"),
        (["--no-mmap"], 2, "needs Linux 5.8"),
    ],
)
def test_what_does_not_go_together_is_refused(
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
def test_the_command_tells_the_reason(way: str, sleeper: Target, root: None, run: Run) -> None:
    sleeper.begin(f"{way} 100000 {2 * MS}")
    options = ("--at", "offcpu", "-d", "400ms", "--format", "json")
    done = run("stacks", "-p", str(sleeper.pid), *options)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    first = found["off_cpu"]["reasons"][0]
    assert first["reason"] == REASONS[way]
    assert first["switches"] > 20
    function = {"socket": "by_read", "pipe": "by_read", "vfork": "vfork"}.get(way, f"by_{way}")
    names = max(found["stacks"], key=lambda s: int(s["count"]))["functions"]
    assert names[-1] == f"[{REASONS[way]}]"
    assert function in names
    assert not any(name.endswith("_[k]") for name in names)
    parts = [each["ns"] for each in found["off_cpu"]["reasons"]]
    assert sum(parts) == found["off_cpu"]["blocked_ns"] + found["off_cpu"]["queued_ns"]
    # It may have been woken while the probe was taking it in: that wait has no stack.
    bare = [r["ns"] for r in found["off_cpu"]["reasons"] if r["reason"] == "without a stack"]
    assert sum(each["count"] for each in found["stacks"]) == sum(parts) - sum(bare)
    assert sum(bare) < 30 * MS


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
    assert done.stdout.startswith("1 thread in 0.3 s: ")
    assert "\nsleep  " in done.stdout
    assert "(not accounted for)" in done.stdout
    assert "by_nanosleep > " in done.stdout


@pytest.mark.parametrize("options", [["--backend", "ptrace"], ["demo"]])
def test_the_command_refuses_what_has_no_off_cpu_stacks(
    options: list[str], sleeper: Target, run: Run
) -> None:
    target = [] if options == ["demo"] else ["-p", str(sleeper.pid)]
    done = run("stacks", *options, *target, "--at", "offcpu", "-d", "100ms")
    assert done.returncode == 2
    assert done.stdout == ""
