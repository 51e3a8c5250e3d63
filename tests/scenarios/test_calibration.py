# SPDX-License-Identifier: GPL-2.0-or-later
"""How large a statement must be to take its time."""

from __future__ import annotations

import pytest

from polltrace.errors import LabError
from polltrace.scenarios.run.size_calibration import LEAST_N, fitting_n


def test_it_takes_its_seconds() -> None:
    assert fitting_n(lambda n: n * 1e-5, 0.2) == 20_000


@pytest.mark.parametrize("disturbed", range(8))
def test_an_execution_that_was_disturbed_changes_nothing(disturbed: int) -> None:
    calls = 0

    def cpu_s(n: int) -> float:
        nonlocal calls
        calls += 1
        return n * 1e-5 + 0.3 * (calls == disturbed + 1)

    assert fitting_n(cpu_s, 0.2) == 20_000


def test_no_fewer_rows_than_take_the_time() -> None:
    assert fitting_n(lambda n: 1.0 + n * 1e-9, 0.2) == LEAST_N


def test_a_statement_that_does_not_grow_is_refused() -> None:
    with pytest.raises(LabError, match="no longer however large"):
        fitting_n(lambda _n: 1e-6, 0.2)
