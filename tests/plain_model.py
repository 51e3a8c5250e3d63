# SPDX-License-Identifier: GPL-2.0-or-later
"""A cost model by which figures are easy to check: what runs in the tests' own process uses it
instead of the fitted one, which changes with every fit."""

from __future__ import annotations

import pytest

from polltrace.intervals import Estimate, exactly
from polltrace.overhead import cost_model
from polltrace.overhead.cost_model import CostModel
from polltrace.overhead.host_factors import HostFactors

PLAIN = CostModel(
    calibrated=Estimate(1.0, 0.5, 1.5),
    timed=Estimate(1.5, 1.2, 2.0),
    timed_rise=0.0,
    sampled=exactly(1.0),
    sampled_rise=0.0,
    highest_skip=40,
    rise=exactly(0.0),
    check_s=Estimate(2.5e-9, 0.0, 10e-9),
    together=1.0,
    between_hosts=HostFactors(exactly(1.0), exactly(1.0), exactly(1.0)),
    longest=0.03,
    probe_error=0.5,
    timer_check=Estimate(1.0, 0.5, 1.5),
    provenance={},
)


@pytest.fixture(autouse=True)
def plain_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost_model, "_shipped", lambda: PLAIN)
