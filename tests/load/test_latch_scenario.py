# SPDX-License-Identifier: GPL-2.0-or-later
"""The scenario of the result cache's latch, on the lab."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from bench.latch_guest import ratios, script
from polltrace.errors import FileError, UsageError
from polltrace.scenarios.analyse.expectations import checked_expectations
from polltrace.scenarios.analyse.latch_cells import latch_figures
from polltrace.scenarios.analyse.result import RunResult
from polltrace.scenarios.analyse.run import analysed
from polltrace.scenarios.analyse.run_file import read_run
from polltrace.scenarios.load.cells import of_cell
from polltrace.scenarios.load.workload_file import load_workload
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.plan.plan import Plan
from polltrace.scenarios.plan.scenario_file import built_in, find, load, workload_file
from polltrace.scenarios.report.run.data import run_data
from polltrace.scenarios.report.run.text import run_text
from polltrace.scenarios.run.processors import lab_processors, load_processors
from polltrace.scenarios.run.servers.lab_server import LabServer
from tests.conftest import POLLTRACE


@pytest.fixture(scope="module")
def result(built_lab: None, tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    folder = tmp_path_factory.mktemp("latch")
    text = built_in()["result-cache-latch"].read_text()
    for old, new in (("seconds = 3", "seconds = 1"), ("[1, 2, 4]", "[2]"), ("ks = 6", "ks = 1")):
        assert old in text
        text = text.replace(old, new)
    (folder / "latch.toml").write_text(text)
    file = folder / "latch.run"
    words = [POLLTRACE, "run", str(folder / "latch.toml"), "-o", str(file)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return analysed(read_run(file))


def test_the_laws_hold_exactly(result: RunResult) -> None:
    answers = checked_expectations(result)
    assert [each.held for each in answers] == [True, True, True], answers


def test_a_cell_uses_the_cache_as_it_says(result: RunResult) -> None:
    for each in result.cells:
        assert each.load is not None
        assert each.load.failed == 0
        latch = each.load.latch
        if each.cell.result_cache == "off":
            assert set(latch.values()) == {0}, each.label
        else:
            queries = 500 if each.cell.statement == "full scan" else 5000
            assert latch["finds"] == queries * sum(each.load.transactions) > 0
            assert each.load.lines[0]["queries"] == latch["finds"]
            assert latch["results"] == (1 if each.cell.statement == "full scan" else 1999)
            assert latch["tables"] == 1


@pytest.mark.usefixtures("probe")
def test_the_time_of_the_latch_is_measured_from_outside(result: RunResult) -> None:
    for each in result.cells:
        assert each.load
        (line,) = each.load.lines
        times = line["latch_time"]
        assert times["thread_ns"] > 0
        assert times["thread_ns"] >= times["slept_ns"]
        assert times["samples"] >= times["spun"]
        figures = latch_figures(each)
        assert figures
        assert figures.slept_pct
        if each.cell.result_cache != "exclusive":
            assert (times["sleeps"], times["spun"], figures.slept_pct.value) == (0, 0, 0)


def test_the_lab_has_all_processors(built_lab: None) -> None:
    """By the scenario; by default it has one, and clients the others."""
    ours = os.sched_getaffinity(0)
    scenario = find("result-cache-latch")
    assert lab_processors(scenario.processors) == ours == load_processors("lab", "all")
    assert len(lab_processors()) == 1
    assert load_processors("lab") in (ours, ours - lab_processors())
    for share in ("one", "all"):
        with LabServer(processors=lab_processors(share)) as server:
            assert os.sched_getaffinity(server.oralab.pid) == lab_processors(share)


def test_a_false_count_is_seen(result: RunResult) -> None:
    """Each law fails by one get, one block, one miss."""
    for number, figure in enumerate(("finds", "blocks", "misses")):
        cells = [
            replace(each, load=replace(each.load, latch=_one_more(each.load.latch, figure)))
            for each in result.cells
            if each.load
        ]
        answers = checked_expectations(replace(result, cells=cells))
        assert [each.held for each in answers].index(False) == number


def _one_more(latch: object, figure: str) -> dict[str, int]:
    assert isinstance(latch, dict)
    return {**latch, figure: latch[figure] + 1}


def test_the_report_shows_the_latch(result: RunResult) -> None:
    text = run_text(result)
    assert "Result Cache: RC Latch" in text
    assert "exclusive latch look-up" in text
    assert "misses of 10,000 gets" in text
    assert "look-up: no winner (too few blocks); first " in text
    assert "the generator was late" not in text
    data = json.loads(json.dumps(run_data(result)))
    cell = next(c for c in data["cells"] if c["cell"]["result_cache"] == "exclusive")
    assert cell["load"]["latch_figures"]["waited_pct"]["value"] >= 0


def test_the_guest_prints_ratios_alone(result: RunResult) -> None:
    """What bench/latch_guest.py shows of a run whose times are no processor's."""
    head, *table, last = ratios(result)
    assert head.split() == ["times", "no", "cache", "times", "fewest", "misses", "slept"]
    assert last.startswith("times fewest")
    rows = [line.rsplit(maxsplit=4) for line in table]
    assert [row[0] for row in rows] == [e.label for e in result.cells if not e.cell.twin]
    by_label = {row[0]: row[1:] for row in rows}
    for each in result.cells:
        if each.cell.result_cache == "shared" and each.load:
            base = next(c.load for c in result.cells if c.label == each.base)
            over = each.load.times(base) if base else None
            assert over
            assert by_label[each.label] == [f"{over.value:.2f}", "-", "0.0", "0.00"]


def test_the_guest_runs_the_scenario(tmp_path: Path) -> None:
    text = script(20, "statement=look-up", 3)
    words = shlex.split(text)
    (tmp_path / "latch.toml").write_text(words[words.index("echo") + 1])
    scenario = load(tmp_path / "latch.toml")
    assert (scenario.seconds, scenario.processors) == (20, "all")
    assert "--only statement=look-up --repeats 3" in text


def test_a_cells_settings_are_checked(tmp_path: Path) -> None:
    scenario = find("result-cache-latch")
    workload = load_workload(workload_file(scenario.workload))
    plan = Plan(scenario, scenario.cells(), 1, 0, 0, False, False)
    with pytest.raises(UsageError, match="has no 'merge'"):
        of_cell(workload, plan, Cell(statement="merge"))
    chosen = of_cell(workload, plan, Cell(statement="look-up", result_cache="exclusive"))
    assert [each.name for each in chosen.statements] == ["look-up"]
    assert chosen.parameters['"_result_cache_latch_mode"'] == "exclusive"
    file = tmp_path / "s.toml"
    file.write_text('title = "t"\nstatement = "select 1 from dual"\n[matrix]\nstatement = ["a"]\n')
    with pytest.raises(FileError, match=r"matrix\.statement: is of a scenario with a workload"):
        load(file)
    for wrong, why in (
        (
            'statement = "select 1 from dual"\nprocessors = "all"',
            "is of a scenario with a workload",
        ),
        ('workload = "load/workloads/closures.toml"\nprocessors = "two"', "is none of one, all"),
    ):
        file.write_text(f'title = "t"\nrecord = ["load"]\n{wrong}\n[matrix]\nsessions = [1]\n')
        with pytest.raises(FileError, match=why):
            load(file)
