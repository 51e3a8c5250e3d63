# SPDX-License-Identifier: GPL-2.0-or-later
"""Views and synonyms: statement, rows or error, as Oracle documents them.

One lab for the whole module. The statements of DEFINED run once, before all others.
"""

from __future__ import annotations

import oracledb
import pytest

from .conftest import Lab, Session

DEFINED = [
    "create view earners as select name, sal from emp where sal > 0",
    "create or replace view earners as select id, name, sal from emp where sal is not null",
    "create view twice (who, pay) as select name, sal * 2 from earners",
    "create view everyone as select * from emp",
    "create view cities as select e.name, d.city from emp e, dep d where e.dept = d.id(+)",
    "create view by_dept as select dept, count(*) heads, sum(sal) total from emp group by dept",
    "create view both_ends as select name n from emp where id = 1 union all"
    " select city from dep where id = 10",
    "create view ranked as select name, row_number() over (order by id) place from emp",
    "create view with_inside as with w as (select id, name from emp) select w.name from w",
    "create view of_session as select sid, username from v$session where username = user",
    "create view first_two as select name from (select name from emp order by id)"
    " where rownum <= 2",
    'create view "Quoted" as select id "Id", name "it\'\'s" from emp',
    "create view constants as select 'it''s' t, 1.5 n, date '2024-01-02' d, null x from dual",
    "create view read_one as select id from emp with read only",
    "create view checked as select id from emp where id > 2 with check option",
    "create or replace noforce view plain as select name from scott.emp",
    "create or replace editionable view again as select name from plain;",
    "create view tree as select level lv, name from emp start with boss is null"
    " connect by prior id = boss",
    "create synonym staff for emp",
    "create synonym rich for earners",
    "create or replace synonym rich for scott.earners",
    "create synonym of_staff for staff",
    "create public synonym workers for emp",
    "create or replace public synonym workers for scott.everyone",
    "create synonym sessions for v$session",
]

