# SPDX-License-Identifier: GPL-2.0-or-later
"""The report from what coverage.py and gcovr counted: rooms, and the files with gaps."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOMS = ("polltrace", "stacks", "scenarios", "lab", "probes")
GAP_PCT = 85.0  # files with a lower coverage are named
MOST_GAPS = 40
HEAD = """\
# Coverage

Which lines the tests run, by `make coverage`: coverage.py over Python, every process that a test
starts included, and gcov over the probe's loader and the lab. A line that was run is not a line
that was tested; `make mutants` asks for that, of the overhead model and the classifier. Lines in
the kernel's part of the probe, and of processes that were killed, are not seen. `bench_*` measure
and are no part of a test; `bcc_probe.py` wants a kernel whose headers are there; the probe's
sandbox is left out while lines are counted, because it refuses to write them down.
"""


@dataclass(frozen=True)
class File:
    path: str
    lines: int
    run: int

    @property
    def pct(self) -> float:
        return 100 * self.run / self.lines if self.lines else 100.0

    @property
    def room(self) -> str:
        return max((room for room in ROOMS if self.path.startswith(f"{room}/")), key=len)


def python_files(path: Path) -> Iterator[File]:
    for name, found in json.loads(path.read_text())["files"].items():
        total = found["summary"]
        yield File(name, total["num_statements"], total["covered_lines"])


def c_files(path: Path) -> Iterator[File]:
    for found in json.loads(path.read_text())["files"]:
        yield File(found["filename"], found["line_total"], found["line_covered"])


def table(head: tuple[str, ...], files: list[tuple[str, File]]) -> list[str]:
    rows = [f"| {name} | {each.lines:,} | {each.pct:.0f} % |" for name, each in files]
    return [f"| {' | '.join(head)} |", "|---|--:|--:|", *rows]


def report(files: list[File], tests: str) -> str:
    rooms = []
    for room in ROOMS:
        inside = [each for each in files if each.room == room]
        whole = File(room, sum(e.lines for e in inside), sum(e.run for e in inside))
        rooms.append((f"`{room}`", whole))
    names = ", ".join(f"`{each}`" for each in tests.split())
    gaps = sorted((e for e in files if e.pct < GAP_PCT), key=lambda e: e.run - e.lines)
    return "\n".join(
        [
            HEAD,
            f"Tests: {names}, Python {platform.python_version()}.",
            "",
            *table(("room", "lines", "run"), rooms),
            "",
            f"Below {GAP_PCT:.0f} %, by the lines that were not run, {min(MOST_GAPS, len(gaps))} of"
            f" {len(gaps)} files:",
            "",
            *table(("file", "lines", "run"), [(f"`{e.path}`", e) for e in gaps[:MOST_GAPS]]),
        ]
    )


if __name__ == "__main__":
    print(report([*python_files(Path(sys.argv[1])), *c_files(Path(sys.argv[2]))], sys.argv[3]))
