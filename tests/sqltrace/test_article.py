# SPDX-License-Identifier: GPL-2.0-or-later
"""Twenty real files of Oracle 19.3 against the output of a known-good profiler.

The files are Jared Still's (MIT licence, real/LICENSE); they were packed anew with zstandard.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.conftest import Run
from tests.sqltrace.traces import REAL

ONE = str(REAL / "orcl_ora_30561_RC-20230830160541-20230703160541.trc.zst")

BY_NAME = """\
SQL*Net message from client                  47.964188   71.3%   59,741  0.000803  0.000174  0.045564
log file sync                                16.691914   24.8%      460  0.036287  0.005590  0.265968
EXEC                                          1.809924    2.7%   60,081  0.000030  0.000000  0.035868
FETCH                                         0.380603    0.6%   60,041  0.000006  0.000000  0.000844
enq: CN - race with txn                       0.060869    0.1%       16  0.003804  0.000678  0.007635
buffer busy waits                             0.059058    0.1%       58  0.001018  0.000001  0.010705
latch free                                    0.051608    0.1%       96  0.000538  0.000001  0.001328
latch: Change Notification Hash table latch   0.051364    0.1%       17  0.003021  0.000559  0.006974
SQL*Net message to client                     0.050983    0.1%   60,141  0.000001  0.000000  0.002998
enq: RC - Result Cache: Contention            0.047657    0.1%      398  0.000120  0.000002  0.002926
17 others                                     0.086466    0.1%      644  0.000134  0.000000  0.011544
TOTAL (27)                                   67.254634  100.0%  241,693  0.000278  0.000000  0.265968
"""  # noqa: E501
BY_LINE = """\
30561:58081      60.002586    0.3%      1  60.002586  60.002586  60.002586
30574:57602      60.002578    0.3%      1  60.002578  60.002578  60.002578
30572:57550      60.002518    0.3%      1  60.002518  60.002518  60.002518
30559:58275      60.002420    0.3%      1  60.002420  60.002420  60.002420
30572:58278      60.002338    0.3%      1  60.002338  60.002338  60.002338
30559:57791      60.002131    0.3%      1  60.002131  60.002131  60.002131
30566:53907      60.002048    0.3%      1  60.002048  60.002048  60.002048
30566:54640      60.002029    0.3%      1  60.002029  60.002029  60.002029
30537:55696      60.002002    0.3%      1  60.002002  60.002002  60.002002
30563:55373      60.001989    0.3%      1  60.001989  60.001989  60.001989
370 others                                                 22,200.553583   97.4%    370  60.001496  60.001281  60.001951
TOTAL (380)                                                22,800.576222  100.0%    380  60.001516  60.001281  60.002586
"""  # noqa: E501
OF_ONE = """\
53959 60.001474
54208 60.001473
54450 60.001613
54692 60.001452
54934 60.001459
55176 60.001465
55418 60.001504
55660 60.001584
55902 60.001390
56144 60.001480
56386 60.001525
56628 60.001404
56870 60.001481
57112 60.001385
57354 60.001557
57596 60.001628
57838 60.001434
58081 60.002586
58323 60.001456
"""


def cells(line: str, count: int = 7) -> list[str]:
    """The first cells of a line of a table; two blanks are between them."""
    return re.split(r"\s{2,}", line.strip())[:count]


def table(text: str) -> list[list[str]]:
    """The rows of a printed table, without its title and rules."""
    return [cells(line) for line in text.splitlines()[1:] if not line.startswith("---")]


def test_the_profile_by_name(run: Run) -> None:
    printed = run("trace", str(REAL), "--where", "$dur < 1")
    assert table(printed.stdout) == [cells(line) for line in BY_NAME.splitlines()]
    assert "20 lines were not understood: kponops 20" in printed.stderr


def test_waits_of_a_minute_by_file_and_line(run: Run) -> None:
    group = ("--group", "qq{$basename:$line}", "--group-label", "FILE:LINE")
    printed = run("trace", str(REAL), "--where=$af >= 1 and $dur < 65", *group).stdout
    found = table(printed)
    for row in found[:10]:
        row[0] = re.sub(r"orcl_ora_(\d+)_.*:", r"\1:", row[0])
    assert found == [cells(line) for line in BY_LINE.splitlines()]
    assert printed.startswith("FILE:LINE")


def test_waits_of_a_minute_of_one_file_in_the_order_of_lines(run: Run) -> None:
    printed = run(
        *("trace", "--top=0", "--sort=1a", "--where=$af >= 1 and $dur < 65"),
        *("--group=qq{$basename:$line}", ONE),
    ).stdout
    found = [[row[0].rpartition(":")[2], row[1]] for row in table(printed)[:-1]]
    assert found == [line.split() for line in OF_ONE.splitlines()]
    assert table(printed)[-1] == [
        "TOTAL (19)", "1,140.029350", "100.0%", "19", "60.001545", "60.001385", "60.002586"
    ]  # fmt: skip


def test_a_dump_of_lines(run: Run) -> None:
    printed = run(
        *("trace", "--sort=1a", "--top=0", "--alldepths", "--name=:all"),
        *("--where=$line >= 55660 and $line <= 55660+230", "--group=qq{$line:$text}", ONE),
    ).stdout
    rows = [line for line in printed.splitlines() if line[:5].isdecimal()]
    assert len(rows) == 231
    timed = {row.split(":")[0]: cells(row)[-6:] for row in rows if cells(row)[-1][-7:-6] == "."}
    first = ["60.001584", "99.9%", "1", "60.001584", "60.001584", "60.001584"]
    assert {line: row[:1] for line, row in timed.items()}.keys() == {"55660", "55881", "55882"}
    assert cells(rows[0], 9)[1:7] == first
    assert rows[7].rstrip() == '55667:  value="Block Size"'
    assert cells(printed.splitlines()[-1]) == [
        "TOTAL (231)", "60.042722", "100.0%", "3", "20.014241", "0.000964", "60.001584"
    ]  # fmt: skip


def test_numbers_as_groups_are_right_aligned(run: Run) -> None:
    printed = run(
        "trace", str(REAL), "--name=:dbcall", "--group=$r", "--group-label=rows", "--alldepths"
    ).stdout
    title, rule, *rows = printed.splitlines()
    assert title.index("rows") + len("rows") == rule.index(" ")
    assert {len(row.split()[0]) + row.index(row.split()[0]) for row in rows[:2]} == {
        rule.index(" ")
    }


def data(run: Run, *words: str) -> Any:
    return json.loads(run("trace", "--json", *words).stdout)


def test_the_json_profile_equals_the_table(run: Run) -> None:
    found = data(run, str(REAL), "--where", "$dur < 1")
    assert len(found["rows"]) == 27
    assert found["total"]["duration_s"] == pytest.approx(67.254634, abs=1e-9)
    assert found["total"]["calls"] == 241_693
    assert found["rows"][0]["name"] == "SQL*Net message from client"
    assert found["rows"][0]["p50_s"] == 0.000583
    assert found["not_understood"] == {"kponops": 20}


def test_a_histogram_by_powers_of_ten(run: Run) -> None:
    found = data(run, str(REAL), "--name", "message from client", "--histogram")
    assert [each["calls"] for each in found["rows"]] == [
        0, 0, 0, 45_715, 13_919, 107, 0, 0, 380, 20, 0
    ]  # fmt: skip
    finer = data(run, str(REAL), "--name", "message from client", "--log-linear")
    assert finer["total"] == found["total"]
    assert all(
        each["low_s"] <= each["min_s"] <= each["max_s"] < each["high_s"] for each in finer["rows"]
    )


def test_the_profile_adds_up_to_the_elapsed_time(run: Run) -> None:
    found = data(run, str(REAL))
    parts = [found["total"], found["orphans"]]
    assert sum(each["duration_s"] for each in parts) + found["unaccounted_for_s"] == pytest.approx(
        found["elapsed_s"], abs=1e-6
    )
    assert found["orphans"]["calls"] == 906
