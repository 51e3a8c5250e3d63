# SPDX-License-Identifier: GPL-2.0-or-later
"""The life of the listener and its servers: how they start, what they leave behind."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import oracledb
import pytest

from tests.waiting import PATIENCE_S

from .conftest import FOR_EVER, LOTSLIOS, SOON_S, Lab, ended


def data_file(pid: int) -> Path:
    """The data file that the server process `pid` has open."""
    for link in Path(f"/proc/{pid}/fd").iterdir():
        target = Path(os.readlink(link))
        if target.name == "sys.db":
            return target
    raise AssertionError(f"{pid} has no data file open")


def files_of_servers(lab: Lab) -> set[Path]:
    listener = Path(f"/proc/{lab.process.pid}")
    children = (listener / "task" / listener.name / "children").read_text().split()
    files = set()
    for pid in children:
        # It may be at its beginning, or at its end.
        with contextlib.suppress(FileNotFoundError):
            files |= {Path(os.readlink(link)) for link in Path(f"/proc/{pid}/fd").iterdir()}
    return files


def test_a_server_looks_like_oracles(lab: Lab) -> None:
    spid = lab.connect().spid
    assert Path(f"/proc/{spid}/cmdline").read_bytes() == b"oracleLAB\0(LOCAL=NO)\0"
    assert Path(f"/proc/{spid}/comm").read_text().startswith("oracle_")
    environment = Path(f"/proc/{spid}/environ").read_bytes().split(b"\0")
    assert b"TNS_ADMIN=" + bytes(lab.tns_admin) in environment


def test_every_session_has_a_process_of_its_own(lab: Lab) -> None:
    spids = {lab.connect().spid for _ in range(5)}
    assert len(spids) == 5
    assert lab.process.pid not in spids


def test_a_session_begins_while_the_last_one_ends(
    start_lab: Callable[..., Lab], tmp_path: Path
) -> None:
    # GIVEN the user's tables as the last server to close them has them: locked
    lab = start_lab("--data", str(tmp_path))
    last = sqlite3.connect(tmp_path / "users.db", isolation_level=None)
    last.execute("pragma locking_mode = exclusive")
    last.execute("begin exclusive")
    try:
        with ThreadPoolExecutor(1) as pool:
            # WHEN a client connects, and its server has come to them
            connecting = pool.submit(lab.connect)
            while not connecting.done() and tmp_path / "users.db" not in files_of_servers(lab):
                time.sleep(0.01)
            time.sleep(0.2)
            waits = not connecting.done()
            last.close()
            # THEN it waits, and the session is a good one
            assert connecting.result(timeout=60).one("select 1 from dual") == 1
            assert waits
    finally:
        last.close()


def test_a_client_that_does_not_log_on_in_time_is_dropped(lab: Lab) -> None:
    lab.sqlnet_ora("SQLNET.INBOUND_CONNECT_TIMEOUT = 3")
    session = lab.connect()
    with (
        socket.create_connection(("127.0.0.1", lab.port), timeout=60) as silent,
        socket.create_connection(("127.0.0.1", lab.port), timeout=60) as torn,
    ):
        torn.send(bytes.fromhex("00ff 0000 01"))  # of a CONNECT
        assert (silent.recv(1), torn.recv(1)) == (b"", b"")
    # A client that logged on in time stays connected.
    assert session.one("select 1 from dual") == 1


def test_end_of_input_ends_everything(lab: Lab) -> None:
    session = lab.connect()
    spid, file = session.spid, data_file(session.spid)
    lab.running(session, LOTSLIOS, n=FOR_EVER)
    assert lab.stop() == 0
    assert ended(spid, within_s=SOON_S)
    assert not file.exists()
    assert not file.parent.exists()


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_everything(lab: Lab, which: signal.Signals) -> None:
    spid = lab.connect().spid
    lab.process.send_signal(which)
    assert lab.process.wait(PATIENCE_S) == 0
    assert ended(spid, within_s=SOON_S)


def test_a_killed_listener_takes_its_servers_along(lab: Lab) -> None:
    session = lab.connect()
    spid, file = session.spid, data_file(session.spid)
    children = Path(f"/proc/{lab.process.pid}/task/{lab.process.pid}/children").read_text().split()
    lab.process.kill()
    lab.process.wait()
    for pid in map(int, children):
        assert ended(pid, within_s=SOON_S)
    assert ended(spid, within_s=SOON_S)
    assert not file.exists()


def test_a_killed_server_harms_no_other(lab: Lab) -> None:
    victim, other = lab.connect(), lab.connect()
    os.kill(victim.spid, signal.SIGKILL)
    with pytest.raises(oracledb.Error):
        victim.one("select 1 from dual")
    assert other.one(LOTSLIOS, n=1000) == 1000
    assert lab.connect().one("select 1 from dual") == 1


def test_the_port_is_free_afterwards(lab: Lab) -> None:
    lab.connect()
    lab.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", lab.port), timeout=5)


def run(oralab: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [oralab, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def test_port_taken(oralab: Path, lab: Lab) -> None:
    result = run(oralab, "--until-eof", "--port", str(lab.port))
    assert result.returncode == 6
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1


def test_no_such_data_directory(oralab: Path, tmp_path: Path) -> None:
    result = run(oralab, "--until-eof", "--data", str(tmp_path / "none"))
    assert result.returncode == 6
    assert len(result.stderr.splitlines()) == 1


def test_two_labs_do_not_share_a_data_directory(
    oralab: Path, start_lab: Callable[..., Lab], tmp_path: Path
) -> None:
    start_lab("--data", str(tmp_path))
    assert run(oralab, "--until-eof", "--data", str(tmp_path)).returncode == 6


@pytest.mark.parametrize(
    "arguments",
    [["--listen", "0.0.0.0"], ["--port", "70000"], ["--service", "a'b"], ["--nothing"], ["extra"]],
)
def test_wrong_usage(oralab: Path, arguments: list[str]) -> None:
    result = run(oralab, "--until-eof", *arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1


def test_its_own_data_directory_and_account(
    start_lab: Callable[..., Lab], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_SECRET", "a long one: ü")
    lab = start_lab("--data", str(tmp_path), "--user", "app", "--password-env", "LAB_SECRET",
                    "--service", "shop")  # fmt: skip
    session = lab.connect(user="APP", password="a long one: ü", service_name="SHOP")
    assert session.one("select user from dual") == "APP"
    assert data_file(session.spid).parent == tmp_path
    assert b"LAB_SECRET" not in Path(f"/proc/{session.spid}/environ").read_bytes()
    lab.stop()
    assert not (tmp_path / "sys.db").exists()
    assert tmp_path.exists()
