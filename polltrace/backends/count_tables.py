# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of `strace -c` and `truss -c`: counts, and nothing of what was called how."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from polltrace.profiles.frames import Syscall

_SUM = re.compile(r"(usr time|elapsed|sys totals):\s+(\d*\.\d+)")
_HEADER = {
    "strace": re.compile(r"% time\s+seconds\s+.*calls.*errors.*syscall\s*$"),
    "truss": re.compile(r"syscall\s+seconds\s+calls\s+errors\s*$"),
}
_LAST = {"strace": re.compile(r"\stotal\n"), "truss": re.compile(r"^elapsed:\s+\d*\.\d+\s*\n")}


@dataclass(frozen=True, slots=True)
class CountTable:
    """The table of `strace -c` or `truss -c`: `syscalls` with their counts. `cpu_s` and
    `elapsed_s` only where truss prints them; `whole` when the last line is there."""

    syscalls: tuple[Syscall, ...]
    cpu_s: float | None
    elapsed_s: float | None
    whole: bool


def without_tables(lines: Iterable[str], tool: str, tables: list[list[str]]) -> Iterator[str]:
    """The lines, those of tables as empty ones, so that each keeps its number.

    Each table is added to `tables`, from its header on.
    """
    table: list[str] | None = None
    for line in lines:
        if "errors" in line and _HEADER[tool].match(line.strip()):
            table = []
            tables.append(table)
        if table is None:
            yield line
            continue
        table.append(line)
        yield "\n"
        if _LAST[tool].search(line):
            table = None


def read_strace_table(lines: Sequence[str]) -> CountTable:
    """From the header on. Raises ValueError for a row that is none."""
    columns = lines[0].replace("% time", "%time").split()
    found: list[Syscall] = []
    for line in lines[2:]:
        cells = line.split()
        if not line.endswith("\n") or not cells:
            break
        if cells[0].startswith("--"):
            return CountTable(
                tuple(found), None, None, any(_LAST["strace"].search(line) for line in lines)
            )
        if len(cells) == len(columns) - 1:
            cells.insert(columns.index("errors"), "0")
        row = dict(zip(columns, cells, strict=True))
        found.append(Syscall(-1, row["syscall"], int(row["calls"]), int(row["errors"])))
    return CountTable(tuple(found), None, None, False)


def read_truss_table(lines: Sequence[str]) -> CountTable:
    """From the header on. Raises ValueError for a row that is none."""
    found: list[Syscall] = []
    sums: dict[str, float] = {}
    in_rows = True
    for line in lines[1:]:
        cells = line.split()
        if not line.endswith("\n"):
            break
        if found_sum := _SUM.match(line.strip()):
            sums[found_sum[1]] = float(found_sum[2])
        elif not cells or cells[0].startswith("--"):
            in_rows = in_rows and not cells
        elif in_rows:
            name, _, calls, *errors = cells
            found.append(Syscall(-1, name, int(calls), int(errors[0]) if errors else 0))
    cpu = {key: value for key, value in sums.items() if key != "elapsed"}
    return CountTable(
        tuple(found),
        sum(cpu.values()) if len(cpu) == 2 else None,
        sums.get("elapsed"),
        "elapsed" in sums,
    )
