# SPDX-License-Identifier: GPL-2.0-or-later
"""As on kernels that do not map BPF arrays (before 5.5, RHEL 8's): the counts are the same."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.probes.conftest import need_mode
from tests.probes.probe_process import Probe, Target, counts, poll_rate, polls_until, total

StartProbe = Callable[..., Probe]


def mapped_maps(probe: Probe) -> int:
    with open(f"/proc/{probe.process.pid}/maps", encoding="ascii") as maps:
        return sum("bpf-map" in line for line in maps)


def test_no_bpf_map_is_mapped_with_no_mmap(target: Target, start_probe: StartProbe) -> None:
    assert mapped_maps(start_probe("-p", str(target.pid))) > 0
    assert mapped_maps(start_probe("-p", str(target.pid), "--no-mmap")) == 0


@pytest.mark.parametrize("mode", ["", "--watch", "--latency", "-c", "--stacks auto --kernel"])
def test_every_variant_loads(
    variant: str, mode: str, target: Target, start_probe: StartProbe
) -> None:
    """By a verifier that does not know what the constants hold, as before 5.5."""
    need_mode(variant, mode)
    options = ("--no-mmap", "--plain-reads", "--variant", variant)
    probe = start_probe("-p", str(target.pid), *options, *mode.split())
    probe.stop()


@pytest.mark.parametrize("reads", [(), ("--plain-reads",)])
@pytest.mark.parametrize("mode", [(), ("--latency",), ("-c",)])
def test_every_poll_is_counted(
    reads: tuple[str, ...], mode: tuple[str, ...], target: Target, start_probe: StartProbe
) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "-f", "-i", "0.05", "--no-mmap", *mode, *reads)
    target.do(f"poll {fd} 20011 0")
    target.do(f"threads {fd} 20021 2")
    target.do(f"forks {fd} 30011 3 2")
    frame = probe.stop()

    found = counts(frame, target.pid)
    assert found["break_polls"] == 40032
    assert total(probe) == 40032 + 30011
    assert sum(e["break_polls"] for e in probe.of("exit")) == 30011
    lost = {kind for kind, number in frame["lost"].items() if number}
    assert lost <= ({"times"} if mode == ("-c",) else set())  # a call begun before we came
    if mode == ("--latency",):
        assert sum(b[2] for b in found["times_ns"]["duration"]) == 40032
    if mode == ("-c",):
        assert {c["name"]: c["calls"] for c in found["syscalls"]}["poll"] == 40032


def test_slots_are_used_again(target: Target, start_probe: StartProbe) -> None:
    """Many births and ends at the same time, in rows that the loader writes to as well."""
    fd = target.do("open tcp")
    options = ("-f", "-i", "0.05", "--no-mmap", "--max-processes", "8")
    probe = start_probe("-p", str(target.pid), *options)
    for done in range(4):
        target.do(f"forks {fd} 5003 5 1")
        while len(probe.of("exit")) < 5 * (done + 1):
            probe.read_until("exit")
        for _ in range(12):  # the slots are wiped two scans later
            probe.read_until("frame")
    target.do(f"poll {fd} 1009 0")
    frame = probe.stop()
    assert set(frame["lost"].values()) == {0}
    assert counts(frame, target.pid)["break_polls"] == 1009
    assert total(probe) == 4 * 5003 + 1009


def test_losses_are_reported_without_mapped_memory(target: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(target.pid), "--no-mmap")
    target.do("fault 0 13")
    assert probe.stop()["lost"]["user_reads"] == 13


def test_new_processes_are_selected_by_name_without_mapped_memory(
    start_probe: StartProbe, target: Target, poller: object
) -> None:
    fd = target.do("open tcp")
    target.do(f"title orab{os.getpid()}")
    probe = start_probe("-n", f"^(orab{os.getpid()}|{poller})", "-i", "0.1", "--no-mmap")
    target.do(f"forks {fd} 2003 5 1")
    probe.wait_for("exit", lambda _: len(probe.of("exit")) == 5)
    probe.stop()
    assert sum(e["break_polls"] for e in probe.of("exit")) == 2003


def test_stacks_at_an_automatic_stride(target: Target, start_probe: StartProbe) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--stacks", "auto", "--no-mmap")
    target.do(f"poll {fd} 200003 0")
    found = counts(probe.stop(), target.pid)
    assert found["break_polls"] == 200003
    assert {s["hidden"] for s in found["stacks"]} == {"recovered"}


def test_windows_without_mapped_memory(target: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(target.pid), "--watch", "--gap", "0.05", "-i", "0.2", "--no-mmap")
    made = polls_until(target, probe, lambda p: p["windows"]["count"] > 2 and p["cpu_samples"] > 5)
    frame = probe.stop()
    found, rate = counts(frame, target.pid), poll_rate(frame, target.pid)
    windows = found["windows"]
    assert windows["count"] >= 3
    assert found["break_polls"] == windows["polls"] < made
    assert rate.low <= rate.per_s <= rate.high  # of three windows: wide
    assert found["cpu_samples"] == sum(s["count"] for s in found["stacks"])


def test_nothing_is_counted_before_the_first_window(
    target: Target, start_probe: StartProbe
) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--watch", "--gap", "1000", "--no-mmap")
    target.do(f"poll {fd} 10007 0")
    assert counts(probe.stop(), target.pid)["break_polls"] == 0
