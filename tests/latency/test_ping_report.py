# SPDX-License-Identifier: GPL-2.0-or-later
"""What `polltrace ping` prints below its table, for samples that were made up."""

from __future__ import annotations

from polltrace.scenarios.analyse.latency import PathTotals
from polltrace.scenarios.report.latency import PingResult, ping_lines
from polltrace.scenarios.run.latency.layers import ROW, RTT, Sample


def lines(rtt_s: float, row_s: float, db_s: float) -> list[str]:
    found = PathTotals()
    for _ in range(9):
        found.take(Sample(RTT, rtt_s))
        found.take(Sample(ROW, row_s, db_s=db_s))
    result = PingResult("host:1521/SVC", "", 1, 1.0, found.layers(), (), 0, "")
    return list(ping_lines(result))


def test_the_parts_of_a_row_are_shares_of_it() -> None:
    found = lines(0.002, 0.010, 0.005)
    assert found[0] == "A one-row-sql of 10.000 ms is:"
    assert [line.split()[:5] for line in found[1:4]] == [
        ["network", "2.000", "ms", "20", "%"],
        ["server", "5.000", "ms", "50", "%"],
        ["client", "3.000", "ms", "30", "%"],
    ]


def test_medians_that_do_not_fit_into_the_whole_have_no_shares() -> None:
    found = lines(0.000_042, 0.000_034, 0.000_074)
    assert found[0] == (
        "A one-row-sql of 0.034 ms is too short to divide: its parts, each a median, come to more:"
    )
    assert not any("%" in line for line in found)
