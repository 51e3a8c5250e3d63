# SPDX-License-Identifier: GPL-2.0-or-later
"""truss's text in the shapes of its options, and the tables of both tracers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polltrace.backends.poll_arguments import JudgedPoll, judge_truss
from polltrace.backends.syscall_trace_file import evidence_of
from polltrace.backends.trace_events import CallEvent, Poll
from polltrace.backends.trace_evidence import TraceEvidence, polls_of
from polltrace.backends.verdict import PollingKind, verdict
from polltrace.errors import FileError
from polltrace.profiles.frames import SocketPolls

SYS = "pollsys(0xFFFFFD7FFFDFB4F8, 1, 0xFFFFFD7FFFDFB4B0, 0x00000000) = 0\n"


def read(text: str, tool: str = "truss") -> TraceEvidence:
    (found,) = evidence_of(iter(text.splitlines(keepends=True)), tool, "it")
    return found


def judged(text: str) -> tuple[int, int, int]:
    """Break polls, other polls, polls that could not be classified."""
    evidence = read(text)
    totals = evidence.profile.only()
    assert not [doubt for doubt in evidence.doubts if "descriptor" not in doubt]
    return totals.break_polls, totals.other_polls, evidence.undecided_of(totals)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SYS, (0, 0, 1)),
        (f"{SYS}\tfd=8  ev=POLLRDNORM rev=0\n\ttimeout: 0.000000000 sec\n", (1, 0, 0)),
        (f"71:\t{SYS}71:\t\tfd=8  ev=POLLIN rev=0\n71:\t\ttimeout: 0.000000000 sec\n", (1, 0, 0)),
        (f"/1:\t{SYS}/1:\t\tfd=8  ev=POLLIN rev=0\n/1:\t\ttimeout: 3.000000000 sec\n", (0, 1, 0)),
        ("pollsys(0x08047AB8, 1, 0x00000000, 0x00000000)\t= 1\n", (0, 1, 0)),
        ("pollsys(0x08047AB8, 2, 0x08047B18, 0x00000000)\t= 0\n", (0, 1, 0)),
        ("poll(0x08047AB8, 1, 0)\t\t\t= 0\n", (1, 0, 0)),
        ("poll(0x08047AB8, 1, 1000)\t\t= 0\n", (0, 1, 0)),
        ("poll({ 3/POLLIN },1,0)\t\t = 0 (0x0)\n", (1, 0, 0)),
        ("poll({ 3/POLLIN },0x1,0x0)\t = 0 (0x0)\n", (1, 0, 0)),
        ("poll(0x08047AB8, 1, -1)\t(sleeping...)\npoll(0x08047AB8, 1, -1)\t\t= 1\n", (0, 1, 0)),
        ("poll(0x08047AB8, 1, 0)\t\t\tErr#4 EINTR\n    Received signal #18, SIGCLD\n", (1, 0, 0)),
    ],
)
def test_polls_are_judged_by_their_arguments(text: str, expected: tuple[int, int, int]) -> None:
    assert judged(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        f"{SYS}\tfd=8  ev=POLLRDNORM rev=0\n\ttimeout: 0.000000000 sec\n",
        "poll(0x08047AB8, 1, 0)\t\t\t= 0\n\tfd=8  ev=POLLIN rev=0\n",
    ],
)
def test_the_descriptor_is_known_where_truss_was_asked_for_it(text: str) -> None:
    assert read(text).profile.only().sockets == (SocketPolls(8, "", "", "", 1),)


def test_a_judged_poll_has_counted_nothing_yet() -> None:
    details = ("fd=8  ev=POLLRDNORM rev=0",)
    call = CallEvent(1, "poll", "0x08047AB8, 1, 0", "0", False, details)
    assert judge_truss(call) == JudgedPoll(Poll.BREAK, SocketPolls(8, "", "", "", 0))


def test_deltas_and_times() -> None:
    deltas = read(f" 0.0000 {SYS} 0.2500 {SYS}/1:\t 0.7500 {SYS}")
    assert deltas.profile.seconds == pytest.approx(1.0)
    times = read(f"Base time stamp:  1174.5  [ Sat ]\n71:\t 0.5000\t{SYS}71:\t 3.5000\t{SYS}")
    assert times.profile.seconds == pytest.approx(3.0)
    assert times.profile.only().pid == 71


def test_errors_are_counted() -> None:
    (call,) = read("read(8, 0x1, 2064)\tErr#11 EAGAIN\n").profile.only().syscalls
    assert (call.name, call.calls, call.errors) == ("read", 1, 1)


ROWS = st.dictionaries(
    st.sampled_from(["poll", "read", "write", "times", "futex", "pollsys"]),
    st.tuples(st.integers(1, 10**9), st.integers(0, 10**6)),
    min_size=1,
)


def strace_table(rows: dict[str, tuple[int, int]], old: bool) -> str:
    """As strace -c prints it: no errors are a blank, and so was the total's usecs/call."""
    rule = "------ ----------- ----------- --------- --------- ----------------\n"
    text = f"% time     seconds  usecs/call     calls    errors syscall\n{rule}"
    for name, (calls, errors) in rows.items():
        text += f" 50.00    0.001383           0 {calls:9} {errors or '':>9} {name}\n"
    average = "" if old else "0"
    total = sum(calls for calls, _ in rows.values())
    return f"{text}{rule}100.00    0.001383 {average:>11} {total:9} {'':9} total\n"


