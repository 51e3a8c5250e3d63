# SPDX-License-Identifier: GPL-2.0-or-later
"""CHAR: stored with blanks up to its size, compared as if they were not there."""

from __future__ import annotations

import random
from operator import eq, ge, lt, ne

import oracledb
import pytest

from .conftest import Session

CODES = [
    "create table codes (id number(3) primary key,"
    " c char(5), v varchar2(5), d char(3), u char(2 char))",
    "insert into codes values (1, 'ab', 'ab', 'ab', 'ä')",
    "insert into codes values (2, 'b', 'b  ', 'b', 'x')",
    "insert into codes values (3, null, null, null, null)",
    "insert into codes values (4, 'ab  c', 'ab', 'ab', 'öü')",
    "create table keyed (k char(4) primary key, n number)",
    "insert into keyed values ('a', 1)",
    "insert into keyed values ('bcde', 2)",
]  # fmt: skip

ROWS: list[tuple[str, list[tuple[object, ...]]]] = [
    ("select c, length(c), lengthb(u) from codes where id = 1", [("ab   ", 5, 3)]),
    ("select u, length(u) from codes where id in (1, 4) order by id", [("ä ", 2), ("öü", 2)]),
    ("select c || '|' from codes where id = 2", [("b    |",)]),
    ("select rtrim(c) || '|' from codes where id = 2", [("b|",)]),
    # with a literal
    ("select id from codes where c = 'ab'", [(1,)]),
    ("select id from codes where 'ab' = c", [(1,)]),
    ("select id from codes where c = 'ab        '", [(1,)]),
    ("select id from codes where c <> 'ab' order by id", [(2,), (4,)]),
    ("select id from codes where c != 'b ' order by id", [(1,), (4,)]),
    ("select id from codes where c > 'ab' order by id", [(2,), (4,)]),
    ("select id from codes where c >= 'ab' order by id", [(1,), (2,), (4,)]),
    ("select id from codes where c < 'b'  order by id", [(1,), (4,)]),
    ("select id from codes where c <= 'b' order by id", [(1,), (2,), (4,)]),
    ("select id from codes where c between 'ab' and 'ab ' order by id", [(1,)]),
    ("select id from codes where c in ('b', 'x', 'ab ') order by id", [(1,), (2,)]),
    ("select id from codes where c not in ('b', 'x') order by id", [(1,), (4,)]),
    ("select id from codes where (id, c) in ((1, 'ab'), (2, 'x'))", [(1,)]),
    ("select id from codes where c = 'abcdefg'", []),
    ("select id from codes where c is null", [(3,)]),
    # with another CHAR
    ("select id from codes where c = d order by id", [(1,), (2,)]),
    ("select id from codes where d = c order by id", [(1,), (2,)]),
    ("select a.id, b.id from codes a, codes b where a.c = b.d and a.id <> b.id", [(1, 4)]),
    ("select id from codes where c in (select d from codes) order by id", [(1,), (2,)]),
    ("select id from codes where 'b' in (select d from codes) order by 1 fetch first 1 rows only",
     [(1,)]),
    ("select id from codes where cast('ab' as char(9)) = c", [(1,)]),
    ("select id from codes where upper(c) = 'AB'", [(1,)]),
    ("select count(*) from codes where (select max(c) from codes) = 'b'", [(4,)]),
    ("select id from (select id, c x from codes) where x = 'b'", [(2,)]),
    ("with w as (select c x, id from codes) select id from w where x = 'b'", [(2,)]),
    ("select id from codes where u = 'ä'", [(1,)]),
    ("select id from codes where u = 'ä   '", [(1,)]),
    # with a VARCHAR2, whose blanks count
    ("select id from codes where c = v", []),
    ("select id from codes where v = 'b'", []),
    ("select id from codes where v = 'b  '", [(2,)]),
    ("select id from codes where c = rpad('ab', 5)", [(1,)]),
    ("select id from codes where c = rpad('ab', 4)", []),
    ("select id from codes where c = 'a' || 'b'", []),
    ("select id from codes where rtrim(c) = v", [(1,)]),
    ("select id from codes where c in (select v from codes)", []),
    ("select id from codes where d = substr(c, 1, 3) order by id", [(1,), (2,), (4,)]),
    ("select id from codes where c like 'ab'", []),
    ("select id from codes where c like 'ab%' order by id", [(1,), (4,)]),
    ("select id from codes where c like '%b  '", []),
    # other places of comparison
    ("select case c when 'ab' then 1 when 'b' then 2 end from codes order by id",
     [(1,), (2,), (None,), (None,)]),
    ("select nullif(c, 'ab') from codes where id < 3 order by id", [(None,), ("b    ",)]),
    ("select decode(c, 'ab', 1, 'ab   ', 2) from codes where id = 1", [(2,)]),
    ("select min(c), max(c), count(distinct c) from codes", [("ab   ", "b    ", 3)]),
    ("select c, count(*) from codes where c = 'b' group by c", [("b    ", 1)]),
    ("select id from codes order by c desc nulls last, id", [(2,), (4,), (1,), (3,)]),
    ("select d from codes where id = 1 union select d from codes where id = 4", [("ab ",)]),
    ("select 1 from dual where 'a' = 'a '", [(1,)]),
    ("select 1 from dual where 'a ' > 'a'", []),
    ("select 1 from dual where 'a ' < 'b'", [(1,)]),
    ("select 1 from dual where 'a' || '' = 'a '", []),
    ("select 1 from dual where 'x ' in ('a', 'x')", [(1,)]),
    ("select cast('abc' as char(2)), cast('a' as char) || '|',"
     " cast(12 as char(4)) || '|' from dual",
     [("ab", "a|", "12  |")]),
    ("select instr(c, 'b'), substr(c, -2), lpad(c, 7, '*'), replace(c, ' ', '.') from codes"
     " where id = 1", [(2, "  ", "**ab   ", "ab...")]),
    ("select n from keyed where k = 'a'", [(1,)]),
    ("select n from keyed where k = 'bcde  '", [(2,)]),
    ("select n from keyed where k = 'bcdef'", []),
    ("select data_type, data_length, char_length, char_used from user_tab_columns"
     " where table_name = 'CODES' and column_name in ('C', 'U') order by column_name",
     [("CHAR", 5, 5, "B"), ("CHAR", 8, 2, "C")]),
]  # fmt: skip


