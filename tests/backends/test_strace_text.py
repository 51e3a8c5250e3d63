# SPDX-License-Identifier: GPL-2.0-or-later
"""strace's text in the shapes of its versions and options, against what was traced."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polltrace.backends.poll_arguments import JudgedPoll, judge_strace
from polltrace.backends.syscall_trace_file import evidence_of
from polltrace.backends.trace_events import CallEvent, Poll
from polltrace.backends.trace_evidence import TraceEvidence
from polltrace.backends.trace_evidence_report import trace_evidence_text
from polltrace.errors import FileError
from polltrace.profiles.frames import SocketPolls


def read(text: str) -> TraceEvidence:
    (found,) = evidence_of(iter(text.splitlines(keepends=True)), "strace", "it")
    return found


def counts(evidence: TraceEvidence) -> dict[int, tuple[int, int]]:
    return {
        totals.pid: (totals.break_polls, totals.other_polls) for totals in evidence.profile.totals
    }


BREAK, OTHER = (1, 0), (0, 1)
JUDGED = [
    ("poll([{fd=3, events=POLLIN}], 1, 0) = 0 (Timeout)", BREAK),
    ("poll([{fd=3, events=POLLIN|POLLRDNORM}], 1, 0) = 1 ([{fd=3, revents=POLLIN}])", BREAK),
    ("poll([{fd=3, events=POLLIN}], 1, 0)     = 0 (Timeout) <0.000017>", BREAK),
    ("ppoll([{fd=3, events=POLLIN}], 1, {0, 0}, NULL, 8) = 0 (Timeout)", BREAK),
    ("ppoll([{fd=3, events=POLLIN}], 1, {tv_sec=0, tv_nsec=0}, [INT], 8) = 0 (Timeout)", BREAK),
    ("poll([{fd=3<socket:[71]>, events=POLLIN}], 1, 0) = 0 (Timeout)", BREAK),
    ("poll([{fd=3<TCP:[10.0.0.1:1521->10.0.0.2:4711]>, events=POLLIN}], 1, 0) = 0", BREAK),
    ("poll([{fd=3<TCPv6:[[::1]:1521->[::1]:4711]>, events=POLLIN}], 1, 0) = 0", BREAK),
    ('poll([{fd=3<UNIX-STREAM:[71->72, "/x"]>, events=POLLIN}], 1, 0) = 0', BREAK),
    ("poll([{fd=3<TCP:[71]>, events=POLLIN}], 1, 0) = 1 ([{fd=3, revents=POLLHUP}])", OTHER),
    ("poll([{fd=3<TCP:[127.0.0.1:80]>, events=POLLIN}], 1, 0) = 0", OTHER),
    ("poll([{fd=3<UDP:[1.2.3.4:5->1.2.3.4:6]>, events=POLLIN}], 1, 0) = 0", OTHER),
    ("poll([{fd=3<UNIX-DGRAM:[71->72]>, events=POLLIN}], 1, 0) = 0", OTHER),
    ("poll([{fd=3<pipe:[71]>, events=POLLIN}], 1, 0) = 0", OTHER),
    ("poll([{fd=3</dev/pts/1<char 136:1>>, events=POLLIN}], 1, 0) = 0", OTHER),
    ("poll([{fd=99, events=POLLIN}], 1, 0) = 1 ([{fd=99, revents=POLLNVAL}])", OTHER),
    ("poll([{fd=-1}], 1, 0) = 0 (Timeout)", OTHER),
    ("poll([{fd=3, events=POLLIN}], 1, 1) = 0 (Timeout)", OTHER),
    ("poll([{fd=3, events=POLLIN}], 1, -1) = -1 EINTR (Interrupted system call)", OTHER),
    ("poll([{fd=3, events=POLLIN}, {fd=4, events=POLLIN}], 2, 0) = 0 (Timeout)", OTHER),
    ("poll(NULL, 0, 100) = 0 (Timeout)", OTHER),
    ("poll(0x10, 1, 0) = -1 EFAULT (Bad address)", OTHER),
    ("ppoll([{fd=3, events=POLLIN}], 1, NULL, NULL, 8) = 0", OTHER),
    ("ppoll([{fd=3, events=POLLIN}], 1, {tv_sec=0, tv_nsec=1000}, NULL, 8) = 0 (Timeout)", OTHER),
    ("ppoll([{fd=3, events=POLLIN}], 1, 0x10, NULL, 8) = -1 EFAULT (Bad address)", OTHER),
    ("ppoll([{fd=3, events=POLLIN}], 1, 0xfacade, NULL, 8) = -1 EFAULT (Bad address)", OTHER),
]


@pytest.mark.parametrize(("line", "expected"), JUDGED)
def test_polls_are_judged_by_their_arguments(line: str, expected: tuple[int, int]) -> None:
    evidence = read(line + "\n")
    assert counts(evidence) == {0: expected}
    assert not sum(evidence.undecided.values())


@pytest.mark.parametrize(
    "what",
    ["UNIX:[71->72]", "TCP:[71]", "UNIX-STREAM:[71]"],  # an old kernel, another namespace
)
def test_polls_that_the_text_leaves_open(what: str) -> None:
    evidence = read(f"poll([{{fd=3<{what}>, events=POLLIN}}], 1, 0) = 0\n")
    assert (counts(evidence), dict(evidence.undecided)) == ({0: (0, 0)}, {(0, 0): 1})


PREFIXES = ["", "12:34:56 ", "12:34:56.789012 ", "1700000000.123456 ", "     0.000012 "]
PREFIXES += ["[00007f2b8c0fc24f] ", "[   7] ", "12:34:56 (+     0.000012) "]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("task", ["", "[pid  4711] ", "4711  ", "[pid  4711<oracle>] "])
def test_whatever_stands_in_front(task: str, prefix: str) -> None:
    evidence = read(f"{task}{prefix}{JUDGED[0][0]}\n")
    assert counts(evidence) == {4711 if task else 0: BREAK}
    assert not evidence.doubts[:-1]  # except that the descriptor is a bare number


def test_time_passes_also_at_midnight() -> None:
    call = JUDGED[0][0]
    evidence = read(f"23:59:59.500000 {call}\n00:00:01.500000 {call}\n")
    assert evidence.profile.seconds == pytest.approx(2.0)
    assert not read(f"{call}\n{call}\n").timed


def test_messages_of_strace_in_the_middle_of_a_line() -> None:
    # Without -o both go to the same stderr.
    evidence = read(
        "clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTIDstrace: Process 72 attached\n"
        ", child_tidptr=0x7fd5) = 72\n"
        f"[pid    72] {JUDGED[0][0]}\n"
        "[pid    71] wait4(-1,  <unfinished ...>\n"
        "[pid    72] +++ exited with 0 +++\n"
        "<... wait4 resumed>NULL, 0, NULL) = 72\n"
        f"{JUDGED[0][0]}\n"
    )
    assert counts(evidence) == {71: BREAK, 72: BREAK}


def test_threads_are_their_process() -> None:
    evidence = read(
        "71 clone3({flags=CLONE_VM|CLONE_THREAD, stack=0x7f} <unfinished ...>\n"
        f"72 {JUDGED[0][0]}\n"
        "71 <... clone3 resumed> => {parent_tid=[72]}, 88) = 72\n"
        f"71 {JUDGED[0][0]}\n"
    )
    assert counts(evidence) == {71: (2, 0)}


def test_a_line_that_comes_again_is_the_same_again() -> None:
    call = f"71 {JUDGED[0][0]}\n"
    other = f"71 12:34:56.000000 {JUDGED[0][0]}\n"
    cut = "71 poll([{fd=3, events=POLLIN}], 1, 0 <unfinished ...>\n71 <... poll resumed>) = 0\n"
    evidence = read((call + cut + other + f"{JUDGED[0][0]}\n") * 3 + call)
    assert counts(evidence) == {71: (13, 0)}
    assert not evidence.doubts[:-1]


def test_old_attach_line_names_the_process() -> None:
    evidence = read(f"Process 28730 attached - interrupt to quit\n{JUDGED[0][0]}\n^C\n")
    assert counts(evidence) == {28730: BREAK}


def test_a_strange_line_is_reported() -> None:
    evidence = read(f"{JUDGED[0][0]}\nfoo bar\n{JUDGED[0][0]}\n")
    assert counts(evidence) == {0: (2, 0)}
    assert "1 line is nothing that strace prints, the first is line 2." in evidence.gaps
    assert evidence.profile.complete


@dataclass(frozen=True)
class TracedLine:
    task: int
    line: str
    judged: tuple[int, int]
    split: bool


CALLS = st.builds(
    lambda task, judged, split: TracedLine(task, judged[0], judged[1], split),
    st.integers(1, 5),
    st.sampled_from(JUDGED),
    st.booleans(),
)


def written(calls: list[TracedLine], old: bool) -> str:
    """The calls as strace -f -o writes them, some interrupted by the call of another thread."""
    lines = []
    for call in calls:
        if call.split:
            head, _, tail = call.line.rpartition(") ")
            lines.append(f"{call.task} {head} <unfinished ...>")
            lines.append("9 getpid() = 9")
            name = head.partition("(")[0]
            lines.append(f"{call.task} <... {name} resumed>{' ' if old else ''}) {tail}")
        else:
            lines.append(f"{call.task} {call.line}")
    return "".join(f"{line}\n" for line in lines)


def expected(calls: list[TracedLine]) -> dict[int, tuple[int, int]]:
    found: dict[int, tuple[int, int]] = {}
    for call in calls:
        had = found.get(call.task, (0, 0))
        found[call.task] = (had[0] + call.judged[0], had[1] + call.judged[1])
    return found


@given(st.lists(CALLS, min_size=1), st.booleans())
def test_every_call_is_counted_where_it_belongs(calls: list[TracedLine], old: bool) -> None:
    seen = counts(read(written(calls, old)))
    seen.pop(9, None)
    assert seen == expected(calls)


@given(st.lists(CALLS, min_size=1), st.data())
def test_a_torn_text_is_read_up_to_the_tear(calls: list[TracedLine], data: st.DataObject) -> None:
    text = written(calls, False)
    cut = data.draw(st.integers(1, len(text)))
    try:
        torn = read(text[:cut])
    except FileError:
        return  # not one call was left
    whole = read(text)
    calls_of = [sum(c.calls for t in e.profile.totals for c in t.syscalls) for e in (torn, whole)]
    assert calls_of[0] <= calls_of[1]
    ended = text[:cut].endswith("\n") or text.startswith("\n", cut)
    if ended:
        assert torn.profile.complete
    elif not torn.profile.complete:
        assert any("torn in line" in doubt for doubt in torn.gaps)


def test_a_call_that_never_came_back_is_counted() -> None:
    """The trace ended within it: it was made all the same."""
    text = f"71 {JUDGED[0][0]}\n71 poll([{{fd=3, events=POLLIN}}], 1, 0 <unfinished ...>\n"
    evidence = read(text + "72 read(5,  <unfinished ...>\n")
    assert counts(evidence) == {71: (2, 0), 72: (0, 0)}
    assert [call.name for call in evidence.profile.totals[1].syscalls] == ["read"]


def test_the_table_of_strace_c_after_its_calls_is_no_part_of_them() -> None:
    """strace -C prints both; the seconds of the table's rows are no time stamps."""
    calls = f"71 {JUDGED[0][0]}\n" * 3
    table = (
        "% time     seconds  usecs/call     calls    errors syscall\n"
        "------ ----------- ----------- --------- --------- ----------------\n"
        " 99.00   57.000000          12         3           poll\n"
        "------ ----------- ----------- --------- --------- ----------------\n"
        "100.00   57.574000                     3           total\n"
    )
    evidence = read(calls + table)
    assert (counts(evidence), evidence.timed, evidence.doubts[1:]) == ({71: (3, 0)}, False, ())
    assert read(calls).doubts == evidence.doubts
    stamped = read("".join(f"71 12:00:0{i} {JUDGED[0][0]}\n" for i in range(3)) + table)
    assert (counts(stamped)[71], stamped.profile.seconds) == ((3, 0), 2.0)


