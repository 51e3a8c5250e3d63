# SPDX-License-Identifier: GPL-2.0-or-later
"""The scenarios with a database link, on two labs."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from polltrace.errors import FileError
from polltrace.scenarios.analyse.counted import MORE_DATA, CountedTotals
from polltrace.scenarios.analyse.expectations import checked_expectations
from polltrace.scenarios.analyse.expectations.links import (
    BYTES_FROM_DBLINK,
    FROM_DBLINK,
    MORE_FROM_DBLINK,
    TO_CLIENT,
    TO_DBLINK,
    expected_more_data,
    link_forecasts,
)
from polltrace.scenarios.analyse.result import RunResult
from polltrace.scenarios.analyse.run import analysed
from polltrace.scenarios.analyse.run_file import read_run
from polltrace.scenarios.plan.cell import BULK_COLLECT, FOR_LOOP, Cell
from polltrace.scenarios.plan.linked_rows import ROWS, row_bytes
from polltrace.scenarios.plan.plsql_fetch import as_fetched
from polltrace.scenarios.plan.scenario_file import built_in, find, load
from polltrace.scenarios.report.run.text import run_text
from tests.conftest import POLLTRACE

ALL_FETCHERS = '["client", "cursor for loop", "bulk collect"]'
EXACT = ["link messages", "link packets", "link published", "remote polls"]


def run_changed(folder: Path, name: str, *changes: tuple[str, str]) -> tuple[int, RunResult]:
    """The exit code of a packaged scenario with these changes of its text, and its result."""
    text = built_in()[name].read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "s.toml").write_text(text)
    words = [POLLTRACE, "run", str(folder / "s.toml"), "-o", str(folder / "s.run")]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode in {0, 1}, ended.stderr
    return ended.returncode, analysed(read_run(folder / "s.run"))


@pytest.fixture(scope="module")
def result(built_lab: None, tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    code, result = run_changed(
        tmp_path_factory.mktemp("link"),
        "database-link",
        ("[20, 1000, 2000]", "[1000, 2000]"),
        (ALL_FETCHERS, '["client"]'),
        ("[8192, 16384, 32767]", "[8192, 32767]"),
        ("[8192, 16384]", "[8192]"),
        ("blocks = 6", "blocks = 1"),
    )
    assert code == 0
    return result


def answers(result: RunResult) -> Mapping[str, bool | None]:
    names = [each.check for each in result.scenario.expected]
    return dict(zip(names, [each.held for each in checked_expectations(result)], strict=True))


def test_the_laws_hold_exactly(result: RunResult) -> None:
    assert {name: answers(result)[name] for name in EXACT} == dict.fromkeys(EXACT, True)
    assert result.counts_agree
    assert all(each.required == (each.check in EXACT) for each in result.scenario.expected)


def waits_more(counted: CountedTotals, event: str, by: int = 1) -> CountedTotals:
    waits, us = counted.events.get(event, (0.0, 0.0))
    return replace(counted, events={**counted.events, event: (waits + by, us)})


def test_a_packet_more_is_seen(result: RunResult) -> None:
    """Each law fails by one message, one packet or one poll in fifty, in one cell."""

    def polls_more(counted: CountedTotals) -> CountedTotals:
        assert counted.remote is not None
        assert counted.remote.polls is not None
        return replace(counted, remote=replace(counted.remote, polls=counted.remote.polls + 2))

    for change, broken in (
        (lambda counted: waits_more(counted, TO_DBLINK), {"link messages"}),
        (lambda counted: waits_more(counted, FROM_DBLINK), {"link messages"}),
        (lambda counted: waits_more(counted, MORE_FROM_DBLINK), {"link packets", "link published"}),
        (
            lambda counted: waits_more(counted, MORE_DATA),
            {"link packets", "link published"},
        ),
        (polls_more, {"remote polls"}),
    ):
        first, *rest = result.cells
        assert first.counted is not None
        assert first.cell.link_sdu == first.cell.sdu == 8192
        [published] = [
            each
            for each in result.cells
            if each.cell.fetch_size == 2000 and each.cell.link_path == "relayed"
            if (each.cell.sdu, each.cell.link_sdu) == (8192, 8192)
            if not each.cell.twin
        ]
        assert published.counted is not None
        changed = replace(published, counted=change(published.counted))
        cells = [changed if each is published else each for each in (first, *rest)]
        held = answers(replace(result, cells=cells))
        assert {name for name in EXACT if held[name] is False} == broken


def test_a_longer_path_takes_as_much_longer_as_it_should(result: RunResult) -> None:
    """By how much it may differ the host's load decides; that it is forecast at all is checked."""
    forecasts = {each.label: seconds for each, seconds in link_forecasts(result)}
    far = [each for each in result.cells if each.cell.link_path == "far" and not each.cell.twin]
    assert set(forecasts) == {each.label for each in far}
    for each in far:
        assert each.counted is not None
        trips, size = (
            each.counted.statistics["SQL*Net roundtrips to/from dblink"],
            each.counted.statistics[BYTES_FROM_DBLINK],
        )
        assert forecasts[each.label][1] == pytest.approx(trips * 4e-3 + size * 8 / 20e6, rel=1e-6)
        assert each.over_base_s is not None
        assert each.over_base_s.value > 0.9 * forecasts[each.label][0]


