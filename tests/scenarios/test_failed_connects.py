# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that cannot connect reports its driver's error, and answers later requests."""

from __future__ import annotations

import socket

import pytest

from polltrace.errors import DriverError
from polltrace.scenarios.clients import PROGRAMS, program
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.script.script_database import ConnectTarget, Database, StatementError

NO_LISTENER = {
    "python-oracledb": "Connection refused",
    "psycopg": "Connection refused",
    "pg8000": "Can't create a connection",
    "node-oracledb": "NJS-5",
    "go-ora": "connection refused",
    "ojdbc11": "ORA-12541",
}


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_driver_that_cannot_connect(
    name: str, closed_port: int, capfd: pytest.CaptureFixture[str]
) -> None:
    if reason := program(name).missing():
        pytest.skip(reason)
    with DriverClient(name) as client:
        for _ in range(2):
            with pytest.raises(DriverError, match=NO_LISTENER[name]):
                client.connect(f"127.0.0.1:{closed_port}/service", "u", "p", disable_oob=True)
            with pytest.raises(DriverError, match=f"{name}: there is no connection"):
                client.execute("select 1 from dual")
            client.close()
    assert capfd.readouterr().err == ""


def test_a_script_that_connects_to_an_unknown_host(capfd: pytest.CaptureFixture[str]) -> None:
    with Database() as database:
        for _ in range(2):
            with pytest.raises(StatementError, match="ORA-12545: Connect failed") as error:
                database.connect(ConnectTarget("no-such-host.invalid:1521/x", "u", "p", True))
            assert (error.value.code, error.value.connected) == (12545, False)
    assert capfd.readouterr().err == ""