@pytest.fixture(scope="module")
def codes(oracle: Session) -> Session:
    for sql in CODES:
        oracle.cursor.execute(sql)
    oracle.connection.commit()
    return oracle


@pytest.mark.parametrize(("sql", "rows"), ROWS)
def test_rows(codes: Session, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert codes.rows(sql) == rows


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("insert into codes (id, c) values (9, 'abcdef')", r"ORA-12899.*actual: 6, maximum: 5"),
        ("insert into codes (id, u) values (9, 'äöü')", "ORA-12899"),
        ("insert into keyed values ('a  ', 3)", "ORA-00001"),
        ("create table t (c char(2001))", "ORA-00910"),
        ("create table t (c char(0))", "ORA-01723"),
        ("create table t (c nchar(2))", "ORA-03001.*nchar"),
        ("select id from codes where c > 1", "ORA-01722"),
        (
            "select 1 from (select c x from codes) join (select d x from codes) using (x)",
            "ORA-03001.*CHARs of two sizes",
        ),
        (
            "select 1 from (select id, d c from codes) natural left join codes",
            "ORA-03001.*CHARs of two sizes",
        ),
        (
            "select 1 from dual cross join codes a join (select u c from codes) b using (c)",
            "ORA-03001.*CHARs of two sizes",
        ),
    ],
)
def test_error(codes: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        codes.rows(sql)
    codes.connection.rollback()


def test_chars_of_one_size_join_by_their_name(codes: Session) -> None:
    (ids,) = codes.rows("select count(*), sum(id) from codes where c is not null")
    assert ids[0] > 1
    joined = codes.rows("select count(*) from codes a join codes b using (c, id)")
    assert joined == [ids[:1]]
    joined = codes.rows("select count(*) from codes natural join (select id, c from codes)")
    assert joined == [ids[:1]]
    by_text = "select count(*) from codes join (select id, trim(c) v from codes) using (id)"
    assert codes.rows(by_text) == codes.rows("select count(*) from codes")


def test_a_char_is_described_as_one(codes: Session) -> None:
    codes.rows("select c, v, u, c x from codes")
    described = [tuple(d[i] for i in (0, 1, 2, 3)) for d in codes.cursor.description]
    assert described == [
        ("C", oracledb.DB_TYPE_CHAR, 5, 5),
        ("V", oracledb.DB_TYPE_VARCHAR, 5, 5),
        ("U", oracledb.DB_TYPE_CHAR, 8, 8),
        ("X", oracledb.DB_TYPE_CHAR, 5, 5),
    ]


def test_a_bind_is_a_varchar2_unless_it_is_a_char(codes: Session) -> None:
    assert codes.rows("select id from codes where c = :v", v="ab") == []
    assert codes.rows("select id from codes where c = :v", v="ab   ") == [(1,)]


def test_an_index_finds_a_char(codes: Session) -> None:
    codes.cursor.execute("create table many_codes (k char(8) primary key, n number)")
    codes.cursor.executemany(
        "insert into many_codes values (:1, :2)", [(f"k{n}", n) for n in range(3000)]
    )
    gets = (
        "select value from v$mystat m, v$statname n where m.statistic# = n.statistic#"
        " and n.name = 'consistent gets'"
    )
    codes.rows("select n from many_codes where k = 'k77'")
    before = codes.one(gets)
    assert codes.rows("select n from many_codes where k = 'k77'") == [(77,)]
    assert codes.one(gets) - before < 8
    codes.connection.rollback()


def test_random_chars_compare_like_padded_ones(codes: Session) -> None:
    chance = random.Random(96)
    run = codes.cursor.execute
    run("create table pairs (n number(4), a char(4), b char(6))")
    pairs = [
        tuple("".join(chance.choices("a b\t~", k=chance.randrange(1, 5))) for _ in range(2))
        for _ in range(150)
    ]
    codes.cursor.executemany(
        "insert into pairs values (:1, :2, :3)", [(n, a, b) for n, (a, b) in enumerate(pairs)]
    )
    for sign, holds in (("=", eq), ("<>", ne), ("<", lt), (">=", ge)):
        wanted = [n for n, (a, b) in enumerate(pairs) if holds(a.ljust(6), b.ljust(6))]
        found = codes.rows(f"select n from pairs where a {sign} b order by n")
        assert [n for (n,) in found] == wanted, sign
    codes.connection.rollback()


def test_chars_of_blocks(codes: Session) -> None:
    def said(block: str) -> str:
        with pytest.raises(oracledb.DatabaseError, match="ORA-20001") as raised:
            codes.cursor.execute(block)
        return str(raised.value).split("\n")[0].removeprefix("ORA-20001: ")

    tell = "raise_application_error(-20001, "
    assert said(f"declare v char(4) := 'x'; begin {tell}'[' || v || ']'); end;") == "[x   ]"
    assert said(f"declare v char := 'x'; begin {tell}'[' || v || ']'); end;") == "[x]"
    assert said(f"declare v codes.c%type := 'x'; begin {tell}length(v)); end;") == "5"
    same = "case when v = w then 'same' else 'other' end"
    for declared, wanted in (
        ("v char(4) := 'x'; w char(2) := 'x';", "same"),
        ("v char(4) := 'x'; w varchar2(2) := 'x';", "other"),
        ("v varchar2(4) := 'x '; w varchar2(2) := 'x';", "other"),
    ):
        assert said(f"declare {declared} begin {tell}{same}); end;") == wanted
    with pytest.raises(oracledb.DatabaseError, match=r"ORA-03001.*CHAR variable"):
        codes.cursor.execute(
            "declare n number; w char(9) := 'ab'; begin"
            " select id into n from codes where c = w; end;"
        )
    codes.cursor.execute(
        "create or replace function bracketed(p char) return char is begin"
        " return '[' || p || ']'; end;"
    )
    assert codes.one("select bracketed('a ') from dual") == "[a ]"
    with pytest.raises(oracledb.DatabaseError, match="ORA-06502"):
        codes.cursor.execute("declare v char(2) := 'abc'; begin null; end;")
