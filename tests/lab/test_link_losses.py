# SPDX-License-Identifier: GPL-2.0-or-later
"""What is left when one of the processes of a link dies, or goes silent: nothing on either side."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import oracledb
import pytest

from polltrace.errors import DriverError
from polltrace.scenarios.run.client import DriverClient
from tests.waiting import until

from .conftest import FOR_EVER, ROW_LOCK, SOON_S, SPID, Session, ended
from .links import (
    LOTSLIOS_FAR,
    REMOTE_SESSIONS,
    ROWS_FAR,
    LinkedLabs,
    far_session,
    in_the_middle,
    started,
)


def test_a_killed_remote_server(labs: LinkedLabs) -> None:
    session, watcher = labs.local.connect(), labs.remote.connect()
    session.rows("select * from dual@far")
    sid, spid = far_session(watcher)
    statement = started(session, LOTSLIOS_FAR, n=FOR_EVER)
    in_the_middle(watcher, sid, statement)
    os.kill(spid, signal.SIGKILL)
    assert statement.join()
    assert statement.error.startswith("ORA-02068")
    until(lambda: watcher.rows(REMOTE_SESSIONS) == [], "the end of the remote session")
    assert session.rows("select * from dual@far") == [("X",)]


def test_a_killed_local_server_leaves_no_session_and_no_lock(labs: LinkedLabs) -> None:
    session, watcher = labs.local.connect(), labs.remote.connect()
    watcher.cursor.execute("create table locked (a number(5))")
    watcher.cursor.execute("insert into locked values (1)")
    watcher.connection.commit()
    assert session.rows("select a from locked@far for update") == [(1,)]
    [_, spid] = far_session(watcher)
    os.kill(session.spid, signal.SIGKILL)
    assert ended(spid, within_s=SOON_S)
    assert watcher.rows("select a from locked for update") == [(1,)]


def test_a_client_that_is_gone(labs: LinkedLabs) -> None:
    """Its server waits for the link: it ends, and so does the remote statement."""
    session, watcher = labs.local.connect(), labs.remote.connect()
    session.rows("select * from dual@far")
    sid, spid = far_session(watcher)
    local = session.spid
    child = os.fork()
    if child == 0:  # pragma: no cover - killed
        lonely = labs.local.connect()
        lonely.rows("select * from dual@far")
        os.kill(os.getpid(), signal.SIGSTOP)
        lonely.rows(LOTSLIOS_FAR, n=FOR_EVER)
        os._exit(0)
    os.waitpid(child, os.WUNTRACED)
    others = {int(s): int(p) for s, p in watcher.rows(REMOTE_SESSIONS)}
    del others[sid]
    [(its_sid, its_spid)] = others.items()
    os.kill(child, signal.SIGCONT)
    until(lambda: watcher.statistic_of(its_sid, "consistent gets") > 1000, "remote gets")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert ended(its_spid, within_s=SOON_S)
    # The listener takes an ended process's session out of v$session when it hears of it.
    until(lambda: len(watcher.rows(REMOTE_SESSIONS)) == 1, "the session's end")
    assert session.rows("select * from dual@far") == [("X",)]
    assert (session.spid, far_session(watcher)) == (local, (sid, spid))


@contextmanager
def own_relay(port: int) -> Iterator[tuple[int, int]]:
    """A relay to this port of loopback: its own port, and its process."""
    command = [sys.executable, "-m", "polltrace.scenarios.run.network.relay"]
    with subprocess.Popen(
        [*command, "--to", f"127.0.0.1:{port}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["port"], process.pid
        process.stdin.close()


@dataclass
class Distributed:
    """A transaction of `client` with a changed row here and a locked one there, or with one that it
    waits for because `holder` has locked it."""

    client: DriverClient
    here: Session
    there: Session
    holder: Session
    spid: int
    far_sid: int
    far_spid: int

    def between_calls(self) -> None:
        """Both servers wait."""

    def executing(self) -> None:
        before = self._statistic("consistent gets")
        self.client.begin(LOTSLIOS_FAR, {"n": FOR_EVER})
        until(lambda: self._statistic("consistent gets") - before > 1000, "a thousand gets")

    def sending(self) -> None:
        name = "bytes sent via SQL*Net to client"
        before = self._statistic(name)
        self.client.begin(ROWS_FAR)
        until(lambda: self._statistic(name) - before > 1 << 20, "a megabyte of rows")

    def waiting(self) -> None:
        # The lab's lock is one for all rows: ours goes to another session first.
        state = "select event from v$session where sid = :sid and state = 'WAITING'"
        self.client.rollback()
        self.client.execute("update mine set a = 2")
        self.holder.rows("select a from theirs for update")
        self.client.begin("select a from theirs@far for update")
        until(
            lambda: self.there.rows(state, sid=self.far_sid) == [(ROW_LOCK,)], "a wait for a lock"
        )

    def _statistic(self, name: str) -> int:
        return self.there.statistic_of(self.far_sid, name)


@contextmanager
def distributed(labs: LinkedLabs, port: int) -> Iterator[Distributed]:
    """Over a link to this port."""
    here, there, holder = labs.local.connect(), labs.remote.connect(), labs.remote.connect()
    here.cursor.execute("drop database link far")
    labs.link(here, "far", port)
    for session, table in ((here, "mine"), (there, "theirs")):
        session.cursor.execute(f"create table {table} (a number(5))")
        session.cursor.execute(f"insert into {table} values (1)")
        session.connection.commit()
    with DriverClient() as client:
        client.connect(f"127.0.0.1:{labs.local.port}/LAB", "scott", "tiger", disable_oob=True)
        client.execute("update mine set a = 2")
        client.query("select a from theirs@far for update")
        spid = int(client.query(SPID)[1][0][0])
        yield Distributed(client, here, there, holder, spid, *far_session(there))


MOMENTS: dict[str, Callable[[Distributed], None]] = {
    "between calls": Distributed.between_calls,
    "executing": Distributed.executing,
    "sending rows": Distributed.sending,
    "waiting for a lock": Distributed.waiting,
}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("victim", ["client", "local server", "relay", "remote server"])
def test_nothing_is_left_of_whatever_is_killed(labs: LinkedLabs, victim: str, moment: str) -> None:
    with own_relay(labs.remote.port) as (port, relay_pid), distributed(labs, port) as each:
        MOMENTS[moment](each)
        pids = {
            "client": each.client.pid,
            "local server": each.spid,
            "relay": relay_pid,
            "remote server": each.far_spid,
        }
        os.kill(pids[victim], signal.SIGKILL)
        until(lambda: not each.there.rows(REMOTE_SESSIONS), "the end of the remote session")
        assert ended(each.far_spid, within_s=SOON_S)
        each.holder.connection.rollback()
        assert each.there.rows("select a from theirs for update nowait") == [(1,)]
        if victim in {"client", "local server"}:
            assert ended(each.spid, within_s=SOON_S)
        else:
            # The local session has lost the link alone; its own transaction is still there.
            if moment != "between calls":
                error = each.client.finish(SOON_S * 10).error
                assert error is not None
                assert "ORA-02068" in error
            with pytest.raises(oracledb.DatabaseError, match="ORA-00054"):
                each.here.rows("select a from mine for update nowait")
            each.client.rollback()
            assert each.client.query("select 1 from dual")[1] == [[1]]
        of_it = (
            "select count(*) from v$session s, v$process p where s.paddr = p.addr and p.spid = :p"
        )
        expected = int(victim not in {"client", "local server"})
        until(lambda: each.here.one(of_it, p=each.spid) == expected, "the local session's end")
        assert each.here.rows("select a from mine for update nowait") == [(1,)]


@pytest.mark.parametrize("noticed", [False, True], ids=["by COMMIT", "before"])
def test_what_a_lost_link_had_locked_is_not_committed(labs: LinkedLabs, noticed: bool) -> None:
    """The remote row may have changed since: COMMIT undoes the local change too, and says so."""
    with distributed(labs, labs.remote.port) as each:
        os.kill(each.far_spid, signal.SIGKILL)
        until(lambda: not each.there.rows(REMOTE_SESSIONS), "the end of the remote session")
        if noticed:
            with pytest.raises(DriverError, match="ORA-02068"):
                each.client.query("select a from theirs@far")
            assert each.client.query("select a from theirs@far")[1] == [[1]]
        with pytest.raises(DriverError, match=r"ORA-02050: transaction \d+\.\d+\.\d+ rolled back"):
            each.client.commit()
        assert each.here.rows("select a from mine for update nowait") == [(1,)]
        for side in (each.here, each.there):
            assert side.rows("select local_tran_id, state from dba_2pc_pending") == []
        each.here.connection.rollback()
        each.client.execute("update mine set a = 3")
        each.client.commit()
        assert each.here.rows("select a from mine") == [(3,)]


def test_a_lost_link_that_was_only_read_does_not_stop_a_commit(labs: LinkedLabs) -> None:
    session, watcher = labs.local.connect(), labs.remote.connect()
    session.cursor.execute("create table mine (a number(5))")
    session.cursor.execute("insert into mine values (1)")
    session.rows("select * from dual@far")
    os.kill(far_session(watcher)[1], signal.SIGKILL)
    until(lambda: not watcher.rows(REMOTE_SESSIONS), "the end of the remote session")
    session.connection.commit()
    assert labs.local.connect().rows("select a from mine") == [(1,)]
