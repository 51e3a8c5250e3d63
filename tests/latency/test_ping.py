# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace ping` on the lab: every layer, what a slow path adds to which, and its refusals."""

from __future__ import annotations

import csv
import json
import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.latency.layers import LAYERS
from polltrace.scenarios.run.network.relay import relay
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.oralab import Oralab
from tests.conftest import POLLTRACE, Run, Start
from tests.waiting import PATIENCE_S, until

QUICK = ("--interval", "20ms")
CALLS = ("ttc-ping", "one-row-sql", "elapsed-minus-db-time")


@pytest.fixture(scope="module")
def oralab(built_lab: None) -> Iterator[Oralab]:
    with LabServer() as server:
        yield server.oralab


def target(lab: Oralab, port: int | None = None) -> str:
    return f"{lab.user}/{lab.password}@{lab.host}:{port or lab.port}/{lab.service}"


def pinged(run: Run, where: str, *options: str) -> dict[str, Any]:
    ended = run("ping", where, "--json", *QUICK, *options)
    assert (ended.returncode, ended.stderr) == (0, "")
    data: dict[str, Any] = json.loads(ended.stdout)
    return data


def by_name(found: dict[str, Any]) -> dict[str, Any]:
    return {each["name"]: each for each in found["layers"]}


def test_every_layer_and_their_differences(run: Run, oralab: Oralab) -> None:
    found = pinged(run, target(oralab), "--count", "7")
    layers = by_name(found)
    assert list(layers) == list(LAYERS)
    samples = {name: each["samples"] for name, each in layers.items()}
    assert samples == {name: 35 if name == "one-row-sql" else 7 for name in LAYERS}
    for each in layers.values():
        assert each["min_ms"] <= each["p50_ms"] <= each["p99_ms"] <= each["max_ms"]
        assert each["failures"] == 0
    # A row a round trip, and one that finds the end.
    assert layers["elapsed-minus-db-time"]["round_trips"] == 11
    assert {layers[name]["round_trips"] for name in LAYERS if "db-time" not in name} == {1}
    assert layers["one-row-sql"]["db_time_ms"] > 0
    parts = {each["name"]: each["ms"] for each in found["parts"] if each["of"] == "one-row-sql"}
    assert parts["network"] == pytest.approx(layers["kernel-rtt"]["p50_ms"])
    assert parts["server"] == pytest.approx(layers["one-row-sql"]["db_time_ms"])
    whole = parts["network"] + parts["server"] + parts["client"]
    assert whole == pytest.approx(layers["one-row-sql"]["p50_ms"])
    assert found["channels"][0]["segments_out"] > 7


def test_a_slow_path_is_in_every_call(run: Run, oralab: Oralab) -> None:
    """The relay ends the TCP connection, so the kernel's round trip does not see its delay: the
    difference is in the rest."""
    with relay((oralab.host, oralab.port), NetworkPath(0.02)) as slow:
        found = pinged(run, target(oralab, slow), "-n", "3")
    layers = by_name(found)
    for name in (*CALLS, "tns-connect"):
        assert layers[name]["min_ms"] >= 20, name
    # A round takes far longer than the interval.
    assert found["late_rounds"] > 0


def test_a_lab_in_the_background(run: Run, built_lab: None, tmp_path: Path) -> None:
    prefix = ("env", f"XDG_STATE_HOME={tmp_path}")
    assert run("lab", "start", "--name", "east", prefix=prefix).returncode == 0
    try:
        ended = run("ping", "--lab", "east", "-n", "1", "--layers", "tns-connect", prefix=prefix)
        assert ended.returncode == 0, ended.stderr
        assert "/EAST, " in ended.stdout
    finally:
        run("lab", "stop", "--name", "east", prefix=prefix)


