# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo, whole: real driver, real lab, real probe; and every way of ending it early."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import WITHOUT_CAPABILITIES
from tests.waiting import PATIENCE_S, until

Process = subprocess.Popen[str]
Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., Process]

RUNS = 6  # the fewest that the demo takes
CHAIN = ["nioqts", "nsmore2recv", "snttmoredata", "sntpoltsts", "poll"]


@pytest.mark.usefixtures("lab")
def test_demo_holds_what_it_promises(start: Start) -> None:
    demo = start("demo", "--json", "--runs", str(RUNS))
    printed, errors = demo.communicate(timeout=400)
    assert (demo.returncode, errors) == (0, "")
    data = json.loads(printed)
    cells = {(cell["break_mode"], cell["break_poll_skip"]): cell for cell in data["cells"]}
    assert set(cells) == {
        ("out-of-band", None),
        ("in-band", 3),
        ("in-band", 10),
        ("in-band", 1000),
    }
    for (mode, skip), cell in cells.items():
        assert len(cell["elapsed_s"]) == RUNS * data["timed_per_run"]
        assert len(cell["cancel_ms"]) == RUNS
        # The probe counts exactly what the lab counts; out-of-band nothing polls.
        assert cell["break_polls"] == cell["break_polls_lab"]
        assert cell["lost"] == 0
        if mode == "out-of-band":
            assert cell["break_polls"] == 0
        else:
            gets, polls = cell["consistent_gets"], cell["break_polls"]
            # In each session the counted part may begin and end between two polls, and no more;
            # with the few sessions of this test that is over a per cent at skip 1000.
            assert abs(gets - skip * polls) < skip * RUNS
            if skip < 1000:
                assert gets / polls == pytest.approx(skip, rel=0.01)
        assert cell["cancel_errors"] == ["ORA-01013"]
    assert data["counts_agree"]
    # The work is the same however the client connects.
    gets = {cell["consistent_gets"] for cell in data["cells"]}
    assert max(gets) - min(gets) <= 0.001 * max(gets)
    # The advice for one session stands next to the share that follows from the times above.
    shares = data["checking_share"]
    assert [share["break_poll_skip"] for share in shares] == [3, 10, 1000]
    for share in shares:
        more = cells["in-band", share["break_poll_skip"]]["overhead_pct"]
        assert share["measured_pct"][0] == pytest.approx(100 - 100 / (1 + more / 100))
        value, low, high = share["advised_pct"]
        assert 0 <= low <= value <= high < 60
    advised = [share["advised_pct"][0] for share in shares]
    assert advised == sorted(advised, reverse=True)
    assert advised[0] > 0
    # The caller that libc hides is there too.
    assert "main" in data["stack"][:4]
    assert data["stack"][-5:] == CHAIN


@pytest.mark.usefixtures("lab")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_demo_leaves_nothing(
    start: Start, tmp_path: Path, end: signal.Signals
) -> None:
    demo = start("demo", "--json", TMPDIR=str(tmp_path))
    family, port = in_full_swing(demo)
    demo.send_signal(end)
    _, errors = demo.communicate(timeout=PATIENCE_S)
    assert demo.returncode == (-end if end is signal.SIGKILL else 130)
    assert "Traceback" not in errors
    all_gone(family, port)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.usefixtures("lab")
def test_a_killed_client_ends_the_demo_in_one_line(start: Start, tmp_path: Path) -> None:
    demo = start("demo", "--json", TMPDIR=str(tmp_path))
    family, port = in_full_swing(demo)
    clients = [pid for pid in family if "client.py" in cmdline(pid)]
    os.kill(clients[0], signal.SIGKILL)
    _, errors = demo.communicate(timeout=PATIENCE_S)
    assert demo.returncode == 7
    assert [line for line in errors.splitlines() if line.startswith("polltrace: ")]
    assert "Traceback" not in errors
    all_gone(family, port)


@pytest.mark.usefixtures("lab")
def test_port_taken(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run("demo", "--port", str(port))
    assert ended.returncode == 6
    (line,) = ended.stderr.splitlines()
    assert str(port) in line


@pytest.mark.usefixtures("lab")
def test_without_capabilities(run: Run) -> None:
    ended = run("demo", prefix=WITHOUT_CAPABILITIES)
    assert ended.returncode == 3
    (line,) = ended.stderr.strip().splitlines()
    assert "root" in line


@pytest.mark.usefixtures("lab")
def test_driver_missing(run: Run, tmp_path: Path) -> None:
    # GIVEN a python-oracledb that cannot be imported
    (tmp_path / "oracledb.py").write_text("raise ImportError('no driver here')\n")
    ended = run("demo", prefix=("env", f"PYTHONPATH={tmp_path}"))
    assert ended.returncode == 7
    line = ended.stderr.strip().splitlines()[-1]
    assert "pip install oracledb" in line


@pytest.mark.parametrize("runs", ["0", "5", "x", "-1", "1001", "6.5"])
def test_bad_runs(run: Run, runs: str) -> None:
    ended = run("demo", f"--runs={runs}")
    assert ended.returncode == 2
    assert "is not a number of runs from 6" in ended.stderr


def in_full_swing(demo: Process) -> tuple[set[int], int]:
    """Every process of the demo, once it has its probe and a session, and the lab's port."""

    def found() -> tuple[set[int], int] | None:
        assert demo.poll() is None, demo.returncode
        family = descendants(demo.pid)
        titles = {pid: cmdline(pid) for pid in family}
        ports = [port_of(pid) for pid, title in titles.items() if title.startswith("oracleLAB")]
        is_probed = any("polltrace-probe" in title for title in titles.values())
        return (family, max(ports)) if is_probed and any(ports) else None

    return until(found, "a demo that has got going")


def all_ended(family: set[int]) -> None:
    until(lambda: not any(map(alive, family)), "the end of its processes")


def all_gone(family: set[int], port: int) -> None:
    """No process of the family is left, and nothing listens on the port."""
    all_ended(family)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port)).close()


def descendants(pid: int) -> set[int]:
    found: set[int] = set()
    pending = [pid]
    while pending:
        parent = pending.pop()
        try:
            threads = os.listdir(f"/proc/{parent}/task")
        except OSError:  # it has ended since
            continue
        for thread in threads:
            try:
                children = Path(f"/proc/{parent}/task/{thread}/children").read_text()
            except OSError:
                continue
            fresh = {int(child) for child in children.split()} - found
            found |= fresh
            pending += fresh
    return found


def cmdline(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def port_of(server: int) -> int:
    """The local port of the only TCP socket of a dedicated server; 0 where it has none any more."""
    inodes = set()
    with contextlib.suppress(OSError):
        for link in Path(f"/proc/{server}/fd").iterdir():
            inodes.add(str(link.readlink()).removeprefix("socket:[").removesuffix("]"))
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        columns = line.split()
        if columns[9] in inodes:
            return int(columns[1].rpartition(":")[2], 16)
    return 0
