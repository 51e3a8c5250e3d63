# SPDX-License-Identifier: GPL-2.0-or-later
"""Many sessions, at once and one after the other: nothing of them stays."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S, until

from .conftest import SOAK, SOON_S, Lab, RunningStatement, ended

AT_ONCE = 200 if SOAK else 50
CYCLES = 2000 if SOAK else 200
ALLOWED_KB = 512  # limit of a listener's growth, however many clients it had


@dataclass(frozen=True)
class Held:
    """The listener's resources: descriptors, children, resident kilobytes."""

    descriptors: int
    children: int
    resident_kb: int


def held(pid: int) -> Held:
    status = Path(f"/proc/{pid}/status").read_text()
    [resident] = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")]
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return Held(len(os.listdir(f"/proc/{pid}/fd")), len(children), int(resident))


def settled(lab: Lab, children: int) -> Held:
    """The listener's resources once its last servers are gone."""

    def alone() -> Held | None:
        now = held(lab.process.pid)
        return now if now.children == children else None

    return until(alone, f"{children} children")


def one_session(lab: Lab, port: int) -> int:
    session = lab.connect(port=port)
    answer = session.one("select count(*) from sys.obj$ where rownum <= 10")
    session.connection.close()
    lab.sessions.remove(session)
    return int(answer)


def test_no_connection_leaks(lab: Lab) -> None:
    ports = (lab.port, lab.ready["local_port"])
    for port in ports:
        one_session(lab, port)
    before = settled(lab, children=1)  # the sweeper
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda i: one_session(lab, ports[i % 2]), range(CYCLES)))
    assert answers == [10] * CYCLES
    after = settled(lab, children=1)
    assert (after.descriptors, after.children) == (before.descriptors, 1)
    assert after.resident_kb <= before.resident_kb + ALLOWED_KB
    assert lab.connect().one("select count(*) from v$process") == 1


def test_sessions_at_once_do_not_leak(lab: Lab) -> None:
    one_session(lab, lab.port)
    before = settled(lab, children=1)
    with ThreadPoolExecutor(16) as pool:
        sessions = list(pool.map(lambda _: lab.connect(), range(AT_ONCE)))
        counted = list(pool.map(lambda s: s.one("select count(*) from sys.obj$"), sessions))
    assert counted == [30_011] * AT_ONCE
    assert sessions[0].one("select count(*) from v$session") == AT_ONCE
    for session in sessions:
        session.connection.close()
    after = settled(lab, children=1)
    assert (after.descriptors, after.children) == (before.descriptors, 1)


def test_a_torn_connection_does_not_leak(lab: Lab) -> None:
    """Servers that are killed, with a lock or without, and in the middle of a statement."""
    keeper = lab.connect()
    keeper.cursor.execute("create table t (n number)")
    before = settled(lab, children=2)
    for i in range(20):
        victim = lab.connect(port=(lab.port, lab.ready["local_port"])[i % 2])
        spid = victim.spid
        victim.cursor.execute("insert into t values (1)")
        waiter = RunningStatement(keeper)
        waiter.start("update t set n = n + 1")
        os.kill(spid, signal.SIGKILL)
        assert ended(spid, within_s=SOON_S)
        assert waiter.join()  # the lock went with its holder
        keeper.connection.rollback()
        lab.sessions.remove(victim)
    assert keeper.one("select count(*) from t") == 0
    assert settled(lab, children=2).descriptors == before.descriptors


@pytest.mark.parametrize(
    ("address", "message"), [("0.0.0.0", "loopback"), ("10.0.0.1", "loopback"), ("::1", "IPv4")]
)
def test_it_listens_on_loopback_only(
    start_lab: Callable[..., Lab], oralab: Path, address: str, message: str
) -> None:
    refused = subprocess.run(
        [oralab, "--until-eof", "--listen", address],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert refused.returncode == 2
    assert message in refused.stderr
    if address == "0.0.0.0":
        lab = start_lab("--listen", address, "--i-understand-this-is-not-a-database")
        assert lab.connect().one("select 1 from dual") == 1
