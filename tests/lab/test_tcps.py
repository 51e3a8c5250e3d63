# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions over TLS: without urgent data, so in-band, and polling."""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import oracledb
import pytest

from polltrace.scenarios.clients import PROGRAMS
from polltrace.scenarios.plan.cell import POSTGRESQL_DRIVERS, Cell
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.server import open_session
from tests.conftest import missing
from tests.waiting import until

from .conftest import CANCELS, FOR_EVER, LOTSLIOS, Lab, Session


def over_tls(lab: Lab, **more: Any) -> Session:
    """A session that trusts the lab's certificate; with `wallet_location`, has one of its own."""
    parameters: dict[str, Any] = {"protocol": "tcps", "port": lab.ready["tcps_port"]}
    if "wallet_location" not in more:
        parameters["ssl_context"] = trusting(lab)
    return lab.connect(**(parameters | {"ssl_server_dn_match": False} | more))


def trusting(lab: Lab) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(Path(lab.ready["wallet"]) / "ca.pem"))


@pytest.fixture
def lab(start_lab: Callable[..., Lab]) -> Lab:
    return start_lab("--tcps-port", "0")


def test_a_session_polls_as_in_band_ones_do(lab: Lab) -> None:
    session = over_tls(lab)
    spent = session.spent(LOTSLIOS, n=500)
    assert spent["lab break checks"] > 1000
    assert abs(spent["lab break polls"] - spent["lab break checks"] // 3) <= 1
    plain = lab.connect().spent(LOTSLIOS, n=500)
    assert (plain["lab break checks"], plain["lab break polls"]) == (0, 0)


def test_cancels(lab: Lab) -> None:
    session = over_tls(lab)
    for _ in range(CANCELS):
        statement = lab.running(session, LOTSLIOS, n=FOR_EVER)
        session.connection.cancel()
        assert statement.join()
        assert statement.error.startswith("ORA-01013")
        assert session.one("select 7 from dual") == 7
    assert session.statistics()["lab breaks"] == CANCELS


def test_long_answers_and_arrays(lab: Lab) -> None:
    session = over_tls(lab)
    session.cursor.arraysize = 3000
    rows = session.rows("select level, lpad('x', 2000, 'x') from dual connect by level <= 3001")
    assert [(n, len(x)) for n, x in rows] == [(n, 2000) for n in range(1, 3002)]
    session.cursor.execute("create table over_tls (n number, v varchar2(1000))")
    batch = [(n, "y" * (n % 1000)) for n in range(20011)]
    session.cursor.executemany("insert into over_tls values (:1, :2)", batch)
    assert session.rows("select count(*), sum(n), sum(length(v)) from over_tls") == [
        (20011, sum(n for n, _ in batch), sum(len(v) for _, v in batch))
    ]


CHECKS_AND_POLLS = (
    "select m.value from v$mystat m, v$statname n where m.statistic# = n.statistic#"
    " and n.name in ('lab break checks', 'lab break polls')"
)


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - POSTGRESQL_DRIVERS))
def test_a_cell_over_tls(oralab: Path, name: str) -> None:
    assert oralab.exists()
    if reason := PROGRAMS[name].missing():
        missing(reason)
    cell = Cell(client=name, break_mode="in-band", skip=1, transport="tcps")
    with LabServer() as server, DriverClient(name) as client:
        open_session(server, client, cell, {})
        client.query("select count(*) from sys.obj$ where rownum <= 20000")
        [[checks], [polls]] = client.query(CHECKS_AND_POLLS)[1]
        assert int(polls) == int(checks) > 10


def test_clients_need_a_certificate(start_lab: Callable[..., Lab]) -> None:
    lab = start_lab("--tcps-port", "0", "--tcps-mutual")
    session = over_tls(lab, wallet_location=lab.ready["wallet"])
    assert session.one("select 7 from dual") == 7
    with pytest.raises(oracledb.Error):
        over_tls(lab)


def test_a_client_without_tls(lab: Lab) -> None:
    with socket.create_connection(("127.0.0.1", lab.ready["tcps_port"])) as client:
        client.sendall(b"\0\x3a\0\0\1\0\0\0".ljust(58, b"\0"))
        with contextlib.suppress(ConnectionResetError):
            while client.recv(100):
                pass
    traces = Path(lab.ready["wallet"]).parent / "trace"

    def traced() -> bool:
        return any("ORA-28860" in file.read_text() for file in traces.glob("*.trc"))

    until(traced, "the reason")


def test_the_wallet_goes_with_the_lab(lab: Lab) -> None:
    wallet = Path(lab.ready["wallet"])
    assert {file.name for file in wallet.iterdir()} == {"server.pem", "ca.pem", "ewallet.pem"}
    assert (wallet / "server.pem").stat().st_mode & 0o077 == 0
    lab.stop()
    assert not wallet.parent.exists()
