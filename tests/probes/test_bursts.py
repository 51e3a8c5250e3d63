# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls of a user function per break poll; and that its breakpoint goes, whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.probes.probe_process import PROBE, Probe, Record, Target, counts
from tests.probes.test_life import capabilities
from tests.waiting import PATIENCE_S, children, cpu_s, until

StartProbe = Callable[..., Probe]
StartTarget = Callable[..., Target]
BREAKPOINT = 0xCC
FOR_EVER = 600000  # milliseconds; the target is killed at the end of the test
# Until enough calls are counted, however seldom the probe or its target has a processor.
PATIENT = ("--burst-ms", "60000")


def offset_of(executable: Path, function: str) -> int:
    """The function's offset in the file: these executables are linked from address 0."""
    done = subprocess.run(["nm", str(executable)], capture_output=True, text=True, check=True)
    return next(
        int(w[0], 16) for w in map(str.split, done.stdout.splitlines()) if w[-1] == function
    )


class FirstByte:
    """The first byte of the target's break check, in its memory."""

    def __init__(self, pid: int, poller: Path) -> None:
        lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
        start = next(int(line.split("-")[0], 16) for line in lines if line.endswith(str(poller)))
        self._memory = Path(f"/proc/{pid}/mem")
        self._address = start + offset_of(poller, "break_check")

    def read(self) -> int:
        with self._memory.open("rb") as memory:
            memory.seek(self._address)
            return memory.read(1)[0]

    def wait_for(self, wanted: Callable[[int], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not wanted(self.read()):
            assert time.monotonic() < deadline, hex(self.read())
            time.sleep(0.001)


@pytest.fixture
def check(poller: Path) -> str:
    return f"{poller}:0x{offset_of(poller, 'break_check'):x}"


def burst_of(probe: Probe, pid: int) -> Record:
    frame = probe.wait_for("frame", lambda f: "burst" in counts(f, pid))
    return dict(counts(frame, pid)["burst"])


@pytest.mark.parametrize("skip", [1, 3, 10, 997])
def test_calls_per_poll_are_the_skip(
    skip: int, target: Target, start_probe: StartProbe, check: str, poller: Path
) -> None:
    fd = target.do("open tcp")
    first = FirstByte(target.pid, poller)
    before = first.read()
    probe = start_probe("-p", str(target.pid), "--function", check, *PATIENT, "-i", "0.1")
    target.begin(f"checks {fd} {FOR_EVER} {skip}")
    burst = burst_of(probe, target.pid)
    assert first.read() == before != BREAKPOINT
    probe.read_until("frame")
    probe.read_until("frame")
    last = counts(probe.stop(), target.pid)

    assert burst["calls"] == burst["break_polls"] * skip > 0
    assert burst["seconds"] > 0
    assert last["burst"] == burst
    assert last["break_polls"] > burst["break_polls"]


@pytest.mark.parametrize("mode", ["--watch", "--latency", "-c"])
def test_in_every_mode(mode: str, target: Target, start_probe: StartProbe, check: str) -> None:
    fd = target.do("open tcp")
    probe = start_probe(
        *("-p", str(target.pid), mode, "--function", check, *PATIENT, "-i", "0.1"),
        *(["--gap", "0.05"] if mode == "--watch" else []),
    )
    target.begin(f"checks {fd} {FOR_EVER} 10")
    burst = burst_of(probe, target.pid)
    assert burst["calls"] == 10 * burst["break_polls"] > 0
    found = counts(probe.stop(), target.pid)
    if mode == "--watch":  # a burst is no window
        assert found["windows"]["polls"] < found["break_polls"]


def test_each_process_has_its_own_burst(
    start_target: StartTarget, start_probe: StartProbe, check: str
) -> None:
    targets = [start_target() for _ in range(3)]
    pids = ",".join(str(t.pid) for t in targets)
    fds = [t.do("open tcp") for t in targets]
    probe = start_probe("-p", pids, "--function", check, *PATIENT, "-i", "0.1")
    for skip, (target, fd) in enumerate(zip(targets, fds, strict=True), start=2):
        target.begin(f"checks {fd} {FOR_EVER} {skip}")
    for skip, target in enumerate(targets, start=2):
        burst = burst_of(probe, target.pid)
        assert burst["calls"] == skip * burst["break_polls"] > 0
    probe.stop()


def test_a_function_given_by_many_paths_counts_once(
    start_target: StartTarget, start_probe: StartProbe, check: str
) -> None:
    targets = [start_target() for _ in range(2)]
    offset = check.rpartition(":")[2]
    options = [word for t in targets for word in ("--function", f"/proc/{t.pid}/exe:{offset}")]
    pids = ",".join(str(t.pid) for t in targets)
    fds = [t.do("open tcp") for t in targets]
    probe = start_probe("-p", pids, *options, "--function", check, *PATIENT, "-i", "0.1")
    for target, fd in zip(targets, fds, strict=True):
        target.begin(f"checks {fd} {FOR_EVER} 3")
    for target in targets:
        burst = burst_of(probe, target.pid)
        assert burst["calls"] == 3 * burst["break_polls"] > 0
    probe.stop()


def test_no_uprobe_is_placed_in_a_process_that_does_not_poll(
    target: Target, start_probe: StartProbe, check: str, poller: Path
) -> None:
    first = FirstByte(target.pid, poller)
    before = first.read()
    probe = start_probe("-p", str(target.pid), "--function", check, "-i", "0.1")
    for _ in range(5):
        assert "burst" not in counts(probe.read_until("frame"), target.pid)
        assert first.read() == before
    assert "burst" not in counts(probe.stop(), target.pid)


def test_threads_count_together(target: Target, start_probe: StartProbe, poller: Path) -> None:
    fd = target.do("open tcp")
    function = f"{poller}:0x{offset_of(poller, 'nsmore2recv'):x}"
    probe = start_probe("-p", str(target.pid), "--function", function, *PATIENT, "-i", "0.1")
    target.begin(f"threads {fd} 2000000003 3")
    burst = burst_of(probe, target.pid)
    probe.stop()
    # Threads end their calls in another order than they began them.
    assert abs(burst["calls"] - burst["break_polls"]) <= 3
    assert burst["break_polls"] > 0


def goes_on(target: Target) -> None:
    """Wait until the target has worked for fifty milliseconds more."""
    wanted_s = cpu_s(target.pid) + 0.05
    until(lambda: cpu_s(target.pid) > wanted_s, "work of the target")
    assert target.process.poll() is None


def long_burst(check: str) -> list[str]:
    return ["--function", check, "--burst-ms", "600000", "--burst-calls", "1000000000"]


def test_killed_in_a_burst_it_leaves_no_breakpoint(
    target: Target, start_probe: StartProbe, check: str, poller: Path
) -> None:
    fd = target.do("open tcp")
    first = FirstByte(target.pid, poller)
    before = first.read()
    target.begin(f"checks {fd} {FOR_EVER} 10")
    for _ in range(3):
        probe = start_probe("-p", str(target.pid), *long_burst(check))
        first.wait_for(lambda byte: byte == BREAKPOINT)
        probe.process.kill()
        probe.process.wait()
        first.wait_for(lambda byte: byte == before)
        goes_on(target)


def uprobe_child(probe: Probe) -> int:
    (child,) = until(lambda: children(probe.process.pid, "polltrace-upro"), "the uprobes' child")
    return child


def other_child(probe: Probe) -> int:
    """The one that reads command lines, by a child of its own."""
    (child,) = until(lambda: children(probe.process.pid, "polltrace-read"), "the other child")
    return child


@pytest.mark.parametrize("suspended", ["probe", "child", "both"])
def test_suspended_in_a_burst_it_leaves_no_breakpoint(
    suspended: str, target: Target, start_probe: StartProbe, check: str, poller: Path
) -> None:
    """By SIGSTOP, which cannot be ignored: the kernel itself must know the deadline."""
    fd = target.do("open tcp")
    first = FirstByte(target.pid, poller)
    before = first.read()
    options = ["--function", check, "--burst-ms", "1500", "--burst-calls", "1000000000"]
    probe = start_probe("-p", str(target.pid), *options, "-i", "0.1")
    child = uprobe_child(probe)
    pids = {"probe": [probe.process.pid], "child": [child], "both": [child, probe.process.pid]}
    target.begin(f"checks {fd} {FOR_EVER} 10")
    first.wait_for(lambda byte: byte == BREAKPOINT)
    for pid in pids[suspended]:
        os.kill(pid, signal.SIGSTOP)
    first.wait_for(lambda byte: byte == before)
    # No fatal signal did that: with one pending the kernel may fail to remove a breakpoint.
    assert Path(f"/proc/{child}/cmdline").read_bytes(), "the child is at its end"
    goes_on(target)  # without a call being counted
    for pid in pids[suspended]:
        os.kill(pid, signal.SIGCONT)
    # The calls counted meanwhile are not taken for a whole burst.
    burst = burst_of(probe, target.pid)
    assert burst["calls"] == 10 * burst["break_polls"] > 0 or "suspended" in burst.get("error", "")
    assert first.read() == before
    assert counts(probe.stop(), target.pid)["break_polls"] > 0


def test_killed_while_suspended_it_leaves_no_breakpoint(
    target: Target, start_probe: StartProbe, check: str, poller: Path
) -> None:
    fd = target.do("open tcp")
    first = FirstByte(target.pid, poller)
    before = first.read()
    probe = start_probe("-p", str(target.pid), *long_burst(check))
    child = uprobe_child(probe)
    target.begin(f"checks {fd} {FOR_EVER} 10")
    first.wait_for(lambda byte: byte == BREAKPOINT)
    for pid in (child, probe.process.pid):
        os.kill(pid, signal.SIGSTOP)
    probe.process.kill()
    probe.process.wait()
    first.wait_for(lambda byte: byte == before)


def test_ctrl_c_at_the_terminal_does_not_reach_the_child_processes(
    target: Target, start_probe: StartProbe, check: str
) -> None:
    probe = start_probe("-p", str(target.pid), "--function", check)
    for child in (uprobe_child(probe), other_child(probe)):
        assert os.getsid(child) == child
    probe.stop()


def test_a_probe_ended_in_a_burst_reports_the_calls_counted_until_then(
    target: Target, start_probe: StartProbe, check: str, poller: Path
) -> None:
    fd = target.do("open tcp")
    first = FirstByte(target.pid, poller)
    before = first.read()
    probe = start_probe("-p", str(target.pid), *long_burst(check))
    target.begin(f"checks {fd} {FOR_EVER} 10")
    first.wait_for(lambda byte: byte == BREAKPOINT)
    goes_on(target)
    burst = counts(probe.stop(), target.pid)["burst"]
    assert first.read() == before
    assert burst["calls"] == 10 * burst["break_polls"] > 0


def test_a_child_forked_during_a_burst_runs_on(
    target: Target, start_probe: StartProbe, check: str, poller: Path
) -> None:
    """Its memory is a copy, breakpoint and all."""
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), *long_burst(check))
    first = FirstByte(target.pid, poller)
    target.do(f"poll {fd} 101 0")
    first.wait_for(lambda byte: byte == BREAKPOINT)
    assert target.do(f"forkcheck {fd} 1009") == fd
    probe.process.kill()
    first.wait_for(lambda byte: byte != BREAKPOINT)
    assert target.do(f"forkcheck {fd} 1009") == fd


