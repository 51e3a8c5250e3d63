# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a run bears out what its scenario expects."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from polltrace.scenarios.analyse.expectations import checked_expectations
from polltrace.scenarios.analyse.run import analysed
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.plan.scenario import Expected
from polltrace.scenarios.report.run.text import run_text

from .made_runs import made_run

OUT = Cell()
THREE, THOUSAND = (Cell(break_mode="in-band", skip=skip) for skip in (3, 1000))
AS_THE_ARTICLE = {
    OUT: {"cpu_ms": 30.0, "plan": 7},
    THREE: {"cpu_ms": 33.0, "polls": 3000.0, "plan": 7},
    THOUSAND: {"cpu_ms": 30.0, "polls": 9.0, "plan": 7},
}


# As the lab sends 2,000 rows of 80 bytes and a few.
SMALL_SDU, LARGE_SDU = (Cell(fetch_size=5000, sdu=sdu) for sdu in (8192, 32767))
FEW_ROWS = Cell(fetch_size=100, sdu=8192)
FETCHED = {
    SMALL_SDU: {"cpu_ms": 1.0, "trips": 1.0, "more": 21.0, "sent": 172192.0},
    LARGE_SDU: {"cpu_ms": 1.0, "trips": 1.0, "more": 5.0, "sent": 172032.0},
    FEW_ROWS: {"cpu_ms": 2.0, "trips": 21.0, "more": 20.0, "sent": 173307.0},
    replace(FEW_ROWS, sdu=32767): {"cpu_ms": 2.0, "trips": 21.0, "sent": 173107.0},
}


@pytest.mark.parametrize(
    ("check", "cell", "otherwise"),
    [
        ("in-band slower", THREE, {"cpu_ms": 27.0}),
        ("gap closes", THOUSAND, {"cpu_ms": 32.0}),
        ("polls by skip", THREE, {"polls": 2950.0}),
        ("polls by skip", OUT, {"polls": 1.0}),
        ("views equal", THREE, {"calls": 3.0}),
        ("same plan", THOUSAND, {"plan": 8}),
        ("fewer trips", FEW_ROWS, {"trips": 1.0}),
        ("more data", LARGE_SDU, {"more": 22.0}),
        ("more data", SMALL_SDU, {"more": 19.0}),
        ("more data", SMALL_SDU, {"more": 23.0}),
    ],
)
def test_held_and_not_held(check: str, cell: Cell, otherwise: dict[str, float]) -> None:
    expected = [Expected("so it is", check)]
    good = FETCHED if cell in FETCHED else AS_THE_ARTICLE

    def held(cells: dict[Cell, dict[str, float]]) -> bool | None:
        (finding,) = checked_expectations(analysed(made_run(cells, expected)))
        assert finding.words
        return finding.held

    assert held(good) is True
    assert held({**good, cell: {**good[cell], **otherwise}}) is False


UNCHECKED, TEN, GONE_10, ASKED_10, ASKED_0 = (
    Cell("psycopg", check_interval=interval, gone=gone)
    for interval, gone in (
        (0, "killed"),
        (10, "killed"),
        (10, "vanished"),
        (10, "vanished with keepalives"),
        (0, "vanished with keepalives"),
    )
)
LOST = {
    UNCHECKED: {"cpu_ms": 1.0, "found_ms": math.inf},
    TEN: {"cpu_ms": 1.0, "found_ms": 6.0},
    GONE_10: {"cpu_ms": 1.0, "found_ms": math.inf},
    ASKED_10: {"cpu_ms": 1.0, "found_ms": 3008.0},
    ASKED_0: {"cpu_ms": 1.0, "found_ms": math.inf},
}


@pytest.mark.parametrize(
    ("check", "cell", "found_ms"),
    [
        ("found by interval", TEN, 200.0),
        ("found by interval", TEN, math.inf),
        ("found by interval", ASKED_10, math.inf),
        ("found by interval", ASKED_10, 12.0),  # no keepalive decided that
        ("found by interval", ASKED_10, 4000.0),
        ("never found", UNCHECKED, 6.0),
        ("never found", GONE_10, 3008.0),
        ("never found", ASKED_0, 3008.0),
    ],
)
def test_lost_clients(check: str, cell: Cell, found_ms: float) -> None:
    def held(cells: dict[Cell, dict[str, float]]) -> bool | None:
        run = made_run(cells, [Expected("so it is", check)], base={})
        (finding,) = checked_expectations(analysed(run))
        assert finding.words
        return finding.held

    assert held(LOST) is True
    assert held({**LOST, cell: {"cpu_ms": 1.0, "found_ms": found_ms}}) is False
    text = run_text(analysed(made_run(LOST, base={})))
    assert "3008.0 (3008.0)" in text
    assert "client found after ms (max)" in text


NEAR, FAR = Cell(), Cell(path="far")


@pytest.mark.parametrize(
    ("trip_ms", "held"), [(6.2, True), (6.9, True), (5.2, False), (12.2, False)]
)
def test_path_delay(trip_ms: float, held: bool) -> None:
    """The path is set to add 6 ms to a round trip, which takes 0.2 ms without it."""
    cells = {
        NEAR: {"cpu_ms": 1.0, "trips": 100.0, "trip_ms": 0.2},
        FAR: {"cpu_ms": 1.0, "trips": 100.0, "trip_ms": trip_ms},
    }
    run = made_run(cells, [Expected("as far as it is", "path delay")], base={"path": "direct"})
    (checked,) = checked_expectations(analysed(run))
    assert checked.held is held
    added = f"{1e3 * (trip_ms - 0.2):,.0f}"
    assert checked.words == f"far {added} [{added}, {added}] of 6,000 us"
    assert f"the path adds {added} [{added}, {added}] us to a round trip" in run_text(analysed(run))


WAITING = Cell(break_mode="in-band", skip=1, busy="waiting")
CANCELS = {
    OUT: {"cpu_ms": 30.0, "cancel_ms": 5.0},
    THREE: {"cpu_ms": 30.0, "cancel_ms": 5.0},
    THOUSAND: {"cpu_ms": 30.0, "cancel_ms": 9.0},
    WAITING: {"cpu_ms": 30.0, "cancel_ms": 2000.0},
}


@pytest.mark.parametrize(
    ("check", "cell", "cancel_ms"),
    [
        ("cancel at once", OUT, 200.0),
        ("cancel at once", OUT, math.inf),
        ("cancel by skip", THOUSAND, 3.0),
        ("cancel in waits", WAITING, 20.0),
        ("cancel in waits", WAITING, 4000.0),
    ],
)
def test_cancels(check: str, cell: Cell, cancel_ms: float) -> None:
    expected = [Expected("so it is", check)]
    otherwise = {**CANCELS, cell: {"cpu_ms": 30.0, "cancel_ms": cancel_ms}}
    held = [
        checked_expectations(analysed(made_run(each, expected)))[0].held
        for each in (CANCELS, otherwise)
    ]
    assert held == [True, False]


def test_expectations_that_this_run_cannot_check() -> None:
    expected = [Expected("prose"), Expected("no effect", "in-band slower")]
    cells = {OUT: {"cpu_ms": 30.0}, THREE: {"cpu_ms": 30.0}}
    found = checked_expectations(analysed(made_run(cells, expected)))
    assert [each.held for each in found] == [None, None]
