# SPDX-License-Identifier: GPL-2.0-or-later
"""The proof's own machinery: what it calls right and wrong, and one small run of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.proof import SKIPS
from bench.proof_report import ForecastCell, proof_table
from polltrace.intervals import Estimate


def test_a_cell_is_judged_by_its_error_and_by_its_interval() -> None:
    good = ForecastCell("a", 100, Estimate(5.0, 4.5, 5.5), Estimate(5.2, 5.0, 5.4))
    assert good.relative_error == pytest.approx(0.2 / 5.2)
    assert good.inside
    far = ForecastCell("a", 1, Estimate(-9.0, -9.5, -8.5), Estimate(-12.0, -12.2, -11.8))
    assert far.relative_error == pytest.approx(0.25)
    assert not far.inside
    table = proof_table([good, far], {})
    assert "within 10 % of the truth in 1 of 2 cells (worst: 25.0 %)" in table
    assert "stated interval in 1 of 2" in table
    assert "| a | 1 | -9.00 [-9.50, -8.50] |" in table


@pytest.mark.usefixtures("lab")
def test_one_driver_from_profile_to_table(tmp_path: Path) -> None:
    output = tmp_path / "proof.md"
    small = ["--blocks", "1", "--turns", "1", "--look", "1", "--driver", "python-oracledb"]
    ended = subprocess.run(
        [sys.executable, "-m", "bench.proof", "-o", str(output), *small],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert output.read_text() == ended.stdout.removesuffix("\n")
    cells = json.loads(output.with_suffix(".json").read_text())
    assert [cell["skip"] for cell in cells] == list(SKIPS)
    assert "block 1 of 1" in ended.stderr
    by_skip = {cell["skip"]: cell["predicted"]["value"] for cell in cells}
    # Any polling session's forecast: more polls cost, fewer save, none saves most.
    assert by_skip[1] < 0 < by_skip[10] < by_skip[100] < by_skip[1000] < by_skip[3]
