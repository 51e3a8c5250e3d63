# SPDX-License-Identifier: GPL-2.0-or-later
"""Verdict on whether a process checks for in-band breaks, as far as its system calls show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from polltrace.backends.call_names import is_poll, is_transfer, may_be_poll, plain_name
from polltrace.backends.trace_evidence import TraceEvidence, polls_of
from polltrace.engines import engines
from polltrace.profiles.frames import ProcessTotals
from polltrace.profiles.sampled import NamedStack

# A process that polls in order to wait reads or writes once it can. A break check finds nothing,
# because the client is silent while a call runs. A process that makes more polls to one transfer
# does not wait by them.
POLLS_PER_TRANSFER = 10
FEWEST_POLLS = 30
# The calls whose arguments alone make a break poll; which others an engine checks by depends
# on the name of its program.
_OF_EVERY_ENGINE = frozenset({"poll", "ppoll", "ppoll_time64", "pollsys"})
_AGAIN = "Take the trace again, of every call (strace -f -p PID, truss -f -p PID)."


class PollingKind(Enum):
    """The possible answers of a verdict."""

    BREAK_POLLING = 1
    LOOKS_LIKE_IT = 2
    NONE = 3
    CANNOT_TELL = 4


@dataclass(frozen=True, slots=True)
class PollingVerdict:
    """The verdict on a traced process: `text` states the `kind` and its grounds."""

    kind: PollingKind
    text: str


def verdict(evidence: TraceEvidence, totals: ProcessTotals) -> PollingVerdict:
    """The verdict by arguments where the text has them, else by the ratio of polls to transfers.

    PollingKind.NONE only where every line was understood and every poll is known for another."""
    polls, undecided = polls_of(evidence, totals), evidence.undecided_of(totals)
    if polls and totals.break_polls:
        amount = _amount(evidence, totals, totals.break_polls)
        return _by_arguments(totals, amount, evidence.stacks_of(totals))
    if undecided:
        return _by_counts(totals, polls, _amount(evidence, totals, polls))
    counted = f"none of {polls:,} polls has one descriptor and timeout 0" if polls else ""
    if gaps := _gaps(evidence, totals):
        return PollingVerdict(
            PollingKind.CANNOT_TELL,
            f"Cannot tell: {counted or 'not one poll'} in the part of the text that was "
            f"understood. {' '.join(gaps)} {_AGAIN}",
        )
    if counted:
        return PollingVerdict(PollingKind.NONE, f"No break polling: {counted}.")
    return PollingVerdict(
        PollingKind.NONE,
        "No break polling: not one poll. Either breaks reach this process out-of-band, or it ran "
        "no call while it was traced, or the tracer had a filter without polls.",
    )


def _gaps(evidence: TraceEvidence, totals: ProcessTotals) -> tuple[str, ...]:
    """The reasons why a check may have been missed, a sentence each."""
    names = [call.name for call in totals.syscalls if may_be_poll(call.name)]
    gaps = [f"{name} may be a poll by a name that is not known here." for name in sorted(names)[:3]]
    receives = {call.name for call in totals.syscalls if "recv" in call.name}
    if receives and (
        whose := sorted(engine.name for engine in engines() if "recv" in engine.calls)
    ):
        gaps.append(f"{min(receives)} may be a check ({', '.join(whose)}).")
    return (*gaps, *evidence.gaps)


def _by_arguments(
    totals: ProcessTotals, amount: str, stacks: Sequence[NamedStack]
) -> PollingVerdict:
    names = {plain_name(call.name) for call in totals.syscalls if is_poll(call.name)}
    grounds = f"{amount}, with one descriptor and timeout 0"
    stacks = [stack for stack in stacks if not (stack.by_shape or stack.undecided)]
    samples = sum(stack.count for stack in stacks)
    checks = sum(stack.count for stack in stacks if stack.is_break_check)
    if checks:
        grounds += f"; {checks:,} of {samples:,} stacks at these are the break check"
    elif stacks:
        return PollingVerdict(
            PollingKind.LOOKS_LIKE_IT,
            f"Looks like break polling: {grounds}. But none of {samples:,} stacks at these is the "
            "break check of an engine known here.",
        )
    elif totals.break_polls < FEWEST_POLLS:
        return PollingVerdict(
            PollingKind.LOOKS_LIKE_IT, f"Looks like break polling: {grounds}; few to judge by."
        )
    elif not names & _OF_EVERY_ENGINE:
        return PollingVerdict(
            PollingKind.LOOKS_LIKE_IT,
            f"Looks like break polling: {grounds}. No engine known here checks by {min(names)}.",
        )
    if not all(sock.kind for sock in totals.sockets):
        grounds += " (the text does not show on which file)"
    return PollingVerdict(
        PollingKind.BREAK_POLLING, f"Break polling: {grounds}. Breaks reach it in-band."
    )


def _by_counts(totals: ProcessTotals, polls: int, amount: str) -> PollingVerdict:
    transfers = sum(call.calls for call in totals.syscalls if is_transfer(call.name))
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
    names = {call.name for call in totals.syscalls if is_poll(call.name)}
    words = f"{polls:,} calls of {names.pop()}" if len(names) == 1 else f"{polls:,} polls"
    seconds = evidence.profile.seconds
    if evidence.timed and seconds:
        words += f", {polls / seconds:,.0f} a second"
    if evidence.cpu_s:
        words += f" ({polls / evidence.cpu_s:,.0f} a second on CPU)"
    return words