def test_the_report_shows_both_servers(result: RunResult) -> None:
    text = run_text(result)
    assert "link: an execution" in text
    assert "Path far (link): 4 ms a round trip, 20 Mbit/s" in text
    counted = result.cells[0].counted
    assert counted is not None
    assert counted.remote is not None
    assert counted.remote.polls == counted.remote.polls_server
    assert counted.remote.gets > 100
    assert counted.gets == 0
    assert counted.waits(TO_CLIENT) > 0


def test_what_plsql_fetches(built_lab: None, tmp_path: Path) -> None:
    """Nothing of it goes to the client; the published counts, of 100 rows and of 1,000 a fetch."""
    code, result = run_changed(
        tmp_path,
        "database-link",
        ("[20, 1000, 2000]", "[1000]"),
        (ALL_FETCHERS, '["cursor for loop", "bulk collect"]'),
        ("link_sdu = [8192, 16384]", "link_sdu = [16384]"),
        ('["relayed", "far"]', '["relayed"]'),
        ("blocks = 6", "blocks = 1"),
    )
    assert code == 0
    assert {name: answers(result)[name] for name in EXACT} == dict.fromkeys(EXACT, True)
    loop, bulk, _ = result.cells
    assert loop.label.startswith("100 rows/fetch by cursor for loop")
    for each, more in ((loop, 0), (bulk, 40)):
        assert each.counted is not None
        assert each.counted.waits(MORE_FROM_DBLINK) == more
        for event, by, broken in (
            (MORE_FROM_DBLINK, 1, {"link packets", "link published"}),
            (MORE_DATA, 1, {"link packets", "link published"}),
            (TO_DBLINK, 9, {"link messages", "link published"}),
        ):
            changed = replace(each, counted=waits_more(each.counted, event, by))
            cells = [changed if other is each else other for other in result.cells]
            held = answers(replace(result, cells=cells))
            assert {name for name in EXACT if held[name] is False} == broken


def test_more_data_by_law() -> None:
    rows = sum(map(row_bytes, range(ROWS)))
    assert expected_more_data(ROWS, ROWS, 1 << 30, rows) == 0
    assert expected_more_data(ROWS, 1, 8192, rows + ROWS * 60) == 0
    # A packet of 8 KB holds 8182 bytes of payload.
    assert expected_more_data(100, 100, 8192, 8182) == 0
    assert expected_more_data(100, 100, 8192, 8183) == 1
    # An answer without rows.
    assert expected_more_data(0, 100, 8192, 200) == 0
    assert expected_more_data(0, 100, 8192, 8183) == 1


