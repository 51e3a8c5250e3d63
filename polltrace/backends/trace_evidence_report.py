# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports of `polltrace stat` from a tracer's text: the verdict, then the counts, never a cost."""

from __future__ import annotations

import textwrap
from heapq import nlargest
from typing import Any

from polltrace.backends.trace_evidence import TraceEvidence, polls_of
from polltrace.backends.verdict import verdict
from polltrace.profiles.frames import ProcessTotals
from polltrace.profiles.stacks_report import commonest
from polltrace.stacks import fold
from polltrace.stacks.folded import total

# A trace with more processes is reduced to those that poll most.
_SHOWN = 20
_NO_COST = (
    "No cost per poll: a tracer that stops the process makes a poll some fifty times slower "
    "(strace 20 to 30 us instead of 0.4), so its times are mostly its own. Counts are exact, rates "
    "too low."
)


def trace_evidence_data(evidence: TraceEvidence) -> dict[str, Any]:
    """The evidence as JSON-ready data, with null for each value that the text does not show."""
    profile = evidence.profile
    return {
        "from": profile.header.variant,
        "seconds": profile.seconds if evidence.timed else None,
        "complete": profile.complete,
        "doubts": [*evidence.gaps, *evidence.doubts],
        "processes": [_process_data(evidence, totals) for totals in profile.totals],
    }


def _process_data(evidence: TraceEvidence, totals: ProcessTotals) -> dict[str, Any]:
    undecided = evidence.undecided_of(totals)
    polling = verdict(evidence, totals)
    return {
        "pid": totals.pid or None,
        "verdict": polling.kind.name.lower(),
        "text": polling.text,
        "polls": polls_of(evidence, totals),
        "break_polls": None if undecided else totals.break_polls,
        "other_polls": None if undecided else totals.other_polls,
        "undecided_polls": undecided,
        "cpu_s": None,
        "cost_ns": None,
        "sockets": [
            {
                "fd": sock.fd,
                "kind": sock.kind or None,
                "local": sock.local or None,
                "peer": sock.peer or None,
                "polls": sock.polls,
            }
            for sock in totals.sockets
        ],
        "stacks": [
            {
                "count": stack.count,
                "break_check": stack.is_break_check,
                "functions": [frame.name for frame in reversed(stack.frames)],
            }
            for stack in evidence.stacks_of(totals)
        ],
        "syscalls": [
            {"name": call.name, "calls": call.calls, "errors": call.errors}
            for call in sorted(totals.syscalls, key=lambda call: (-call.calls, call.name))
        ],
    }


def trace_evidence_text(evidence: TraceEvidence) -> str:
    """A block for each process, then the doubts about the text."""
    processes = evidence.profile.totals
    busiest = nlargest(_SHOWN, processes, key=lambda totals: polls_of(evidence, totals))
    identities = {totals.identity for totals in busiest}
    blocks = [_block(evidence, totals) for totals in processes if totals.identity in identities]
    if len(processes) > _SHOWN:
        hidden = len(processes) - _SHOWN
        blocks.append(f"{hidden:,} more processes poll no more often; --json has them all.")
    notes = "\n".join(
        textwrap.fill(text, 100) for text in (_NO_COST, *evidence.gaps, *evidence.doubts)
    )
    return "\n\n".join([*blocks, notes])


def _block(evidence: TraceEvidence, totals: ProcessTotals) -> str:
    undecided = evidence.undecided_of(totals)
    title = f"{totals.pid or 'process'}: from {evidence.profile.header.variant}"
    if evidence.timed:
        title += f", {evidence.profile.seconds:.3f} s traced"
    lines = [title, textwrap.fill(verdict(evidence, totals).text, 100), ""]
    if undecided == polls_of(evidence, totals) > 0:
        lines += [f"{'polls':<16}{undecided:>12,}   break polls or others: cannot tell"]
    else:
        lines += [f"{'break polls':<16}{totals.break_polls:>12,}"]
        for sock in totals.sockets:
            ends = f"{sock.kind} {sock.local} <- {sock.peer}" if sock.kind else ""
            lines += [f"  fd {sock.fd:<11}{sock.polls:>12,}   {ends}".rstrip()]
        lines += [f"{'other polls':<16}{totals.other_polls:>12,}"]
        lines += [f"{'cannot tell':<16}{undecided:>12,}"] if undecided else []
    if stacks := fold((stack.to_its_end, stack.count) for stack in evidence.stacks_of(totals)):
        lines += ["", "commonest stacks at break polls", *commonest(stacks, total(stacks), 3)]
    lines += ["", f"{'syscall':<20}{'calls':>12}{'errors':>10}"]
    calls = sorted(totals.syscalls, key=lambda call: (-call.calls, call.name))
    lines += [f"{call.name:<20}{call.calls:>12,}{call.errors or '':>10}" for call in calls]
    errors = sum(call.errors for call in calls)
    lines += [
        f"{'':<20}{'-' * 11:>12}{'-' * 8:>10}",
        f"{'sys totals':<20}{sum(call.calls for call in calls):>12,}{errors:>10,}",
    ]
    return "\n".join(lines)
