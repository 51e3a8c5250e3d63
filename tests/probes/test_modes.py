# SPDX-License-Identifier: GPL-2.0-or-later
"""System calls, times, stacks and windows."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.probes.conftest import need_mode
from tests.probes.probe_process import LINUX, Probe, Record, Target, counts, poll_rate, polls_until

StartProbe = Callable[..., Probe]


def test_system_calls_with_their_errors(
    variant: str, target: Target, start_probe: StartProbe
) -> None:
    need_mode(variant, "-c")
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "-c", "--variant", variant)
    target.do("getppid 0 10007")
    target.do("badclose 0 1009")
    target.do(f"poll {fd} 4001 0")
    target.do("fault 0 13")
    found = counts(probe.stop(), target.pid)

    calls = {c["name"]: c for c in found["syscalls"]}
    assert calls["getppid"]["calls"] == 10007
    assert calls["getppid"]["errors"] == 0
    assert (calls["close"]["calls"], calls["close"]["errors"]) == (1009, 1009)
    assert (calls["poll"]["calls"], calls["poll"]["errors"]) == (4014, 13)
    assert calls["poll"]["nr"] == 7
    assert 0 < calls["getppid"]["seconds"] < found["cpu_s"] + 1
    assert found["break_polls"] == 4001


def test_system_calls_agree_with_strace(poller: Path, start_probe: StartProbe) -> None:
    target = Target.start(poller)
    try:
        probe = start_probe("-p", str(target.pid), "-c")
        target.do("forks 0 0 2 1")  # clone, wait4: makers count, children do not
        target.do("open tcp")
        found = {c["name"]: c["calls"] for c in counts(probe.stop(), target.pid)["syscalls"]}
    finally:
        target.close()
    assert found["clone"] == 2
    assert found["socket"] == 2
    assert found["accept"] == 1
    assert found["connect"] == 1
    assert found["wait4"] == 3


@pytest.mark.parametrize("reads", ["mixed", "plain"])
def test_every_poll_is_in_the_histograms(
    variant: str, reads: str, target: Target, start_probe: StartProbe
) -> None:
    fd = target.do("open tcp")
    need_mode(variant, "--latency")
    plain = ["--plain-reads"] if reads == "plain" else []
    probe = start_probe("-p", str(target.pid), "--latency", "--variant", variant, *plain)
    start = time.monotonic()
    target.do(f"poll {fd} 20011 0")
    took = time.monotonic() - start
    frame = probe.stop()
    found = counts(frame, target.pid)
    times = found["times_ns"]
    assert found["break_polls"] == 20011
    assert sum(b[2] for b in times["duration"]) == 20011
    assert sum(b[2] for b in times["gap"]) == 20010
    for start, below, _ in times["duration"] + times["gap"]:
        # The middle of a bucket is at most 1 % from anything in it.
        assert start < below
        assert start < 64 or (below - start) / 2 / start <= 0.01
    spent = sum((b[0] + b[1]) / 2 * b[2] for b in times["duration"] + times["gap"])
    # The loop consists of polls and gaps alone; waiting for its answer may take longer.
    assert 0.5 * found["cpu_s"] < spent / 1e9 < 1.01 * took


def test_processes_without_a_histogram_share_one(
    start_target: Callable[..., Target], start_probe: StartProbe
) -> None:
    targets = [start_target() for _ in range(3)]
    pids = ",".join(str(t.pid) for t in targets)
    fds = [t.do("open tcp") for t in targets]
    probe = start_probe("-p", pids, "--latency", "--max-histograms", "1")
    for target, fd in zip(targets, fds, strict=True):
        target.do(f"poll {fd} 101 0")
    frame = probe.stop()
    assert sum("times_ns" in p for p in frame["processes"]) == 1
    assert sum(b[2] for b in frame["shared_times_ns"]["duration"]) == 202


def names_of(addresses: list[int], maps: list[dict[str, int | str]], poller: Path) -> list[str]:
    """The functions of the target itself, by addr2line."""
    names = []
    for position, address in enumerate(addresses):
        for mapping in maps:
            if int(mapping["start"]) <= address < int(mapping["end"]):
                offset = address - int(mapping["start"]) + int(mapping["offset"])
                if mapping["path"] != str(poller):
                    names.append(Path(str(mapping["path"])).name)
                    continue
                back = 1 if position else 0  # a return address is behind its call
                done = subprocess.run(
                    ["addr2line", "-f", "-e", str(poller), hex(offset - back)],
                    capture_output=True,
                    text=True,
                    check=True,
                )
                names.append(done.stdout.split()[0])
    return names


@pytest.mark.parametrize("threads", [0, 2])
def test_no_frame_is_missing_from_the_stack_at_a_break_poll(
    variant: str, threads: int, target: Target, start_probe: StartProbe, poller: Path
) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--stacks", "10", "--variant", variant)
    target.do(f"threads {fd} 5003 {threads}" if threads else f"poll {fd} 5003 0")
    found = counts(probe.stop(), target.pid)

    (maps,) = probe.of("maps")
    assert found["stacks"]
    for stack in found["stacks"]:
        assert (stack["kind"], stack["hidden"]) == ("poll", "recovered")
        chain = names_of(stack["addresses"], maps["maps"], poller)
        assert chain[:5] == ["libc.so.6", "sntpoltsts", "snttmoredata", "nsmore2recv", "poll_often"]
    taken = sum(s["count"] for s in found["stacks"])
    assert 350 < taken < 700  # 500 to be expected


def test_sampling_does_not_favour_one_of_two_sockets(
    target: Target, start_probe: StartProbe
) -> None:
    first, second = target.do("open tcp"), target.do("open unix")
    probe = start_probe("-p", str(target.pid), "--stacks", "16")
    target.do(f"turns {first} {second} 50000")
    found = counts(probe.stop(), target.pid)
    assert [s["polls"] for s in found["sockets"]] == [25000, 25000]
    taken = sum(s["count"] for s in found["stacks"])
    assert 2600 < taken < 3700


def test_a_capped_depth_is_reported(target: Target, start_probe: StartProbe) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--stacks", "1", "--depth", "3")
    target.do(f"poll {fd} 97 0")
    (stack,) = counts(probe.stop(), target.pid)["stacks"]
    assert stack["truncated"]
    assert len(stack["addresses"]) == 3
    assert stack["stop"] == "depth"
    assert stack["count"] == 97


def test_full_stack_map_is_counted_as_loss(target: Target, start_probe: StartProbe) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--stacks", "1", "--max-stacks", "1")
    target.do(f"poll {fd} 101 0")
    target.do(f"turns {fd} {fd} 103")
    frame = probe.stop()
    found = counts(frame, target.pid)
    assert found["break_polls"] == 204
    assert sum(s["count"] for s in found["stacks"]) + frame["lost"]["stacks"] == 204
    assert frame["lost"]["stacks"] > 0


def has_enough_windows(process: Record) -> bool:
    return bool(process["windows"]["count"] >= 3 and process["cpu_samples"] > 10)


def test_watch_rates_and_samples(target: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(target.pid), "--watch", "--gap", "0.05", "-i", "0.2")
    made = polls_until(target, probe, has_enough_windows)
    frame = probe.stop()
    found, rate = counts(frame, target.pid), poll_rate(frame, target.pid)
    windows = found["windows"]
    assert windows["count"] >= 3
    assert rate.low <= rate.per_s <= rate.high
    assert rate.per_s > 0
    # A poll is counted after its window where a thread is preempted in the program.
    late = found["break_polls"] - windows["polls"]
    assert 0 <= late <= (windows["count"] if LINUX >= (7, 0) else 0)
    assert found["break_polls"] < made
    assert found["cpu_samples"] == sum(s["count"] for s in found["stacks"] if s["kind"] == "cpu")


@pytest.mark.parametrize("hz", [99, 997])
def test_samples_are_taken_at_the_requested_rate(
    hz: int, target: Target, start_probe: StartProbe
) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--watch", "--hz", str(hz), "-i", "0.2")
    target.do(f"poll {fd} 2000003 0")
    found = counts(probe.stop(), target.pid)
    # A clock that misses ticks on a busy virtual machine, or none at all.
    assert 0.4 < found["cpu_samples"] / (hz * found["cpu_s"]) < 1.5


def test_an_idle_cpu_is_not_taken_for_a_watched_process(
    target: Target, start_probe: StartProbe
) -> None:
    """Its id, 0, marks a free entry: its samples were once counted for the next new process."""
    options = ("--watch", "-f", "--max-processes", "4", "--hz", "1000", "-i", "0.2")
    probe = start_probe("-p", str(target.pid), *options)
    for _ in range(4):
        probe.read_until("frame")
    target.do("forks 0 0 2 1")
    frame = probe.stop()
    assert frame["lost"]["stacks"] == 0
    samples = [p["cpu_samples"] for f in probe.of("frame") for p in f["processes"]]
    assert max(samples) < 200  # of the thousands that the idle CPUs gave


def test_a_process_at_its_end_loses_no_stack(target: Target, start_probe: StartProbe) -> None:
    """It has no memory any more, so no stack to be taken; and of 150 ends some are sampled."""
    probe = start_probe("-p", str(target.pid), "--watch", "-f", "--hz", "5000", "-i", "0.2")
    for _ in range(15):
        target.do("forks 0 0 10 1")
    assert probe.stop()["lost"]["stacks"] == 0


def test_own_cost_is_the_kernels_figure(target: Target, start_probe: StartProbe) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--own-cost")
    target.do(f"poll {fd} 100003 0")
    cost = probe.stop()["own_cost"]
    assert cost["bpf_runs"] >= 100003
    assert 0 < cost["bpf_s"] < 1
    assert cost["cpu_s"] > 0


def test_without_cap_sys_admin_own_cost_is_the_probes_own_time(
    target: Target, start_probe: StartProbe
) -> None:
    drop = ("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-all")
    probe = start_probe("-p", str(target.pid), "--own-cost", wrapper=drop)
    assert list(probe.stop()["own_cost"]) == ["cpu_s"]
