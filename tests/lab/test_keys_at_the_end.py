# SPDX-License-Identifier: GPL-2.0-or-later
"""Unique keys are checked when a statement has ended, and not row by row."""

from __future__ import annotations

import random
from collections.abc import Iterator

import oracledb
import pytest

from .conftest import Lab, Session

TABLE = "create table k (id number primary key, code number unique, pos number, note varchar2(10))"
Row = tuple[int | None, ...]


@pytest.fixture(name="keys")
def _keys(one_lab: Lab) -> Iterator[Session]:
    session = one_lab.connect()
    session.cursor.execute(TABLE)
    session.cursor.execute("create unique index k_pos on k (pos)")
    session.cursor.executemany(
        "insert into k values (:1, :2, :3, 'x')", [(n, 10 * n, 100 + n) for n in range(1, 8)]
    )
    session.connection.commit()
    yield session
    session.connection.rollback()
    session.cursor.execute("drop table k")


def test_keys_move_by_one(keys: Session) -> None:
    keys.cursor.execute("update k set id = id + 1, code = code - 10, pos = pos + 1")
    assert keys.cursor.rowcount == 7
    assert keys.rows("select id, code, pos from k order by id") == [
        (n + 1, 10 * (n - 1), 101 + n) for n in range(1, 8)
    ]
    assert keys.rows("select id from k where id = 8") == [(8,)]


def test_two_rows_exchange_their_keys(keys: Session) -> None:
    values = keys.cursor.var(int)
    keys.cursor.execute(
        "update k set id = decode(id, 1, 7, 1), code = decode(id, 1, :a, :b) where id in (1, 7)"
        " returning id into :c",
        a=70,
        b=10,
        c=values,
    )
    assert values.getvalue() == [7, 1]
    assert keys.rows("select id, code, pos from k where id in (1, 7) order by id") == [
        (1, 10, 107), (7, 70, 101),
    ]  # fmt: skip


def test_merge_exchanges_keys(keys: Session) -> None:
    keys.cursor.execute(
        "merge into k using (select 1 a, 2 b from dual union all select 2, 1 from dual) s"
        " on (k.id = s.a) when matched then update set pos = 100 + s.b"
    )
    assert keys.rows("select id, pos from k where id < 3 order by id") == [(1, 102), (2, 101)]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ("update k set id = id + 1 where id < 7", "ORA-00001.*SYS_C"),
        ("update k set pos = mod(pos, 3)", r"ORA-00001.*SCOTT\.K_POS"),
        ("update k set id = id + 1, note = rpad('x', 5 + 2 * id)", "ORA-12899"),
    ],
)
def test_a_key_that_stays_violated_undoes_the_statement(
    keys: Session, change: str, error: str
) -> None:
    keys.cursor.execute("update k set note = 'before' where id = 3")
    rows = keys.rows("select * from k order by id")
    with pytest.raises(oracledb.DatabaseError, match=error):
        keys.cursor.execute(change)
    assert keys.rows("select * from k order by id") == rows
    with pytest.raises(oracledb.DatabaseError, match="ORA-00001"):
        keys.cursor.execute("insert into k (id) values (1)")


def changed(rows: list[Row], factor: int, shift: int, modulus: int) -> list[Row] | None:
    """Rows after `id = mod(id * factor + shift, modulus)`; None: two of them have one key."""
    after = [((row[0] * factor + shift) % modulus, *row[1:]) for row in rows if row[0] is not None]
    return sorted(after) if len({row[0] for row in after}) == len(after) else None


def test_random_changes_keep_exactly_the_keys_that_are_unique(keys: Session) -> None:
    chosen = random.Random(45)
    outcomes = set()
    for _ in range(60):
        rows = [tuple(row) for row in keys.rows("select id, code, pos from k order by id")]
        factor, shift, modulus = (chosen.randrange(a, b) for a, b in ((1, 5), (0, 9), (7, 13)))
        expected = changed(rows, factor, shift, modulus)
        statement = f"update k set id = mod(id * {factor} + {shift}, {modulus})"
        if expected is None:
            with pytest.raises(oracledb.DatabaseError, match="ORA-00001"):
                keys.cursor.execute(statement)
        else:
            keys.cursor.execute(statement)
        outcomes.add(expected is None)
        found = [tuple(row) for row in keys.rows("select id, code, pos from k order by id")]
        assert found == (rows if expected is None else expected)
    assert outcomes == {True, False}
