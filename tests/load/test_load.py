# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace load` against the real lab, by the real drivers: what it says is what was done."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polltrace.scenarios.clients import LOAD_PROGRAMS, load_program
from polltrace.scenarios.load.file_report import LoadReport
from polltrace.scenarios.load.load_file import read_load
from polltrace.scenarios.load.load_plan import SessionPlan
from tests.conftest import missing
from tests.waiting import PATIENCE_S, until

from .conftest import Loaded, workload

Rows = Callable[[str], list[tuple[Any, ...]]]
Start = Callable[..., subprocess.Popen[str]]

INSERTS = """
client = "{client}"
sessions = 3
seconds = 1.5
rate = 60
transactions_per_commit = 4
setup = ["create table done (n number, v varchar2(20))"]
[[statements]]
sql = "insert into done values (:n, :v)"
binds = [[1, "a"], [2, "b"], [3, "c"]]
[[statements]]
sql = "select count(*) from done"
"""
QUERY = """
[[statements]]
sql = "select 1 from dual"
"""


@pytest.mark.parametrize("client", LOAD_PROGRAMS)
def test_every_counted_transaction_is_in_the_database(
    client: str, loaded: Loaded, at_server: list[str], rows: Rows
) -> None:
    if reason := load_program(client).missing():
        missing(reason)
    data = loaded(INSERTS.format(client=client), "--seed", "5", *at_server)
    inserts, selects = data["statements"]
    assert rows("select count(*) from done") == [(inserts["transactions"],)]
    assert {n for (n,) in rows("select distinct n from done")} == {1, 2, 3}
    assert data["errors"] == 0
    assert data["sessions"] == 3
    assert data["transactions"] == inserts["transactions"] + selects["transactions"]
    assert data["transactions"] == sum(each["transactions"] for each in data["per_session"])
    # The seed gives the same arrivals in every driver, and none of them is lost.
    made = workload(sessions=3, rate=60.0, seconds=1.5)
    plans = [SessionPlan(made, session, 5).entries(200)["due_ns"] for session in range(3)]
    arrivals = sum(int((due < 1.5e9).sum()) for due in plans)
    assert data["transactions"] + data["not_begun"] + data["dropped"] == arrivals
    assert data["per_s"] == pytest.approx(data["transactions"] / data["elapsed_s"])
    assert {"p50", "p90", "p99", "p99_9", "max"} <= set(data["latency_ms"])
    assert data["latency_ms"]["p50"] <= data["latency_ms"]["p99"] <= data["latency_ms"]["max"]
    assert data["lag_ms"]["max"] >= 0
    assert len({each["sid"] for each in data["per_session"]}) == 3


@pytest.mark.parametrize("client", LOAD_PROGRAMS)
def test_a_rollback_leaves_nothing(
    client: str, loaded: Loaded, at_server: list[str], rows: Rows
) -> None:
    if reason := load_program(client).missing():
        missing(reason)
    text = 'end = "rollback"\n' + INSERTS.format(client=client)
    data = loaded(text, *at_server)
    assert data["statements"][0]["transactions"] > 5
    assert rows("select count(*) from done") == [(0,)]


@pytest.mark.parametrize("client", LOAD_PROGRAMS)
def test_errors_are_counted_by_code(client: str, loaded: Loaded) -> None:
    if reason := load_program(client).missing():
        missing(reason)
    text = f"""
    client = "{client}"
    seconds = 2
    think_s = 0.02
    order = "sequential"
    ignored_errors = ["ORA-01476"]
    [[statements]]
    sql = "select * from nowhere"
    [[statements]]
    sql = "select 1 / :z from dual"
    binds = {{ z = 0 }}
    [[statements]]
    sql = "select 1 from dual"
    """
    data = loaded(text, code=1)
    assert data["errors"] == data["errors_by_code"]["ORA-00942"] > 0
    assert set(data["ignored_errors"]) == {"ORA-01476"}
    assert abs(data["ignored_errors"]["ORA-01476"] - data["errors"]) <= 1
    assert data["statements"][2]["transactions"] == data["transactions"] > 0


def test_drivers_are_given_to_sessions_in_turn(loaded: Loaded) -> None:
    for name in ("go-ora", "node-oracledb"):
        if reason := load_program(name).missing():
            missing(reason)
    text = 'client = ["go-ora", "node-oracledb"]\nsessions = 3\nseconds = 2\nthink_s = 0.05\n'
    data = loaded(text + QUERY)
    clients = [each["client"] for each in data["per_session"]]
    assert clients == ["go-ora", "node-oracledb", "go-ora"]
    assert all(each["transactions"] > 0 for each in data["per_session"])