def test_a_run_that_breaks_a_law_fails(built_lab: None, tmp_path: Path) -> None:
    """Half of the rows are not what was published."""
    code, result = run_changed(
        tmp_path,
        "database-link",
        ("rows = 20000", "rows = 10000"),
        ("[20, 1000, 2000]", "[2000]"),
        (ALL_FETCHERS, '["client"]'),
        ('["relayed", "far"]', '["relayed"]'),
        ("[8192, 16384, 32767]", "[8192]"),
        ("blocks = 6", "blocks = 1"),
    )
    assert code == 1
    assert answers(result)["link published"] is False
    assert answers(result)["link packets"] is True


def test_the_remote_server_polls_by_its_own_skip(built_lab: None, tmp_path: Path) -> None:
    code, result = run_changed(
        tmp_path,
        "database-link-polling",
        ("[1, 3, 10, 1000]", "[1, 7]"),
        ("link_skip = 1000", "link_skip = 7"),
        ("blocks = 20", "blocks = 1"),
        ("timed = 24", "timed = 1"),
    )
    assert code == 0
    assert answers(result) == {"remote polls": True, "views equal": True}
    for each in result.cells:
        assert each.counted is not None
        assert each.counted.remote is not None
        assert each.counted.remote.gets_per_poll == pytest.approx(each.cell.link_skip, rel=0.01)
        # The local server waits; it checks its own client once a packet.
        assert each.counted.polls is not None
        assert each.counted.polls <= 2
        assert each.remote_cpu_s is not None


def test_what_a_file_may_ask_of_a_link(tmp_path: Path) -> None:
    assert find("database-link").linked
    assert not find("break-poll").linked
    file = tmp_path / "s.toml"
    head = 'title = "t"\nstatement = "select 1 from dual"\n[matrix]\n'
    for text, error in (
        ("link_sdu = [8192]\n", "matrix: has no link_path"),
        ('link_path = ["near"]\n', r"matrix\.link_path: 'near' is none of direct"),
        (
            'fetched_by = ["cursor"]\n',
            r"matrix\.fetched_by: 'cursor' is none of client, ",
        ),
        ('link_path = ["direct"]\nlink_skip = ["x"]\n', r"matrix\.link_skip: 'x' is not a whole"),
        ('link_path = ["direct"]\n[paths.p]\nmbit_s = -1\n', r"paths\.p\.mbit_s: is not a number"),
    ):
        file.write_text(head + text)
        with pytest.raises(FileError, match=error):
            load(file)


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("delete from t where a = :n", "only the rows of a query"),
        ("select :n from dual where 1 = :n", "each bind once"),
    ],
)
def test_what_plsql_cannot_fetch(tmp_path: Path, statement: str, error: str) -> None:
    file = tmp_path / "s.toml"
    matrix = '[matrix]\nfetched_by = ["client", "cursor for loop"]\n'
    file.write_text(f'title = "t"\nstatement = "{statement}"\nbinds = {{ n = 1 }}\n{matrix}')
    with pytest.raises(FileError, match=rf"matrix\.fetched_by: .*{error}"):
        load(file)
    file.write_text(file.read_text().replace(', "cursor for loop"', ""))
    assert load(file).matrix["fetched_by"] == ["client"]


def test_cells_that_plsql_fetches() -> None:
    """A loop's rows are 100 a fetch, whatever the client's; a LIMIT must be given."""
    loop, bulk = (Cell(fetched_by=by, fetch_size=7, sdu=8192) for by in (FOR_LOOP, BULK_COLLECT))
    assert loop.feasible() == Cell(fetched_by=FOR_LOOP, fetch_size=100)
    assert bulk.feasible() == Cell(fetched_by=BULK_COLLECT, fetch_size=7)
    assert replace(bulk, fetch_size=0).feasible() is None
    assert replace(loop, client="psycopg").feasible() is None
    query = "select 1 from dual -- the end"
    assert as_fetched(query, Cell()) == query
    assert f"{query}\n" in as_fetched(query, loop)
    assert f"{query}\n" in as_fetched(query, bulk)
    assert "limit 7;" in as_fetched(query, bulk)
