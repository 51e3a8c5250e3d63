# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole screen of `polltrace ps`, and what its rows rest on."""

from __future__ import annotations

from pathlib import Path

import pytest

from polltrace.break_mode import BreakMode
from polltrace.client_socket import ClientSocket
from polltrace.engines import engine_of
from polltrace.frames import ProcessTotals
from polltrace.ps_report import Session, ps_data, ps_table
from polltrace.servers import Server
from polltrace.sqlnet import BreakSettings

FILE = Path("/u01/network/admin/sqlnet.ora")


def session(
    pid: int,
    *,
    break_polls: int,
    cpu_s: float = 0.5,
    owner: int | None = 0,
    disable_oob: bool = False,
    local: bool = False,
) -> Session:
    known = engine_of("oracle", "oracleORCL (LOCAL=NO)")
    assert known is not None
    server = Server(
        pid=pid,
        start_ticks=1,
        engine=known[0],
        instance="ORCL",
        local=local,
        socket=None
        if local
        else ClientSocket(14, "10.0.0.1:1521", f"10.0.0.7:{40000 + pid}", owner),
        catches_sigurg=True,
        settings=BreakSettings(FILE, 3, disable_oob, skip_is_default=True),
    )
    totals = ProcessTotals(pid, 1, cpu_s, break_polls, 0, (), (), ())
    return Session(server, totals, seconds=0.5)


SESSIONS = [
    session(101, break_polls=0, owner=101),
    session(102, break_polls=50_000),
    session(103, break_polls=90_000, disable_oob=True),
    session(104, break_polls=7, owner=104),
    session(105, break_polls=0, cpu_s=0.0, owner=None),
    session(106, break_polls=0, local=True),
]

SCREEN = """\
     PID INSTANCE  CLIENT                 BREAK MODE    SKIP   %CPU    POLLS/S  WHY
     103 ORCL      10.0.0.7:40103         in-band          3  100.0    180,000  the server's \
/u01/network/admin/sqlnet.ora says DISABLE_OOB=ON
     102 ORCL      10.0.0.7:40102         in-band          3  100.0    100,000  the client did \
not ask for out-of-band breaks (its platform, driver or sqlnet.ora)
     104 ORCL      10.0.0.7:40104         in-band          3  100.0         14  it was set up \
for out-of-band breaks and polls all the same: the path check at connect failed, so something \
between client and server eats urgent data
     101 ORCL      10.0.0.7:40101         out-of-band      3  100.0          0
     105 ORCL      10.0.0.7:40105         unknown          3    0.0          0
     106 ORCL      local                  local            3  100.0          0"""


def test_screen() -> None:
    assert ps_table(SESSIONS) == SCREEN


def test_no_sessions() -> None:
    assert ps_table([]).startswith("No dedicated server process on this host")
    assert ps_data([]) == {"sessions": []}


def test_data_has_the_evidence() -> None:
    first, second = ps_data(SESSIONS)["sessions"][:2]
    assert (first["break_mode"], first["reason"]) == ("out-of-band", None)
    assert first["evidence"] == {
        "catches_sigurg": True,
        "told_of_urgent_data": True,
        "polls_on_cpu": False,
    }
    assert second["break_polls_per_s"] == pytest.approx(100_000)


def test_a_process_that_hardly_ran_proves_nothing_by_not_polling() -> None:
    idle = session(1, break_polls=0, cpu_s=0.001, owner=1)
    assert idle.evidence.polls_on_cpu is None
    assert idle.mode is BreakMode.OUT_OF_BAND