def test_a_trace_of_many_tasks_is_read_in_little_memory() -> None:
    """As of a host where each connection is a process; most do the same few calls."""
    tasks = 5_000
    lines = (
        line
        for task in range(1000, 1000 + tasks)
        for line in (f"{task} {JUDGED[0][0]}\n", f'{task} read(9, "x", 1) = 1\n')
    )
    tracemalloc.start()
    try:
        (evidence,) = evidence_of(lines, "strace", "it")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(counts(evidence)) == tasks
    assert peak / tasks < 2_000  # bytes; it was 2,900
    shown = trace_evidence_text(evidence)
    assert shown.count("break polls") == 20
    assert "4,980 more processes poll no more often; --json has them all." in shown


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_no_text_is_a_crash(text: str) -> None:
    for tool in ("strace", "truss"):
        with suppress(FileError):
            evidence_of(iter(text.splitlines(keepends=True)), tool, "it")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            "[{fd=0, events=POLLIN}], 1, 0",
            JudgedPoll(Poll.BREAK, SocketPolls(0, "", "", "", 0)),
        ),
        (
            "[{fd=3<TCP:[10.0.0.1:1521->10.0.0.7:40001]>, events=POLLIN}], 1, 0",
            JudgedPoll(Poll.BREAK, SocketPolls(3, "tcp", "10.0.0.1:1521", "10.0.0.7:40001", 0)),
        ),
        ("[{fd=3, eve", JudgedPoll(Poll.UNDECIDED)),
    ],
)
def test_a_judged_poll_names_its_descriptor(arguments: str, expected: JudgedPoll) -> None:
    """It has counted nothing yet; what was cut short is not known."""
    assert judge_strace(CallEvent(1, "poll", arguments, "0 (Timeout)", False)) == expected
