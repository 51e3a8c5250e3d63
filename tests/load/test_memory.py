# SPDX-License-Identifier: GPL-2.0-or-later
"""A load of any length takes the memory of a short one. LOAD_SOAK_S (make soak) makes it long."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.waiting import PATIENCE_S, until

SECONDS = int(os.environ.get("LOAD_SOAK_S", "3"))
ROOM_KB = 12_000
"""Allocators keep some of what a burst took."""

WORKLOAD = f"""
client = "go-ora"
sessions = 4
seconds = {SECONDS + 600}
[[statements]]
sql = "select :n from dual"
binds = [[1], [2], [3]]
"""


def resident_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1])


def test_memory_stays_flat(
    start: Callable[..., subprocess.Popen[str]], built_lab: None, tmp_path: Path
) -> None:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    path = tmp_path / "w.load.jsonl"
    process = start("load", str(tmp_path / "w.toml"), "--json", "-o", str(path))

    def seconds() -> int:
        assert process.poll() is None, process.communicate()
        return path.read_text().count('"kind": "second"') if path.exists() else 0

    def family() -> dict[int, int]:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        return {pid: resident_kb(pid) for pid in [process.pid, *map(int, children)]}

    until(lambda: seconds() >= 2, "the second second")
    before = family()
    until(lambda: seconds() >= 2 + SECONDS, f"{SECONDS} seconds more")
    after = family()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    assert json.loads(output)["transactions"] > 100
    assert set(after) == set(before)
    grown = {pid: after[pid] - before[pid] for pid in before}
    assert max(grown.values()) < ROOM_KB, grown
