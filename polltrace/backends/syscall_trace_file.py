# SPDX-License-Identifier: GPL-2.0-or-later
"""Evidence from a file that strace or truss wrote on any host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from polltrace.backends.call_counter import CallCounter
from polltrace.backends.call_names import is_poll
from polltrace.backends.count_tables import (
    SeparatedText,
    TableError,
    read_strace_table,
    read_truss_table,
)
from polltrace.backends.foreign_text import refusal
from polltrace.backends.poll_arguments import judge_strace, judge_truss
from polltrace.backends.strace_text import StraceText
from polltrace.backends.trace_evidence import TraceEvidence
from polltrace.backends.truss_text import TrussText
from polltrace.errors import FileError
from polltrace.profiles.frames import Header, ProcessTotals
from polltrace.profiles.profile import Profile

_LONGEST_LINE = 1 << 20
_TWO_MODES = "Calls of the other mode (32 or 64 bit) are in a table of their own."


def read_trace(path: Path, tool: str) -> tuple[TraceEvidence, ...]:
    """The evidence in `path`, the output of `tool` ("strace" or "truss"): one for each table of
    counts, or one for the list of calls.

    Raises FileError for a file that cannot be read, has no output of the tool, or has a table whose
    counts cannot be trusted.
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
    """The evidence in `lines`, as for `read_trace`; `name` is the file's, for messages."""
    text = StraceText() if tool == "strace" else TrussText()
    counter = CallCounter(judge_strace if tool == "strace" else judge_truss)
    separated = SeparatedText()
    counter.add_all(text.events(separated.lines_outside(lines, tool)))
    has_calls = bool(counter.processes())
    # strace -C prints a table of the same calls that it listed.
    tables = [] if has_calls and tool == "strace" else separated.tables
    gaps = (_TWO_MODES,) if separated.several_modes and len(tables) > 1 else ()
    from_tables = tuple(_from_table(table, tool, name, gaps) for table in tables)
    if has_calls:
        return (*from_tables, _from_calls(counter, tool, name))
    if not from_tables:
        reason = refusal(separated.excerpt, tool)
        raise FileError(f"{name} {reason or f'holds no system call as {tool} prints one'}")
    return from_tables


def _from_table(lines: Sequence[str], tool: str, name: str, gaps: tuple[str, ...]) -> TraceEvidence:
    try:
        table = read_strace_table(lines) if tool == "strace" else read_truss_table(lines)
    except TableError as error:
        reason = f"has a table of {tool} -c that {error}; take it again: {tool} -c -p PID"
        raise FileError(f"{name} {refusal(lines[:1], tool) or reason}") from None
    totals = ProcessTotals(0, 0, 0.0, 0, 0, (), table.syscalls, ())
    if not table.complete:
        gaps = (*gaps, f"{name} is torn: the table ends before its totals.")
    return TraceEvidence(
        profile=_profile(f"{tool} -c", (totals,), table.elapsed_s, table.complete),
        undecided={(0, 0): sum(call.calls for call in table.syscalls if is_poll(call.name))},
        timed=table.elapsed_s is not None,
        cpu_s=table.cpu_s,
        doubts=(),
        gaps=gaps,
    )


def _from_calls(counter: CallCounter, tool: str, name: str) -> TraceEvidence:
    processes = counter.processes()
    torn = [unread.line for unread in counter.unread if unread.torn]
    strange = [unread.line for unread in counter.unread if not unread.torn]
    gaps, doubts = [], []
    if torn:
        gaps.append(f"{name} is torn in line {torn[0]:,}: read up to there.")
    if strange:
        count = "1 line is" if len(strange) == 1 else f"{len(strange):,} lines are"
        gaps.append(f"{count} nothing that {tool} prints, the first is line {strange[0]:,}.")
    if counter.unnamed_socket:
        better = "strace -yy" if tool == "strace" else "pfiles"
        doubts.append(f"The file behind a descriptor is not in the text; {better} would show it.")
    return TraceEvidence(
        profile=_profile(
            tool, tuple(totals for totals, _ in processes), counter.seconds, complete=not torn
        ),
        undecided={totals.identity: count for totals, count in processes if count},
        timed=counter.seconds is not None,
        cpu_s=None,
        doubts=tuple(doubts),
        stacks=counter.stacks(),
        gaps=tuple(gaps),
    )


def _profile(
    variant: str, totals: tuple[ProcessTotals, ...], seconds: float | None, complete: bool
) -> Profile:
    return Profile(
        header=Header(probe="", host="", kernel="", mode="file", variant=variant),
        seconds=seconds or 0.0,
        processes={},
        totals=totals,
        ended=frozenset(),
        lost={},
        complete=complete,
    )
