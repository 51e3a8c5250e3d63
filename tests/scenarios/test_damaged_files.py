# SPDX-License-Identifier: GPL-2.0-or-later
"""Damaged run files, load files, scenarios and workloads: a report, or one error that names them.

`POLLTRACE_MUTATIONS` is the number of damaged copies of each file.
"""

from __future__ import annotations

import contextlib
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polltrace.cli import main
from polltrace.errors import FileError, PolltraceError, UsageError
from polltrace.scenarios.load.file_report import LoadReport
from polltrace.scenarios.load.workload_file import load_workload
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.plan.scenario_file import built_in, load
from polltrace.scenarios.report.run import RunReport
from tests.conftest import ROOT
from tests.scenarios.made_runs import made_run
from tests.scenarios.mutations import damaged_json_lines, damaged_texts

SAMPLES = ROOT / "tests/scenarios/samples"
RUNS = ("network-latency", "result-cache-latch", "cancels")
WORKLOADS = sorted((ROOT / "scenarios/load/workloads").glob("*.toml"))


@pytest.fixture(autouse=True)
def _numpy_may_warn() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def run_file(name: str) -> str:
    if name != "cancels":
        return (SAMPLES / f"{name}.run.jsonl").read_text()
    cells = {
        Cell(): {"cpu_ms": 50.0, "cancel_ms": 1.0},
        Cell(break_mode="in-band", skip=3): {"cpu_ms": 60.0, "cancel_ms": 5.0, "polls": 3000.0},
    }
    run = made_run(cells)
    header = {"format": "polltrace-run", "version": 1, **run.header}
    return "".join(json.dumps(line) + "\n" for line in (header, *run.lines))


def reports(report: Callable[[Path], Any], path: Path) -> None:
    """Render every form of the report, or get a FileError."""
    with contextlib.suppress(FileError):
        rendered = report(path)
        rendered.text()
        rendered.html()
        json.dumps(rendered.data())


@pytest.mark.parametrize("name", RUNS)
def test_a_damaged_run_is_reported_or_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "damaged.run.jsonl"
    path.write_text(run_file(name))
    RunReport(path).html()
    for content in damaged_json_lines(run_file(name)):
        path.write_text(content)
        reports(RunReport, path)


def test_a_damaged_load_is_reported_or_refused(tmp_path: Path) -> None:
    content = (SAMPLES / "two-statements.load.jsonl").read_text()
    path = tmp_path / "damaged.load.jsonl"
    path.write_text(content)
    LoadReport(path).html()
    for damaged in damaged_json_lines(content):
        path.write_text(damaged)
        reports(LoadReport, path)


@pytest.mark.parametrize("name", [*RUNS, "two-statements"])
def test_a_comparison_with_a_damaged_file(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    base, new = tmp_path / "base.jsonl", tmp_path / "new.jsonl"
    is_load = name == "two-statements"
    content = (SAMPLES / f"{name}.load.jsonl").read_text() if is_load else run_file(name)
    base.write_text(content)
    for damaged in damaged_json_lines(content):
        new.write_text(damaged)
        code = main(["compare", str(base), str(new), "--junit", str(tmp_path / "x.xml")])
        error = capsys.readouterr().err
        assert "Traceback" not in error
        assert code in (0, 1, 2) or error.count("\n") == 1


@pytest.mark.parametrize("name", built_in())
def test_a_damaged_scenario_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "damaged.toml"
    for content in damaged_texts(built_in()[name].read_text()):
        path.write_text(content)
        with contextlib.suppress(FileError, UsageError):
            load(path).cells()


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda path: path.stem)
def test_a_damaged_workload_is_refused_in_one_line(tmp_path: Path, workload: Path) -> None:
    path = tmp_path / "damaged.toml"
    for neighbour in workload.parent.glob("*.csv"):
        (tmp_path / neighbour.name).symlink_to(neighbour)
    for content in damaged_texts(workload.read_text()):
        path.write_text(content)
        with contextlib.suppress(PolltraceError):
            load_workload(path)
