# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stat`: a Profile as a table like those of truss -c and strace -c, or as data."""

from __future__ import annotations

from typing import Any

from polltrace.printable import one_line
from polltrace.profiles.frames import ProcessTotals
from polltrace.profiles.losses import losses
from polltrace.profiles.profile import Profile
from polltrace.profiles.recognition import engine_of_process


def stat_data(profile: Profile) -> dict[str, Any]:
    """The profile as JSON-ready data: `processes`, how long they were watched, and losses."""
    return {
        "seconds": profile.seconds,
        "kernel": profile.header.kernel,
        "variant": profile.header.variant,
        "lost": dict(profile.lost),
        "processes": [
            {
                "pid": totals.pid,
                "command": _command(profile, totals),
                "ended": (totals.pid, totals.start_ticks) in profile.ended,
                "watched_s": max(0.0, profile.watched_s(totals.identity)),
                "cpu_s": totals.cpu_s,
                "break_polls": totals.break_polls,
                "other_polls": totals.other_polls,
                "sockets": [
                    {
                        "fd": socket.fd,
                        "kind": socket.kind,
                        "local": socket.local,
                        "peer": socket.peer,
                        "polls": socket.polls,
                    }
                    for socket in totals.sockets
                ],
                "syscalls": [
                    {"name": call.name, "calls": call.calls, "errors": call.errors}
                    for call in _by_calls(totals)
                ],
                "calls_32bit": totals.calls_32bit,
            }
            for totals in profile.totals
        ],
    }


def stat_text(profile: Profile) -> str:
    """A block for each process: its polls, then its system calls, most called first.

    Polls of one connected socket with timeout 0 are break polls only in a known engine's server.
    """
    blocks = [_block(profile, totals) for totals in profile.totals]
    if phrases := losses(profile.lost):
        blocks.append(f"LOST, so counts above are too low: {', '.join(phrases)}")
    if not profile.complete:
        blocks.append(
            "The probe was ended by somebody else: these are the counts of its last frame."
        )
    return "\n\n".join(blocks)


def _block(profile: Profile, totals: ProcessTotals) -> str:
    watched_s = profile.watched_s(totals.identity)
    rate = f"   {totals.break_polls / watched_s:,.0f}/s" if watched_s > 0 else ""
    process = profile.processes.get(totals.identity)
    is_server = process is not None and engine_of_process(process) is not None
    label = "break polls" if is_server else "polls, timeout 0"
    lines = [
        f"{totals.pid}: {one_line(_command(profile, totals))}",
        f"{max(0.0, watched_s):.3f} s watched, {totals.cpu_s:.3f} s on CPU",
        "",
        f"{label:<16}{totals.break_polls:>12,}{rate}",
        f"{'other polls':<16}{totals.other_polls:>12,}",
        *(
            f"  fd {sock.fd:<11}{sock.polls:>12,}   {sock.kind} {sock.local} <- {sock.peer}"
            for sock in totals.sockets
            if sock.polls
        ),
        "",
        f"{'syscall':<20}{'calls':>12}{'errors':>10}",
    ]
    calls = _by_calls(totals)
    if totals.calls_32bit:
        lines += [f"{'32-bit calls':<20}{totals.calls_32bit:>12,}   not by name"]
    lines += [f"{call.name:<20}{call.calls:>12,}{call.errors or '':>10}".rstrip() for call in calls]
    lines += [
        f"{'':<20}{'-' * 11:>12}{'-' * 8:>10}",
        f"{'sys totals':<20}{sum(call.calls for call in calls) + totals.calls_32bit:>12,}"
        f"{'' if totals.calls_32bit else f'{sum(call.errors for call in calls):,}':>10}".rstrip(),
    ]
    return "\n".join(lines)


def _by_calls(totals: ProcessTotals) -> list[Any]:
    return sorted(totals.syscalls, key=lambda call: (-call.calls, call.name))


def _command(profile: Profile, totals: ProcessTotals) -> str:
    process = profile.processes.get((totals.pid, totals.start_ticks))
    if process is None:
        return "?"
    return " ".join(process.cmdline).strip() or f"[{process.comm}]"
