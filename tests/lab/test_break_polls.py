# SPDX-License-Identifier: GPL-2.0-or-later
"""How often a session polls for breaks, against its break mode and its skip."""

from __future__ import annotations

import pytest

from .conftest import FOR_EVER, LOTSLIOS, Lab

# About ten gets for each row asked for: enough for three hundred polls at skip 1000.
ROWS = {3: 2003, 10: 5003, 1000: 30_011}


@pytest.mark.parametrize("skip", [3, 10, 1000])
def test_in_band_polls_once_in_skip_checks(lab: Lab, skip: int) -> None:
    lab.sqlnet_ora(f"# the server's\n  Break_Poll_Skip = {skip}  # calls\n")
    session = lab.connect(disable_oob=True)

    before = session.statistics()
    spent = session.spent(LOTSLIOS, n=ROWS[skip])
    after = session.statistics()

    assert spent["consistent gets"] / spent["lab break polls"] == pytest.approx(skip, rel=0.01)
    assert after["lab break polls"] == after["lab break checks"] // skip
    assert before["lab break polls"] == before["lab break checks"] // skip


def test_three_is_the_default_skip(lab: Lab) -> None:
    spent = lab.connect(disable_oob=True).spent(LOTSLIOS, n=1009)
    assert spent["lab break checks"] // spent["lab break polls"] == 3


def test_out_of_band_never_polls(lab: Lab) -> None:
    spent = lab.connect().spent(LOTSLIOS, n=5003)
    assert spent["consistent gets"] > 50_000
    assert spent["lab break polls"] == 0
    assert spent["lab break checks"] == 0


@pytest.mark.parametrize("value", ["on", "TRUE", "yes"])
def test_disable_oob_on_the_server_makes_it_in_band(lab: Lab, value: str) -> None:
    lab.sqlnet_ora(f"DISABLE_OOB={value}\n")
    assert lab.connect().spent(LOTSLIOS, n=1009)["lab break polls"] > 0


def test_sqlnet_ora_is_read_when_a_server_starts(lab: Lab) -> None:
    lab.sqlnet_ora("break_poll_skip=5")
    first = lab.connect(disable_oob=True)
    lab.sqlnet_ora("break_poll_skip=7")
    second = lab.connect(disable_oob=True)
    for session, skip in ((first, 5), (second, 7)):
        session.spent(LOTSLIOS, n=1009)
        after = session.statistics()
        assert after["lab break polls"] == after["lab break checks"] // skip


def test_reading_counters_costs_no_gets_and_no_polls(lab: Lab) -> None:
    lab.sqlnet_ora("break_poll_skip=1")
    spent = lab.connect(disable_oob=True).spent("select count(*) from v$sesstat, v$mystat, dual")
    assert spent["consistent gets"] == 0
    assert spent["lab break checks"] == 0


def test_the_same_statement_makes_the_same_gets(lab: Lab) -> None:
    session = lab.connect()
    session.spent(LOTSLIOS, n=997)
    gets = {session.spent(LOTSLIOS, n=997)["consistent gets"] for _ in range(3)}
    assert len(gets) == 1


def test_gets_grow_evenly_with_the_rows_asked_for(lab: Lab) -> None:
    session = lab.connect()
    per_row = [session.spent(LOTSLIOS, n=n)["consistent gets"] / n for n in (1000, 3000, 9000)]
    assert max(per_row) < 1.1 * min(per_row)


def test_a_server_burns_until_it_is_stopped(lab: Lab) -> None:
    session = lab.connect()
    statement = lab.running(session, LOTSLIOS, n=FOR_EVER)
    session.connection.cancel()
    assert statement.join()
