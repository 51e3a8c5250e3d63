# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs inside the guest: the cost of fentry and kprobe against tp_btf, in instructions, as one line
of JSON.

`watched`: a poll of the watched process under fentry, tp_btf being 1; `others`: a system call of a
process that is not watched; each with `…_kprobe`, and with `…_untraced`, nothing attached.

It is meant for a guest whose clock counts instructions (machine.py), where a time is their number.
That is not what they take on a processor, so only the order of the two is worth saying.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from tests.probes.conftest import TARGETS
from tests.probes.probe_process import Probe, Target

ROUNDS = 3
VARIANTS = ("", "fentry", "tp_btf", "kprobe")  # "" is: nothing attached


def _seconds(target: Target, command: str) -> float:
    start = time.monotonic()
    target.do(command)
    return time.monotonic() - start


def fentry_cost(poller: Path) -> dict[str, float]:
    took: dict[tuple[str, str], list[float]] = {}
    watched, other = Target.start(poller), Target.start(poller)
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
    watched.close()
    other.close()
    typical = {key: statistics.median(times) for key, times in took.items()}
    return {
        what + suffix: round(typical[what, variant] / typical[what, "tp_btf"], 2)
        for what in ("watched", "others")
        for suffix, variant in (("", "fentry"), ("_kprobe", "kprobe"), ("_untraced", ""))
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        poller = Path(name) / "poller"
        flags = ("-std=gnu11", "-O1", "-fno-omit-frame-pointer", "-pthread")
        subprocess.run(["gcc", *flags, TARGETS / "poller.c", "-o", poller], check=True)
        print(json.dumps({"type": "cost", **fentry_cost(poller)}))


if __name__ == "__main__":
    main()
