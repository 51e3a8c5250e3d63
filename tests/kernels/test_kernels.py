# SPDX-License-Identifier: GPL-2.0-or-later
"""The probe on stock kernels, in brief; `make kernels` does it at length."""

from __future__ import annotations

import pytest

from tests.conftest import missing
from tests.kernels import machine
from tests.kernels.matrix import try_kernel
from tests.kernels.packages import Wanted, matrix
from tests.kernels.results import VARIANTS

BRIEF = (
    "tests/probes/test_counts.py::test_break_polls_are_counted_exactly_by_every_variant",
    "tests/probes/test_life.py::test_killed_it_leaves_nothing",
)
MANDATORY = [wanted for wanted in matrix() if wanted.mandatory]


@pytest.mark.parametrize("wanted", MANDATORY, ids=[wanted.name for wanted in MANDATORY])
def test_every_variant_counts_exactly(probe: None, wanted: Wanted) -> None:
    if lacks := machine.missing_tools():
        missing(f"there is no {', '.join(lacks)}: ./setup.sh --tests")
    result = try_kernel(wanted, list(BRIEF), timeout_s=600)
    assert result.error == ""
    assert result.failures == []
    assert result.variants == dict.fromkeys(VARIANTS, "yes")
    exact = [test.id for test in result.tests if "counted_exactly" in test.id]
    assert len(exact) == 2 * len(VARIANTS)  # each reads the descriptor in two ways
