# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever a client sends: an ORA- error, a line in the trace file, and where the protocol allows
a session that lives."""

from __future__ import annotations

import os
import signal
import socket
import struct
from collections.abc import Callable
from pathlib import Path

import oracledb
import pytest

from tests.waiting import until

from .conftest import SPID, Lab, Session, ended

TRACEFILE = (
    "select p.tracefile from v$process p, v$session s"
    " where p.addr = s.paddr and s.sid = sys_context('userenv','sid')"
)
PACKETS = {
    "another protocol": b"GET / HTTP/1.1\r\nHost: lab\r\n\r\n".ljust(0x4745, b"\0"),
    "a length that is none": b"\0\3\0\0\1\0\0\0",
    "a packet out of order": b"\0\x0a\0\0\6\0\0\0\0\0",
}


def traces(lab: Lab) -> str:
    return "\n".join(
        path.read_text()
        for path in sorted(Path(lab.ready["tns_admin"]).rglob("*.trc"))
        + sorted(Path(data_directory(lab)).rglob("*.trc"))
    )


def data_directory(lab: Lab) -> str:
    """Where the lab keeps its data: the folder above that of the trace files."""
    return str(Path(str(lab.connect().one(TRACEFILE))).parents[1])


@pytest.mark.parametrize("packet", PACKETS.values(), ids=PACKETS)
def test_a_connection_that_is_no_session(lab: Lab, packet: bytes) -> None:
    with socket.create_connection(("127.0.0.1", lab.port)) as client:
        client.sendall(packet)
        client.shutdown(socket.SHUT_WR)
        assert client.recv(100) == b""
    until(lambda: "The session ends: no CONNECT" in traces(lab), "the reason")


@pytest.mark.parametrize("disable_oob", [True, False], ids=["in-band", "out-of-band"])
def test_a_function_that_is_not_there(lab: Lab, disable_oob: bool) -> None:
    # GIVEN a session that begins a distributed transaction, which the lab has none of
    session = lab.connect(disable_oob=disable_oob)
    file = Path(session.one(TRACEFILE))
    assert not file.exists()
    for times in (1, 2, 3):
        with pytest.raises(oracledb.DatabaseError, match=r"ORA-03001.*TTC function 103"):
            session.connection.tpc_begin(session.connection.xid(1, "gtrid", "bqual"))
        # THEN it lives, and its trace has the reason, the position and the message
        assert session.one("select 7 from dual") == 7
        trace = file.read_text()
        assert trace.count("TTC function 103, sequence") == times
        assert "00000000: 03 67 " in trace


def test_a_value_beyond_the_memory(lab: Lab) -> None:
    session = lab.connect()
    huge = "x" * (70 << 20)
    with pytest.raises(oracledb.DatabaseError, match="ORA-04030"):
        session.rows("select length(:v) from dual", v=huge)
    assert "too long for the server's memory" in Path(session.one(TRACEFILE)).read_text()
    assert session.one("select 7 from dual") == 7


def test_a_statement_of_more_than_16_mib(lab: Lab) -> None:
    padded = f"select {' ' * (17 << 20)} 7 from dual"
    assert lab.connect().one(padded) == 7


def test_a_server_that_is_ended(lab: Lab) -> None:
    session: Session = lab.connect()
    spid, file = int(session.one(SPID)), Path(session.one(TRACEFILE))
    os.kill(spid, signal.SIGSEGV)
    assert ended(spid, 10)
    trace = file.read_text()
    assert f"exception encountered: signal {signal.SIGSEGV:d}" in trace
    assert "opimai_real" in trace


def connect_packet() -> bytes:
    text = b"(DESCRIPTION=(CONNECT_DATA=(SERVICE_NAME=LAB)))"
    fields = struct.pack(">HHHHHHHHHH", 319, 300, 1, 8192, 65535, 0x4F98, 0, 1, len(text), 74)
    body = fields.ljust(74 - 8, b"\0") + text
    return struct.pack(">HHBBH", 8 + len(body), 0, 1, 0, 0) + body


def test_a_client_that_vanishes_in_a_message(lab: Lab) -> None:
    with socket.create_connection(("127.0.0.1", lab.port)) as client:
        client.sendall(connect_packet())
        assert client.recv(100)[4] == 2  # ACCEPT
        # WHEN only the beginning of a message comes, in a packet that is whole
        client.sendall(struct.pack(">IBBHH", 12, 6, 0, 0, 0) + b"\1\6")
        client.shutdown(socket.SHUT_WR)
        assert client.recv(100) == b""
    until(lambda: "in the middle of a message" in traces(lab), "the reason")


def test_every_packet_is_traced(start_lab: Callable[..., Lab]) -> None:
    lab = start_lab("--trace-net")
    session = lab.connect()
    assert session.one("select 'seen' from dual") == "seen"
    spid = int(session.one(SPID))
    lines = Path(data_directory(lab), "trace", f"svr_{spid}.trc").read_text().splitlines()
    sent = [line for line in lines if "nspsend" in line]
    received = [line for line in lines if "nsprecv" in line]
    assert "packet dump" in sent[0]
    assert "packet dump" in received[0]
    text = "".join(line.rsplit("|", 2)[1] for line in received if line.count("|") == 2)
    assert "select 'seen' from dual" in text


def test_a_bind_that_is_an_array(lab: Lab) -> None:
    # With several values in one row it would be unknown where each ends.
    session = lab.connect()
    array = session.cursor.arrayvar(oracledb.NUMBER, [1, 2, 3])
    with pytest.raises(oracledb.DatabaseError, match=r"ORA-03001.*PL/SQL array"):
        session.cursor.execute("begin select 1 into :x from dual where :a > 0; end;", [1, array])
    assert session.one("select 7 from dual") == 7