@pytest.mark.parametrize("mode", ["flood", "trickle", "tsunami"])
def test_sessions_connect_as_the_mode_says(mode: str, loaded: Loaded, tmp_path: Path) -> None:
    text = f'connect = "{mode}"\nconnect_delay_s = 0.4\nsessions = 3\nseconds = 1.5\n' + QUERY
    data = loaded(text)
    began = [line["began_ns"] / 1e9 for line in read_load(tmp_path / "w.load.jsonl").sessions]
    assert len(began) == 3
    assert data["connect_ms"]["max"] >= data["connect_ms"]["p50"] > 0
    if mode == "trickle":
        # The last is due 0.8 seconds after the first, which a busy host may hold up.
        assert max(began) - min(began) > 0.4
    assert data["transactions"] > 0  # of which a session on a busy host may have none


def test_late_transactions_are_dropped(loaded: Loaded) -> None:
    text = """
    seconds = 1
    rate = 2000
    arrivals = "constant"
    max_lag_s = 0.01
    [[statements]]
    sql = "select count(*) from sys.obj$ a, sys.obj$ b where rownum <= 200000"
    """
    data = loaded(text)
    assert data["dropped"] > 100
    assert data["transactions"] + data["dropped"] + data["not_begun"] == 2000
    # Nothing begins later than it may; a begun one may be late by less.
    assert data["lag_ms"]["max"] <= 10.1


def test_think_time_separates_transactions(loaded: Loaded) -> None:
    data = loaded("seconds = 1\nthink_s = 0.1\n" + QUERY)
    assert 1 <= data["transactions"] <= 10


def test_session_parameters_are_set(loaded: Loaded) -> None:
    text = """
    seconds = 2
    think_s = 0.1
    [parameters]
    nls_date_format = "MM/YYYY"
    [[statements]]
    sql = "select to_date('06/2024') from dual"
    """
    # In the format that a session begins with, this is no date.
    data = loaded(text)
    assert data["transactions"] > 0
    without = loaded(text.replace("nls_date_format", "nls_timestamp_format"), code=1)
    assert without["errors"] > without["transactions"] == 0


def test_a_parameter_that_the_server_refuses_is_an_error(
    run: Callable[..., subprocess.CompletedProcess[str]], built_lab: None, tmp_path: Path
) -> None:
    (tmp_path / "w.toml").write_text("[parameters]\nno_such = 1\n" + QUERY)
    ended = run("load", str(tmp_path / "w.toml"), "-o", str(tmp_path / "o.jsonl"))
    assert ended.returncode == 7
    assert "no session connected: " in ended.stderr
    assert "ORA-02248" in ended.stderr
    assert ended.stderr.count("\n") <= 1


def started(
    start: Start, tmp_path: Path, text: str, *options: str
) -> tuple[subprocess.Popen[str], Path]:
    """A load each of whose sessions has done something by its file, and the file."""
    (tmp_path / "w.toml").write_text(text)
    path = tmp_path / "w.load.jsonl"
    process = start("load", str(tmp_path / "w.toml"), "--json", "-o", str(path), *options)

    def working() -> bool:
        assert process.poll() is None, process.communicate()
        if not path.exists() or '"second"' not in path.read_text():
            return False
        return all(each["transactions"] for each in LoadReport(path).data()["per_session"])

    until(working, "transactions of every session")
    return process, path


def after_a_loss(process: subprocess.Popen[str], path: Path) -> dict[str, Any]:
    """What a load that is interrupted says, after a session is lost and the others have gone on."""

    def gone_on() -> bool:
        data = LoadReport(path).data()
        counts = [each["transactions"] for each in data["per_session"]]
        lost = data["lost_sessions"]
        return bool(lost) and all(
            count > counts[lost[0]] for n, count in enumerate(counts) if n not in lost
        )

    until(gone_on, "a loss, and more transactions of the other sessions")
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert process.returncode == 1, errors
    data: dict[str, Any] = json.loads(output)
    return data


def test_a_killed_client_loses_its_session_and_is_reported(
    start: Start, built_lab: None, tmp_path: Path
) -> None:
    text = "sessions = 3\nseconds = 600\nthink_s = 0.01\n" + QUERY
    process, path = started(start, tmp_path, text)
    client = descendants(process.pid, "load.py")[0]
    os.kill(client, signal.SIGKILL)
    data = after_a_loss(process, path)
    [lost] = data["lost_sessions"]
    session = data["per_session"][lost]
    assert "SIGKILL" in session["lost"]
    assert str(client) in session["lost"]
    # What it did until its last flush counts.
    assert session["transactions"] > 0
    assert any(f"session {lost} " in each for each in data["warnings"])
    assert LoadReport(path).data()["lost_sessions"] == [lost]


KILLED = """
client = ["{client}", "python-oracledb"]
sessions = 2
seconds = 600
think_s = 0.01
setup = ["create table done (sid number)"]
[[statements]]
sql = "insert into done values (sys_context('userenv', 'sid'))"
"""
MOST_UNFLUSHED = 12
"""Transactions with 10 ms of think time in a tenth of a second, and those at both its ends."""