def test_without_utf8_on_a_dumb_and_narrow_terminal(oralab: Oralab) -> None:
    poor = {"LC_ALL": "C", "PYTHONUTF8": "0", "TERM": "dumb", "COLUMNS": "60", "NO_COLOR": "1"}
    ended = subprocess.run(
        [POLLTRACE, "ping", target(oralab), "-n", "1"],
        capture_output=True,
        env={**os.environ, **poor},
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ended.stdout.isascii()
    assert b"\x1b" not in ended.stdout
    assert ended.stdout.count(b"one-row-sql") >= 2


def test_a_table_that_nobody_reads(oralab: Oralab) -> None:
    command = f"{POLLTRACE} ping {target(oralab)} -n 1 | true; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (141, "")


@pytest.mark.parametrize("sessions", ["1", "3"])
def test_samples_that_nobody_reads_any_more(oralab: Oralab, sessions: str) -> None:
    words = f"{target(oralab)} --period 0 --interval 10ms --concurrency {sessions} --csv -"
    command = f"{POLLTRACE} ping {words} | head -2; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_sessions_at_once_and_chosen_layers(run: Run, oralab: Oralab) -> None:
    found = pinged(
        run, target(oralab), "-n", "5", "--concurrency", "3", "--layers", "ttc-ping,tcp-connect"
    )
    assert {name: each["samples"] for name, each in by_name(found).items()} == {
        "tcp-connect": 15,
        "ttc-ping": 15,
    }
    assert len(found["channels"]) == 3


@pytest.mark.parametrize("client", ["node-oracledb", "go-ora", "ojdbc11"])
def test_every_driver(run: Run, oralab: Oralab, client: str) -> None:
    from polltrace.scenarios.clients import program  # noqa: PLC0415

    if reason := program(client).missing():
        pytest.skip(reason)
    layers = by_name(pinged(run, target(oralab), "-n", "3", "--client", client))
    assert all(layers[name]["samples"] >= 3 for name in CALLS)


def test_every_sample_in_the_csv(run: Run, oralab: Oralab, tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    ended = run("ping", target(oralab), "-n", "3", *QUICK, "--csv", str(file))
    assert ended.returncode == 0
    rows = list(csv.DictReader(file.open()))
    assert len(rows) == 3 * 5 + 3 * 5
    assert {row["layer"] for row in rows} == set(LAYERS)
    assert all(float(row["ms"]) > 0 for row in rows if row["layer"] != "elapsed-minus-db-time")
    assert [float(row["seconds"]) for row in rows] == sorted(float(row["seconds"]) for row in rows)
    # On stdout it is alone.
    ended = run("ping", target(oralab), "-n", "1", "--layers", "ttc-ping", "--csv", "-")
    assert len(ended.stdout.splitlines()) == 2


def test_ctrl_c_ends_with_the_table(oralab: Oralab, start: Start, tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    process = start("ping", target(oralab), "--period", "0", *QUICK, "--csv", str(file))
    until(lambda: file.exists() and len(file.read_text().splitlines()) > 12, "a round")
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, errors) == (0, "")
    assert "one-row-sql" in out


def failed_layers(file: Path) -> set[str]:
    """Those with a failure in a CSV file whose last line may be half written."""
    lines = file.read_text().splitlines(keepends=True)
    return {line.split(",")[3] for line in lines if line.endswith(",,,1\n")}


def test_a_server_that_goes_is_counted_as_failures(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    with LabServer() as server:
        words = ("ping", target(server.oralab), "--period", "0", "--json", *QUICK)
        process = start(*words, "--csv", str(file))
        until(lambda: file.exists() and len(file.read_text().splitlines()) > 12, "a round")
    # Layer by layer: a signal after the first failure would come before the others'.
    until(lambda: failed_layers(file) == set(LAYERS), "a failure of every layer")
    process.send_signal(signal.SIGTERM)
    out, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, errors) == (0, "")
    layers = by_name(json.loads(out))
    assert all(layers[name]["failures"] > 0 for name in LAYERS)
    assert all(layers[name]["samples"] > 0 for name in LAYERS)
    assert layers["tcp-connect"]["last_failure"].startswith("no connection to 127.0.0.1:")


def test_on_a_terminal_the_table_follows(oralab: Oralab) -> None:
    reader, terminal = pty.openpty()
    words = [POLLTRACE, "ping", target(oralab), "-n", "6", "--interval", "100ms"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(words, stdout=terminal, stdin=terminal, env=environment) as process:
        os.close(terminal)
        seen = b""
        while True:
            try:
                seen += os.read(reader, 65536)
            except OSError:  # nobody has the other end any more
                break
    os.close(reader)
    assert process.returncode == 0
    assert seen.count(b"one-row-sql") >= 4


def test_where_the_password_comes_from(run: Run, oralab: Oralab, tmp_path: Path) -> None:
    where = f"{oralab.user}@{oralab.dsn}"
    options = ("-n", "1", "--layers", "ttc-ping", *QUICK)
    known = ("env", f"POLLTRACE_PASSWORD={oralab.password}")
    assert run("ping", where, *options, prefix=known).returncode == 0
    file = tmp_path / "secret"
    file.write_text(f"{oralab.password}\n")
    file.chmod(0o600)
    assert run("ping", where, *options, "--password-file", str(file)).returncode == 0
    file.chmod(0o644)
    ended = run("ping", where, *options, "--password-file", str(file))
    assert ended.returncode == 8
    assert "others may read the password" in ended.stderr
    ended = run("ping", where, *options, prefix=("env", "POLLTRACE_PASSWORD=wrong"))
    assert ended.returncode == 7
    assert "ORA-01017" in ended.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["scott/tiger"], 2, "name the user"),
        ([], 2, "name what to connect to"),
        (["--lab", "nowhere"], 6, "no lab nowhere runs"),
        (["scott/tiger@db"], 2, "is not HOST[:PORT]/SERVICE"),
        (["scott/tiger@db:99999/x"], 2, "is not HOST[:PORT]/SERVICE"),
        (["scott/tiger@db/x", "--layers", "icmp"], 2, "'icmp' is none of"),
        (["scott/tiger@db/x", "--json", "--csv", "-"], 2, "cannot share stdout"),
        (
            ["scott/tiger@127.0.0.1:1/x", "-n", "1", "--client", "python-oracledb"],
            7,
            "Connection refused",
        ),
        (["scott/tiger@db/x", "--client", "psycopg"], 2, "'psycopg' (choose from"),
        (["scott@db/x", "--password-file", "/nowhere"], 8, "cannot read /nowhere"),
    ],
)
def test_what_cannot_be_pinged(run: Run, words: list[str], code: int, message: str) -> None:
    ended = run("ping", *words)
    assert ended.returncode == code
    assert message in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_without_samples_the_exit_code_is_1(run: Run) -> None:
    ended = run("ping", "x/y@127.0.0.1:1/z", "--layers", "tcp-connect", "-n", "2", *QUICK)
    assert ended.returncode == 1
    assert "tcp-connect: 2 failed, the last by: no connection to 127.0.0.1:1" in ended.stdout
