# SPDX-License-Identifier: GPL-2.0-or-later
"""The load of a recorded session: of its client's polls, and of times that nothing disturbed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polltrace.intervals import exactly
from polltrace.overhead.advice_report import session_advice_text
from polltrace.overhead.forecast import CancelLimits
from polltrace.recording import read
from polltrace.recording.scan import Scan
from polltrace.recording.summary import SessionSummary, summary
from tests.recording.samples import (
    CLIENT,
    POLL_COST,
    frame,
    probe,
    probe_header,
    process,
    server,
    totals,
    trailer,
    written,
)

SECONDS = 10
TIMED = [[400, 401, 5000]]
OTHER = {"fd": 20, "local": "10.0.0.5:40000", "peer": "10.0.0.7:1521", "kind": "tcp"}


def session(path: Path, *, client_polls: int, other_polls: int, **changes: Any) -> SessionSummary:
    """Of that many polls a second on either socket and 0.8 s of CPU; of the ten seconds one was
    spent timing gaps, which took twice the CPU for the same polls."""
    records = [
        probe(probe_header(), 0.0),
        probe(process(100, 7), 0.0),
        server(100, 7, **changes),
        POLL_COST,
    ]
    cpu_s = 0.0
    for second in range(1, SECONDS + 1):
        timed = second == 5
        cpu_s += 1.6 if timed else 0.8
        if timed:
            records.append(probe(probe_header(), second - 0.9, "gaps"))
        sockets = [
            {**CLIENT, "kind": "tcp", "polls": client_polls * second},
            {**OTHER, "polls": other_polls * second},
        ]
        all_polls = (client_polls + other_polls) * second
        now = totals(100, 7, cpu_s, all_polls, sockets=[one for one in sockets if one["polls"]])
        records.append(probe(frame(second, now), second))
        if timed:
            gaps = totals(100, 7, 1.6, 4000, times_ns={"gap": [[9, 10, 9]], "duration": TIMED})
            records.append(probe(frame(1, gaps), second, "gaps"))
            end = {"type": "trailer", "t_s": 1.0, "reason": "duration", "lost": {}}
            records.append(probe(end, second, "gaps"))
    (found,) = summary(read(written(path, *records, trailer(SECONDS)))).sessions
    return found


@pytest.mark.parametrize(("client", "other"), [(4000, 0), (4000, 36_000), (4000, 4000)])
def test_the_rate_is_of_the_clients_polls(tmp_path: Path, client: int, other: int) -> None:
    found = session(tmp_path / "a.ptrec", client_polls=client, other_polls=other)
    assert found.break_polls == client * SECONDS
    assert found.load.polls_per_cpu_s == pytest.approx(client / 0.8, rel=0.001)


def test_advice_says_that_polls_were_timed(tmp_path: Path) -> None:
    found = session(tmp_path / "a.ptrec", client_polls=4000, other_polls=0)
    assert found.advice is not None
    assert "that took 400 ns in the kernel in this process" in session_advice_text(
        found.advice, CancelLimits()
    ).replace("\n  ", " ")


def test_a_server_whose_client_is_not_polled_makes_none(tmp_path: Path) -> None:
    # Its client came over a unix socket: what it polls is somebody else's.
    found = session(tmp_path / "a.ptrec", client_polls=0, other_polls=5000, client=None, local=True)
    assert (found.break_polls, found.load.polls_per_cpu_s) == (0, 0.0)
    assert found.lost_cpu_s == exactly(0.0)


def test_a_recording_has_the_factors_of_its_own_host(tmp_path: Path) -> None:
    host = {"timed": [0.5, 0.5, 0.5], "sampled": [1, 1, 1], "calibrated": [1, 1, 1]}
    plain = session(tmp_path / "a.ptrec", client_polls=4000, other_polls=0)
    path = tmp_path / "b.ptrec"
    session(path, client_polls=4000, other_polls=0)
    records = list(Scan(path))
    factors = {"type": "host_factors", "at_s": 0.0, "measured": "2026-11-25", "rise": None, **host}
    measured = summary(read(written(tmp_path / "c.ptrec", factors, *records))).sessions[0]
    assert measured.poll_cost_s is not None
    assert plain.poll_cost_s is not None
    assert measured.poll_cost_s.value == pytest.approx(plain.poll_cost_s.value / 2)
    assert measured.advice is not None
    text = session_advice_text(measured.advice, CancelLimits())
    assert "factors of this kind of host, measured 2026-11-25." in text.replace("\n  ", " ")