@pytest.mark.parametrize("client", LOAD_PROGRAMS)
def test_a_killed_client_loses_no_more_than_it_had_not_flushed(
    client: str, start: Start, at_server: list[str], rows: Rows, tmp_path: Path
) -> None:
    if reason := load_program(client).missing():
        missing(reason)
    text = KILLED.format(client=client)
    process, path = started(start, tmp_path, text, *at_server)
    program = load_program(client).command()[-1]
    os.kill(descendants(process.pid, program)[0], signal.SIGKILL)
    data = after_a_loss(process, path)
    [lost] = data["lost_sessions"]
    session = data["per_session"][lost]
    [(done,)] = rows(f"select count(*) from done where sid = {session['sid']}")
    assert session["transactions"] <= done <= session["transactions"] + MOST_UNFLUSHED
    assert session["transactions"] > 0
    assert session["unheard_s"] >= 0
    # The other session's are all there.
    other = data["per_session"][1 - lost]
    assert rows(f"select count(*) from done where sid = {other['sid']}") == [
        (other["transactions"],)
    ]


@pytest.mark.parametrize("client", LOAD_PROGRAMS)
def test_a_session_whose_server_ends_is_lost_and_the_others_go_on(
    client: str, start: Start, built_lab: None, tmp_path: Path
) -> None:
    if reason := load_program(client).missing():
        missing(reason)
    text = f'client = "{client}"\nsessions = 2\nseconds = 600\nthink_s = 0.02\n' + QUERY
    process, path = started(start, tmp_path, text)
    first = next(each for each in read_load(path).sessions if each["session"] == 0)
    os.kill(first["spid"], signal.SIGKILL)
    data = after_a_loss(process, path)
    assert data["lost_sessions"] == [0]
    assert data["per_session"][0]["lost"]
    assert data["per_session"][0]["transactions"] > 0
    # The execution that met the end.
    assert data["errors"] == 1


def alive(pid: int) -> bool:
    """Not ended; one that nobody has awaited yet has no command line."""
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return False


def descendants(pid: int, argument: str) -> list[int]:
    """The processes that `pid` has started with this file among their arguments."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [
        int(child)
        for child in children
        if argument in Path(f"/proc/{child}/cmdline").read_bytes().decode()
    ]


def test_ctrl_c_ends_it_with_its_report(start: Start, built_lab: None, tmp_path: Path) -> None:
    process, path = started(start, tmp_path, "sessions = 2\nseconds = 600\nthink_s = 0.5\n" + QUERY)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    data = json.loads(output)
    assert data["interrupted"]
    assert data["complete"]
    assert data["elapsed_s"] < 600
    assert read_load(path).end is not None


def test_a_killed_load_leaves_its_seconds_and_no_process(
    start: Start, built_lab: None, tmp_path: Path
) -> None:
    process, path = started(
        start, tmp_path, "sessions = 2\nseconds = 600\nthink_s = 0.01\n" + QUERY
    )
    clients = descendants(process.pid, "load.py")
    assert len(clients) == 2
    process.kill()
    process.wait()
    until(lambda: not any(map(alive, clients)), "the end of the clients")
    data = LoadReport(path).data()
    assert not data["complete"]
    assert data["transactions"] > 0


def test_the_reports_of_a_load(
    loaded: Loaded, run: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    loaded("sessions = 2\nseconds = 1\nrate = 100\n" + QUERY)
    path = str(tmp_path / "w.load.jsonl")
    page = tmp_path / "page.html"
    text = run("report", path)
    assert text.returncode == 0
    assert "open loop, 100 a second in all, poisson arrivals" in text.stdout
    assert run("report", path, "--html", str(page)).returncode == 0
    assert "<svg" in page.read_text()
    compared = run("compare", path, path, "--json")
    assert compared.returncode == 0, compared.stderr
    assert not json.loads(compared.stdout)["regressed"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--rate", "0"), "'0' is not a rate"),
        (("--rate", "5", "--think", "1"), "give one of them"),
        (("--order", "sequential"), "needs weights that are whole numbers"),
        (("--connect", "h:1/x"), "go with --server oracle"),
        (("--server", "postgresql"), "invalid choice: 'postgresql'"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    run: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    options: tuple[str, ...],
    complaint: str,
) -> None:
    weight = "weight = 0.5\n" if "--order" in options else ""
    (tmp_path / "w.toml").write_text(QUERY + weight)
    ended = run("load", str(tmp_path / "w.toml"), *options)
    assert ended.returncode == 2
    assert complaint in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_file_that_exists_is_kept(
    run: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "w.toml").write_text(QUERY)
    (tmp_path / "kept").write_text("mine")
    ended = run("load", str(tmp_path / "w.toml"), "-o", str(tmp_path / "kept"))
    assert ended.returncode == 2
    assert "name another with -o" in ended.stderr
    assert (tmp_path / "kept").read_text() == "mine"
