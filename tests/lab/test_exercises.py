# SPDX-License-Identifier: GPL-2.0-or-later
"""All that a driver asks, by the program of each driver: lengths around every packet boundary,
arrays of binds, values of each type, and what must be refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polltrace.scenarios.clients import program
from tests.conftest import missing

from .conftest import SOAK, Lab
from .exercises import (
    SECTIONS,
    Exercise,
    around,
    go_exercise,
    in_pieces,
    java_exercise,
    node_exercise,
    python_exercise,
)

DRIVERS = ("python-oracledb", "node-oracledb", "go-ora", "ojdbc11")
HEADERS = 10  # of a DATA packet


@pytest.fixture(scope="module", params=DRIVERS)
def exercise(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exercise:
    name = str(request.param)
    if reason := program(name).missing():
        missing(reason)
    if name == "python-oracledb":
        return python_exercise()
    if name == "node-oracledb":
        return node_exercise()
    directory = tmp_path_factory.mktemp(name)
    return go_exercise(directory) if name == "go-ora" else java_exercise(directory)


def wrong(outcome: dict[str, str]) -> dict[str, str]:
    return {check: what for check, what in outcome.items() if what}


def test_everything_but_lengths(lab: Lab, exercise: Exercise) -> None:
    outcome = exercise.run(lab.port, SECTIONS[1:])
    assert wrong(outcome) == {}
    assert len(outcome) > 25


def lengths_at(sdu: int) -> str:
    """Where the bytes around a statement, before and behind it, make it cross a packet's end."""
    if SOAK and sdu <= 8192:
        return f"0-{2 * sdu + 50}"
    behind = 40 if SOAK else 12
    packets = (1, 2) if sdu <= 65535 else (1,)
    ends = [n * (sdu - HEADERS) - 75 for n in packets]
    return around(*ends, by=75 + behind) if SOAK else around(*ends, by=45 + behind)


@pytest.mark.parametrize("sdu", [512, 8192, *((32767, 65535, 2097152) if SOAK else ())])
def test_lengths(lab: Lab, exercise: Exercise, sdu: int) -> None:
    lab.sqlnet_ora(f"DEFAULT_SDU_SIZE = {sdu}\n")
    assert wrong(exercise.run(lab.port, ("lengths",), lengths_at(sdu), sdu)) == {}


@pytest.mark.parametrize("pieces", [1, 1 << 20], ids=["byte by byte", "merged"])
def test_delivery(start_lab: Callable[..., Lab], exercise: Exercise, pieces: int) -> None:
    lab = start_lab()
    lab.sqlnet_ora("DEFAULT_SDU_SIZE = 512\n")
    sections = ("lengths", "types", "session")
    lengths = "0-1074" if SOAK else "0-3,440-460"
    with in_pieces(lab.port, pieces) as port:
        outcome = exercise.run(port, sections, lengths, 512)
    assert wrong(outcome) == {}