ROWS: list[tuple[str, list[tuple[object, ...]]]] = [
    ("select * from earners order by id",
     [(1, "KING", 5000), (2, "BLAKE", 2850), (4, "ADAMS", 1100)]),
    ("select * from scott.earners where id = 1", [(1, "KING", 5000)]),
    ("select earners.name from earners where earners.sal < 2000", [("ADAMS",)]),
    ("select scott.earners.name from scott.earners where id = 2", [("BLAKE",)]),
    ("select e.name from earners e where e.id = 2", [("BLAKE",)]),
    ("select count(*) from earners", [(3,)]),
    ("select * from twice where pay > 5000 order by who", [("BLAKE", 5700), ("KING", 10000)]),
    ("select who from twice order by pay", [("ADAMS",), ("BLAKE",), ("KING",)]),
    ("select t.* from twice t where who = 'KING'", [("KING", 10000)]),
    ("select max(pay) from twice", [(10000,)]),
    ("select e.name, t.pay from emp e, twice t where e.name = t.who and e.id > 3",
     [("ADAMS", 2200)]),
    ("select a.id, b.id from earners a, earners b where a.id < b.id order by 1, 2",
     [(1, 2), (1, 4), (2, 4)]),
    ("select e.id, x.pay from emp e left join twice x on e.name = x.who order by 1",
     [(1, 10000), (2, 5700), (3, None), (4, 2200)]),
    ("select e.id, x.pay from emp e, twice x where e.name = x.who(+) and e.id > 2 order by 1",
     [(3, None), (4, 2200)]),
    ("select name from emp where id in (select id from earners) order by id",
     [("KING",), ("BLAKE",), ("ADAMS",)]),
    ("select name from emp e where not exists (select 1 from earners x where x.id = e.id)",
     [("WARD",)]),
    ("select (select max(sal) from earners) from dual", [(5000,)]),
    ("select name from earners minus select name from emp where id = 1 order by 1",
     [("ADAMS",), ("BLAKE",)]),
    ("with earners as (select 7 q from dual) select * from earners", [(7,)]),
    ("with e as (select * from earners) select count(*) from e", [(3,)]),
    ("select * from (select * from twice) where who = 'ADAMS'", [("ADAMS", 2200)]),
    ("select id from everyone order by id", [(1,), (2,), (3,), (4,)]),
    ("select * from cities order by name",
     [("ADAMS", None), ("BLAKE", "OSLO"), ("KING", "PARIS"), ("WARD", "OSLO")]),
    ("select city, count(*) from cities group by city order by 1",
     [("OSLO", 2), ("PARIS", 1), (None, 1)]),
    ("select * from by_dept order by dept nulls first",
     [(None, 1, 1100), (10, 1, 5000), (30, 2, 2850)]),
    ("select sum(heads) from by_dept", [(4,)]),
    ("select heads from by_dept where dept = 30", [(2,)]),
    ("select n from both_ends order by n", [("KING",), ("PARIS",)]),
    ("select name from ranked where place = 2", [("BLAKE",)]),
    ("select count(*) from with_inside where name like '%A%'", [(3,)]),
    ("select count(distinct username) from of_session", [(1,)]),
    ("select * from first_two", [("KING",), ("BLAKE",)]),
    ("select name from first_two order by name desc", [("KING",), ("BLAKE",)]),
    ('select "it\'\'s" from "Quoted" where "Id" = 1', [("KING",)]),
    ("select t, n, to_char(d, 'YYYY-MM-DD'), x from constants",
     [("it's", 1.5, "2024-01-02", None)]),
    ("select id from read_one where id < 2", [(1,)]),
    ("select id from checked order by id", [(3,), (4,)]),
    ("select count(*) from again", [(4,)]),
    ("select name from tree where lv = 2 order by name", [("ADAMS",), ("BLAKE",)]),
    ("select rownum, name from again where rownum < 2", [(1, "KING")]),
    ("select name from earners where rownum = 1", [("KING",)]),
    ("select name from earners order by sal desc fetch first 1 rows only", [("KING",)]),
    ("select name from earners where sal between 1000 and 3000 order by 1",
     [("ADAMS",), ("BLAKE",)]),
    ("select listagg(name, ',') within group (order by id) from earners", [("KING,BLAKE,ADAMS",)]),
    # synonyms
    ("select name from staff where id = 1", [("KING",)]),
    ("select staff.name from staff where staff.id = 1", [("KING",)]),
    ("select s.name from staff s where s.id = 1", [("KING",)]),
    ("select count(*) from rich", [(3,)]),
    ("select rich.name from rich where id = 4", [("ADAMS",)]),
    ("select of_staff.id from of_staff where name = 'WARD'", [(3,)]),
    ("select count(*) from workers", [(4,)]),
    ("select count(distinct sessions.username) from sessions where username = 'SCOTT'", [(1,)]),
    ("select a.name, b.city from staff a join dep b on a.dept = b.id where a.id = 1",
     [("KING", "PARIS")]),
    # the dictionary
    ("select text from user_views where view_name = 'EARNERS'",
     [("select id, name, sal from emp where sal is not null",)]),
    ("select text_length from user_views where view_name = 'PLAIN'", [(26,)]),
    ("select text from all_views where owner = 'SCOTT' and view_name = 'CONSTANTS'",
     [("select 'it''s' t, 1.5 n, date '2024-01-02' d, null x from dual",)]),
    ("select view_name from dba_views where view_name like '%o%'", [("Quoted",)]),
    ("select column_name, data_type, data_length, data_precision, data_scale from"
     " user_tab_columns where table_name = 'EARNERS' order by column_id",
     [("ID", "NUMBER", 22, 6, 0), ("NAME", "VARCHAR2", 10, None, None),
      ("SAL", "NUMBER", 22, 7, 2)]),
    ("select column_name, data_type from user_tab_columns where table_name = 'TWICE'"
     " order by column_id", [("WHO", "VARCHAR2"), ("PAY", "NUMBER")]),
    ("select column_name, data_type from all_tab_columns where table_name = 'CONSTANTS'"
     " and owner = 'SCOTT' order by column_id",
     [("T", "VARCHAR2"), ("N", "NUMBER"), ("D", "DATE"), ("X", "VARCHAR2")]),
    ("select object_type, status from user_objects where object_name in ('EARNERS', 'STAFF')"
     " order by 1", [("SYNONYM", "VALID"), ("VIEW", "VALID")]),
    ("select object_type from all_objects where owner = 'SCOTT' and object_name = 'TWICE'",
     [("VIEW",)]),
    ("select count(*) from user_tables where table_name in ('EARNERS', 'STAFF')", [(0,)]),
    ("select synonym_name, table_owner, table_name, db_link from user_synonyms order by 1",
     [("OF_STAFF", "SCOTT", "STAFF", None), ("RICH", "SCOTT", "EARNERS", None),
      ("SESSIONS", "SCOTT", "V$SESSION", None), ("STAFF", "SCOTT", "EMP", None)]),
    ("select owner, synonym_name, table_name from all_synonyms where owner = 'PUBLIC'",
     [("PUBLIC", "WORKERS", "EVERYONE")]),
    ("select table_type from all_tab_comments where table_name = 'TWICE'", [("VIEW",)]),
]  # fmt: skip

