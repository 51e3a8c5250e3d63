# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace advise` and `polltrace why` on busy sessions of the lab."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from polltrace.commands.targets import one_server
from polltrace.overhead.advice_report import advice_data, advice_text
from polltrace.overhead.forecast import CancelLimits
from polltrace.overhead.measurements import advise_session
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.session_views import OracleViews
from polltrace.scenarios.run.servers.sqlnet_file import write_sqlnet
from tests.busy import begin_lotslios, wait_until_busy
from tests.conftest import POLLTRACE
from tests.waiting import PATIENCE_S, children, is_asleep, until

Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]

pytestmark = pytest.mark.usefixtures("quick_calibration")

FIELDS = {"break_mode", "reason", "measured_skip", "configured_skip", "cpu_pct", "cpu_pct_ci95"}
FORECAST = {"break_poll_skip", "polls_per_cpu_s", "cpu_pct", "cpu_pct_ci95", "cancel_ms"}


@contextmanager
def busy(lab: LabServer, *, skip: int, server_disables: bool) -> Iterator[int]:
    """A session that executes lotslios until the end, its client willing to go out-of-band."""
    with DriverClient() as client:
        write_sqlnet(lab.oralab.tns_admin, break_poll_skip=skip, disable_oob=server_disables)
        oralab = lab.oralab
        client.connect(oralab.dsn, oralab.user, oralab.password, disable_oob=False)
        spid = begin_lotslios(client)
        wait_until_busy(spid)
        yield spid


def advised(pid: int) -> tuple[str, dict[str, Any]]:
    """One measurement as `advise` prints it, as text and as JSON."""
    given, limits = advise_session(one_server([pid], "advise")), CancelLimits()
    return advice_text(given, limits), advice_data(given, limits)


