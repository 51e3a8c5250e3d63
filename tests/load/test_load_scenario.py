# SPDX-License-Identifier: GPL-2.0-or-later
"""A scenario with a workload: its loads on the lab, its checks, and what it refuses."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polltrace.errors import FileError, UsageError
from polltrace.scenarios.analyse.comparison import ComparisonOutcome, compare
from polltrace.scenarios.analyse.expectations import checked_expectations
from polltrace.scenarios.analyse.run import analysed
from polltrace.scenarios.analyse.run_file import RunData, read_run
from polltrace.scenarios.load.cells import of_cell
from polltrace.scenarios.load.workload_file import load_workload
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.plan.plan import Plan
from polltrace.scenarios.plan.scenario_file import find, load, workload_file
from polltrace.scenarios.report.run.page import run_page
from polltrace.scenarios.report.run.text import run_text
from tests.conftest import POLLTRACE

WORKLOAD = """
order = "sequential"
bind_order = "sequential"
setup = [
    "create table names (id number, name varchar2(10))",
    "insert into names select level, 'n' || level from dual connect by level <= 7",
    "create table table_changes (n number)",
    "insert into table_changes values (0)",
]
teardown = ["drop table names", "drop table table_changes"]
[cache]
changes = "select n from table_changes"
[[statements]]
sql = "select name from names where id = :id"
binds = [[1], [2], [3], [4], [5], [6], [7]]
"""
SCENARIO = """
title = "with and without"
workload = "w.toml"
seconds = 2
record = ["load"]
expected = [
  { check = "cache pays", text = "it pays" },
  { check = "cache hides path", text = "it hides" },
]
[matrix]
sessions = [2]
path = ["direct", "slow"]
cache = [false, true]
[paths.slow]
round_trip_ms = 5
[base]
cache = false
[repeats]
blocks = 1
"""
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def saved(built_lab: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loads")
    (folder / "w.toml").write_text(WORKLOAD)
    (folder / "s.toml").write_text(SCENARIO)
    words = [POLLTRACE, "run", str(folder / "s.toml"), "-o", str(folder / "s.run")]
    words += ["--traces", str(folder / "traces"), "--seed", "3"]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return folder


def loads(run: RunData) -> dict[tuple[str, bool], Mapping[str, Any]]:
    """The first `load` line by path and cache, without the twin's."""
    cells = run.cells
    return {
        (cells[line["cell"]].path, cells[line["cell"]].cache): line
        for line in reversed(run.of("load"))
        if not cells[line["cell"]].twin
    }


def test_each_cell_is_a_load_of_its_own(saved: Path) -> None:
    run = read_run(saved / "s.run")
    assert len(run.of("load")) == len(run.cells) == 5
    found = loads(run)
    for (path, cached), line in found.items():
        assert line["errors"] == line["lost"] == 0
        # Two sessions, seven binds: each is fetched once by each and found from then on.
        if cached:
            assert line["cache"]["Create Count Success"] == 14
            assert line["cache"]["Find Count"] == line["transactions"] - 14 > 0
        else:
            assert not line["cache"]
        # Two sessions wait for their round trips one after the other.
        if path == "slow" and not cached:
            assert 0 < line["transactions"] <= 2 * line["elapsed_s"] / 0.005
            assert line["latency_ms"]["p50"] >= 5
    for path in ("direct", "slow"):
        assert found[path, True]["later_per_s"] > found[path, False]["later_per_s"]


def test_the_report_and_the_page_show_the_loads(saved: Path) -> None:
    result = analysed(read_run(saved / "s.run"))
    text = run_text(result)
    assert "times the base" in text
    assert "slow no cache" in text
    assert "select name from names" in run_page(result)
    answers = {each.text: each for each in checked_expectations(result)}
    assert answers["it pays"].held
    assert "slow cache" in answers["it pays"].words


def test_each_cells_trace_is_kept_and_has_the_round_trips(saved: Path, run: Run) -> None:
    folders = {each.name: each for each in (saved / "traces").iterdir()}
    expected = {"direct-no-cache", "direct-cache", "slow-no-cache", "slow-cache"}
    assert set(folders) == {*expected, "direct-no-cache-A-A"}
    assert all(len(list(each.glob("*.trc"))) == 1 for each in folders.values())
    words = [str(folders["slow-no-cache"]), str(folders["slow-cache"])]
    ended = run("trace", "diff", *words, "--json")
    assert ended.returncode == 0, ended.stderr
    rows = {row["group"]: row for row in json.loads(ended.stdout)["rows"]}
    waits = rows["SQL*Net message from client"]
    # By the server's own trace, the cached session hardly asks.
    assert waits["calls_a"] > 5 * waits["calls_b"]
    assert rows["FETCH"]["calls_a"] > 5 * rows["FETCH"]["calls_b"] > 0


def slower(run: RunData, factor: float) -> RunData:
    """The same run, with all loads `factor` times as slow."""
    lines = [
        {**line, "later_per_s": line["later_per_s"] / factor} if line["kind"] == "load" else line
        for line in run.lines
    ]
    return replace(run, lines=lines)


def of_six_blocks(run: RunData) -> RunData:
    """The first block's loads six times: with fewer blocks times have no verdict."""
    first = [line for line in run.lines if line["block"] == 0]
    lines = [{**line, "block": block} for block in range(6) for line in first]
    return replace(run, blocks=frozenset(range(6)), lines=lines)


