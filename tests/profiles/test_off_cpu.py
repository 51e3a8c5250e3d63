# SPDX-License-Identifier: GPL-2.0-or-later
"""The division of threads' lives, and their stacks weighted by time."""

from __future__ import annotations

from collections.abc import Sequence

from polltrace.profiles.frames import (
    Header,
    OffCpuTotals,
    OffTime,
    ProcessTotals,
    Stack,
    WatchedProcess,
)
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import OFF_CPU
from polltrace.profiles.stack_profile import StackProfile, stack_profile
from polltrace.profiles.stacks_report import stacks_data, stacks_text
from polltrace.stacks.formats import FORMATS
from polltrace.stacks.picture import Picture, Side
from tests.profiles.listed_names import ListedNames

USER = ("nanosleep", "rest", "main")
KERNEL = ("bpf_trace_run4", "__schedule", "schedule", "do_nanosleep", "do_syscall_64")
S = 1_000_000_000


NAMES = ListedNames(USER, "/bin/sleeper", KERNEL)


def stack(count: int, off: OffTime, user: Sequence[int] = (0, 1, 2)) -> Stack:
    return Stack(OFF_CPU, count, False, tuple(user), kernel=(0, 1, 2, 3, 4), off=off)


SLEPT = stack(40, OffTime("S", 6 * S, S // 2))
PREEMPTED = stack(7, OffTime("R", 0, S // 4), (1, 2))
BEFORE = stack(0, OffTime("S", S, 0, open=1, before=1), ())
TOTALS = OffCpuTotals(3, 10 * S, 2 * S, 9 * S // 4, 7 * S, S * 3 // 4, 47, 1)


def observed(*stacks: Stack, totals: OffCpuTotals = TOTALS, **lost: int) -> Profile:
    header = Header("0.1", "db1", "6.1", "off-cpu", "tp_btf")
    process = ProcessTotals(7, 1, 2.0, 0, 0, (), (), stacks, off_cpu=totals)
    known = {process.identity: WatchedProcess(7, 1, "sleeper", ("sleeper",))}
    return Profile(header, 5.0, known, (process,), frozenset(), lost, complete=True)


def found(profile: Profile, kernel: bool = False) -> StackProfile:
    return stack_profile(profile, NAMES, OFF_CPU, kernel=kernel)


WHOLE = found(observed(SLEPT, PREEMPTED, BEFORE))


def test_stacks_weigh_their_time_and_end_in_the_reason() -> None:
    assert WHOLE.folded == {
        ("main", "rest", "nanosleep", "[sleep]"): 6 * S,
        ("main", "rest", "nanosleep", "[run queue]"): S // 2,
        ("main", "rest", "[run queue]"): S // 4,
        ("[sleep]",): S,
    }
    assert WHOLE.unit == "nanoseconds"
    assert WHOLE.samples == 47


def test_with_the_kernels_frames_the_schedulers_are_left_out() -> None:
    folded = found(observed(SLEPT), kernel=True).folded
    inside = ("do_syscall_64_[k]", "do_nanosleep_[k]", "schedule_[k]")
    assert folded["main", "rest", "nanosleep", *inside, "[sleep]"] == 6 * S


def test_the_text_divides_the_lives_of_the_threads() -> None:
    lines = stacks_text(WHOLE, WHOLE.folded).splitlines()
    assert lines[:9] == [
        "3 threads in 5.0 s: 22.50 % of 10.000 s on CPU, 7.50 % on a run queue, 70.00 % blocked.",
        "",
        "reason                     seconds     share      switches",
        "sleep                     7.000000   70.00 %            40",
        "run queue                 0.750000    7.50 %             7",
        "(on CPU)                  2.000000   20.00 %",
        "(taken from it)           0.250000    2.50 %",
        "CPU, waits and run queue miss 0 ns of it.",
        "",
    ]
    assert lines[9] == " 77.4 %  main > rest > nanosleep > [sleep]"
    assert lines[-4:] == [
        "Every stack reaches the beginning of its program.",
        "On CPU is the scheduler's clock; taken from it is what a hypervisor, or interrupts, had "
        "of the time up to the next switch.",
        "Still off CPU at the end: 1 thread; the time up to then is counted.",
        "Already off CPU at the start: 1 thread; the time from then on is counted, the program's "
        "functions are not known.",
    ]


def test_what_was_lost_is_told() -> None:
    missing = OffCpuTotals(3, 10 * S, 2 * S, 2 * S, 7 * S, S * 3 // 4, 47, 1)
    lossy = found(observed(SLEPT, totals=missing, threads=3, wakeups=5, switches=1, stacks=2))
    assert lossy.off_cpu is not None
    assert [(each.reason, each.ns) for each in lossy.off_cpu.reasons] == [
        ("sleep", 6 * S),
        ("without a stack", 5 * S // 4),
        ("run queue", S // 2),
    ]
    text = stacks_text(lossy, lossy.folded)
    assert "Not followed, for lack of room: 3 threads." in text
    assert "5 wake-ups were not seen; how long" in text
    assert "1 switches to a thread were not seen; how long" in text
    assert "\n(not seen)                0.250000    2.50 %\n" in text
    assert "(not seen)" not in stacks_text(WHOLE, WHOLE.folded)
    assert "2 stacks were lost" in text


def test_as_data() -> None:
    data = stacks_data(WHOLE, WHOLE.folded)
    assert data["kind"] == "offcpu"
    assert (data["off_cpu"]["taken_ns"], data["off_cpu"]["unaccounted_ns"]) == (S // 4, 0)
    assert data["off_cpu"]["reasons"][0] == {"reason": "sleep", "ns": 7 * S, "switches": 40}
    assert data["stacks"][0] == {
        "count": 6 * S,
        "functions": ["main", "rest", "nanosleep", "[sleep]"],
    }


def test_no_thread_off_cpu() -> None:
    busy = found(observed(totals=OffCpuTotals(1, S, S, S, 0, 0, 0, 0)))
    assert stacks_text(busy, busy.folded) == "No stacks: in 5.0 s no thread was off CPU."


def test_exports_state_the_unit() -> None:
    picture = Picture("Off-CPU stacks", Side("now", WHOLE.folded), unit=WHOLE.unit)
    assert b'"unit":"nanoseconds"' in FORMATS["speedscope"](picture)
    assert b"main;rest;nanosleep;[sleep] 6000000000\n" in FORMATS["folded"](picture)
    plain = Picture("On-CPU stacks", Side("now", {("main",): 1}))
    assert b'"unit":"none"' in FORMATS["speedscope"](plain)