ERRORS = [
    ("create view earners as select 1 x from dual", "ORA-00955"),
    ("create view emp as select 1 x from dual", "ORA-00955"),
    ("create or replace view emp as select 1 x from dual", "ORA-00955"),
    ("create or replace view staff as select 1 x from dual", "ORA-00955"),
    ("create table earners (a number)", "ORA-00955"),
    ("create table staff (a number)", "ORA-00955"),
    ("create synonym earners for emp", "ORA-00955"),
    ("create synonym staff for dep", "ORA-00955"),
    ("create or replace synonym emp for dep", "ORA-00955"),
    ("create public synonym workers for emp", "ORA-00955"),
    ("create sequence earners", "ORA-00955"),
    ("create view bad as select sal * 2 from emp", "ORA-00998"),
    ("create view bad as select count(*) from emp", "ORA-00998"),
    ("create view bad as select sysdate from dual", "ORA-00998"),
    ("create view bad as select id, name id from emp", "ORA-00957"),
    ("create view bad (a, a) as select id, name from emp", "ORA-00957"),
    ("create view bad (a) as select id, name from emp", "ORA-01730"),
    ("create view bad (a, b, c) as select id, name from emp", "ORA-01730"),
    ("create view bad as select * from nowhere", "ORA-00942"),
    ("create view bad as select nothing from emp", 'ORA-00904.*"NOTHING"'),
    ("create view bad as select id from emp where id = :1", "ORA-01027"),
    ("create or replace view twice as select who, pay from twice", "ORA-01731"),
    ("create or replace view earners as select who name from twice", "ORA-01731|ORA-04063"),
    ("create force view bad as select 1 x from dual", "ORA-03001.*force"),
    ("create or replace strange view bad as select 1 x from dual", "ORA-00901"),
    ("create view bad select 1 x from dual", "ORA-00905"),
    ("create view other.bad as select 1 x from dual", "ORA-01031"),
    ("drop view emp", "ORA-00942"),
    ("drop view nowhere", "ORA-00942"),
    ("drop view staff", "ORA-00942"),
    ("drop table earners", "ORA-00942"),
    ("drop table staff", "ORA-00942"),
    ("drop synonym emp", "ORA-01434"),
    ("drop synonym nowhere", "ORA-01434"),
    ("drop public synonym nowhere", "ORA-01432"),
    ("drop public synonym staff", "ORA-01432"),
    ("drop synonym workers", "ORA-01434"),
    ("truncate table earners", "ORA-01702"),
    ("create index earners_i on earners (id)", "ORA-01702"),
    ("insert into earners values (9, 'x', 1)", "ORA-03001.*through a view"),
    ("update twice set who = 'x'", "ORA-03001.*through a view"),
    ("delete from everyone", "ORA-03001.*through a view"),
    ("select nothing from earners", 'ORA-00904.*"NOTHING"'),
    ("select boss from earners", 'ORA-00904.*"BOSS"'),
    ("select emp.name from earners", "ORA-00904"),
    ("select emp.name from staff", "ORA-00904"),
    ("select name from earners, emp", "ORA-00918"),
    ("select rowid from earners", "ORA-03001.*ROWID"),
]


@pytest.fixture(scope="module")
def views(oracle: Session) -> Session:
    for sql in DEFINED:
        oracle.cursor.execute(sql)
    return oracle


