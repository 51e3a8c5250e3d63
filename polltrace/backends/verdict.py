# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a process checks for in-band breaks, as far as its system calls show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from polltrace.backends.trace_evidence import TraceEvidence, polls_of
from polltrace.backends.traced import POLLS
from polltrace.engines import engines
from polltrace.profiles.frames import ProcessTotals
from polltrace.profiles.sampled import NamedStack

# A process that polls in order to wait reads or writes once it can. A break check finds nothing,
# because the client is silent while a call runs. More polls to one transfer are no waiting.
POLLS_PER_TRANSFER = 10
FEWEST_POLLS = 30
_TRANSFERS = frozenset(
    [
        *("read", "readv", "recv", "recvfrom", "recvmsg", "getmsg", "accept", "accept4"),
        *("write", "writev", "send", "sendto", "sendmsg", "putmsg", "connect"),
    ]
)


class PollingKind(Enum):
    """The answers there are."""

    BREAK_POLLING = 1
    LOOKS_LIKE_IT = 2
    NONE = 3
    CANNOT_TELL = 4


@dataclass(frozen=True, slots=True)
class PollingVerdict:
    """Whether a traced process break-polls: `text` states the `kind` and its grounds."""

    kind: PollingKind
    text: str


def verdict(evidence: TraceEvidence, totals: ProcessTotals) -> PollingVerdict:
    """By arguments where the text has them, else by how polls and reads stand to one another."""
    polls, undecided = polls_of(evidence, totals), evidence.undecided_of(totals)
    if not polls:
        return PollingVerdict(
            PollingKind.NONE,
            "No break polling: not one poll. Either breaks reach this process out-of-band, or it "
            f"ran no call meanwhile.{_by_other_calls(totals)}",
        )
    amount = _amount(evidence, totals, totals.break_polls or polls)
    if totals.break_polls:
        return _by_arguments(totals, amount, evidence.stacks_of(totals))
    if not undecided:
        return PollingVerdict(
            PollingKind.NONE,
            f"No break polling: none of {polls:,} polls has one descriptor and timeout 0.",
        )
    return _by_counts(totals, polls, amount)


def _by_other_calls(totals: ProcessTotals) -> str:
    """A sentence on calls by which some engine checks, where there are such."""
    made = {call.name for call in totals.syscalls} - {"poll"}
    whose = {each.name: made.intersection(each.calls) for each in engines()}
    seen = sorted(set().union(*whose.values()))
    if not seen:
        return ""
    names = ", ".join(sorted(name for name, calls in whose.items() if calls))
    return f" Whether {' or '.join(seen)} is a check ({names}) is not told from a trace."


def _by_arguments(
    totals: ProcessTotals, amount: str, stacks: Sequence[NamedStack]
) -> PollingVerdict:
    seen = f"{amount}, with one descriptor and timeout 0"
    stacks = [stack for stack in stacks if not (stack.by_shape or stack.undecided)]
    taken = sum(stack.count for stack in stacks)
    checks = sum(stack.count for stack in stacks if stack.is_break_check)
    if checks:
        seen += f"; {checks:,} of {taken:,} stacks at these are the break check"
    elif stacks:
        return PollingVerdict(
            PollingKind.LOOKS_LIKE_IT,
            f"Looks like break polling: {seen}. But none of {taken:,} stacks at these is the "
            "break check of an engine known here.",
        )
    elif totals.break_polls < FEWEST_POLLS:
        return PollingVerdict(
            PollingKind.LOOKS_LIKE_IT, f"Looks like break polling: {seen}; few to judge by."
        )
    if not all(sock.kind for sock in totals.sockets):
        seen += " (the text does not show on what)"
    return PollingVerdict(
        PollingKind.BREAK_POLLING, f"Break polling: {seen}. Breaks reach it in-band."
    )


def _by_counts(totals: ProcessTotals, polls: int, amount: str) -> PollingVerdict:
    calls = {call.name: call for call in totals.syscalls}
    transfers = sum(call.calls for name, call in calls.items() if name in _TRANSFERS)
    everything = sum(call.calls for call in totals.syscalls)
    if polls < FEWEST_POLLS or polls < POLLS_PER_TRANSFER * transfers:
        return PollingVerdict(
            PollingKind.CANNOT_TELL,
            f"Cannot tell: {amount} to {transfers:,} reads and writes, and this text does not show "
            "how it polled.",
        )
    share = 100 * polls / everything
    return PollingVerdict(
        PollingKind.LOOKS_LIKE_IT,
        f"Looks like break polling: {amount}, {share:.1f} % of all system calls, to only "
        f"{transfers:,} reads and writes: it does not poll to wait. Whether with one descriptor "
        "and timeout 0, and which, this text cannot tell.",
    )


def _amount(evidence: TraceEvidence, totals: ProcessTotals, polls: int) -> str:
    names = {call.name for call in totals.syscalls} & POLLS
    words = f"{polls:,} calls of {names.pop()}" if len(names) == 1 else f"{polls:,} polls"
    seconds = evidence.profile.seconds
    if evidence.timed and seconds:
        words += f", {polls / seconds:,.0f} a second"
    if evidence.cpu_s:
        words += f" ({polls / evidence.cpu_s:,.0f} a second on CPU)"
    return words
