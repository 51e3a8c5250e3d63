# SPDX-License-Identifier: GPL-2.0-or-later
"""How rows travel over a link: one fetch for each of the client's, packet by packet.

The counts of the parametrized table were published by Jonathan Lewis for 20,000 rows of ALL_OBJECTS
(12.2 to 11.2, July 2019). His rows took about 43 bytes on the wire, because a column that repeats
the value above it is left out; the lab sends every column, so the rows here are as long by
themselves. What PL/SQL fetches, his last two rows, needs loops that the lab's PL/SQL does not have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.waiting import until

from .conftest import FROM_CLIENT, Session, settle
from .links import FROM_DBLINK, MORE_FROM_DBLINK, TO_DBLINK, LinkedLabs, linked_labs, waits
from .test_views import MORE_TO_CLIENT, TO_CLIENT

ROWS = 20_000
HEADERS = 10
NOISE = 4
MIDDLE = (
    4  # the fetch whose rows fill ten packets of 8 KB and a bit, but no more than five of 16 KB
)


@pytest.fixture
def labs(oralab: Path, tmp_path: Path) -> Iterator[LinkedLabs]:
    made = linked_labs(oralab, tmp_path / "local", tmp_path / "remote")
    yield made
    made.local.stop()
    made.remote.stop()


def fill(remote: Session) -> None:
    """Twenty thousand rows of about 43 bytes: 2,000 of them fill what 2,000 of his did."""
    remote.cursor.execute("create table objects (v varchar2(100))")
    for fetch in range(10):
        # Each row costs two bytes more than its text. An answer has about 60 that are no row's.
        long = 41 if fetch > MIDDLE else 38
        extra = 1790 if fetch == MIDDLE else 0
        rows = [("x" * (long + (i < extra)),) for i in range(2000)]
        remote.cursor.executemany("insert into objects values (:1)", rows)
    remote.connection.commit()


def counted(
    labs: LinkedLabs, sdu: int, array_size: int, query: str
) -> tuple[dict[str, int], dict[str, int], int]:
    """Waits and statistics of the query in a new session, and how many rows it has."""
    watcher, session = labs.local.connect(), labs.local.connect(sdu=sdu)
    session.rows("select * from dual@far")
    session.cursor.arraysize = session.cursor.prefetchrows = array_size
    sid = session.sid
    settle(watcher, sid)
    before = waits(watcher, sid)
    statistics = {n: watcher.statistic_of(sid, n) for n in STATISTICS}
    rows = len(session.rows(query))
    settle(watcher, sid)
    after = waits(watcher, sid)
    grew = {event: n - before.get(event, 0) for event, n in after.items()}
    spent = {n: watcher.statistic_of(sid, n) - statistics[n] for n in STATISTICS}
    return grew, spent, rows


BYTES_FROM = "bytes received via SQL*Net from dblink"
BYTES_TO = "bytes sent via SQL*Net to dblink"
ROUNDTRIPS = "SQL*Net roundtrips to/from dblink"
STATISTICS = [BYTES_FROM, BYTES_TO, ROUNDTRIPS]


@dataclass(frozen=True)
class Published:
    """What was counted, of messages and of more data on either hop."""

    array_size: int
    link_sdu: int
    client_sdu: int
    dblink: int
    more_from_dblink: int
    client: int
    more_to_client: int


@pytest.mark.parametrize(
    "row",
    [
        Published(20, 8192, 8192, 1004, 0, 1004, 0),
        Published(2000, 8192, 8192, 13, 96, 14, 96),
        Published(20, 16384, 16384, 1009, 0, 1004, 0),
        Published(2000, 16384, 16384, 13, 45, 14, 45),
        Published(2000, 8192, 32767, 13, 96, 14, 20),
    ],
    ids=str,
)
def test_the_published_counts(labs: LinkedLabs, row: Published) -> None:
    labs.remote.sqlnet_ora(f"DEFAULT_SDU_SIZE = {row.link_sdu}\n")
    labs.local.sqlnet_ora("DEFAULT_SDU_SIZE = 32767\n")
    fill(labs.remote.connect())
    query = f"select * from objects@far where rownum <= {ROWS}"
    grew, spent, rows = counted(labs, row.client_sdu, row.array_size, query)
    assert rows == ROWS
    assert grew.get(MORE_FROM_DBLINK, 0) == row.more_from_dblink
    assert grew.get(MORE_TO_CLIENT, 0) == row.more_to_client
    assert grew[TO_DBLINK] == grew[FROM_DBLINK] == spent[ROUNDTRIPS]
    # One of his five had five messages more that were no fetches.
    assert abs(grew[TO_DBLINK] - row.dblink) <= NOISE + 5 * (row.dblink == 1009)
    assert abs(grew[TO_CLIENT] - row.client) <= NOISE
    assert abs(grew[FROM_CLIENT] - row.client) <= NOISE


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
