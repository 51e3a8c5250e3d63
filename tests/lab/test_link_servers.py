# SPDX-License-Identifier: GPL-2.0-or-later
"""What polltrace shows of the two servers that a database link joins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from polltrace.profiles.frames import ProcessTotals
from polltrace.servers.client_servers import with_client_servers
from polltrace.servers.ps_report import Session as Shown
from polltrace.servers.ps_report import ps_data, ps_table
from polltrace.servers.servers import Server, ServerName, servers
from polltrace.servers.why_report import verdict

from .links import LinkedLabs, linked_labs
from .test_link_breaks import far_session


@pytest.fixture
def labs(oralab: Path, tmp_path: Path) -> Iterator[LinkedLabs]:
    made = linked_labs(oralab, tmp_path / "local", tmp_path / "remote")
    yield made
    made.local.stop()
    made.remote.stop()


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
    assert data["client_server"] == {"pid": near, "instance": "LAB"}
    assert f"a link of server LAB {near}" in verdict(shown(remote))
    [data] = ps_data([shown(local)])["sessions"]
    assert data["client_server"] is None
