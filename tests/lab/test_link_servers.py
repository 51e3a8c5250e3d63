# SPDX-License-Identifier: GPL-2.0-or-later
"""What polltrace shows of the two servers that a database link joins."""

from __future__ import annotations

import pytest

from polltrace.profiles.frames import ProcessTotals
from polltrace.servers.client_servers import ClientServers, with_client_servers
from polltrace.servers.database_sessions import DatabaseSession, Lookup
from polltrace.servers.ps_report import ObservedServer as Shown
from polltrace.servers.ps_report import ps_data, ps_table
from polltrace.servers.servers import Server, ServerName, servers
from polltrace.servers.why_report import verdict
from polltrace.top.columns import COLUMNS
from polltrace.watch.host_monitor import HostMonitor
from polltrace.watch.inspection import Inspector
from polltrace.watch.snapshot import PollCosts
from polltrace.watch.snapshot_report import snapshot_data

from .links import LinkedLabs, far_session


def shown(server: Server) -> Shown:
    idle = ProcessTotals(server.pid, server.start_ticks, 0.0, 0, 0, (), (), ())
    return Shown(server, idle, 1.0)


@pytest.mark.parametrize("in_band", [False, True])
def test_a_client_that_is_a_server(labs: LinkedLabs, in_band: bool) -> None:
    session, watcher = labs.local.connect(disable_oob=in_band), labs.remote.connect()
    session.rows("select * from dual@far")
    _, far = far_session(watcher)
    near = session.spid
    local, remote = sorted(
        with_client_servers(servers([near, far])), key=lambda each: each.pid == far
    )
    assert remote.linked_from == ServerName(near, "LAB")
    assert local.linked_from is None
    # The link's descriptor is the server's, and is not taken for its client's.
    assert len(local.sockets) == 2
    assert local.socket is not None
    assert local.socket.local.endswith(f":{labs.local.port}")
    assert remote.socket is not None
    assert remote.socket.local.endswith(f":{labs.remote.port}")
    assert f" LAB {near} " in ps_table([shown(remote)])
    [data] = ps_data([shown(remote)])["sessions"]
    assert data["client_server"] == {"pid": near, "instance": "LAB", "sid": None}
    assert f"a link of server LAB {near}" in verdict(shown(remote))
    [data] = ps_data([shown(local)])["sessions"]
    assert data["client_server"] is None


def test_the_sid_of_a_client_that_is_a_server(labs: LinkedLabs) -> None:
    """By the views of the local database, which the remote one does not have."""
    session, watcher = labs.local.connect(), labs.remote.connect()
    session.rows("select * from dual@far")
    _, far = far_session(watcher)
    of_local = DatabaseSession(session.spid, "LAB", session.sid, 1, "SCOTT", "p", "", "m", "")
    known = Lookup({session.spid: of_local})
    [remote] = map(known.with_sid, with_client_servers(servers([far]), servers()))
    assert remote.linked_from == ServerName(session.spid, "LAB", session.sid)
    assert f" LAB {session.spid} SID {session.sid} " in ps_table([shown(remote)])
    [data] = ps_data([shown(remote)])["sessions"]
    assert data["client_server"]["sid"] == session.sid


@pytest.mark.parametrize("first", ["local", "remote"])
def test_top_shows_it_whichever_server_comes_first(labs: LinkedLabs, first: str) -> None:
    session, watcher = labs.local.connect(), labs.remote.connect()
    session.rows("select * from dual@far")
    near, far = session.spid, far_session(watcher)[1]
    inspector = Inspector()
    monitor = HostMonitor(inspector)
    found = {server.pid: server for server in servers([near, far])}
    for pid in (near, far) if first == "local" else (far, near):
        inspector.announced(found[pid].identity, is_new=False)
        monitor.inspected(inspector.inspect(1))
        rows = {row.pid: row for row in monitor.snapshot(PollCosts({})).rows}
    name = ServerName(near, "LAB")
    assert rows[far].client_server == name
    assert rows[near].client_server is None
    socket = found[near].socket
    assert socket is not None
    assert rows[near].client == socket.peer
    [client] = [column for column in COLUMNS if column.key == "client"]
    assert client.cell(rows[far], 15) == f"LAB {near}"
    asked = DatabaseSession(near, "LAB", session.sid, 1, "SCOTT", "p", "", "m", "")
    monitor.set_sessions({found[near].identity: asked})
    snapshot = monitor.snapshot(PollCosts({}))
    rows = {row.pid: row for row in snapshot.rows}
    assert rows[far].client_server == ServerName(near, "LAB", session.sid)
    [data] = [
        each for each in snapshot_data(snapshot, snapshot.rows)["servers"] if each["pid"] == far
    ]
    assert data["client_server"] == {"pid": near, "instance": "LAB", "sid": session.sid}


def test_a_link_that_is_closed_is_forgotten(labs: LinkedLabs) -> None:
    session, watcher = labs.local.connect(), labs.remote.connect()
    session.rows("select * from dual@far")
    near, far = session.spid, far_session(watcher)[1]
    [local, remote] = sorted(servers([near, far]), key=lambda each: each.pid == far)
    known = ClientServers()
    assert known.seen(remote) == []
    assert known.of(remote) is None
    assert known.seen(local) == [remote.identity]
    assert known.of(remote) == ServerName(near, "LAB")
    session.connection.commit()
    session.cursor.execute("alter session close database link far")
    known.seen(*servers([near]))
    assert known.of(remote) is None
    known.gone(local.identity)
    known.gone(remote.identity)
    assert known.of(local) is None
