# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a process checks for in-band breaks, and in which words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from polltrace.backends.trace_evidence import TraceEvidence
from polltrace.backends.verdict import PollingKind, PollingVerdict, verdict
from polltrace.profiles.frames import Header, ProcessTotals, SocketPolls, Syscall
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import NamedStack

TCP = SocketPolls(8, "tcp", "db:1521", "app:40001", 0)
UNTOLD = SocketPolls(8, "", "", "", 0)


def judged(
    calls: Mapping[str, int],
    *,
    breaks: int = 0,
    others: int = 0,
    undecided: int = 0,
    sockets: Sequence[SocketPolls] = (TCP,),
    stacks: Sequence[NamedStack] = (),
    seconds: float = 2.0,
    timed: bool = False,
    cpu_s: float | None = None,
    gaps: tuple[str, ...] = (),
) -> PollingVerdict:
    totals = ProcessTotals(
        pid=7,
        start_ticks=1,
        cpu_s=0.0,
        break_polls=breaks,
        other_polls=others,
        sockets=tuple(sockets),
        syscalls=tuple(Syscall(0, name, count, 0) for name, count in calls.items()),
        stacks=(),
    )
    header = Header("strace", "host", "6.1", "", "strace")
    profile = Profile(header, seconds, {}, (totals,), frozenset(), {}, True)
    return verdict(
        TraceEvidence(
            profile, {(7, 1): undecided}, timed, cpu_s, (), {(7, 1): tuple(stacks)}, gaps
        ),
        totals,
    )


def stack(count: int, *, check: bool = False, by_shape: bool = False) -> NamedStack:
    return NamedStack((), count, truncated=False, is_break_check=check, by_shape=by_shape)


def test_no_poll() -> None:
    assert judged({"read": 50}) == PollingVerdict(
        PollingKind.NONE,
        "No break polling: not one poll. Either breaks reach this process out-of-band, or it ran "
        "no call while it was traced, or the tracer had a filter without polls.",
    )


@pytest.mark.parametrize("name", ["pol", "_po1l", "syscall_0x7", "#271"])
def test_a_call_that_may_be_a_poll_is_no_denial(name: str) -> None:
    assert judged({name: 50, "read": 1}) == PollingVerdict(
        PollingKind.CANNOT_TELL,
        "Cannot tell: not one poll in the part of the text that was understood. "
        f"{name} may be a poll by a name that is not known here. Take the trace again, of every "
        "call (strace -f -p PID, truss -f -p PID).",
    )


@pytest.mark.parametrize("others", [0, 31])
def test_what_was_not_understood_is_no_denial(others: int) -> None:
    found = judged({"poll": others} if others else {}, others=others, gaps=("One line is odd.",))
    assert found.kind is PollingKind.CANNOT_TELL
    assert "One line is odd. Take the trace again" in found.text


def test_one_descriptor_by_a_call_of_no_engine() -> None:
    found = judged({"select": 3000}, breaks=3000)
    assert found.kind is PollingKind.LOOKS_LIKE_IT
    assert found.text.endswith("No engine known here checks by select.")


def test_polls_of_another_kind_only() -> None:
    assert judged({"poll": 1500}, others=1500) == PollingVerdict(
        PollingKind.NONE, "No break polling: none of 1,500 polls has one descriptor and timeout 0."
    )


def test_break_polls_are_reported_with_their_rates() -> None:
    found = judged({"poll": 3300}, breaks=3000, others=300, timed=True, cpu_s=0.5)
    assert found == PollingVerdict(
        PollingKind.BREAK_POLLING,
        "Break polling: 3,000 calls of poll, 1,500 a second (6,000 a second on CPU), with one "
        "descriptor and timeout 0. Breaks reach it in-band.",
    )
    several = judged({"poll": 1500, "ppoll": 1500}, breaks=3000, timed=True, seconds=0.0)
    assert "Break polling: 3,000 polls, with one" in several.text


@pytest.mark.parametrize(
    ("polls", "kind", "ends"),
    [
        (29, PollingKind.LOOKS_LIKE_IT, "timeout 0; few to judge by."),
        (30, PollingKind.BREAK_POLLING, "timeout 0. Breaks reach it in-band."),
    ],
)
def test_few_polls_are_little_to_judge_by(polls: int, kind: PollingKind, ends: str) -> None:
    found = judged({"poll": polls}, breaks=polls)
    verb = "Break" if kind is PollingKind.BREAK_POLLING else "Looks like break"
    assert found == PollingVerdict(
        kind, f"{verb} polling: {polls} calls of poll, with one descriptor and {ends}"
    )


def test_an_unnamed_socket_is_reported_as_unnamed() -> None:
    found = judged({"poll": 30}, breaks=30, sockets=(TCP, UNTOLD))
    assert found.kind is PollingKind.BREAK_POLLING
    assert "timeout 0 (the text does not show on which file). Breaks reach" in found.text


def test_stacks_prove_or_refute_it() -> None:
    # A poll's arguments alone prove nothing; with a stack that does, few polls are enough.
    shape = stack(500, check=True, by_shape=True)
    found = judged({"poll": 3}, breaks=3, stacks=(stack(1000, check=True), stack(500), shape))
    assert found.kind is PollingKind.BREAK_POLLING
    assert "timeout 0; 1,000 of 1,500 stacks at these are the break check. Breaks" in found.text
    against = judged({"poll": 3}, breaks=3, stacks=(stack(1000), stack(500), shape))
    assert against == PollingVerdict(
        PollingKind.LOOKS_LIKE_IT,
        "Looks like break polling: 3 calls of poll, with one descriptor and timeout 0. But none "
        "of 1,500 stacks at these is the break check of an engine known here.",
    )


def test_without_arguments_polls_are_held_against_reads_and_writes() -> None:
    calls = {"pollsys": 30_000, "read": 1000, "write": 2000, "times": 7000}
    found = judged(calls, undecided=30_000)
    assert found == PollingVerdict(
        PollingKind.LOOKS_LIKE_IT,
        "Looks like break polling: 30,000 calls of pollsys, 75.0 % of all system calls, to only "
        "3,000 reads and writes: it does not poll to wait. Whether with one descriptor and "
        "timeout 0, and which, this text cannot tell.",
    )
    assert judged({"poll": 30}, undecided=30).kind is PollingKind.LOOKS_LIKE_IT
    assert judged({"poll": 29}, undecided=29).kind is PollingKind.CANNOT_TELL
    # One more to wait for than a tenth.
    waits = judged({**calls, "recvfrom": 1}, undecided=30_000)
    assert waits == PollingVerdict(
        PollingKind.CANNOT_TELL,
        "Cannot tell: 30,000 calls of pollsys to 3,001 reads and writes, and this text does not "
        "show how it polled.",
    )