@pytest.mark.usefixtures("lab")
def test_an_in_band_session_has_a_cost_and_a_forecast(
    run: Run, busy_server: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("POLLTRACE_CALIBRATE")  # the cost is to be a good one
    ended = run("advise", "-p", str(busy_server), "--json", "-d", "2")
    assert ended.returncode == 0, ended.stderr
    data = json.loads(ended.stdout)
    assert data.keys() >= FIELDS
    assert (data["break_mode"], data["cause"]) == ("in-band", "client-never-asked")
    # Measured, from a burst of counted checks, and read from the file.
    assert (data["measured_skip"], data["configured_skip"]) == (3, 3)
    assert data["skip_finding"] is None
    assert data["polls_per_s"] > 1000
    low, high = data["cpu_pct_ci95"]
    assert 0 < low < data["cpu_pct"] < high < 50
    assert data["probe_ns_per_poll"] > 0
    skips = {each["break_poll_skip"]: each for each in data["forecast"]}
    assert all(each.keys() >= FORECAST for each in data["forecast"])
    # The longer a cancel takes, the less the polling costs. Steps of three may drown in the noise
    # of what was measured; tests/overhead/test_forecast.py has every step.
    shares = [skips[skip]["cpu_pct"] for skip in (1, 100, 1000)]
    assert shares == sorted(shares, reverse=True)
    medians = [skips[skip]["cancel_ms"]["median"] for skip in (1, 3, 10, 100, 1000)]
    assert medians == sorted(medians)
    assert skips[3]["cpu_pct"] == pytest.approx(data["cpu_pct"])
    assert skips[1000]["cancel_waiting_s"] == 3000
    # Nothing saves as much as having no checks at all.
    assert data["out_of_band_saved_pct"] > skips[1000]["saved_pct"] > 0
    # As good as the one that saves most within the limits, as far as the measurement can tell: on a
    # busy host that is not far.
    within = [
        each
        for each in data["forecast"]
        if each["cancel_ms"]["worst"] <= 1000 * data["max_cancel_s"]
        and each["cancel_waiting_s"] <= data["max_cancel_waiting_s"]
    ]
    best, most = skips[data["recommended_skip"]], max(within, key=lambda each: each["saved_pct"])
    assert best in within
    assert most["saved_pct_ci95"][0] <= best["saved_pct"] <= most["saved_pct"]


@pytest.mark.usefixtures("lab")
def test_the_text_sums_up_in_a_sentence(run: Run, busy_server: int) -> None:
    ended = run("advise", "-p", str(busy_server), "-d", "1", "--max-cancel", "5s")
    text = " ".join(ended.stdout.split())
    assert re.search(
        rf"Process {busy_server} \(LAB, client 127\.0\.0\.1:\d+\) is in-band because the client "
        r"did not ask .*; break polling takes [\d.]+ ± [\d.]+ % of its CPU\. Out-of-band it would "
        r"take nothing \(have its client ask\); at BREAK_POLL_SKIP=\d+ it would take [\d.]+ %, and "
        r"a cancel up to [\d.,]+ ms while it runs and up to \d+ (s|min) while it waits for a row "
        r"lock\.",
        text,
    ), text
    for part in (
        "on-CPU samples",
        "is in force, measured:",
        "<- now",
        "The probe's own time",
        "median cancel on CPU",
        "out-of-band it would save",
        "To get there:",
        "sqlnet.ora saves",
        "cancel up to",
    ):
        assert part in text, part


@pytest.mark.usefixtures("lab")
def test_an_out_of_band_session_costs_nothing(run: Run, busy_out_of_band: int) -> None:
    text, data = advised(busy_out_of_band)
    assert (data["break_mode"], data["reason"]) == ("out-of-band", None)
    # Zero, not noise.
    assert (data["polls_per_s"], data["cpu_pct"], data["cpu_pct_ci95"]) == (0, 0, [0, 0])
    assert (data["forecast"], data["recommended_skip"]) == ([], None)
    assert "makes no break polls" in " ".join(text.split())
    assert "0 % of its CPU" in text
    assert "in-band" not in run("why", "-p", str(busy_out_of_band)).stdout


@pytest.mark.usefixtures("lab")
def test_the_servers_disable_oob_is_found_and_an_edited_file_too(run: Run) -> None:
    with LabServer() as lab, busy(lab, skip=7, server_disables=True) as spid:
        data = json.loads(run("why", "-p", str(spid), "--json").stdout)
        assert (data["break_mode"], data["cause"]) == ("in-band", "server-disabled")
        assert data["reason"].endswith("sqlnet.ora sets DISABLE_OOB=ON")
        # WHEN the file is changed under a server that has read it
        time.sleep(1.2)
        write_sqlnet(lab.oralab.tns_admin, break_poll_skip=100, disable_oob=False)
        advice = json.loads(run("advise", "-p", str(spid), "--json", "-d", "1").stdout)
        # THEN the difference between the measured skip and the file's is reported, with its reason
        assert (advice["measured_skip"], advice["configured_skip"]) == (7, 100)
        assert advice["skip"] == 7
        assert "after the process started" in advice["skip_finding"]
        assert advice["cause"] == "unknown"
        listed = run("ps").stdout
        assert "sqlnet.ora was changed since it started" in listed


@pytest.mark.usefixtures("lab")
def test_a_local_session_never_polls(run: Run) -> None:
    with LabServer() as lab, DriverClient() as client:
        oralab = lab.oralab
        client.connect(oralab.local_dsn, oralab.user, oralab.password, disable_oob=False)
        spid = begin_lotslios(client)
        data = json.loads(run("advise", "-p", str(spid), "--json").stdout)
    assert (data["break_mode"], data["cpu_pct"], data["client"]) == ("local", 0, None)


@pytest.mark.usefixtures("lab")
def test_a_session_at_rest_costs_nothing() -> None:
    with LabServer() as lab, DriverClient() as client:
        lab.connect(client, break_poll_skip=3, disable_oob=True)
        spid = int(client.query("select spid from v$process where rownum <= 1")[1][0][0])
        until(lambda: is_asleep(spid), "the end of the query")
        text, data = advised(spid)
    assert "It made no break polls while it was measured" in text
    assert (data["break_mode"], data["cpu_pct"], data["forecast"]) == ("in-band", 0, [])


@pytest.mark.usefixtures("lab")
def test_a_process_that_ends_meanwhile_is_reported(start: Start) -> None:
    with LabServer() as lab:
        with busy(lab, skip=3, server_disables=True) as spid:
            advise = start("advise", "-p", str(spid))
            until(lambda: children(advise.pid, "polltrace-probe"), "the probe")
        with contextlib.suppress(ProcessLookupError):  # it may have ended with its client
            os.kill(spid, 9)
        _, errors = advise.communicate(timeout=PATIENCE_S)
    assert advise.returncode == 5
    assert errors.startswith(f"polltrace: process {spid} ended while it was measured")
    assert "Traceback" not in errors


@pytest.mark.usefixtures("lab")
def test_the_database_names_the_session(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with LabServer() as lab, busy(lab, skip=3, server_disables=False) as spid:
        oralab = lab.oralab
        monkeypatch.setenv("POLLTRACE_PASSWORD", oralab.password)
        connect = ["--connect", f"{oralab.user}@{oralab.dsn}"]
        found = json.loads(run("ps", "--json", *connect).stdout)["sessions"]
        mine = next(each for each in found if each["pid"] == spid)
        assert mine["session"]["user"] == oralab.user.upper()
        assert mine["session"]["sid"] > 0
        assert mine["session"]["program"]
        table = run("ps", *connect)
        assert f"{mine['session']['sid']},{mine['session']['serial']}" in table.stdout
        text = run("advise", "-p", str(spid), "-d", "1s", *connect).stdout
        assert text.startswith(f"Session {mine['session']['sid']} (")
        # Nowhere does the password show.
        assert oralab.password not in table.stdout + table.stderr + text
        monkeypatch.setenv("POLLTRACE_PASSWORD", "wrong")
        refused = run("ps", *connect)
        assert refused.returncode == 7
        assert "ORA-01017" in refused.stderr
        assert "wrong" not in refused.stderr


@pytest.mark.usefixtures("lab")
def test_a_session_is_bounded_by_the_waits_that_it_has(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LabServer() as lab, DriverClient() as client, DriverClient() as other:
        oralab = lab.oralab
        for each in (client, other):
            lab.connect(each, break_poll_skip=3, disable_oob=True)
        pid = OracleViews().spid(client)
        # GIVEN a session that has waited for a lock once, before anybody looked
        other.execute("create table t (n number)")
        other.execute("insert into t values (1)")
        other.commit()
        other.execute("update t set n = 2")
        client.begin("update t set n = 3")
        waits = "select count(*) from v$session where state = 'WAITING' and event like 'enq: %'"
        until(lambda: other.query(waits)[1] == [[1]], "the wait for the lock")
        other.rollback()
        client.finish()
        begin_lotslios(client)
        calls = "select count(*) from v$session where status = 'ACTIVE'"
        until(lambda: other.query(calls)[1] == [[2]], "the call")
        # WHEN it is observed alone, and when the database is asked
        monkeypatch.setenv("POLLTRACE_PASSWORD", oralab.password)
        connect = ("--connect", f"{oralab.user}@{oralab.dsn}")
        measured = ("advise", "-p", str(pid), "-d", "1s", "--max-cancel", "1h", "--json")
        all_ended = [
            run(*measured, *options)
            for options in ((), connect, (*connect, "--max-cancel-waiting", "31s"))
        ]
        assert [each.stderr for each in all_ended if each.returncode] == []
        seen, known, asked = (json.loads(each.stdout) for each in all_ended)
    # THEN only the database knows of the wait, and each says what its limit rests on
    assert (seen["waits_for_locks"], seen["max_cancel_waiting_s"]) == (False, 900)
    assert "samples found it waiting for a lock" in seen["max_cancel_waiting_because"]
    assert (known["waits_for_locks"], known["max_cancel_waiting_s"]) == (True, 120)
    assert "of enq: TX - row lock contention since" in known["max_cancel_waiting_because"]
    assert (asked["waits_for_locks"], asked["max_cancel_waiting_s"]) == (None, 31)
    for found in (seen, known, asked):
        skips = {each["break_poll_skip"]: each["cancel_waiting_s"] for each in found["forecast"]}
        assert skips[found["recommended_skip"]] <= found["max_cancel_waiting_s"]


@pytest.mark.usefixtures("lab")
@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_a_terminal_is_told_what_is_measured(term: str) -> None:
    reader, terminal = pty.openpty()
    with LabServer() as lab, busy(lab, skip=3, server_disables=True) as spid:
        ended = subprocess.run(
            [POLLTRACE, "advise", "-p", str(spid), "-d", "1s"],
            env={**os.environ, "TERM": term},
            stdout=subprocess.PIPE,
            stderr=terminal,
            check=False,
        )
    os.close(terminal)
    told = b""
    with contextlib.suppress(OSError):  # a terminal's end is an error
        while part := os.read(reader, 4096):
            told += part
    os.close(reader)
    assert ended.returncode == 0
    assert b"1/3" not in ended.stdout
    steps = re.findall(rb"polltrace: (\d)/3 ", told)
    assert steps == [b"1", b"2", b"3"]
    assert (b"\x1b" in told) == (term != "dumb")
    # Nothing of it stays.
    assert told.endswith(b"\r\x1b[K") or term == "dumb"


def test_no_password_on_the_command_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLLTRACE_PASSWORD", raising=False)
    ended = run("ps", "--connect", "scott/tiger@127.0.0.1:1/X")
    assert ended.returncode == 2
    assert "no password on the command line" in ended.stderr
    assert "tiger" not in ended.stderr
    missing = run("ps", "--connect", "scott@127.0.0.1:1/X", prefix=("setsid",))
    assert missing.returncode in (2, 7)


def test_os_authentication_names_what_it_lacks(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLLTRACE_USER", raising=False)
    ended = run("ps", "--connect", "127.0.0.1:1/X")
    assert ended.returncode == 7
    assert "Oracle's client libraries" in ended.stderr


def test_a_driver_that_is_too_old_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "oracledb.py").write_text(
        "class Error(Exception): pass\nDatabaseError = Error\n__version__ = '1.2.1'\n"
        "def connect(**_): raise Error('DPY-4011: closed\\nand more')\n"
    )
    old = ("env", f"PYTHONPATH={tmp_path}", "POLLTRACE_PASSWORD=tiger")
    ended = run("ps", "--connect", "scott@127.0.0.1:1/X", prefix=old)
    assert (ended.returncode, ended.stderr) == (
        7,
        "polltrace: cannot ask 127.0.0.1:1/X: DPY-4011: closed (by python-oracledb 1.2.1; "
        "polltrace asks for 3 or newer)\n",
    )


def test_a_process_that_is_no_server(run: Run) -> None:
    for verb in ("advise", "why"):
        ended = run(verb, "-p", str(os.getpid()))
        assert ended.returncode == 5
        assert ended.stderr.startswith(f"polltrace: process {os.getpid()} is no dedicated server")


def test_one_process_at_a_time(run: Run) -> None:
    for pids in (("-p", "1,2"), ("-p", "1", "-p", "2")):
        ended = run("advise", *pids)
        assert ended.returncode == 2
        assert "advise takes one process" in ended.stderr
    assert run("advise", "-p", "1", "--max-cancel", "soon").returncode == 2


@pytest.mark.usefixtures("probe")
def test_a_process_that_polls_for_other_reasons_has_no_break_polls(
    run: Run, tmp_path: Path
) -> None:
    # GIVEN a process with a server's title that polls a second connection besides its client's
    program = (
        "import os, select, socket, sys\n"
        "listener = socket.create_server(('127.0.0.1', 0))\n"
        "first = socket.create_connection(listener.getsockname()); one, _ = listener.accept()\n"
        "link = socket.create_connection(listener.getsockname()); two, _ = listener.accept()\n"
        "import fcntl, signal\n"
        "signal.signal(signal.SIGURG, lambda *_: None)\n"
        "fcntl.fcntl(one, fcntl.F_SETOWN, os.getpid())\n"
        "epoll = select.epoll(); epoll.register(link)\n"
        "poll = select.poll(); poll.register(two, select.POLLIN)\n"
        "print('ready', flush=True)\n"
        "while True:\n    poll.poll(0); epoll.poll(0)\n"
    )
    with _as_server(program, tmp_path) as pid:
        data = json.loads(run("advise", "-p", str(pid), "--json").stdout)
        listed = json.loads(run("ps", "--json").stdout)["sessions"]
    assert (data["break_mode"], data["polls_per_s"], data["cpu_pct"]) == ("out-of-band", 0, 0)
    mine = next(each for each in listed if each["pid"] == pid)
    assert mine["break_polls_per_s"] == 0
    assert mine["other_socket_polls_per_s"] > 1000


@contextmanager
def _as_server(program: str, directory: Path) -> Iterator[int]:
    """A Python process with an executable and a title as a dedicated server's."""
    executable = directory / "oracle"
    shutil.copy(os.path.realpath(sys.executable), executable)
    with subprocess.Popen(
        ["oracleTEST (LOCAL=NO)", "-c", program],
        executable=executable,
        stdout=subprocess.PIPE,
        env={"PYTHONHOME": sys.base_prefix},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.kill()


@pytest.mark.usefixtures("probe")
def test_thousands_of_servers_are_listed(run: Run, tmp_path: Path) -> None:
    executable = tmp_path / "oracle"
    shutil.copy("/bin/sleep", executable)
    processes = [
        subprocess.Popen([f"oracleP{n % 7} (LOCAL=NO)", "600"], executable=executable)
        for n in range(1009)
    ]
    try:
        found = json.loads(run("ps", "--json", "-d", "0.1").stdout)["sessions"]
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()
    mine = {process.pid for process in processes}
    assert mine <= {each["pid"] for each in found}
    assert all(each["break_polls_per_s"] == 0 for each in found if each["pid"] in mine)