def test_only_a_child_keeps_the_privilege_and_only_while_it_is_needed(
    target: Target, start_probe: StartProbe, check: str
) -> None:
    probe = start_probe("-p", str(target.pid), "--function", check, *PATIENT, "-i", "0.1")
    pid = probe.process.pid
    uprobes = 1 << 38 | 1 << 21  # CAP_PERFMON, CAP_SYS_ADMIN
    reads = 1 << 19 | 1 << 2  # CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH
    child, other = uprobe_child(probe), other_child(probe)
    all_children = Path(f"/proc/{pid}/task/{pid}/children")
    assert set(map(int, all_children.read_text().split())) == {child, other}
    until(lambda: capabilities(other)["CapPrm"] & ~reads == 0, "the other without the rest")
    until(lambda: capabilities(child)["CapPrm"] & ~uprobes == 0, "a child without the rest")
    until(lambda: capabilities(pid)["CapPrm"] == 0, "no privilege of its own")
    target.begin(f"checks {target.do('open tcp')} {FOR_EVER} 2")
    assert burst_of(probe, target.pid)["break_polls"] > 0
    until(lambda: all_children.read_text().split() == [str(other)], "the end of the child")
    probe.stop()


def test_the_children_end_with_their_parent(
    target: Target, start_probe: StartProbe, check: str
) -> None:
    probe = start_probe("-p", str(target.pid), "--function", check)
    other = other_child(probe)
    (reader,) = until(lambda: children(other, "polltrace-read"), "the reader")
    pids = (uprobe_child(probe), other, reader)
    probe.process.kill()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), "the children end")


