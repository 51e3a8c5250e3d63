# SPDX-License-Identifier: GPL-2.0-or-later
"""How rows travel over a link: one fetch for each of the client's, packet by packet.

The counts are those that Jonathan Lewis published (polltrace/scenarios/plan/linked_rows.py).
"""

from __future__ import annotations

import math

import pytest

from polltrace.scenarios.analyse.expectations.links import (
    DEFAULT_SDU,
    NOISE,
    OPENING,
    PUBLISHED,
    Published,
)
from polltrace.scenarios.plan.cell import CLIENT, Cell
from polltrace.scenarios.plan.linked_rows import CREATE, FILL, ROWS
from polltrace.scenarios.plan.plsql_fetch import as_fetched
from tests.waiting import until

from .conftest import FROM_CLIENT, settle
from .links import FROM_DBLINK, MORE_FROM_DBLINK, TO_DBLINK, LinkedLabs, waits
from .test_views import MORE_TO_CLIENT, TO_CLIENT

HEADERS = 10


def counted(
    labs: LinkedLabs, sdu: int, array_size: int, query: str, *, opens: bool = False
) -> tuple[dict[str, int], dict[str, int], int]:
    """Waits and statistics of the query in a new session, and how many rows it has.

    `opens`: it is the one that opens the link.
    """
    watcher, session = labs.local.connect(), labs.local.connect(sdu=sdu)
    if not opens:
        session.rows("select * from dual@far")
    session.cursor.arraysize = session.cursor.prefetchrows = array_size
    sid = session.sid
    settle(watcher, sid)
    before = waits(watcher, sid)
    statistics = {n: watcher.statistic_of(sid, n) for n in STATISTICS}
    session.cursor.execute(query)
    rows = len(session.cursor.fetchall()) if session.cursor.description else 0
    settle(watcher, sid)
    after = waits(watcher, sid)
    grew = {event: n - before.get(event, 0) for event, n in after.items()}
    spent = {n: watcher.statistic_of(sid, n) - statistics[n] for n in STATISTICS}
    return grew, spent, rows


BYTES_FROM = "bytes received via SQL*Net from dblink"
BYTES_TO = "bytes sent via SQL*Net to dblink"
ROUNDTRIPS = "SQL*Net roundtrips to/from dblink"
CONNECTING = "single-task message"
STATISTICS = [BYTES_FROM, BYTES_TO, ROUNDTRIPS]


@pytest.mark.parametrize("row", PUBLISHED, ids=str)
def test_the_published_counts(labs: LinkedLabs, row: Published) -> None:
    labs.remote.sqlnet_ora(f"DEFAULT_SDU_SIZE = {row.link_sdu}\n")
    labs.local.sqlnet_ora("DEFAULT_SDU_SIZE = 32767\n")
    remote = labs.remote.connect()
    for statement in (CREATE, FILL):
        remote.cursor.execute(statement)
    remote.connection.commit()
    statement = as_fetched(
        f"select * from objects@far where rownum <= {ROWS}",
        Cell(fetch_size=row.fetch_size, fetched_by=row.fetched_by),
    )
    grew, spent, rows = counted(
        labs, row.sdu or DEFAULT_SDU, row.fetch_size, statement, opens=row.opens
    )
    assert rows == (ROWS if row.fetched_by == CLIENT else 0)
    assert grew.get(MORE_FROM_DBLINK, 0) == row.more_from_dblink
    assert grew.get(MORE_TO_CLIENT, 0) == row.more_to_client
    assert grew[TO_DBLINK] == grew[FROM_DBLINK] == spent[ROUNDTRIPS]
    assert abs(grew[TO_DBLINK] - row.messages) <= NOISE
    assert abs(grew[TO_CLIENT] - row.client_messages) <= NOISE
    assert abs(grew[FROM_CLIENT] - row.client_messages) <= NOISE


def test_messages_that_open_a_link(labs: LinkedLabs) -> None:
    """Protocol, data types, two of the logon, all of which the waits count."""
    query = "select dummy from dual@far"
    opened, _, _ = counted(labs, 8192, 100, query)
    opens, _, _ = counted(labs, 8192, 100, query, opens=True)
    for event in (TO_DBLINK, FROM_DBLINK):
        assert opens[event] - opened[event] == OPENING
    assert opens[CONNECTING] == 1
    assert CONNECTING not in {event for event, waits in opened.items() if waits}


@pytest.mark.parametrize("array_size", [1, 100, 1000])
@pytest.mark.parametrize(("link_sdu", "client_sdu"), [(8192, 8192), (1024, 32767), (32767, 2048)])
def test_more_data_is_packets_less_one_on_either_hop(
    labs: LinkedLabs, array_size: int, link_sdu: int, client_sdu: int
) -> None:
    labs.remote.sqlnet_ora(f"DEFAULT_SDU_SIZE = {link_sdu}\n")
    labs.local.sqlnet_ora("DEFAULT_SDU_SIZE = 32767\n")
    remote = labs.remote.connect()
    remote.cursor.execute("create table t (v varchar2(200))")
    remote.cursor.executemany("insert into t values (:1)", [("y" * 150,)] * 1009)
    remote.connection.commit()
    grew, spent, rows = counted(labs, client_sdu, array_size, "select v from t@far")
    assert rows == 1009
    answers = grew[FROM_DBLINK]
    packets = answers + grew.get(MORE_FROM_DBLINK, 0)
    payload = spent[BYTES_FROM] - packets * HEADERS
    least = math.ceil(payload / (link_sdu - HEADERS))
    assert least <= packets <= least + answers
    assert abs(answers - 1009 / array_size) <= NOISE
    # Full packets, one after the other: what one fetch brings decides, not the other hop.
    per_fetch = math.ceil((min(array_size, 1009) * 154 + 60) / (link_sdu - HEADERS))
    assert abs(packets - answers - (1009 / array_size) * (per_fetch - 1)) <= per_fetch + NOISE


def test_rows_are_passed_on_before_the_fetch_is_complete(labs: LinkedLabs) -> None:
    """The first packets are here while the remote side computes the rest of the same fetch."""
    session = labs.local.connect()
    watcher = labs.local.connect()
    sent = "bytes sent via SQL*Net to client"
    sid = session.sid
    session.cursor.arraysize = session.cursor.prefetchrows = 100_000
    before = watcher.statistic_of(sid, sent)
    # Its second half has no rows, and takes for ever to find that out.
    query = (
        "select rpad(object_name, 1000) v from all_objects@far where rownum <= 600 union all"
        " select a.object_name from all_objects@far a, all_objects@far b, all_objects@far c"
        " where a.object_id + b.object_id + c.object_id < 0"
    )
    statement = labs.local.active(session, query)
    until(lambda: watcher.statistic_of(sid, sent) - before > 10 * 8192, "the first packets")
    assert statement.thread.is_alive()
    session.connection.cancel()
    assert statement.join()
    assert statement.error.startswith("ORA-01013")
    assert session.one("select count(*) from dual@far") == 1
