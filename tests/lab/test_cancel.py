# SPDX-License-Identifier: GPL-2.0-or-later
"""Breaks: in both modes, lost on the way, too late, and from a client that died."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import oracledb
import pytest

from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.network.relay import relay

from .conftest import CANCELS, FOR_EVER, LOTSLIOS, SOON_S, Lab, Session, ended, in_each_mode, settle

CANCELLED = "ORA-01013"


@in_each_mode
def test_cancel_ends_the_statement_and_nothing_else(lab: Lab, session: Session) -> None:
    statement = lab.running(session, LOTSLIOS, n=FOR_EVER)
    session.connection.cancel()
    assert statement.join()
    assert statement.error.startswith(CANCELLED)
    assert session.one("select 1 from dual") == 1
    assert session.one(LOTSLIOS, n=1000) == 1000
    assert session.statistics()["lab breaks"] == 1


@in_each_mode
def test_cancels_in_a_row(lab: Lab, session: Session) -> None:
    for _ in range(CANCELS):
        statement = lab.running(session, LOTSLIOS, n=FOR_EVER)
        session.connection.cancel()
        assert statement.join()
        assert statement.error.startswith(CANCELLED)
    assert session.one("select 2 from dual") == 2


@in_each_mode
def test_a_statement_without_gets_is_cancelled_too(lab: Lab, session: Session) -> None:
    statement = lab.active(session, "select count(*) from dual connect by level <= 1000000000000")
    session.connection.cancel()
    assert statement.join()
    assert statement.error.startswith(CANCELLED)
    assert session.one("select 3 from dual") == 3


@in_each_mode
def test_call_timeout(session: Session) -> None:
    session.connection.call_timeout = 1000  # the driver waits as long again for the server's answer
    with pytest.raises(oracledb.DatabaseError, match="DPY-4024"):
        session.rows(LOTSLIOS, n=FOR_EVER)
    session.connection.call_timeout = 0
    assert session.one("select 4 from dual") == 4


@in_each_mode
def test_cancel_while_idle_does_no_harm(session: Session) -> None:
    for _ in range(5):
        session.connection.cancel()
        # The driver lets the break hit the next call.
        with contextlib.suppress(oracledb.DatabaseError):
            assert session.one("select 5 from dual") == 5
    assert session.one("select 6 from dual") == 6


@pytest.fixture
def lossy_port(lab: Lab) -> Iterator[int]:
    """A path to the lab on which urgent data gets lost."""
    with relay(("127.0.0.1", lab.port), NetworkPath(urgent="drop")) as port:
        yield port


def test_urgent_byte_lost_turns_the_session_in_band(lab: Lab, lossy_port: int) -> None:
    session = lab.connect(port=lossy_port)
    assert session.spent(LOTSLIOS, n=1009)["lab break polls"] > 0
    statement = lab.running(session, LOTSLIOS, n=FOR_EVER)
    session.connection.cancel()
    assert statement.join()
    assert statement.error.startswith(CANCELLED)
    assert session.one("select 1 from dual") == 1


def test_without_the_path_check_the_cancel_is_lost_until_the_call_ends(
    lab: Lab, lossy_port: int
) -> None:
    lab.sqlnet_ora("DISABLE_OOB_AUTO = TRUE")
    session, watcher = lab.connect(port=lossy_port), lab.connect()
    whole = session.spent(LOTSLIOS, n=15_000)
    assert whole["lab break polls"] == 0
    sid = session.sid
    before = watcher.statistic_of(sid, "consistent gets")
    statement = lab.running(session, LOTSLIOS, n=15_000)
    session.connection.cancel()
    assert statement.join()
    # It worked on to its end.
    settle(watcher, sid)
    assert watcher.statistic_of(sid, "consistent gets") == before + whole["consistent gets"]


CLIENT = f"""
import oracledb, sys
c = oracledb.connect(user="scott", password="tiger", host="127.0.0.1", port=int(sys.argv[1]),
                     service_name="LAB", disable_oob=sys.argv[2] == "in-band")
cursor = c.cursor()
cursor.execute("select sid from v$mystat where rownum = 1")
print(cursor.fetchone()[0], flush=True)
cursor.execute('''{LOTSLIOS}''', n={FOR_EVER})
"""


@in_each_mode
def test_a_dead_clients_server_is_gone_within_a_second(lab: Lab, mode: str) -> None:
    watcher = lab.connect()
    with subprocess.Popen(
        [sys.executable, "-c", CLIENT, str(lab.port), mode], stdout=subprocess.PIPE, text=True
    ) as client:
        assert client.stdout
        sid = int(client.stdout.readline())
        spid = watcher.spid_of(sid)
        while watcher.statistic_of(sid, "consistent gets") < 1000:
            assert client.poll() is None
        client.kill()
    assert ended(spid, within_s=SOON_S)


def test_kill_urg_cancels_an_out_of_band_session(lab: Lab) -> None:
    session = lab.connect()
    spid = session.spid
    statement = lab.running(session, LOTSLIOS, n=FOR_EVER)
    os.kill(spid, signal.SIGURG)
    assert statement.join()
    assert statement.error.startswith(CANCELLED)
