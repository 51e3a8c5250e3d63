# SPDX-License-Identifier: GPL-2.0-or-later
"""The probe with less than all of root's capabilities."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.probes.probe_process import LINUX, PROBE, Probe, Target, counts

# Root as a container or a service unit may leave it. The memory of maps is charged to that limit
# before Linux 5.11, and raising it would take CAP_SYS_RESOURCE.
ONLY = (
    *(() if LINUX >= (5, 11) else ("prlimit", "--memlock=unlimited")),
    *("setpriv", "--inh-caps=-all", "--bounding-set=-all,+bpf,+perfmon"),
)
StartProbe = Callable[..., Probe]


def variants_with(*wrapper: str) -> dict[str, str]:
    done = subprocess.run(
        [*wrapper, PROBE, "--variants"], capture_output=True, text=True, check=True
    )
    return {n: a.strip() for n, a in (line.split(maxsplit=1) for line in done.stdout.splitlines())}


def test_bpf_and_perfmon_are_enough_to_count(
    variant: str, target: Target, start_probe: StartProbe
) -> None:
    answer = variants_with(*ONLY)[variant]
    if variant == "kprobe" and "perf_event_paranoid" in answer:
        # A fact of Debian's kernels as they are set up, which the probe has to know and report.
        assert int(Path("/proc/sys/kernel/perf_event_paranoid").read_text()) > 2
        assert variants_with(*ONLY[:-1], ONLY[-1] + ",+sys_admin")[variant] == "yes"
        pytest.skip(answer.removeprefix("no: "))
    if answer != "yes":
        pytest.fail(f"{variant} works with all capabilities, but not with these: {answer}")
    fd = target.do("open tcp")
    probe = start_probe("-p", str(target.pid), "--variant", variant, wrapper=ONLY)
    target.do(f"poll {fd} 20011 0")
    frame = probe.stop()
    assert counts(frame, target.pid)["break_polls"] == 20011
    assert set(frame["lost"].values()) == {0}


@pytest.mark.parametrize(("kept", "lacking"), [("bpf", "CAP_PERFMON"), ("perfmon", "CAP_BPF")])
def test_a_missing_capability_is_named(kept: str, lacking: str, root: None) -> None:
    done = subprocess.run(
        ["setpriv", "--inh-caps=-all", f"--bounding-set=-all,+{kept}", PROBE, "-p", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, "")
    (line,) = done.stderr.splitlines()
    assert lacking in line
