# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of `strace -c` and `truss -c`: counts of calls, without their arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from polltrace.profiles.frames import Syscall

_SUM = re.compile(r"(usr time|elapsed|sys totals):\s+(\d*\.\d+)(?:\s+(\d+))?(?:\s+\d+)?")
_BSD_TOTAL = re.compile(r"\d*\.\d+\s+(\d+)\s+\d+")
# The titles of strace -c, which its -U chooses and orders.
_STRACE_TITLES = frozenset(
    ("%time", "seconds", "usecs/call", "calls", "errors", "syscall", "shortest", "longest")
)
_TRUSS_TITLES = ["syscall", "seconds", "calls", "errors"]
_STRACE_TOTAL = re.compile(r"(?:^|\s)total\s*$|^\s*total\s")
_TRUSS_END = re.compile(r"^elapsed:\s+\d*\.\d+\s*\n|^\s+\d*\.\d+\s+\d+\s+\d+\s*\n")
# strace prints a table for each mode that a process made calls in.
_MODE = "System call usage summary for "
_EXCERPT_LINES = 200


class TableError(ValueError):
    """Why a table is not evidence, as the end of a sentence about it."""


@dataclass(frozen=True, slots=True)
class CountTable:
    """The table of `strace -c` or `truss -c`: `syscalls` with their counts. `cpu_s` and `elapsed_s`
    only where truss prints them; `complete`: it has its totals, which its rows add up to."""

    syscalls: tuple[Syscall, ...]
    cpu_s: float | None
    elapsed_s: float | None
    complete: bool


@dataclass(slots=True)
class SeparatedText:
    """The `tables` of a text, each from its header on, and the first lines of all of it.
    `several_modes`: a table has the 64-bit calls of a process and another one its 32-bit calls."""

    tables: list[list[str]] = field(default_factory=list)
    excerpt: list[str] = field(default_factory=list)
    several_modes: bool = False

    def lines_outside(self, lines: Iterable[str], tool: str) -> Iterator[str]:
        """The lines, with an empty one for each of a table, so that every line keeps its number."""
        table: list[str] | None = None
        end = _STRACE_TOTAL if tool == "strace" else _TRUSS_END
        for line in lines:
            if len(self.excerpt) < _EXCERPT_LINES:
                self.excerpt.append(line)
            if "call" in line:
                self.several_modes |= line.startswith(_MODE)
                if _is_header(line, tool):
                    table = []
                    self.tables.append(table)
            if table is None:
                yield line
                continue
            table.append(line)
            yield "\n"
            if end.search(line):
                table = None


def _titles(line: str) -> list[str]:
    return line.replace("% time", "%time").split()


def _is_header(line: str, tool: str) -> bool:
    titles = _titles(line)
    if tool == "truss":
        return titles == _TRUSS_TITLES
    return len(titles) > 1 and _STRACE_TITLES.issuperset(titles)


def read_strace_table(lines: Sequence[str]) -> CountTable:
    """The table whose header is the first line. Raises TableError."""
    titles = _titles(lines[0])
    if not {"calls", "syscall"}.issubset(titles):
        raise TableError("lacks the column of calls or of their names: strace -U leaves it out")
    rows: list[Syscall] = []
    rules = 0
    for line in lines[1:]:
        cells = line.split()
        if _STRACE_TOTAL.search(line):
            _check_total(rows, [int(cell) for cell in cells if _is_count(cell)])
            return CountTable(tuple(rows), None, None, True)
        if not line.endswith("\n"):
            break
        if cells and cells[0].startswith("--"):
            rules += 1
        elif cells and rules < 2:
            rows.append(_strace_row(cells, titles))
    _check_rows(rows)
    return CountTable(tuple(rows), None, None, False)


def _strace_row(cells: list[str], titles: list[str]) -> Syscall:
    if len(cells) == len(titles) - 1 and "errors" in titles:
        cells.insert(titles.index("errors"), "0")
    if len(cells) != len(titles):
        raise _not_a_row(cells)
    row = dict(zip(titles, cells, strict=True))
    return _syscall(row["syscall"], row["calls"], row.get("errors", "0"), cells)


def read_truss_table(lines: Sequence[str]) -> CountTable:
    """The table whose header is the first line. Raises TableError."""
    rows: list[Syscall] = []
    times: dict[str, float] = {}
    in_rows, added_up = True, False
    for line in lines[1:]:
        cells, text = line.split(), line.strip()
        if not line.endswith("\n"):
            break
        if match := _SUM.fullmatch(text):
            times[match[1]] = float(match[2])
            if match[3]:
                _check_total(rows, [int(match[3])])
                added_up = True
            in_rows = False
        elif match := _BSD_TOTAL.fullmatch(text):
            _check_total(rows, [int(match[1])])
            return CountTable(tuple(rows), None, None, True)
        elif cells and cells[0].startswith("--"):
            in_rows = False
        elif cells and in_rows:
            if len(cells) not in (3, 4):
                raise _not_a_row(cells)
            rows.append(_syscall(cells[0], cells[2], cells[3] if cells[3:] else "0", cells))
    _check_rows(rows)
    cpu = [seconds for name, seconds in times.items() if name != "elapsed"]
    return CountTable(
        tuple(rows),
        cpu_s=sum(cpu) if len(cpu) == 2 else None,
        elapsed_s=times.get("elapsed"),
        complete=added_up and "elapsed" in times,
    )


def _syscall(name: str, calls: str, errors: str, cells: list[str]) -> Syscall:
    if not (_is_count(calls) and _is_count(errors)):
        raise _not_a_row(cells)
    return Syscall(-1, name, int(calls), int(errors))


def _is_count(cell: str) -> bool:
    return cell.isascii() and cell.isdigit() and len(cell) < 20


def _not_a_row(cells: list[str]) -> TableError:
    return TableError(f"has a line that is no row: {' '.join(cells)[:60]!r}")


def _check_rows(rows: Sequence[Syscall]) -> None:
    if not rows:
        raise TableError("has no rows")


def _check_total(rows: Sequence[Syscall], totals: Sequence[int]) -> None:
    """Raises TableError unless the rows make one of `totals`: errors and the average, which old
    releases leave blank in the last line, stand next to the number of calls there."""
    _check_rows(rows)
    calls = sum(row.calls for row in rows)
    if calls not in totals:
        stated = " or ".join(f"{total:,}" for total in totals) or "no number"
        raise TableError(f"has rows of {calls:,} calls, but a total of {stated}")
