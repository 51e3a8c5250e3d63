# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors of constraints name them, and the columns, as Oracle's do."""

from __future__ import annotations

from .conftest import Lab
from .test_oracle_answers import answer

TABLES = [
    "create table c1 (a number constraint c1_pk primary key, b varchar2(3) not null,"
    " c number unique, d number check (d > 0), e number constraint e_ok check (e < 5 or (e > 8)),"
    ' "f.g" number check ("f.g" in (1, 2)))',
    "create table c2 (x number not null, y number not null, z number check (z > 0),"
    " primary key (x, y))",
    "create unique index c2_z on c2 (z)",
    'create table "c,3" ("a.b" number not null, "a b" number, unique ("a.b"))',
    "insert into c1 values (1, 'x', 1, 1, 1, 1)",
    "insert into c2 values (1, 1, 1)",
    'insert into "c,3" values (1, 1)',
]
UNIQUE, CHECK = "ORA-00001: unique constraint", "ORA-02290: check constraint"
CHANGES = [
    ("insert into c1 values (1, 'x', 2, 1, 1, 1)", f"{UNIQUE} (SCOTT.C1_PK) violated"),
    ("insert into c1 values (2, 'x', 1, 1, 1, 1)", f"{UNIQUE} (SCOTT.{{C1 U}}) violated"),
    ("insert into c2 values (1, 1, 2)", f"{UNIQUE} (SCOTT.{{C2 P}}) violated"),
    ("insert into c2 values (1, 2, 1)", f"{UNIQUE} (SCOTT.C2_Z) violated"),
    ('insert into "c,3" values (1, 2)', f"{UNIQUE} (SCOTT.{{c,3 U}}) violated"),
    ("begin insert into c2 values (1, 1, 2); end;",
     f"{UNIQUE} (SCOTT.{{C2 P}}) violated\nORA-06512: at line 1"),
    ("insert into c1 values (2, 'x', 2, 0, 1, 1)", f"{CHECK} (SCOTT.{{d > 0}}) violated"),
    ("insert into c2 values (2, 2, 0)", f"{CHECK} (SCOTT.{{z > 0}}) violated"),
    ("insert into c1 values (2, 'x', 2, 1, 6, 1)", f"{CHECK} (SCOTT.E_OK) violated"),
    ("update c1 set \"f.g\" = 3", f'{CHECK} (SCOTT.{{"f.g" in (1, 2)}}) violated'),
    ("insert into c1 values (null, 'x', 2, 1, 1, 1)",
     'ORA-01400: cannot insert NULL into ("SCOTT"."C1"."A")'),
    ("insert into c1 (a) values (2)", 'ORA-01400: cannot insert NULL into ("SCOTT"."C1"."B")'),
    ('insert into "c,3" values (null, 1)',
     'ORA-01400: cannot insert NULL into ("SCOTT"."c,3"."a.b")'),
    ("update c1 set a = null", 'ORA-01407: cannot update ("SCOTT"."C1"."A") to NULL'),
    ("update c1 set b = ''", 'ORA-01407: cannot update ("SCOTT"."C1"."B") to NULL'),
    ("merge into c2 using (select 1 x from dual) s on (c2.x = s.x + 1)"
     " when not matched then insert values (s.x, null, 1)",
     'ORA-01400: cannot insert NULL into ("SCOTT"."C2"."Y")'),
    ("create unique index again on c1 (e)",
     "ORA-01452: cannot CREATE UNIQUE INDEX; duplicate keys found"),
]  # fmt: skip


def test_an_error_names_its_constraint(one_lab: Lab) -> None:
    session = one_lab.connect()
    for statement in TABLES:
        session.cursor.execute(statement)
    session.cursor.execute("insert into c1 values (7, 'x', 7, 7, 1, 1)")
    session.connection.commit()
    named = {
        f"{{{condition or f'{table} {kind}'}}}": name
        for name, table, kind, condition in session.rows(
            "select constraint_name, table_name, constraint_type, search_condition"
            " from user_constraints where generated = 'GENERATED NAME'"
        )
    }
    for statement, error in CHANGES:
        wanted = error
        for key, name in named.items():
            wanted = wanted.replace(key, name)
        assert answer(session, statement) == wanted
    assert session.one("select count(*) from c1") == 2
