# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace seed`: an author's figures next to those of a run on the lab."""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from polltrace.scenarios.commands.run import Run
from polltrace.scenarios.plan.scenario_file import find
from polltrace.scenarios.seeds.documents import DOCUMENTS
from polltrace.scenarios.seeds.figures import FIGURES

RunCommand = Callable[..., subprocess.CompletedProcess[str]]


def only(text: str) -> dict[str, list[str]]:
    parser = argparse.ArgumentParser()
    Run().prepare_parser(parser)
    chosen: dict[str, list[str]] = parser.parse_args(["x", "--only", text]).only
    return chosen


@pytest.mark.parametrize("number", DOCUMENTS)
def test_every_figure_has_a_cell_of_its_run(number: str) -> None:
    document = DOCUMENTS[number]
    scenario = find(document.scenario)
    cells = scenario.cells(only(document.only))
    for figure in document.figures:
        assert figure.figure[0] in FIGURES
        assert any(
            all(not value or getattr(cell, key) == value for key, value in figure.cell.items())
            for cell in cells
        ), figure.quantity
    if document.quick_only:
        quick = scenario.cells(only(document.quick_only))
        assert 1 < len(quick) < len(cells)


@pytest.mark.usefixtures("built_lab", "probe")
def test_the_break_polling_experiment(run: RunCommand, tmp_path: Path) -> None:
    saved = tmp_path / "seed.run.jsonl"
    ended = run("seed", "002", "--quick", "--json", "-o", str(saved))
    assert ended.returncode == 0, ended.stderr
    figures = {row["quantity"]: row for row in json.loads(ended.stdout)["figures"]}
    assert figures["logical I/Os a poll, in-band"]["here"] == "3.00"
    assert figures["logical I/Os a poll, in-band"]["author"].startswith("3.02")
    assert figures["polls of an execution, out-of-band"]["here"] == "0"
    # A run of one block has no interval, and its report says so.
    assert "one block" in figures["in-band takes longer, %"]["here"]
    assert run("report", str(saved)).returncode == 0


@pytest.mark.usefixtures("built_lab")
def test_the_round_trip_experiment(run: RunCommand, tmp_path: Path) -> None:
    ended = run("seed", "003", "--quick", "-o", str(tmp_path / "seed.run.jsonl"))
    assert ended.returncode == 0, ended.stderr
    assert "author 0.99 (4,953 for 5,000 rows); here 1.01" in ended.stdout


def test_an_unknown_document_is_refused(run: RunCommand) -> None:
    ended = run("seed", "005")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "invalid choice: '005'" in ended.stderr
