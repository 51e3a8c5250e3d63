# SPDX-License-Identifier: GPL-2.0-or-later
"""Off-CPU time of real threads, held against what they and the kernel know of it."""

from __future__ import annotations

import contextlib
import json
import os
import re
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
Start = Callable[..., Target]
MS = 1_000_000
WATCHED = "watched"
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

    def start(name: str = "sleeper") -> Target:
        path = executable.with_name(name)
        if not path.exists():
            path.hardlink_to(executable)
        running.append(Target.start(path))
        settled(running[-1].pid)
        return running[-1]

    yield start
    for target in running:
        target.close()


@pytest.fixture
def sleeper(start_sleeper: Start) -> Target:
    return start_sleeper()


@pytest.fixture
def together(start_sleeper: Start) -> tuple[Target, Target]:
    """Two that share a processor, the first of which has the name WATCHED."""
    one, other = start_sleeper(WATCHED), start_sleeper()
    cpu = max(os.sched_getaffinity(0))
    for each in (one, other):
        os.sched_setaffinity(each.pid, {cpu})
    return one, other


@pytest.fixture(params=["tp_btf", "raw_tp"])
def switches_by(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return "--off-cpu", "--variant", request.param


def switched(pid: int, kind: str = "") -> int:
    """The switches out of the first thread, as proc(5) counts them; of one `kind`, if given."""
    lines = Path(f"/proc/{pid}/task/{pid}/status").read_text().splitlines()
    wanted = [line for line in lines if "voluntary_ctxt_switches" in line and line.startswith(kind)]
    return sum(int(line.split()[1]) for line in wanted)


def settled(pid: int) -> int:
    """The same, once it waits for a command: its switch out comes a moment after its answer."""

    def unchanged() -> int | None:
        before = switched(pid)
        time.sleep(0.05)
        asleep = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"
        return before if asleep and switched(pid) == before else None

    return until(unchanged, "the target waiting for a command")


def scheduled_ns(pid: int) -> tuple[int, int]:
    """Time that the first thread ran, and waited on a run queue, by the scheduler itself."""
    ran, waited, _ = Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()
    return int(ran), int(waited)


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


# Of the sleeps of a thread at least this many block it, however busy the host is.
SOME = 8


def off(process: Record, states: str = "RSDTt?") -> list[Record]:
    return [s for s in process["stacks"] if s["kind"] == "offcpu" and s["state"] in states]


def lost(frame: Record) -> dict[str, int]:
    """What the probe lost. Some kernels keep the events of certain processes from all programs:
    the wake-ups that come while these run and the switches from them to others reach no probe. How
    many these are is up to those processes; most are of others, and none changes a sum."""
    withheld = frame["lost"]["wakeups"] + frame["lost"]["switches"]
    switches = sum(process["off_cpu"]["switches"] for process in frame["processes"])
    assert withheld <= 5 + switches / 2, frame["lost"]
    others = set(frame["lost"]) - {"wakeups", "switches"}
    return {kind: frame["lost"][kind] for kind in others if frame["lost"][kind]}


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


def assert_all_accounted(whole: Record) -> None:
    """To the nanosecond. The scheduler's clock may run from the wake-up on where the processor was
    idle, and goes on while a thread ends; it is read a moment after the counters."""
    parts = ("on_cpu_ns", "blocked_ns", "queued_ns")
    assert whole["thread_ns"] == sum(whole[part] for part in parts), whole
    least = -2 * MS - whole["queued_ns"] - whole["threads"] * MS // 10
    assert least < whole["on_cpu_ns"] - whole["cpu_ns"], whole


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
    # A byte that comes early is not waited for, and a timer may expire before a thread that was
    # preempted on its way to sleep is there.
    assert SOME < times <= 53, blocked
    if way not in ("pipe", "socket"):
        assert 53 * 2 * MS - cpu - total(done, "queued_ns") < slept
    assert slept <= spent
    assert spent - cpu - taken_ns() <= away
    assert lost(frame) == {}


def test_preempted_as_long_as_the_scheduler_says(
    switches_by: tuple[str, ...], together: tuple[Target, Target], start_probe: StartProbe
) -> None:
    one, other = together
    probe = start_probe("-p", str(one.pid), *switches_by)
    (_, before), switches = scheduled_ns(one.pid), settled(one.pid)
    other.begin("spin 3000")
    with switches_in(WATCHED) as seen:
        one.do("spin 400")
        one.do(f"nanosleep 31 {2 * MS}")  # it waits for the processor after each
        switches = settled(one.pid) - switches
        hidden = switches - seen()  # from whoever traces
    waited = scheduled_ns(one.pid)[1] - before
    other.finish()
    frame = probe.stop()
    found = counts(frame, one.pid)
    assert_adds_up(found)
    whole = found["off_cpu"]
    assert whole["switches"] == switches > 31
    assert waited > 100 * MS
    assert lost(frame) == {}
    assert frame["lost"]["switches"] <= hidden + 1
    # A hypervisor may take the processor between one clock's reading and the other's.
    assert whole["queued_ns"] == pytest.approx(waited, abs=taken_ns() + 2_000 * switches)
    preempted = off(found, "R")
    assert total(preempted, "blocked_ns") == 0
    assert total(preempted, "queued_ns") > 100 * MS
    assert total(off(found, "S"), "queued_ns") > 0


def test_a_yield_is_no_blocking(
    switches_by: tuple[str, ...], together: tuple[Target, Target], start_probe: StartProbe
) -> None:
    one, other = together
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


def test_a_thread_that_computes_up_to_the_end(
    switches_by: tuple[str, ...], sleeper: Target, start_probe: StartProbe
) -> None:
    probe = start_probe("-p", str(sleeper.pid), *switches_by)
    before, _ = scheduled_ns(sleeper.pid)
    with contextlib.suppress(PermissionError):  # so that it has a processor at the end
        os.sched_setscheduler(sleeper.pid, os.SCHED_FIFO, os.sched_param(1))
    sleeper.begin("spin 3600000")
    until(lambda: scheduled_ns(sleeper.pid)[0] - before > 100 * MS, "a target that computes")
    whole = counts(probe.stop(), sleeper.pid)["off_cpu"]
    assert_all_accounted(whole)
    assert whole["on_cpu_ns"] > 100 * MS


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
    naps = max(off(children[-1], "S"), key=lambda s: int(s["count"]))
    assert SOME < naps["count"] <= 31
    assert naps["blocked_ns"] > naps["count"] * MS // 2


def test_what_there_is_no_room_for_is_counted(sleeper: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(sleeper.pid), "--off-cpu", "--max-stacks", "1")
    spent = sleeper.do(f"nanosleep 53 {MS}")
    settled(sleeper.pid)
    frame = probe.stop()
    found = counts(frame, sleeper.pid)
    whole = found["off_cpu"]
    assert frame["lost"]["stacks"] > SOME
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
    sleep = max(off(found, "S"), key=lambda s: int(s["count"]))
    assert sleep["count"] > 13  # by two ways of the kernel, and two of the walk
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
    reasons = {each["reason"]: each for each in found["off_cpu"]["reasons"]}
    # On a busy host it waits for a processor most of all. It may have been woken while the probe
    # was taking it in: that wait has no stack.
    queued, bare = reasons.pop("run queue", None), reasons.pop("without a stack", None)
    first = max(reasons.values(), key=lambda each: int(each["ns"]))
    assert first["reason"] == REASONS[way]
    assert first["switches"] > 2
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
