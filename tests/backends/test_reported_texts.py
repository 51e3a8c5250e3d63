# SPDX-License-Identifier: GPL-2.0-or-later
"""Texts that users published or documented, and damaged copies: the counts are right, or it says
that it cannot tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polltrace.backends.syscall_trace_file import evidence_of, read_trace
from polltrace.backends.trace_evidence import polls_of
from polltrace.backends.verdict import PollingKind, verdict
from polltrace.errors import FileError

FIXTURES = Path(__file__).parent / "fixtures"

FORMS = {
    "blanklines-table.txt": ("strace", 333_411, PollingKind.LOOKS_LIKE_IT),
    "nan-table.txt": ("strace", 333_411, PollingKind.LOOKS_LIKE_IT),
    "aix-truss-c.txt": ("truss", 406_574, PollingKind.LOOKS_LIKE_IT),
    "aix-truss.txt": ("truss", 3, PollingKind.LOOKS_LIKE_IT),
    "truss-v-pollsys.txt": ("truss", 4, PollingKind.LOOKS_LIKE_IT),
    "strace-c-linux.txt": ("strace", 54_550, PollingKind.LOOKS_LIKE_IT),
    "truss-c-skip-10.txt": ("truss", 406_574, PollingKind.LOOKS_LIKE_IT),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_polls_of_a_published_text(name: str) -> None:
    tool, polls, kind = FORMS[name]
    (evidence,) = read_trace(FIXTURES / name, tool)
    totals = evidence.profile.only()
    assert polls_of(evidence, totals) == polls
    assert verdict(evidence, totals).kind is kind
    assert not evidence.gaps


def test_truss_v_settles_the_question() -> None:
    (evidence,) = read_trace(FIXTURES / "truss-v-pollsys.txt", "truss")
    totals = evidence.profile.only()
    assert (totals.break_polls, totals.other_polls, evidence.undecided_of(totals)) == (3, 1, 0)
    assert {socket.fd: socket.polls for socket in totals.sockets} == {14: 3}


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, str]:
    """A known text that lost lines, or a part of one line, or was cut off, and its tool."""
    name = draw(st.sampled_from(sorted(FORMS)))
    lines = (FIXTURES / name).read_text().splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        line = lines[at]
        start = draw(st.integers(0, len(line)))
        end = draw(st.integers(start, len(line)))
        kind = draw(st.sampled_from(["drop", "cut", "part", "letter", "torn"]))
        if kind == "drop" and len(lines) > 1:
            del lines[at]
        elif kind == "cut":
            lines[at] = line[:start] + "\n"
        elif kind == "part":
            lines[at] = line[:start] + line[end:]
        elif kind == "letter":
            lines[at] = line[:start] + draw(st.sampled_from("x_ 0\t.")) + line[start + 1 :]
        else:
            lines = [*lines[:at], line[:start]]
    return "".join(lines), FORMS[name][0]


@settings(max_examples=300)
@given(damaged())
def test_a_damaged_text_is_never_a_wrong_denial(text_and_tool: tuple[str, str]) -> None:
    text, tool = text_and_tool
    try:
        found = evidence_of(iter(text.splitlines(keepends=True)), tool, "it")
    except FileError:
        return
    for evidence in found:
        for totals in evidence.profile.totals:
            if verdict(evidence, totals).kind is PollingKind.NONE:
                # No poll at all, or only whole calls whose arguments are those of another poll.
                assert "poll" not in text or totals.other_polls


FOREIGN = {
    "perf trace -s": " Summary of events:\n\n oracle_71 (71), 12 events, 99.9%\n\n"
    "   syscall            calls  errors  total       min       avg       max       stddev\n"
    "   poll              333411      0   123.412     0.000     0.000     0.102      1.20%\n",
    "perf trace": "   0.000 ( 0.002 ms): oracle/71 poll(ufds: 0x7ffd, nfds: 1) = 0 (Timeout)\n",
    "perf script": "oracle_71_db    71 [003] 81123.123456: syscalls:sys_enter_poll: ufds: 0x7ffd\n",
    "bpftrace": "Attaching 1 probe...\n^C\n\n@[poll]: 333411\n@[read]: 3\n",
    "pstack": "71:\toracleSOL10G (LOCAL=NO)\n fffffd7ffe5f3c4a pollsys  (8, 1, 0, 0)\n"
    " fffffd7ffe5f3c4b sntpoltsts () + 4a\n",
    "dtrace": "dtrace: description 'syscall:::entry' matched 233 probes\n",
}


@pytest.mark.parametrize("tool", ["strace", "truss"])
@pytest.mark.parametrize("writer", FOREIGN)
def test_output_of_another_tool_is_refused_by_its_name(writer: str, tool: str) -> None:
    with pytest.raises(FileError, match=rf"^it is output of {writer}\b.* take? '"):
        evidence_of(iter(FOREIGN[writer].splitlines(keepends=True)), tool, "it")


def test_a_text_of_the_other_tracer() -> None:
    for name, tool, other in (
        ("truss-c-skip-10.txt", "strace", "truss"),
        ("nan-table.txt", "truss", "strace"),
    ):
        with pytest.raises(FileError, match=f"is output of {other}: use --from-{other}"):
            read_trace(FIXTURES / name, tool)
