# SPDX-License-Identifier: GPL-2.0-or-later
"""A load of any length takes the memory of a short one. `make soak-load` makes it long: 2,400
transactions a second for an hour are a day of 100 a second."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from polltrace.scenarios.clients import LOAD_PROGRAMS
from tests.waiting import PATIENCE_S, until

SECONDS = int(os.environ.get("LOAD_SOAK_S", "3"))
WARM_S = 2 + SECONDS // 10
RATE = 2400
# A JVM takes what its options allow it, whatever its program keeps.
CLIENTS = [name for name, each in LOAD_PROGRAMS.items() if name != "ojdbc11" and not each.missing()]
ROOM_KB = {"node": 48_000}
OTHER_ROOM_KB = 12_000
"""Allocators keep some of what a burst took; V8's heap of young objects alone grows to 32 MiB."""

WORKLOAD = f"""
client = {json.dumps(CLIENTS)}
sessions = {2 * len(CLIENTS)}
seconds = {SECONDS + WARM_S + 600}
rate = {RATE}
max_lag_s = 5
[[statements]]
sql = "select :n from dual"
binds = [[1], [2], [3]]
"""


def family(pid: int) -> Iterator[int]:
    """A process and all that it has started."""
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from family(int(child))


def resident_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1])


def test_memory_stays_flat(
    start: Callable[..., subprocess.Popen[str]], built_lab: None, tmp_path: Path
) -> None:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    path = tmp_path / "w.load.jsonl"
    process = start("load", str(tmp_path / "w.toml"), "--json", "-o", str(path))
    until(path.exists, "its file")
    with path.open() as file:
        seconds = 0

        def over(wanted: int) -> bool:
            nonlocal seconds
            assert process.poll() is None, process.communicate()
            seconds += file.read().count('"kind": "second"')
            return seconds >= wanted

        until(lambda: over(WARM_S), f"{WARM_S} seconds")
        before = {pid: resident_kb(pid) for pid in family(process.pid)}
        until(lambda: over(WARM_S + SECONDS), f"{SECONDS} seconds more")
    names = {pid: Path(f"/proc/{pid}/comm").read_text().strip() for pid in before}
    grown = {pid: resident_kb(pid) - kb for pid, kb in before.items()}
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    data = json.loads(output)
    assert data["transactions"] > 100
    told = [f"{names[pid]} {before[pid]:,} {kb:+,}" for pid, kb in grown.items()]
    per_hour = sum(grown.values()) * 3600 / SECONDS
    print(f"\n{data['transactions']:,} transactions; resident kB: {'; '.join(told)}")
    print(f"all of them: {per_hour:+,.0f} kB an hour")
    for pid, kb in grown.items():
        assert kb < ROOM_KB.get(names[pid], OTHER_ROOM_KB), told
