# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole screen of `polltrace ps`, and what its rows rest on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from polltrace.breaks.break_mode import BreakMode
from polltrace.breaks.sqlnet import BreakSettings
from polltrace.engines import engine_of
from polltrace.profiles.frames import ProcessTotals, SocketPolls
from polltrace.servers.client_socket import ClientSocket
from polltrace.servers.database_sessions import DatabaseSession
from polltrace.servers.ps_report import ObservedServer, ps_data, ps_table
from polltrace.servers.servers import Server
from tests.watch.samples import postgresql_server

FILE = Path("/u01/network/admin/sqlnet.ora")


def session(
    pid: int,
    *,
    break_polls: int,
    cpu_s: float = 0.5,
    owner: int | None = 0,
    disable_oob: bool = False,
    local: bool = False,
) -> ObservedServer:
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
    polled = (SocketPolls(14, "tcp", "10.0.0.1:1521", f"10.0.0.7:{40000 + pid}", break_polls),)
    totals = ProcessTotals(pid, 1, cpu_s, break_polls, 0, polled, (), ())
    return ObservedServer(server, totals, seconds=0.5)


SESSIONS = [
    session(101, break_polls=0, owner=101),
    session(102, break_polls=50_000),
    session(103, break_polls=90_000, disable_oob=True),
    session(104, break_polls=7, owner=104),
    session(105, break_polls=0, cpu_s=0.0, owner=None),
    session(106, break_polls=0, local=True),
]

SCREEN = """\
     PID ENGINE INSTANCE  CLIENT                 BREAK MODE   EVID  SKIP OOB   %CPU   POLLS/S  WHY
     103 oracle ORCL      10.0.0.7:40103         in-band      -UP      3 off  100.0   180,000  \
server DISABLE_OOB
     102 oracle ORCL      10.0.0.7:40102         in-band      -UP      3 on   100.0   100,000  \
client never asked
     104 oracle ORCL      10.0.0.7:40104         in-band      OUP      3 on   100.0        14  \
path eats urgent data
     101 oracle ORCL      10.0.0.7:40101         out-of-band  OU-      3 on   100.0         0
     105 oracle ORCL      10.0.0.7:40105         unknown      ?U?      3 on     0.0         0
     106 oracle ORCL      local                  local        ?U-      3 on   100.0         0
EVID: O the server owns the client's socket (urgent data signals it), U it catches SIGURG, P it \
break-polls; - no, ? not seen. See 'polltrace why -p PID'."""


def test_the_table_of_all_sessions() -> None:
    assert ps_table(SESSIONS) == SCREEN


POSTGRESQL = """\
     PID ENGINE INSTANCE  CLIENT                 BREAK MODE     %CPU   POLLS/S  WHY
     201 pgsql  sales     10.0.0.7:40201         checking      100.0       100  interval set
     202 pgsql  sales     10.0.0.7:40202         not checking  100.0         0  no check came
See 'polltrace why -p PID'."""


def test_a_host_of_postgresql_alone_has_no_columns_of_oracles() -> None:
    sessions = [
        ObservedServer(
            server := postgresql_server(pid),
            ProcessTotals(pid, 7, 0.5, polls, 0, _polled(server, polls), (), ()),
            seconds=0.5,
        )
        for pid, polls in ((201, 50), (202, 0))
    ]
    assert ps_table(sessions) == POSTGRESQL


def _polled(server: Server, polls: int) -> tuple[SocketPolls, ...]:
    assert server.socket is not None
    return (SocketPolls(7, "tcp", server.socket.local, server.socket.peer, polls),)


def test_a_host_without_sessions() -> None:
    assert ps_table([]).startswith("No dedicated server process on this host")
    assert ps_data([]) == {"sessions": [], "not_watched": []}


def test_polls_of_other_sockets_are_no_break_polls() -> None:
    # GIVEN a server that polls the cluster interconnect, too, and one whose client is local
    busy = session(1, break_polls=0, owner=1)
    link = SocketPolls(20, "tcp", "10.1.0.1:900", "10.1.0.2:900", 5000)
    polling = replace(busy, totals=replace(busy.totals, break_polls=5000, sockets=(link,)))
    assert (polling.polls, polling.mode) == (0, BreakMode.OUT_OF_BAND)
    data = ps_data([polling])["sessions"][0]
    assert (data["break_polls_per_s"], data["other_socket_polls_per_s"]) == (0, 10_000)
    local = session(2, break_polls=0, local=True)
    assert replace(local, totals=replace(local.totals, sockets=(link,))).polls == 0


def test_without_an_owner_the_polled_socket_is_the_clients() -> None:
    # GIVEN a server with two connected sockets and no owner, which polls the younger
    quiet = session(1, break_polls=0)
    younger = ClientSocket(15, "10.0.0.1:1521", "10.0.0.9:50000", 0)
    polled = SocketPolls(15, "tcp", younger.local, younger.peer, 19_968)
    two = replace(
        quiet,
        server=replace(quiet.server, candidates=(younger,)),
        totals=replace(quiet.totals, break_polls=19_968, sockets=(polled,)),
    )
    assert (two.polls, two.client, two.mode) == (19_968, younger.peer, BreakMode.IN_BAND)
    data = ps_data([two])["sessions"][0]
    assert (data["client"], data["break_polls_per_s"]) == (younger.peer, 39_936)
    # AND polls of a socket that cannot be its client's are shown, not hidden
    link = replace(polled, fd=20, peer="10.1.0.2:900")
    other = replace(two, totals=replace(two.totals, sockets=(link,)))
    assert other.polls == 0
    assert "(39,936 polls/s of other sockets)" in ps_table([other])


def test_the_database_names_whom_a_process_serves() -> None:
    known = DatabaseSession(102, "ORCL", 134, 7, "APP", "JDBC Thin Client", "", "app7", "4yx3")
    table = ps_table([replace(session(102, break_polls=9), database_session=known), SESSIONS[0]])
    assert "SID,SERIAL  USER" in table
    assert "134,7       APP          JDBC Thin Client         4yx3           client never" in table


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
