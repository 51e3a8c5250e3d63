# SPDX-License-Identifier: GPL-2.0-or-later
"""What a frame of `polltrace-probe --off-cpu` says, and what the kernel says of the same thread."""

from __future__ import annotations

import time
from pathlib import Path

from tests.probes.probe_process import Record
from tests.waiting import until

MS = 1_000_000  # nanoseconds
LASTING = 3600 * 1000 * MS  # nanoseconds; the target is killed at the end of the test
# Of the sleeps of a thread at least this many block it, however busy the host is.
SOME = 8


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


def assert_all_accounted(whole: Record) -> None:
    """To the nanosecond."""
    parts = ("on_cpu_ns", "blocked_ns", "queued_ns")
    assert whole["thread_ns"] == sum(whole[part] for part in parts), whole


def assert_adds_up(process: Record) -> None:
    """Of a process whose stacks were all kept."""
    whole = process["off_cpu"]
    stacks = off(process)
    for key in ("blocked_ns", "queued_ns", "open"):
        assert total(stacks, key) == whole[key], key
    assert total(stacks, "count") == whole["switches"]
    assert_all_accounted(whole)
