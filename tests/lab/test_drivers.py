# SPDX-License-Identifier: GPL-2.0-or-later
"""The drivers, as their registries have them: one body over all, by the scenarios' clients."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from polltrace.scenarios.clients import program
from polltrace.scenarios.run.client import DriverClient
from tests.conftest import missing
from tests.waiting import until

from .conftest import CANCELS, FOR_EVER, LOTSLIOS, Lab

BURN = LOTSLIOS.replace(":n", str(FOR_EVER))

# go-ora sends urgent data only on request, node-oracledb never does.
CASES = {
    "python in-band": ("python-oracledb", True),
    "python out-of-band": ("python-oracledb", False),
    "node in-band": ("node-oracledb", True),
    "go in-band": ("go-ora", True),
    "go out-of-band": ("go-ora", False),
    "java in-band": ("ojdbc11", True),
    "java out-of-band": ("ojdbc11", False),
}


@contextmanager
def connected(lab: Lab, case: str) -> Iterator[DriverClient]:
    name, disable_oob = CASES[case]
    if reason := program(name).missing():
        missing(reason)
    with DriverClient(name) as client:
        dsn = f"127.0.0.1:{lab.port}/LAB"
        client.connect(dsn, "scott", "tiger", disable_oob=disable_oob)
        yield client


def rows(client: DriverClient, sql: str, **binds: float | str) -> list[list[Any]]:
    # Drivers differ in what they make of a NUMBER: compare as numbers.
    return [[as_number(value) for value in row] for row in client.query(sql, binds)[1]]


def error(client: DriverClient, sql: str) -> str:
    client.begin(sql)
    return client.finish().error or ""


def reads_a_socket(pid: int) -> bool:
    """Whether a thread of the process waits in read(2) of a socket."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # it has ended since
            number, *arguments = (task / "syscall").read_text().split()
            if number == "0":
                file = Path(f"/proc/{pid}/fd/{int(arguments[0], 16)}").readlink()
                if str(file).startswith("socket:"):
                    return True
    return False


def as_number(value: Any) -> Any:
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def lab(oralab: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    assert oralab.exists()
    lab = Lab(tmp_path_factory.mktemp("lab"), ())
    yield lab
    lab.stop()


@pytest.fixture(scope="module")
def client(lab: Lab, case: str) -> Iterator[DriverClient]:
    """One for all tests of a driver: some take a second to start."""
    with connected(lab, case) as client:
        yield client
        client.close()


def test_the_driver_identifies_itself(client: DriverClient, case: str) -> None:
    about = client.about
    assert about.driver == CASES[case][0]
    assert about.version[0].isdigit()
    assert about.out_of_band == (about.driver != "node-oracledb")


def test_statements(client: DriverClient) -> None:
    assert rows(client, "select 1, 'x', null from dual") == [[1, "x", None]]
    assert rows(client, "select :a, :b from dual", b="hello", a=42.5) == [[42.5, "hello"]]
    numbers = rows(client, "select level from dual connect by level <= 2003")
    assert numbers == [[n] for n in range(1, 2004)]
    assert rows(client, "select count(*) from sys.obj$ where rownum <= 100") == [[100]]
    client.ping()
    assert "ORA-00942" in error(client, "select 1 from no_such_table")
    assert rows(client, "select 2 from dual") == [[2]]
    ended = client.execute("select level from dual connect by level <= :n", {"n": 7}, times=3)
    assert (len(ended.elapsed_s), ended.row_count, ended.rows) == (3, 7, [])


@pytest.mark.parametrize("name", dict.fromkeys(driver for driver, _ in CASES.values()))
def test_rows_per_fetch_and_sdu(lab: Lab, name: str) -> None:
    # GIVEN sessions that differ in the rows of a fetch
    if reason := program(name).missing():
        missing(reason)
    statement = "select level from dual connect by level <= 1000"
    trips = (
        "select m.value from v$mystat m, v$statname n where m.statistic# = n.statistic#"
        " and n.name = 'SQL*Net roundtrips to/from client'"
    )

    def spent(fetch_size: int) -> float:
        with DriverClient(name) as client:
            client.connect(
                f"127.0.0.1:{lab.port}/LAB",
                "scott",
                "tiger",
                disable_oob=True,
                fetch_size=fetch_size,
                sdu=8192 if client.about.sdu else 0,
            )
            [[before]] = rows(client, trips)
            client.execute(statement)
            [[after]] = rows(client, trips)
            return float(after - before)

    # THEN the rows of a fetch decide how often it asks
    assert spent(10) >= 100
    assert spent(500) <= 8


def test_commit_and_rollback(client: DriverClient, lab: Lab) -> None:
    watcher = lab.connect()
    client.execute("create table kept (n number)")
    client.execute("insert into kept values (1)")
    client.commit()
    assert watcher.one("select count(*) from kept") == 1
    client.rollback()
    assert rows(client, "select n from kept") == [[1]]
    client.execute("drop table kept")


def test_11g_verifier_and_markers(start_lab: Callable[..., Lab], case: str) -> None:
    with connected(start_lab("--verifier", "11g", "--error-markers"), case) as client:
        for _ in range(5):
            assert "ORA-00942" in error(client, "select 1 from no_such_table")
            assert rows(client, "select 2 from dual") == [[2]]
        client.close()


def test_cancels_in_a_row(client: DriverClient, lab: Lab, case: str) -> None:
    watcher = lab.connect()
    [[sid]] = rows(client, "select sid from v$mystat where rownum = 1")

    def begin() -> None:
        """Begins a statement, and waits until the server is in the middle of it."""
        before = watcher.statistic_of(int(sid), "consistent gets")
        client.begin(BURN)
        until(
            lambda: watcher.statistic_of(int(sid), "consistent gets") > before + 1000,
            "a busy server",
        )

    for _ in range(CANCELS):
        begin()
        if client.name == "ojdbc11":
            # It must have come back from sending: a cancel() that meets its execute() there fails
            # inside the driver, with a NoSuchElementException in one thread or the other.
            until(lambda: reads_a_socket(client.pid), "a driver that waits for its answer")
        client.send_break()
        cancel = client.cancelled(client.finish())
        assert (cancel.error, cancel.usable) == ("ORA-01013", True)
    name, value = "lab breaks", "lab break polls"
    statistics = "select m.value from v$mystat m, v$statname n where m.statistic# = n.statistic#"
    assert rows(client, f"{statistics} and n.name = '{name}'") == [[CANCELS]]
    [[polls]] = rows(client, f"{statistics} and n.name = '{value}'")
    assert (polls > 0) == case.endswith("in-band")
