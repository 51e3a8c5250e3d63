# SPDX-License-Identifier: GPL-2.0-or-later
"""LOCAL=YES sessions: servers on pipes, without a socket, that never poll."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import oracledb
import pytest

from tests.waiting import children, until

from .conftest import CANCELS, FOR_EVER, LOTSLIOS, SOON_S, Lab, Session, ended
from .test_cancel import CLIENT

TITLE = b"oracleLAB\0(DESCRIPTION=(LOCAL=YES)(ADDRESS=(PROTOCOL=beq)))\0"


def descriptors(pid: int) -> list[str]:
    return [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()]


def bridge_of(lab: Lab) -> int:
    """The only process of the lab that carries packets."""
    [bridge] = children(lab.process.pid, "oralab-bridge")
    return bridge


@pytest.fixture
def local(lab: Lab) -> Session:
    return lab.connect(port=lab.ready["local_port"])


def test_its_server_has_no_socket(lab: Lab, local: Session) -> None:
    spid = local.spid
    assert Path(f"/proc/{spid}/cmdline").read_bytes() == TITLE
    links = descriptors(spid)
    assert not [link for link in links if link.startswith("socket:")]
    assert len([link for link in links if link.startswith("pipe:")]) >= 2
    assert local.one("select sys_context('userenv', 'network_protocol') from dual") == "beq"


def test_it_never_polls(lab: Lab, local: Session) -> None:
    lab.sqlnet_ora("BREAK_POLL_SKIP=1\nDISABLE_OOB=ON\n")
    again = lab.connect(port=lab.ready["local_port"])
    for session in (local, again):
        spent = session.spent(LOTSLIOS, n=5003)
        assert spent["consistent gets"] > 50_000
        assert spent["lab break checks"] == spent["lab break polls"] == 0


def test_big_answers_and_big_requests(local: Session) -> None:
    local.cursor.arraysize = 20_000
    assert len(local.rows("select obj#, name from sys.obj$")) == 30_011
    local.cursor.execute("create table t (n number, v varchar2(4000))")
    local.cursor.executemany("insert into t values (:1, :2)", [(i, "x" * 4000) for i in range(500)])
    assert local.rows("select count(*), sum(length(v)) from t") == [(500, 2_000_000)]


def test_cancels_in_a_row(lab: Lab, local: Session) -> None:
    for _ in range(CANCELS):
        statement = lab.running(local, LOTSLIOS, n=FOR_EVER)
        local.connection.cancel()
        assert statement.join()
        assert statement.error.startswith("ORA-01013")
        assert local.one("select 1 from dual") == 1
    assert local.statistics()["lab breaks"] == CANCELS
    assert local.statistics()["lab break polls"] == 0


def test_cancel_while_idle_does_no_harm(local: Session) -> None:
    for _ in range(5):
        local.connection.cancel()
        with contextlib.suppress(oracledb.DatabaseError):
            assert local.one("select 5 from dual") == 5
    assert local.one("select 6 from dual") == 6


def test_a_lock_wait_is_cancelled_at_once(lab: Lab, local: Session) -> None:
    holder = lab.connect()
    holder.cursor.execute("create table t (n number)")
    holder.cursor.execute("insert into t values (1)")
    lab.expect_waits_to_end_at_once(local, "update t set n = 3")


def test_wrong_service_and_password(lab: Lab) -> None:
    port = lab.ready["local_port"]
    with pytest.raises(oracledb.DatabaseError, match="ORA-12514"):
        lab.connect(port=port, service_name="nothing")
    with pytest.raises(oracledb.DatabaseError, match="ORA-01017"):
        lab.connect(port=port, password="lion")


def test_both_go_when_the_client_closes(lab: Lab, local: Session) -> None:
    spid, bridge = local.spid, bridge_of(lab)
    local.connection.close()
    assert ended(spid, within_s=SOON_S)
    assert ended(bridge, within_s=SOON_S)


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "in a call"])
@pytest.mark.parametrize("victim", ["client", "bridge", "server"])
def test_nothing_is_left_when_one_is_killed(lab: Lab, busy: bool, victim: str) -> None:
    watcher = lab.connect()
    program = (
        CLIENT if busy else CLIENT.replace("cursor.execute('''", "input()\ncursor.execute('''")
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(lab.ready["local_port"]), "in-band"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as client:
        assert client.stdout
        sid = int(client.stdout.readline())
        spid = watcher.spid_of(sid)
        while busy and watcher.statistic_of(sid, "consistent gets") < 1000:
            assert client.poll() is None
        bridge = bridge_of(lab)
        pids = {"client": client.pid, "bridge": bridge, "server": spid}
        os.kill(pids[victim], signal.SIGKILL)
        assert ended(spid, within_s=SOON_S)
        assert ended(bridge, within_s=SOON_S)
        client.kill()
    # The listener takes it off the list, a moment after it has ended.
    listed = "select count(*) from v$session where sid = :s"
    until(lambda: watcher.one(listed, s=sid) == 0, "a list without it")


def test_the_listener_takes_them_along(lab: Lab, local: Session) -> None:
    spid, bridge = local.spid, bridge_of(lab)
    lab.process.kill()
    lab.process.wait()
    assert ended(spid, within_s=SOON_S)
    assert ended(bridge, within_s=SOON_S)