@pytest.mark.parametrize(("sql", "rows"), ROWS)
def test_rows(views: Session, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert views.rows(sql) == rows


@pytest.mark.parametrize(("sql", "error"), ERRORS)
def test_error(views: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        views.rows(sql)
    assert views.one("select count(*) from earners") == 3
    assert views.one("select count(*) from staff") == 4


def test_a_view_has_the_columns_that_it_had_when_it_was_made(views: Session) -> None:
    views.cursor.execute("create table growing (a number, b varchar2(3))")
    views.cursor.execute("create view grown as select * from growing")
    views.cursor.execute("alter table growing add c number")
    views.cursor.execute("insert into growing values (1, 'x', 2)")
    assert views.rows("select * from grown") == [(1, "x")]
    views.cursor.execute("alter table growing drop column b")
    with pytest.raises(oracledb.DatabaseError, match=r'ORA-04063: view "SCOTT.GROWN" has errors'):
        views.rows("select * from grown")
    views.cursor.execute("create or replace view grown as select c, a from growing")
    assert views.rows("select * from grown") == [(2, 1)]
    views.cursor.execute("drop table growing")
    with pytest.raises(oracledb.DatabaseError, match=r'ORA-04063: view "SCOTT.GROWN" has errors'):
        views.rows("select * from grown")
    views.cursor.execute("drop view grown")
    with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
        views.rows("select * from grown")


def test_views_are_described_like_their_tables(views: Session) -> None:
    def described(sql: str) -> list[tuple[object, ...]]:
        views.rows(sql)
        return [tuple(d[:6]) for d in views.cursor.description]

    assert described("select * from everyone") == described("select * from emp")
    assert described("select * from staff") == described("select * from emp")
    assert [d[:2] for d in described("select * from twice")] == [
        ("WHO", oracledb.DB_TYPE_VARCHAR),
        ("PAY", oracledb.DB_TYPE_NUMBER),
    ]


def test_changes_through_a_synonym_are_of_its_table(views: Session) -> None:
    run = views.cursor.execute
    run("insert into staff (id, name, sal) values (9, 'NEW', 1)")
    run("update staff s set s.sal = s.sal + 1 where s.id = 9")
    assert views.rows("select sal from emp where id = 9") == [(2,)]
    with pytest.raises(oracledb.DatabaseError, match=r'ORA-01400.*"SCOTT"."EMP"."NAME"'):
        run("insert into staff (id) values (10)")
    run("delete from of_staff where of_staff.id = 9")
    run(
        "merge into staff s using dep d on (s.id = d.id) when not matched then"
        " insert (id, name) values (d.id, d.city)"
    )
    assert views.one("select count(*) from emp") == 7
    views.connection.rollback()
    assert views.one("select count(*) from emp") == 4


def test_synonyms_of_nothing_and_of_each_other(views: Session) -> None:
    run = views.cursor.execute
    run("create synonym lost for nowhere")
    with pytest.raises(oracledb.DatabaseError, match="ORA-00980"):
        views.rows("select * from lost")
    run("create or replace synonym lost for found")
    run("create synonym found for lost")
    with pytest.raises(oracledb.DatabaseError, match="ORA-01775"):
        views.rows("select * from lost")
    run("drop synonym found")
    run("create table found (a number)")
    assert views.rows("select * from lost") == []
    run("drop table found")
    run("drop synonym lost")


def test_other_sessions_see_a_view_change_under_their_cursors(views: Session, one_lab: Lab) -> None:
    other = one_lab.connect()
    views.cursor.execute("create view changing as select id from emp where id = 1")
    other.cursor.execute("begin null; end;")
    for wanted in ("id from emp where id = 2", "id + 1 id from emp where id = 2"):
        before = other.one("select id from changing")
        views.cursor.execute(f"create or replace view changing as select {wanted}")
        assert other.one("select id from changing") == before + 1
    views.cursor.execute("drop view changing")
    with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
        other.rows("select id from changing")
    views.cursor.execute("create table changing (id number)")
    assert other.rows("select id from changing") == []
    views.cursor.execute("drop table changing")
    for kind, sql in (("view", "as select id from emp where id = 1"), ("table", "(id number)")):
        views.cursor.execute(f"create {kind} changing {sql}")
        assert other.rows("select id from changing") == [(1,)] * (kind == "view")
        views.cursor.execute(f"drop {kind} changing")


def test_blocks_read_views(views: Session) -> None:
    views.cursor.execute(
        "declare r earners%rowtype; n earners.sal%type := 0;"
        " begin for x in (select * from twice) loop n := n + x.pay; end loop;"
        " select * into r from rich where id = 1;"
        " if n <> 17900 or r.name <> 'KING' then raise_application_error(-20001, n); end if; end;"
    )


def test_a_view_that_is_read_makes_the_gets_of_its_query(views: Session) -> None:
    gets = (
        "select value from v$mystat m, v$statname n where m.statistic# = n.statistic#"
        " and n.name = 'consistent gets'"
    )

    def gets_of(sql: str) -> int:
        views.rows(sql)
        before = int(views.one(gets))
        views.rows(sql)
        return int(views.one(gets)) - before

    assert gets_of("select * from earners where id = 2") == gets_of(
        "select id, name, sal from emp where sal is not null and id = 2"
    )
    assert gets_of("select count(*) from cities") == gets_of(
        "select count(*) from (select e.name, d.city from emp e, dep d where e.dept = d.id(+))"
    )
