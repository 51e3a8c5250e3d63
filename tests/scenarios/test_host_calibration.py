# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of a poll on this host by A/B: its arithmetic, its refusals, and one short run."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from polltrace.errors import LabError
from polltrace.intervals import exactly
from polltrace.overhead.host_factors import HostFactors
from polltrace.scenarios.run.host_calibration import (
    NO_CHECKS,
    NO_POLLS,
    RARE,
    USUAL,
    over_blocks,
    true_costs,
)

Run = Callable[..., subprocess.CompletedProcess[str]]
CHECKS = 3000.0


def planted_rounds(usual_ns: float, rare_ns: float, check_ns: float) -> list[dict[int, float]]:
    """Executions of 5 ms without checks, on a host with noise that all of a round share."""
    chance = random.Random(1)
    rounds = []
    for _ in range(400):
        work_s = 5e-3 * chance.uniform(1.0, 1.2)
        checks_s = CHECKS * check_ns * 1e-9
        rounds.append(
            {
                NO_CHECKS: work_s,
                NO_POLLS: work_s + checks_s,
                USUAL: work_s + checks_s + CHECKS / USUAL * usual_ns * 1e-9,
                RARE: work_s + checks_s + CHECKS / RARE * rare_ns * 1e-9,
            }
        )
    return rounds


def test_the_costs_are_the_differences_of_executions() -> None:
    costs = true_costs(planted_rounds(450.0, 520.0, 2.0), CHECKS)
    assert costs.usual_ns.value == pytest.approx(450)
    assert costs.rare_ns.value == pytest.approx(520)
    assert costs.check_ns.value == pytest.approx(2)
    # 1,000 polls and 3,000 checks of 5 to 6 ms of work
    own_s = 1000 * 450e-9 + 3000 * 2e-9
    assert costs.checking_pct.value == pytest.approx(100 * own_s / (5.5e-3 + own_s), rel=0.01)


def test_a_few_rounds_are_no_result() -> None:
    with pytest.raises(LabError, match="measure for longer"):
        true_costs(planted_rounds(450.0, 520.0, 2.0)[:5], CHECKS)


def test_factors_cover_the_blocks() -> None:
    """The cost of a poll changes within the minute, and an interval that hides it is wrong."""
    costs = true_costs(planted_rounds(450.0, 520.0, 2.0), CHECKS)
    blocks = [
        HostFactors(
            exactly(factor), exactly(factor + 1), exactly(factor + 2), measured="2026-11-26"
        )
        for factor in (0.7, 0.5, 0.6, 0.9, 0.65, 0.55)
    ]
    factors = over_blocks(blocks, costs)
    assert (factors.timed.value, factors.timed.low, factors.timed.high) == pytest.approx(
        (0.625, 0.5, 0.9)
    )
    assert factors.sampled.high == pytest.approx(1.9)
    assert factors.calibrated.low == pytest.approx(2.5)
    assert factors.rise is not None
    assert factors.measured == "2026-11-26"


def test_it_does_not_begin_without_consent(run: Run) -> None:
    ended = run("calibrate")
    assert ended.returncode == 2
    assert ended.stderr == (
        "polltrace: it loads a processor for over a minute: --yes allows that without a terminal\n"
    )


@pytest.mark.usefixtures("lab", "calibrator")
def test_a_run_stores_factors_or_names_the_disturbance(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "host.json"
    monkeypatch.setenv("POLLTRACE_HOST_FILE", str(file))
    ended = run("calibrate", "--yes", "-d", "8", "--json")
    if ended.returncode:
        # A host that is too busy gives no factors at all, and says which way out there is.
        assert not file.exists()
        assert "measure" in ended.stderr.splitlines()[-1]
        return
    data = json.loads(ended.stdout)
    assert data["stored"] == str(file)
    value, low, high = data["poll_ns"]
    assert 0 < low < value < high
    assert list(json.loads(file.read_text())["hosts"]) == [data["host"]]
