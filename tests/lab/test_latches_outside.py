# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stat --latches` and the lab's own count of what its servers spin and sleep."""

from __future__ import annotations

import html
import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Run, Start
from tests.waiting import until

from .conftest import Lab, RunningStatement, Session
from .result_cache import latch_of

TRIES = "select nvl(max(p3), 0) from v$session_wait where sid = :sid and event = 'latch free'"
SLEEPS = 7


def attached(start: Start, *options: str) -> subprocess.Popen[str]:
    process = start("stat", "--latches", "--json", *options)
    assert process.stderr is not None
    line = process.stderr.readline()
    assert "attached" in line, line + process.stderr.read()
    return process


def stopped(process: subprocess.Popen[str]) -> dict[str, Any]:
    process.send_signal(signal.SIGINT)
    output, error = process.communicate()
    assert process.returncode == 0, error
    return dict(json.loads(output))


def test_sleeps_seen_are_those_counted(
    root: None,
    lab: Lab,
    stopped_holder: tuple[int, Session],
    start: Start,
) -> None:
    """A session sleeps for a latch whose holder stands still, then gets it."""
    holder, watcher = stopped_holder
    waiting = lab.connect()
    pid, sid = waiting.spid, waiting.sid
    waiting.cursor.execute("create table other (n number)")
    process = attached(start, "-p", str(pid))
    before = latch_of(watcher)
    statement = RunningStatement(waiting)
    statement.start("call dbms_result_cache.flush()")
    until(lambda: watcher.one(TRIES, sid=sid) > SLEEPS, "a session that slept often")
    os.kill(holder, signal.SIGKILL)
    assert statement.join()
    found = stopped(process)
    after = latch_of(watcher)
    waited_us = after.wait_us - before.wait_us
    assert found["sleeps"] == after.sleeps - before.sleeps >= SLEEPS
    whole = found["off_cpu"]
    # The lab's clock runs from the first spin to the get: with CPU time and run queue in between.
    slept_us, rest_us = found["slept_ns"] / 1000, (whole["on_cpu_ns"] + whole["queued_ns"]) / 1000
    assert slept_us - 1 <= waited_us <= slept_us + rest_us + 1
    assert whole["thread_ns"] == whole["on_cpu_ns"] + whole["blocked_ns"] + whole["queued_ns"]
    latch = next(each for each in whole["reasons"] if each["reason"] == "latch")
    assert (latch["ns"], latch["switches"]) == (found["slept_ns"], found["sleeps"])
    (path,) = [each["path"] for each in found["paths"] if each["sleeps"]]
    assert path[-3:] == ["result_cache_flush", "result_latch_get", "kslgetl"]


def test_a_session_that_waits_for_no_latch(root: None, lab: Lab, run: Run) -> None:
    session = lab.connect()
    done = run("stat", "--latches", "-p", str(session.spid), "-d", "300ms")
    assert done.returncode == 0, done.stderr
    assert re.match(r"1 thread in \d+\.\d s: ", done.stdout)  # a busy host ends it late
    assert "\nLatches: 0.00 % of the time slept, 0 sleeps; " in done.stdout
    assert "v$latch counts them" in done.stdout


@pytest.mark.parametrize(
    ("options", "code", "why"),
    [
        (["-p", str(os.getpid())], 2, "names its latch functions"),
        (["-p", "4194303"], 5, "no process 4194303"),
        (["-p", "1", "--backend", "ptrace"], 2, "by the ebpf backend"),
        (["--from-strace", "x"], 2, "by the ebpf backend"),
        (["--", "true"], 2, "by the ebpf backend"),
    ],
)
def test_what_cannot_show_latches_is_refused(
    root: None, options: list[str], code: int, why: str, run: Run
) -> None:
    done = run("stat", "--latches", *options)
    assert done.returncode == code
    assert why in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("root")
def test_a_recording_has_the_sleeps(
    lab: Lab, stopped_holder: tuple[int, Session], start: Start, run: Run, tmp_path: Path
) -> None:
    holder, watcher = stopped_holder
    waiting = lab.connect()
    path, pid, sid = tmp_path / "a", waiting.spid, waiting.sid
    waiting.cursor.execute("create table other (n number)")
    process = start("record", "--offcpu", "--no-gaps", "-o", str(path), "-p", str(pid))
    assert process.stderr is not None
    assert "attached" in process.stderr.readline()
    before = latch_of(watcher)
    statement = RunningStatement(waiting)
    statement.start("call dbms_result_cache.flush()")
    until(lambda: watcher.one(TRIES, sid=sid) > SLEEPS, "a session that slept often")
    os.kill(holder, signal.SIGKILL)
    assert statement.join()
    process.send_signal(signal.SIGINT)
    process.communicate()
    sleeps = latch_of(watcher).sleeps - before.sleeps

    found = json.loads(run("report", "--json", str(path)).stdout)
    (session,) = found["sessions"]
    (slept,) = [each for each in session["latches"] if each["sleeps"]]
    assert slept["sleeps"] == sleeps >= SLEEPS
    assert slept["path"][-3:] == ["result_cache_flush", "result_latch_get", "kslgetl"]
    latch = next(each for each in found["off_cpu"]["reasons"] if each["reason"] == "latch")
    assert (latch["ns"], latch["switches"]) == (slept["slept_ns"], sleeps)
    assert f" s, in {sleeps} sleeps; " in run("report", str(path)).stdout

    # The same in the tables, on the page, and compared.
    assert run("export", "parquet", str(path), str(tmp_path / "tables")).returncode == 0
    query = """
        select sum("count"), sum(off_cpu_ns), bool_and(list_contains(functions, 'kslgetl'))
        from '{}/stacks.parquet' where kind = 'offcpu' and waits_for = 'latch'"""
    rows = duckdb.connect().execute(query.format(tmp_path / "tables")).fetchall()
    assert rows == [(sleeps, slept["slept_ns"], True)]
    page = tmp_path / "page.html"
    assert run("report", str(path), "--html", str(page)).returncode == 0
    below = html.unescape(page.read_text()).split("Where the time off CPU goes")[1]
    assert "<iframe" in below
    assert "skgpwwait" in below
    same = json.loads(run("diff", "--json", str(path), str(path)).stdout)
    share = next(each for each in same["off_cpu"] if each["name"] == "latch")
    whole = found["off_cpu"]["thread_ns"]
    assert share["before"] == share["after"] == pytest.approx([100 * latch["ns"] / whole] * 3)
    assert all(each["own_before"] == each["own_after"] for each in same["functions_off_cpu"])
