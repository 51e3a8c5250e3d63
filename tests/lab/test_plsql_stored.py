# SPDX-License-Identifier: GPL-2.0-or-later
"""Stored procedures, functions and packages, and the packages that Oracle supplies."""

from __future__ import annotations

import oracledb
import pytest

from .blocks import failure, printed
from .conftest import Lab, Session

STORED = [
    "create or replace function twice(n in number) return number is begin return n * 2; end;",
    "create or replace procedure bump(k in number default 1) as\n l number;\nbegin\n"
    " l := k / 0;\nend;",
    "create or replace package pk is c constant number := 7; n number := 0;"
    " procedure add(k number); function total return number; end pk;",
    "create or replace package body pk is s number := 100; procedure add(k number) is begin"
    " n := n + k; s := s + 1; end; function total return number is begin return n + s; end;"
    " begin s := 200; end pk;",
]


@pytest.fixture
def stored(numbers: Session) -> Session:
    for text in STORED:
        numbers.cursor.execute(text)
    return numbers


def test_stored_functions_in_sql_and_in_blocks(stored: Session, lab: Lab) -> None:
    assert stored.rows("select twice(n) from t where twice(n) <= 6 order by 1") == [
        (2,),
        (4,),
        (6,),
    ]
    assert stored.one("select scott.twice(4) from dual") == 8
    assert stored.cursor.callfunc("twice", int, [21]) == 42
    other = lab.connect()
    assert other.cursor.callfunc("twice", int, [1]) == 2
    stored.cursor.execute(
        "create or replace function twice(n number) return number is begin return n * 2 + 1; end;"
    )
    assert other.cursor.callfunc("twice", int, [1]) == 3
    assert other.one("select twice(1) from dual") == 3
    with pytest.raises(oracledb.DatabaseError, match="ORA-00955"):
        other.cursor.execute("create function twice return number is begin return 1; end;")
    other.cursor.execute("drop function twice")
    assert "PLS-00201" in failure(stored, "begin :x := twice(1); end;".replace(":x", "pk.n"))
    with pytest.raises(oracledb.DatabaseError, match="ORA-00904"):
        stored.one("select twice(1) from dual")


def test_the_stack_names_the_unit(stored: Session) -> None:
    assert failure(stored, "begin\n bump;\nend;") == (
        "ORA-01476: divisor is equal to zero\n"
        'ORA-06512: at "SCOTT.BUMP", line 4\nORA-06512: at line 2'
    )


def test_a_package_has_its_state_in_each_session(stored: Session, lab: Lab) -> None:
    block = "begin pk.add(5); pk.add(6); put(pk.n || ' ' || pk.total || ' ' || pk.c); end;"
    assert printed(stored, block) == ["11 213 7"]
    assert printed(stored, "begin put(pk.total); end;") == ["213"]
    assert stored.one("select pk.total from dual") == 213
    assert printed(lab.connect(), "begin put(pk.total); end;") == ["200"]
    assert "PLS-00302" in failure(stored, "begin pk.s := 1; end;")


def test_a_function_in_a_query_cannot_change_data(stored: Session) -> None:
    stored.cursor.execute(
        "create function changes return number is begin delete from t; return 1; end;"
    )
    with pytest.raises(oracledb.DatabaseError, match="ORA-14551"):
        stored.one("select changes from dual")
    assert stored.one("select count(*) from t") == 250


def test_an_autonomous_transaction(stored: Session) -> None:
    stored.cursor.execute(
        "create procedure note(k number) is pragma autonomous_transaction; begin"
        " insert into t (n) values (k); commit; end;"
    )
    stored.cursor.execute("begin note(-9); rollback; end;")
    assert stored.one("select count(*) from t where n = -9") == 1
    stored.cursor.execute(
        "create procedure forgets is pragma autonomous_transaction; begin"
        " insert into t (n) values (-8); end;"
    )
    assert failure(stored, "begin forgets; end;").startswith("ORA-06519")
    assert stored.one("select count(*) from t where n = -8") == 0


def test_supplied_packages(plain: Session) -> None:
    assert printed(plain, "begin dbms_random.seed(0); put(dbms_random.string('U', 5)); end;") == (
        printed(plain, "begin dbms_random.seed(0); put(dbms_random.string('u', 5)); end;")
    )
    low, high = plain.rows(
        "select min(x), max(x) from (select trunc(dbms_random.value(1, 10)) x from dual"
        " connect by level <= 1000)"
    )[0]
    assert (low, high) == (1, 9)
    assert len(plain.one("select dbms_random.string('p', 200) from dual")) == 200
    began = plain.one("select dbms_utility.get_time from dual")
    plain.cursor.execute("begin dbms_session.sleep(0.2); dbms_lock.sleep(0); end;")
    assert plain.one("select dbms_utility.get_time from dual") - began >= 20
    waits = "select total_waits from v$session_event where event = 'PL/SQL lock timer' and sid = :s"
    assert plain.one(waits, s=plain.sid) == 2
    plain.cursor.execute("begin dbms_stats.gather_table_stats(user, 'T'); end;")
