# SPDX-License-Identifier: GPL-2.0-or-later
"""What fentry costs against tp_btf on this kernel, interleaved, as ratios of medians.

Run under emulation, so no absolute time comes out of it: an emulated instruction costs what the
emulator makes of it, and only the order of the two is worth saying.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from tests.probes.conftest import TARGETS
from tests.probes.probe_process import Probe, Target

ROUNDS = 9
VARIANTS = ("", "fentry", "tp_btf")  # "" is: nothing attached


def _seconds(target: Target, command: str) -> float:
    start = time.monotonic()
    target.do(command)
    return time.monotonic() - start


def fentry_cost() -> dict[str, float]:
    """`watched`: a poll of the watched process under fentry, tp_btf being 1; `others`: a system
    call of a process that is not watched, so too; each with `…_untraced`, nothing attached."""
    took: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        poller = Path(name) / "poller"
        flags = ("-std=gnu11", "-O1", "-fno-omit-frame-pointer", "-pthread")
        subprocess.run(["gcc", *flags, TARGETS / "poller.c", "-o", poller], check=True)
        watched, other = Target.start(poller), Target.start(poller)
        try:
            fd = watched.do("open tcp")
            for _ in range(ROUNDS):
                for variant in VARIANTS:
                    options = ("-p", str(watched.pid), "--variant", variant)
                    probe = Probe.start(*options) if variant else None
                    for what, target, command in (
                        ("watched", watched, f"poll {fd} 20011 0"),
                        ("others", other, "getppid 0 40009"),
                    ):
                        took.setdefault((what, variant), []).append(_seconds(target, command))
                    if probe:
                        probe.stop()
        finally:
            watched.close()
            other.close()
    typical = {key: statistics.median(times) for key, times in took.items()}
    return {
        what + suffix: round(typical[what, variant] / typical[what, "tp_btf"], 2)
        for what in ("watched", "others")
        for suffix, variant in (("", "fentry"), ("_untraced", ""))
    }
