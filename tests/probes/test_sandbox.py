# SPDX-License-Identifier: GPL-2.0-or-later
"""The system calls that the probe may make once it is attached."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.probes.probe_process import ROOT, Probe, Target
from tests.probes.test_bursts import offset_of
from tests.waiting import children, until

StartProbe = Callable[..., Probe]


@pytest.fixture(scope="module")
def refused() -> Path:
    subprocess.run(["make", "-s", "-C", str(ROOT / "probes"), "build/refused"], check=True)
    return ROOT / "probes" / "build" / "refused"


@pytest.mark.parametrize("sandbox", ["session", "uprobes", "reader", "replacer"])
def test_the_sandbox_refuses_all_other_system_calls(sandbox: str, refused: Path) -> None:
    done = subprocess.run([refused, sandbox], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def sandboxed(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    return "Seccomp:\t2" in status


MODES = [
    [],
    ["--watch"],
    ["--latency"],
    ["-c"],
    ["--off-cpu"],
    ["--stacks", "auto"],
    ["--no-mmap"],
]


@pytest.mark.parametrize("mode", MODES)
def test_in_every_mode(mode: list[str], target: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(target.pid), *mode)
    assert sandboxed(probe.process.pid)
    assert not sandboxed(target.pid)
    probe.stop()


def test_no_seccomp_leaves_it_unconfined(target: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(target.pid), "--no-seccomp")
    assert not sandboxed(probe.process.pid)
    probe.stop()


def test_the_uprobes_child_is_in_a_sandbox_too(
    target: Target, start_probe: StartProbe, poller: Path
) -> None:
    location = f"{poller}:0x{offset_of(poller, 'break_check'):x}"
    probe = start_probe("-p", str(target.pid), "--function", location)
    (child,) = until(lambda: children(probe.process.pid, "polltrace-upro"))
    until(lambda: sandboxed(child), "the child in its sandbox")
    probe.stop()


def test_the_reading_children_are_in_a_sandbox_too(target: Target, start_probe: StartProbe) -> None:
    probe = start_probe("-p", str(target.pid))
    (replacer,) = until(lambda: children(probe.process.pid, "polltrace-read"))
    (reader,) = until(lambda: children(replacer, "polltrace-read"))
    until(lambda: sandboxed(replacer), "the replacer in its sandbox")
    until(lambda: sandboxed(reader), "the reader in its sandbox")
    probe.stop()
