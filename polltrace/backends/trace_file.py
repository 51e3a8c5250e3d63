# SPDX-License-Identifier: GPL-2.0-or-later
"""Evidence from a file that strace or truss wrote, on whatever host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from polltrace.backends.count_tables import (
    CountTable,
    read_strace_table,
    read_truss_table,
    without_tables,
)
from polltrace.backends.poll_arguments import judge_strace, judge_truss
from polltrace.backends.strace_text import StraceText
from polltrace.backends.tally import Tally, add_all
from polltrace.backends.trace_evidence import TraceEvidence
from polltrace.backends.traced import POLLS
from polltrace.backends.truss_text import TrussText
from polltrace.errors import FileError
from polltrace.profiles.frames import Header, ProcessTotals
from polltrace.profiles.profile import Profile

_LONGEST_LINE = 1 << 20


def read_trace(path: Path, tool: str) -> tuple[TraceEvidence, ...]:
    """The evidence in `path`, the output of `tool`, "strace" or "truss": of each table of counts
    in it, or of its list of calls.

    Raises FileError for a file that cannot be read or holds none of its output.
    """
    try:
        with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
            return evidence_of(_lines(file), tool, path.name)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from None


def _lines(file: TextIO) -> Iterator[str]:
    while line := file.readline(_LONGEST_LINE):
        yield line.replace("\r\n", "\n")


def evidence_of(lines: Iterator[str], tool: str, name: str) -> tuple[TraceEvidence, ...]:
    """As `read_trace`, from lines; `name` is the file's, for messages."""
    text = StraceText() if tool == "strace" else TrussText()
    tally = Tally(judge_strace if tool == "strace" else judge_truss)
    tables: list[list[str]] = []
    add_all(tally, text.events(without_tables(lines, tool, tables)))
    listed = bool(tally.processes())
    if listed and tool == "strace":
        tables = []  # strace -C: of the very calls that it listed
    found = tuple(_of_table(table, tool, name) for table in tables)
    return found if found and not listed else (*found, _of_text(tally, tool, name))


def _of_table(lines: Sequence[str], tool: str, name: str) -> TraceEvidence:
    try:
        table = read_strace_table(lines) if tool == "strace" else read_truss_table(lines)
    except (ValueError, KeyError):
        raise FileError(f"{name}: the table of {tool} -c has a row that is none") from None
    totals = ProcessTotals(0, 0, 0.0, 0, 0, (), table.syscalls, ())
    return TraceEvidence(
        profile=_profile(f"{tool} -c", (totals,), table.elapsed_s, table.whole),
        undecided={(0, 0): sum(c.calls for c in table.syscalls if c.name in POLLS)},
        timed=table.elapsed_s is not None,
        cpu_s=table.cpu_s,
        doubts=_torn_table(table, name),
    )


def _torn_table(table: CountTable, name: str) -> tuple[str, ...]:
    return () if table.whole else (f"{name} is torn: the table ends before its totals.",)


def _of_text(tally: Tally, tool: str, name: str) -> TraceEvidence:
    processes = tally.processes()
    if not processes:
        raise FileError(f"{name} holds no system call as {tool} prints one")
    doubts = []
    torn = [each.line for each in tally.unread if each.torn]
    strange = [each.line for each in tally.unread if not each.torn]
    if torn:
        doubts.append(f"{name} is torn in line {torn[0]:,}: read up to there.")
    if strange:
        count = "1 line is" if len(strange) == 1 else f"{len(strange):,} lines are"
        doubts.append(f"{count} nothing that {tool} prints, the first is line {strange[0]:,}.")
    if tally.unnamed_socket:
        again = "strace -yy" if tool == "strace" else "pfiles"
        doubts.append(f"What is behind a descriptor is not in the text; {again} would tell.")
    return TraceEvidence(
        profile=_profile(tool, tuple(each for each, _ in processes), tally.seconds, not torn),
        undecided={each.identity: count for each, count in processes if count},
        timed=tally.seconds is not None,
        cpu_s=None,
        doubts=tuple(doubts),
        stacks=tally.stacks(),
    )


def _profile(
    variant: str, totals: tuple[ProcessTotals, ...], seconds: float | None, whole: bool
) -> Profile:
    return Profile(
        header=Header(probe="", host="", kernel="", mode="file", variant=variant),
        seconds=seconds or 0.0,
        processes={},
        totals=totals,
        ended=frozenset(),
        lost={},
        complete=whole,
    )