def test_no_uprobes_is_reported_in_the_frame(
    target: Target, start_probe: StartProbe, check: str
) -> None:
    fd = target.do("open tcp")
    hidden = 'mount -t tmpfs none /sys/bus/event_source/devices && exec "$@"'
    probe = start_probe(
        *("-p", str(target.pid), "--function", check, "-i", "0.1"),
        wrapper=("unshare", "--mount", "sh", "-c", hidden, "sh"),
    )
    target.do(f"checks {fd} 300 2")
    burst = burst_of(probe, target.pid)
    assert (burst["calls"], burst["break_polls"]) == (0, 0)
    assert "no uprobes" in burst["error"]
    assert counts(probe.stop(), target.pid)["break_polls"] > 0


@pytest.mark.parametrize("function", ["", "nothing", "/nowhere:0x10", "{}:0x0", "{}:10", "{}:0xzz"])
def test_malformed_function_places_are_refused(
    function: str, poller: Path, target: Target, root: None
) -> None:
    done = subprocess.run(
        [PROBE, "-p", str(target.pid), "--function", function.format(poller)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_breakpoint_inside_a_function_is_refused(
    poller: Path, target: Target, root: None, tmp_path: Path
) -> None:
    """With symbols, and stripped, by the unwind index."""
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", str(stripped), str(poller)], check=True)
    offset = offset_of(poller, "break_check")
    for executable in (poller, stripped):
        for inside, code in ((0, 0), (1, 2), (4, 2)):
            location = f"{executable}:0x{offset + inside:x}"
            command = [str(PROBE), "-p", str(target.pid), "-d", "0.01", "--function", location]
            done = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE_S)
            assert done.returncode == code, done.stderr
