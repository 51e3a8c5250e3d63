# SPDX-License-Identifier: GPL-2.0-or-later
"""`oob-check --cancel`: real cancels of the lab's and PostgreSQL's statements, by the drivers."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from polltrace.breaks.cancels import ModeCancels, cancels_text
from polltrace.errors import HostError
from polltrace.scenarios.clients import PROGRAMS
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.network.relay import relay
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.postgresql_cluster import PostgresqlCluster
from polltrace.scenarios.run.servers.sqlnet_file import write_sqlnet
from tests.conftest import POLLTRACE, missing


@pytest.fixture(scope="module")
def lab_server(lab: None) -> Iterator[LabServer]:
    with LabServer() as server:
        yield server


def cancelled(login: str, password: str, *options: str, code: int) -> dict[str, dict[str, Any]]:
    """The outcome by break mode."""
    command = [POLLTRACE, "oob-check", "--cancel", login, "--json", *options]
    environment = {**os.environ, "POLLTRACE_PASSWORD": password}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended.stderr
    return {mode["break_mode"]: mode for mode in json.loads(ended.stdout)["modes"]}


@pytest.mark.parametrize("driver", ["python-oracledb", "go-ora", "node-oracledb", "ojdbc11"])
def test_every_driver_is_cancelled_in_each_of_its_modes(lab_server: LabServer, driver: str) -> None:
    if reason := PROGRAMS[driver].missing():
        missing(reason)
    oralab = lab_server.oralab
    write_sqlnet(oralab.tns_admin, break_poll_skip=3)
    login = f"{oralab.user}@{oralab.dsn}"
    modes = cancelled(login, oralab.password, "--driver", driver, "-n", "2", code=0)
    expected = {"in-band"} | ({"out-of-band"} if PROGRAMS[driver].out_of_band else set())
    assert modes.keys() == expected
    for mode in modes.values():
        assert (mode["verdict"], mode["cancels"], mode["lost"]) == ("fine", 2, 0)
        assert 0 <= mode["p50_ms"] <= mode["p99_ms"] <= mode["worst_ms"] < 1000


def test_a_path_that_drops_urgent_data_loses_out_of_band_cancels(lab_server: LabServer) -> None:
    """Without a check of the path at connect, as with DISABLE_OOB_AUTO and with go-ora."""
    oralab = lab_server.oralab
    write_sqlnet(oralab.tns_admin, break_poll_skip=3, path_check=False)
    with relay((oralab.host, oralab.port), NetworkPath(urgent="drop")) as port:
        login = f"{oralab.user}@127.0.0.1:{port}/{oralab.service}"
        modes = cancelled(login, oralab.password, "-n", "1", code=1)
    assert (modes["out-of-band"]["verdict"], modes["out-of-band"]["lost"]) == ("lost", 1)
    assert modes["out-of-band"]["p50_ms"] is None
    assert modes["in-band"]["verdict"] == "fine"


def test_postgresql_is_cancelled_over_another_connection() -> None:
    try:
        cluster = PostgresqlCluster()
    except HostError as error:
        missing(str(error))
    with cluster:
        at = cluster.address
        login = f"postgresql://{at.user}@{at.host}:{at.port}/{at.database}"
        modes = cancelled(login, at.password, "-n", "2", code=0)
    assert modes.keys() == {"another connection"}
    assert modes["another connection"]["verdict"] == "fine"


def test_a_statement_that_fails_tells_nothing_of_cancels(lab_server: LabServer) -> None:
    oralab = lab_server.oralab
    write_sqlnet(oralab.tns_admin, break_poll_skip=3)
    login = f"{oralab.user}@{oralab.dsn}"
    modes = cancelled(login, oralab.password, "--statement", "select no from dual", code=1)
    assert {mode["verdict"] for mode in modes.values()} == {"cannot tell"}
    assert "ORA-00904" in modes["in-band"]["problem"]


def test_the_verdict_is_of_the_worst_cancel() -> None:
    delays = tuple(map(float, range(1, 101)))
    outcome = ModeCancels("in-band", delays)
    assert [outcome.quantile_ms(share) for share in (0.5, 0.99, 1.0)] == [50.0, 99.0, 100.0]
    assert [outcome.verdict(limit_s) for limit_s in (0.1, 0.0999)] == ["fine", "late"]
    assert ModeCancels("in-band", delays, lost=1).verdict(10) == "lost"
    text = cancels_text("go-ora", [ModeCancels("out-of-band", (), 3)], 1.0)
    assert "out-of-band                3     3         -         -         -  lost" in text


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--cancel", "u@h:1/s", "--driver", "oci"], "--driver oci: one of"),
        (["--cancel", "u@h:1/s", "h:1"], "one of HOST:PORT to test"),
        (["--cancel", "u/secret@h:1/s"], "no password on the command line"),
    ],
)
def test_wrong_usage(words: list[str], error: str) -> None:
    environment = {**os.environ, "POLLTRACE_PASSWORD": "p"}
    command = [POLLTRACE, "oob-check", *words]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert error in ended.stderr
