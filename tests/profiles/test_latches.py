# SPDX-License-Identifier: GPL-2.0-or-later
"""Waits for latches, by the functions on a stack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from polltrace.engines.catalogue import packaged
from polltrace.profiles.frames import (
    Header,
    OffCpuTotals,
    OffTime,
    ProcessTotals,
    Stack,
    WatchedProcess,
)
from polltrace.profiles.latch_report import latch_data, latch_text
from polltrace.profiles.latch_wait import LatchWait, latch_wait
from polltrace.profiles.latches import latch_time
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import OFF_CPU, ON_CPU
from polltrace.profiles.stack_profile import stack_profile
from polltrace.profiles.stacks_report import stacks_data, stacks_text
from polltrace.recording import read
from polltrace.recording.summary import summary
from polltrace.recording_report.data import report_data
from polltrace.recording_report.text import report_text
from polltrace.stacks import Frame
from tests.profiles.listed_names import ListedNames
from tests.recording.samples import story, symbols, written

S = 1_000_000_000
ORACLE = packaged("oracle").latches
FUNCTIONS = (
    *("semtimedop", "skgpwwait", "kslges", "kslgetl", "find", "main"),  # 0 to 5
    *("poll", "ksliwat", "unpin"),  # 6 to 8
)


def frames(*names: str) -> list[Frame]:
    return [Frame(name, "/bin/oralab", 0, at) for at, name in enumerate(names)]


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        ("kslges kslgetl kcbgtcr main", LatchWait(("main", "kcbgtcr", "kslgetl"), False)),
        # As Oracle sleeps, and as the lab does.
        (
            "semtimedop sskgpwwait skgpwwait kslges kslgetl ksfglt",
            LatchWait(("ksfglt", "kslgetl"), True),
        ),
        ("syscall skgpwwait ksliwat kslgetsl_w find", LatchWait(("find", "kslgetsl_w"), True)),
        (
            "rest.part.0 kslgess.cold ksl_get_shared_latch a",
            LatchWait(("a", "ksl_get_shared_latch"), False),
        ),
        (
            "kslges kslgetl clean kslgetl main",
            LatchWait(("main", "kslgetl", "clean", "kslgetl"), False),
        ),
        ("semtimedop skgpwwait kslges", LatchWait(("kslges",), True)),
        ("semtimedop skgpwwait ksliwat ksbabs main", None),  # asleep for something else
        ("kslgetl find main", None),  # it has it, or is about to
        ("", None),
    ],
)
def test_waits_for_latches_are_recognised_by_their_functions(
    stack: str, expected: LatchWait | None
) -> None:
    assert latch_wait(frames(*stack.split()), ORACLE) == expected


NAMES = ListedNames(FUNCTIONS, "/bin/oralab", ("do_futex",))


def profile(*stacks: Stack, totals: OffCpuTotals | None = None) -> Profile:
    header = Header("0.1", "db1", "6.1", "off-cpu", "tp_btf")
    process = ProcessTotals(7, 1, 2.0, 0, 0, (), (), stacks, off_cpu=totals)
    server = WatchedProcess(7, 1, "oralab", ("oracleLAB (LOCAL=NO)",), exe="/opt/oralab")
    return Profile(header, 5.0, {process.identity: server}, (process,), frozenset(), {}, True)


def off(count: int, time: OffTime, *addresses: int) -> Stack:
    return Stack(OFF_CPU, count, False, addresses, kernel=(0,), off=time)


SWITCHES = profile(
    off(40, OffTime("S", 3 * S, S // 2), 0, 1, 7, 3, 4, 5),
    off(2, OffTime("S", S // 2, 0), 0, 1, 7, 3, 8, 5),
    off(9, OffTime("R", 0, S // 4), 1, 7, 3, 4, 5),  # on its way to sleep
    off(3, OffTime("S", S, 0), 6, 5),
    totals=OffCpuTotals(1, 10 * S, 4 * S, S * 19 // 4, 9 * S // 2, 3 * S // 4, 54, 0),
)
SAMPLED = profile(
    Stack(ON_CPU, 30, False, (2, 3, 4, 5)),
    Stack(ON_CPU, 5, False, (1, 7, 3, 4, 5)),  # on its way to sleep
    Stack(ON_CPU, 365, False, (4, 5)),
)
FOUND = latch_time(SWITCHES, SAMPLED, NAMES)


def test_time_by_path() -> None:
    assert [(each.path, each.spun, each.sleeps, each.slept_ns) for each in FOUND.paths] == [
        (("main", "find", "kslgetl"), 30, 40, 3 * S),
        (("main", "unpin", "kslgetl"), 0, 2, S // 2),
    ]
    assert [(each.reason, each.ns, each.switches) for each in FOUND.whole.reasons] == [
        ("latch", 7 * S // 2, 42),
        ("lock", S, 3),
        ("run queue", 3 * S // 4, 9),
    ]
    assert (FOUND.samples, FOUND.spun, FOUND.spun_ns(30)) == (400, 30, 0.3 * S)


def test_the_text_has_all_parts_of_the_time() -> None:
    assert latch_text(FOUND).splitlines() == [
        "1 thread in 5.0 s: 47.50 % of 10.000 s on CPU, 7.50 % on a run queue, 45.00 % blocked.",
        "",
        "reason                     seconds     share      switches",
        "latch                     3.500000   35.00 %            42",
        "lock                      1.000000   10.00 %             3",
        "run queue                 0.750000    7.50 %             9",
        "(on CPU)                  4.000000   40.00 %",
        "(taken from it)           0.750000    7.50 %",
        "CPU, waits and run queue miss 0 ns of it.",
        "",
        "Latches: 35.00 % of the time slept, 42 sleeps; 7.5 % [5.3, 10.5] of the CPU time spun, "
        "30 of 400 samples.",
        "",
        "     slept s    sleeps    spun s  path to the latch",
        "    3.000000        40     0.300  main > find > kslgetl",
        "    0.500000         2     0.000  main > unpin > kslgetl",
        "",
        "On CPU is the scheduler's clock; taken from it is what a hypervisor, or interrupts, had "
        "of the time up to the next switch.",
        "Gets and misses that were over at once leave no trace outside of the server: v$latch "
        "counts them.",
    ]


def test_as_data() -> None:
    data = latch_data(FOUND)
    assert (data["sleeps"], data["slept_ns"], data["spun_samples"]) == (42, 7 * S // 2, 30)
    assert data["paths"][1]["path"] == ["main", "unpin", "kslgetl"]
    assert data["off_cpu"]["unaccounted_ns"] == 0


def test_a_server_that_was_never_on_cpu() -> None:
    idle = latch_time(profile(totals=OffCpuTotals(1, S, 0, 0, S, 0, 0, 1)), profile(), NAMES)
    assert idle.spun_share is None
    assert "Latches: 0.00 % of the time slept, 0 sleeps; no sample on CPU" in latch_text(idle)


def test_context_switches_are_needed() -> None:
    with pytest.raises(ValueError, match="no context switches"):
        latch_time(SAMPLED, SAMPLED, NAMES)


def test_stacks_show_the_paths() -> None:
    on = replace(stack_profile(SAMPLED, NAMES, ON_CPU), hz=100.0)
    assert "           -         -     0.300  main > find > kslgetl\n" in stacks_text(on, on.folded)
    assert stacks_data(on, on.folded)["latches"][0]["slept_ns"] is None
    off_cpu = stack_profile(SWITCHES, NAMES, OFF_CPU)
    text = stacks_text(off_cpu, off_cpu.folded)
    assert "    0.500000         2         -  main > unpin > kslgetl\n" in text
    assert stacks_data(off_cpu, off_cpu.folded)["latches"][0]["spun_samples"] is None
    assert stacks_data(off_cpu, off_cpu.folded)["latches"][0]["sleeps"] == 40


def test_the_report_of_a_recording_shows_what_is_spun(tmp_path: Path) -> None:
    records = [
        symbols(100, 7, {9: "kslges"}, leaf=9)
        if record == symbols(100, 7, {9: "work"}, leaf=9)
        else record
        for record in story()
    ]
    found = summary(read(written(tmp_path / "spun", *records)))
    spins = "Spinning for latches takes 90.00 % [86.67, 92.57] of the CPU time"
    assert spins in report_text(found).replace("\n", " ")
    session = report_data(found)["sessions"][0]
    assert session["spun_samples"] == 360
    (path,) = session["latches"]
    assert path["path"][-1] == "kslges"
    table = report_text(found).partition("path to the latch\n")[2].splitlines()
    assert table[0].split()[:2] == ["-", "-"]  # no context switch was followed
    assert table[0].endswith(" > ".join(path["path"][-4:]))
    spun_s = 0.9 * sum(each.cpu_s for each in found.sessions)
    assert float(table[0].split()[2]) == pytest.approx(spun_s, abs=0.001)
    calm = summary(read(written(tmp_path / "calm", *story())))
    assert "latches" not in report_text(calm)
