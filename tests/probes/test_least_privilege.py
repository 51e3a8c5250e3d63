# SPDX-License-Identifier: GPL-2.0-or-later
"""An ordinary user with the three capabilities of docs/reference/least-privilege.md measures a
process of root's."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.probes.probe_process import PROBE, Probe, Target, counts

NOBODY = 65534
StartProbe = Callable[..., Probe]


def ordinary_user_with(*capabilities: str) -> tuple[str, ...]:
    """A command prefix: not root, and no capability but these."""
    added = ",".join(f"+{name}" for name in capabilities)
    return (
        *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
        *(f"--inh-caps={added}", f"--ambient-caps={added}", f"--bounding-set=-all,{added}"),
    )


@pytest.fixture
def reachable() -> None:
    """Whether an ordinary user may come to the probe's file at all."""
    command = [*ordinary_user_with("bpf"), "test", "-x", str(PROBE)]
    if subprocess.run(command, check=False).returncode:
        pytest.skip(f"an ordinary user may not reach {PROBE}")


@pytest.mark.usefixtures("root", "reachable")
def test_two_capabilities_are_enough_to_count(target: Target, start_probe: StartProbe) -> None:
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), wrapper=ordinary_user_with("bpf", "perfmon"))
    target.do(f"poll {fd} 20011 0")
    frame = probe.stop()
    assert counts(frame, target.pid)["break_polls"] == 20011
    assert set(frame["lost"].values()) == {0}


@pytest.mark.usefixtures("root", "reachable")
def test_cap_sys_ptrace_gives_complete_stacks_of_other_users(
    target: Target, start_probe: StartProbe
) -> None:
    """CAP_SYS_PTRACE lets it read which libc is mapped, and so where that hides its caller."""
    fd = target.do("open tcp")
    wrapper = ordinary_user_with("bpf", "perfmon", "sys_ptrace")
    probe = start_probe("-p", str(target.pid), "--stacks", "1", wrapper=wrapper)
    target.do(f"poll {fd} 211 0")
    stacks = counts(probe.stop(), target.pid)["stacks"]
    assert {stack["hidden"] for stack in stacks} == {"recovered"}
    assert sum(stack["count"] for stack in stacks) == 211


@pytest.mark.usefixtures("root", "reachable")
def test_once_attached_unneeded_capabilities_are_dropped(
    target: Target, start_probe: StartProbe
) -> None:
    wrapper = ordinary_user_with("bpf", "perfmon", "sys_ptrace")
    probe = start_probe("-p", str(target.pid), wrapper=wrapper)
    lines = Path(f"/proc/{probe.process.pid}/status").read_text().splitlines()
    held = {key: int(value, 16) for key, _, value in (line.partition(":\t") for line in lines)
            if key in ("CapPrm", "CapEff", "CapInh", "CapAmb")}  # fmt: skip
    assert held["CapInh"] == held["CapAmb"] == 0
    bpf, perfmon = 1 << 39, 1 << 38
    assert held["CapEff"] & ~(bpf | perfmon) == 0
    probe.stop()