def truss_table(rows: dict[str, tuple[int, int]]) -> str:
    text = "syscall               seconds   calls  errors\n"
    for name, (calls, errors) in rows.items():
        text += f"{name:<20}{'.001':>9} {calls:7} {errors or '':>6}\n"
    total = sum(calls for calls, _ in rows.values())
    end = "                     --------  ------   ----\nsys totals:              .001"
    sums = "usr time:              27.191\nelapsed:               31.080\n"
    return f"{text}{end} {total:7}      0\n{sums}"


@given(ROWS, st.booleans(), st.booleans())
def test_tables_give_what_was_written(
    rows: dict[str, tuple[int, int]], old: bool, solaris: bool
) -> None:
    text = truss_table(rows) if solaris else strace_table(rows, old)
    evidence = read(text, "truss" if solaris else "strace")
    totals = evidence.profile.only()
    assert {call.name: (call.calls, call.errors) for call in totals.syscalls} == rows
    assert polls_of(evidence, totals) == sum(
        calls for name, (calls, _) in rows.items() if name in ("poll", "pollsys")
    )
    assert evidence.profile.complete


@given(ROWS, st.booleans(), st.data())
def test_a_torn_table_is_read_up_to_the_tear_and_reported(
    rows: dict[str, tuple[int, int]], solaris: bool, data: st.DataObject
) -> None:
    text = truss_table(rows) if solaris else strace_table(rows, False)
    last = text.rstrip("\n").rindex("\n") + 1
    first_row = text.index("\n", text.index(next(iter(rows)), len("syscall"))) + 1
    cut = data.draw(st.integers(first_row, last))
    evidence = read(text[:cut], "truss" if solaris else "strace")
    assert not evidence.profile.complete
    assert evidence.gaps == ("it is torn: the table ends before its totals.",)
    for call in evidence.profile.only().syscalls:
        assert rows[call.name] == (call.calls, call.errors)
    assert verdict(evidence, evidence.profile.only()).kind is not PollingKind.NONE


def test_each_table_of_a_file_is_evidence_of_its_own() -> None:
    text = "".join(strace_table({"poll": (calls, 0)}, False) + "$ ls\n" for calls in (3, 5))
    found = evidence_of(iter(text.splitlines(keepends=True)), "strace", "it")
    assert [each.profile.only().syscalls[0].calls for each in found] == [3, 5]
    assert all(each.profile.complete for each in found)


@pytest.mark.parametrize(
    ("tool", "text", "reason"),
    [
        ("truss", f"{truss_table({}).splitlines()[0]}\npoll 1 x\n", "no row: 'poll 1 x'"),
        ("truss", truss_table({"poll": (3, 0)}).replace(" 3 ", " 4 ", 1), "rows of 4 calls, but a"),
        ("truss", truss_table({}), "has no rows"),
        ("strace", strace_table({}, old=True), "has no rows"),
        (
            "strace",
            strace_table({"poll": (3, 0), "read": (5, 1)}, old=True).replace(" 3 ", " 33 "),
            "rows of 38 calls, but a total of 8",
        ),
        ("strace", strace_table({"poll": (3, 0)}, old=False).replace("poll", "poll 7"), "no row"),
        ("strace", strace_table({"poll": (3, 0)}, old=False).replace(" 3 ", " -3 "), "no row"),
        (
            "strace",
            "syscall             errors\n---------------- ---------\npoll 1\n",
            "column of calls",
        ),
    ],
)
def test_a_table_whose_counts_cannot_be_trusted_is_refused(
    tool: str, text: str, reason: str
) -> None:
    with pytest.raises(FileError) as refused:
        read(text, tool)
    assert reason in str(refused.value)
    assert f"take it again: {tool} -c -p PID" in str(refused.value)


@pytest.mark.parametrize(
    "table",
    [
        "syscall              calls\n---------------- ---------\npoll                    31\n"
        "read                     2\n---------------- ---------\ntotal                   33\n",
        "    calls syscall             errors shortest     seconds\n"
        "--------- ---------------- --------- -------- -----------\n"
        "       31 poll                       0.000000    0.000000\n"
        "        2 read                     1 0.000000    0.000000\n"
        "--------- ---------------- --------- -------- -----------\n"
        "       33 total                    1 0.000000    0.000000\n",
    ],
)
def test_the_columns_that_strace_was_told_to_print(table: str) -> None:
    totals = read(table, "strace").profile.only()
    assert {call.name: call.calls for call in totals.syscalls} == {"poll": 31, "read": 2}


def test_tables_of_two_modes_are_no_denial() -> None:
    text = "".join(
        f"System call usage summary for {mode} bit mode:\n{strace_table({name: (5, 0)}, False)}"
        for mode, name in (("64", "read"), ("32", "poll"))
    )
    first, second = evidence_of(iter(text.splitlines(keepends=True)), "strace", "it")
    assert verdict(first, first.profile.only()).kind is PollingKind.CANNOT_TELL
    assert polls_of(second, second.profile.only()) == 5
