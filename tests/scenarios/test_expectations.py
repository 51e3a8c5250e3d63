# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a run bears out what its scenario expects."""

from __future__ import annotations

import pytest

from scenarios.expectations import findings
from scenarios.run_analysis import analysed
from scenarios.scenario import Cell, Expected

from .made_runs import made_run

OUT = Cell()
THREE, THOUSAND = (Cell(break_mode="in-band", skip=skip) for skip in (3, 1000))
AS_THE_ARTICLE = {
    OUT: {"cpu_ms": 30.0},
    THREE: {"cpu_ms": 33.0, "polls": 3000.0},
    THOUSAND: {"cpu_ms": 30.0, "polls": 9.0},
}


@pytest.mark.parametrize(
    ("check", "cell", "otherwise"),
    [
        ("in-band slower", THREE, {"cpu_ms": 27.0}),
        ("gap closes", THOUSAND, {"cpu_ms": 32.0}),
        ("polls by skip", THREE, {"polls": 2950.0}),
        ("polls by skip", OUT, {"polls": 1.0}),
        ("views equal", THREE, {"calls": 3.0}),
    ],
)
def test_held_and_not_held(check: str, cell: Cell, otherwise: dict[str, float]) -> None:
    expected = [Expected("so it is", check)]

    def held(cells: dict[Cell, dict[str, float]]) -> bool | None:
        (finding,) = findings(analysed(made_run(cells, expected)))
        assert finding.words
        return finding.held

    assert held(AS_THE_ARTICLE) is True
    assert held({**AS_THE_ARTICLE, cell: {**AS_THE_ARTICLE[cell], **otherwise}}) is False


def test_what_this_run_cannot_tell() -> None:
    expected = [Expected("prose"), Expected("no effect", "in-band slower")]
    cells = {OUT: {"cpu_ms": 30.0}, THREE: {"cpu_ms": 30.0}}
    found = findings(analysed(made_run(cells, expected)))
    assert [each.held for each in found] == [None, None]
