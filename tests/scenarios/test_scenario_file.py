# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenario files: what is read, what is refused, and in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from polltrace.errors import FileError, UsageError
from polltrace.scenarios.analyse import expectations
from polltrace.scenarios.plan.cell import Cell, varied
from polltrace.scenarios.plan.scenario import CHECKS
from polltrace.scenarios.plan.scenario_file import built_in, find, load

GOOD = """
title = "t"
statement = "select count(*) from dual where rownum <= :n"
seconds = 0.1
record = ["elapsed", "polls"]
[matrix]
client = ["python-oracledb", "node-oracledb"]
break_mode = ["out-of-band", "in-band"]
skip = [3, 10]
[base]
break_mode = "out-of-band"
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return path


def test_the_built_in_ones() -> None:
    found = built_in()
    assert set(found) == {
        "array-size",
        "break-poll",
        "cancel-latency",
        "client-check",
        "client-check-reads",
        "database-link",
        "database-link-polling",
        "dropped-urgent",
        "latency-layers",
        "lost-client",
        "network-latency",
        "result-cache",
        "result-cache-latch",
        "tls",
    }
    for name in found:
        scenario = find(name)
        cells = scenario.cells()
        assert scenario.expected
        assert all(each.check in CHECKS for each in scenario.expected)
        assert cells[-1].twin
        assert len(set(cells)) == len(cells)
        # Most of it is compared with something.
        assert sum(scenario.base_of(cell, cells) is None for cell in cells) < len(cells) / 2


def test_cancels_in_lock_waits_are_measured_at_skips_that_a_run_can_wait_for() -> None:
    cells = [cell for cell in find("cancel-latency").cells() if cell.busy == "waiting"]
    assert {cell.skip for cell in cells} == {None, 1, 3, 10}
    assert Cell(busy="waiting", break_mode="in-band", skip=11).feasible() is None


def test_the_matrix_multiplied_out(tmp_path: Path) -> None:
    scenario = load(written(tmp_path, GOOD))
    cells = scenario.cells()
    python, node = "python-oracledb", "node-oracledb"
    # node-oracledb has no out-of-band break; out-of-band has no skip.
    assert cells == [
        Cell(python, "out-of-band"),
        Cell(python, "in-band", 3),
        Cell(python, "in-band", 10),
        Cell(node, "in-band", 3),
        Cell(node, "in-band", 10),
        Cell(python, "out-of-band", twin=True),
    ]
    assert varied(cells) == ["client", "break_mode", "skip"]
    assert scenario.base_of(cells[2], cells) == cells[0]
    assert scenario.base_of(cells[0], cells) is None
    assert scenario.base_of(cells[3], cells) is None
    assert scenario.base_of(cells[-1], cells) == cells[0]
    assert scenario.cells({"skip": ["3"], "client": [python]}) == [
        *cells[:2],
        Cell(python, "out-of-band", twin=True),
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "t"', "", "title: is missing"),
        ('title = "t"', "title = 3", "title: is not a string"),
        ('title = "t"', 'titel = "t"', "titel: no such key"),
        ("seconds = 0.1", 'seconds = "x"', "seconds: is not a number of seconds"),
        ("seconds = 0.1", "seconds = -1", "seconds: is not a number of seconds"),
        ("seconds = 0.1", "", "binds: the statement and the binds do not agree about n"),
        ('"polls"]', '"pols"]', "record: 'pols' is none of"),
        ('"polls"]', '"lost client"]', "record: 'lost client' needs matrix.check_interval"),
        ("skip = [3, 10]", "skip = [0]", "matrix.skip: a skip is 1 or more"),
        ("skip = [3, 10]", "skip = 3", "matrix.skip: is not an array"),
        ("skip = [3, 10]", "skip = [true]", "matrix.skip: True is not a whole number"),
        ("skip = [3, 10]", "skips = [3]", "matrix.skips: no such key"),
        ('"node-oracledb"]', '"sqlplus"]', "matrix.client: 'sqlplus' is none of"),
        ("[base]", 'path = ["far"]\n[base]', "matrix.path: 'far' is none of direct"),
        ("[base]", "[repeats]\nblocks = 0\n[base]", "repeats.blocks: is none"),
        ("[base]", "[repeats]\nblock = 1\n[base]", "repeats.block: no such key"),
        ("[base]", '[paths.x]\nurgent = "eat"\n[base]', "paths.x.urgent: 'eat' is none of"),
        ("[base]", "[paths.x]\ndelay = 1\n[base]", "paths.x.delay: no such key"),
        ("[matrix]", "expected = [3]\n[matrix]", "expected: is neither a string nor a table"),
        (
            "[matrix]",
            'expected = [{ text = "t", check = "c" }]\n[matrix]',
            "expected.check: is none of in-band slower",
        ),
        ('statement = "select', 'statement = "gone.sql" #', "statement: there is no gone.sql"),
    ],
)
def test_an_error_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new))
    with pytest.raises(FileError) as raised:
        load(path)
    assert str(raised.value).startswith(f"{path}: {message}")
    assert "\n" not in str(raised.value)


def test_no_toml(tmp_path: Path) -> None:
    path = written(tmp_path, "title = =\n")
    with pytest.raises(FileError, match=r"mine\.toml: .*line 1"):
        load(path)


def test_no_such_scenario() -> None:
    with pytest.raises(UsageError, match="no scenario is called 'nonesuch'; there are array-size"):
        find("nonesuch")
    with pytest.raises(FileError, match=r"cannot read nonesuch\.toml: No such file"):
        find("./nonesuch.toml")


def test_every_check_that_a_file_may_name_has_a_function() -> None:
    assert set(CHECKS) == set(expectations.CHECKS)
