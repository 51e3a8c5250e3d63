# SPDX-License-Identifier: GPL-2.0-or-later
"""Two measurements of one process as one."""

from __future__ import annotations

from polltrace.profiles.frames import Bucket, ProcessTotals, SocketPolls
from polltrace.profiles.totals import together


def measured(cpu_s: float, polls: int, *, socket: int, gap: int) -> ProcessTotals:
    sockets = (SocketPolls(socket, "tcp", "a:1", "b:2", polls),)
    gaps, durations = (Bucket(gap, gap + 10, polls),), (Bucket(300, 310, polls),)
    return ProcessTotals(7, 70, cpu_s, polls, 2, sockets, (), (), gaps=gaps, durations=durations)


def test_times_counts_sockets_and_histograms_add_up() -> None:
    found = together(
        measured(0.25, 100, socket=5, gap=5000), measured(0.5, 300, socket=5, gap=6000)
    )
    assert (found.cpu_s, found.break_polls, found.other_polls) == (0.75, 400, 4)
    assert found.sockets == (SocketPolls(5, "tcp", "a:1", "b:2", 400),)
    assert found.gaps == (Bucket(5000, 5010, 100), Bucket(6000, 6010, 300))
    assert found.durations == (Bucket(300, 310, 400),)


def test_sockets_are_counted_separately() -> None:
    found = together(measured(0.1, 1, socket=5, gap=1), measured(0.1, 2, socket=6, gap=1))
    assert [(each.fd, each.polls) for each in found.sockets] == [(5, 1), (6, 2)]
