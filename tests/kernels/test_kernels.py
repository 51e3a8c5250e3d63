# SPDX-License-Identifier: GPL-2.0-or-later
"""The probe on a stock kernel, in brief; `make kernels` does it at length."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT, missing
from tests.kernels import machine
from tests.kernels.packages import BUILD, HERE, fetch, matrix
from tests.kernels.results import VARIANTS
from tests.probes.conftest import TARGETS
from tests.probes.probe_process import PROBE, Record, counts

# Of those that this machine's package sources have, the one least like a kernel of today. `make
# kernels` has all of them, and these checks among its own (test_counts.py, test_life.py).
OLDEST = next(wanted for wanted in matrix() if wanted.mandatory)
POLLS = 20011


@pytest.fixture(scope="module")
def poller() -> Path:
    """Where the guest sees it too: its /tmp is its own."""
    BUILD.mkdir(parents=True, exist_ok=True)
    flags = ("-std=gnu11", "-O1", "-fno-omit-frame-pointer", "-pthread")
    subprocess.run(["gcc", *flags, TARGETS / "poller.c", "-o", BUILD / "poller"], check=True)
    return BUILD / "poller"


def by_variant(records: list[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        if record["type"] == "variant":
            found[record["name"]] = []
        else:
            found[list(found)[-1]].append(record)
    return found


def test_every_variant_counts_exactly_and_leaves_nothing(probe: None, poller: Path) -> None:
    if lacks := machine.missing_tools():
        missing(f"there is no {', '.join(lacks)}: ./setup.sh --tests")
    lines: list[str] = []
    console = BUILD / "brief.console"
    command = shlex.join(["bash", str(HERE / "brief.sh"), str(PROBE), str(poller), str(POLLS)])
    script = f"export PATH=/usr/sbin:/usr/bin:/sbin:/bin; exec {command}"

    for _ in range(2):
        lines.clear()
        code = machine.run(fetch(OLDEST), script, lines.append, console=console, timeout_s=600)
        if "Oops: int3" not in console.read_text(errors="replace"):  # the emulator's own fault
            break

    assert code == 0, f"{console.relative_to(ROOT)}: {console.read_text()[-2000:]}"
    found = by_variant([json.loads(line) for line in lines])
    assert list(found) == list(VARIANTS)
    for variant, records in found.items():
        header, left = records[0], records[-1]
        assert header["variant"] == variant
        frame = next(record for record in reversed(records) if record["type"] == "frame")
        (process,) = frame["processes"]
        assert counts(frame, process["pid"])["break_polls"] == POLLS
        assert set(frame["lost"].values()) == {0}
        assert left["programs"] == []