def test_a_slower_load_is_a_regression(saved: Path) -> None:
    run = of_six_blocks(read_run(saved / "s.run"))
    rows = compare(run, slower(run, 1.5), 0.05).rows
    assert {row.figure for row in rows} == {"time per transaction"}
    assert all(row.outcome is ComparisonOutcome.REGRESSION for row in rows)
    assert all(row.outcome is ComparisonOutcome.SAME for row in compare(run, run, 0.05).rows)


def test_loads_of_other_statements_are_not_compared(saved: Path) -> None:
    run = read_run(saved / "s.run")
    workload = {**run.header["workload"], "statements": []}
    other = replace(run, header={**run.header, "workload": workload})
    with pytest.raises(UsageError, match="different statements"):
        compare(run, other, 0.05)


def with_rates(run: RunData, rates: Mapping[tuple[str, bool], float]) -> RunData:
    """The same run, with these rates of its loads."""
    lines = []
    for line in run.lines:
        if line["kind"] == "load":
            cell = run.cells[line["cell"]]
            line = {**line, "later_per_s": rates[cell.path, cell.cache]}  # noqa: PLW2901
        lines.append(line)
    return replace(run, lines=lines)


@pytest.mark.parametrize(
    ("rates", "answers"),
    [
        ((1000.0, 7000.0, 150.0, 7100.0), (True, True)),
        # No better near the server.
        ((1000.0, 990.0, 150.0, 980.0), (False, True)),
        # The longer path gains less.
        ((1000.0, 7000.0, 150.0, 900.0), (False, False)),
        # The path shows through.
        ((1000.0, 7000.0, 150.0, 5000.0), (True, False)),
    ],
)
def test_the_checks_can_fail(
    saved: Path, rates: tuple[float, ...], answers: tuple[bool, bool]
) -> None:
    run = read_run(saved / "s.run")
    keys = [("direct", False), ("direct", True), ("slow", False), ("slow", True)]
    made = with_rates(run, dict(zip(keys, rates, strict=True)))
    found = {each.text: each.held for each in checked_expectations(analysed(made))}
    assert (found["it pays"], found["it hides"]) == answers


def test_the_scenario_that_comes_with_polltrace_has_its_workload() -> None:
    scenario = find("result-cache")
    assert scenario.workload == "load/workloads/closures.toml"  # a run's file names no folder here
    workload = load_workload(workload_file(scenario.workload))
    assert workload.cache
    cells = scenario.cells()
    assert {(each.path, each.cache) for each in cells} == {
        *(("direct", False), ("direct", True), ("6 ms", False), ("6 ms", True))
    }
    plan = Plan(scenario, cells, 1, 0, 0, False, False)
    made = of_cell(workload, plan, Cell(path="6 ms", cache=True))
    assert made.seconds == scenario.seconds
    assert made.path.round_trip_s == 0.006
    assert made.cache == workload.cache
    assert made.sessions == workload.sessions == 20
    assert of_cell(workload, plan, Cell(path="direct")).cache is None


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('workload = "w.toml"', 'workload = "none.toml"', "workload: there is no none.toml"),
        ('workload = "w.toml"', 'statement = "select 1 from dual"', "'load' is of a scenario with"),
        ('record = ["load"]', 'record = ["load", "polls"]', "with a workload is ['load']"),
        ("seconds = 2", 'statement = "select 1 from dual"', "statement: is not of a scenario"),
        ("sessions = [2]", "check_interval = [0]", "matrix.check_interval: is not of a load"),
        ("sessions = [2]", 'client = ["psycopg"]', "'psycopg' is none of python-oracledb"),
    ],
)
def test_options_that_a_load_cannot_have_are_refused(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SCENARIO.replace(old, new))
    with pytest.raises(FileError, match=complaint.replace("[", r"\[")):
        load(tmp_path / "s.toml")


def test_a_cell_with_a_cache_needs_a_workload_with_one(run: Run, tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(WORKLOAD.replace("[cache]", "[parameters]"))
    (tmp_path / "s.toml").write_text(SCENARIO)
    ended = run("run", str(tmp_path / "s.toml"), "-o", str(tmp_path / "o.run"))
    assert ended.returncode == 2
    assert "w has no [cache]" in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not (tmp_path / "o.run").exists()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("break-poll", "--traces", "t"), "--traces goes with a scenario that has a workload"),
        (("result-cache", "--server", "postgresql"), "the lab or an Oracle database"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    run: Run, options: tuple[str, ...], complaint: str
) -> None:
    ended = run("run", *options)
    assert ended.returncode == 2
    assert complaint in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_the_traces_of_a_load_go_to_a_new_folder(run: Run, tmp_path: Path, built_lab: None) -> None:
    (tmp_path / "w.toml").write_text(
        'sessions = 2\nseconds = 0.5\n[[statements]]\nsql = "select 1 from dual"\n'
    )
    words = ["load", str(tmp_path / "w.toml"), "-o", str(tmp_path / "o"), "--traces"]
    ended = run(*words, str(tmp_path / "t"))
    assert ended.returncode == 0, ended.stderr
    [trace] = (tmp_path / "t").iterdir()
    assert "PARSE" in trace.read_text()
    (tmp_path / "o").unlink()
    again = run(*words, str(tmp_path / "t"))
    assert again.returncode == 2
    assert "is not empty" in again.stderr
