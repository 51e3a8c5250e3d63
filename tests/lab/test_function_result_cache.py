# SPDX-License-Identifier: GPL-2.0-or-later
"""PL/SQL functions with RESULT_CACHE: what is kept of them, how long, and what it costs in gets."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import oracledb
import pytest

from .breakpoint import breakpoint_at
from .conftest import SOAK, Lab, RunningStatement, Session
from .result_cache import execute, gets, latch_of, statistic

CALL = "begin :r := f(:n); end;"
OBJECTS = (
    "select type, status, name, namespace, row_count, column_count, scan_count"
    " from v$result_cache_objects order by type, name, id"
)
READS = 100_000 if SOAK else 2_000


@pytest.fixture
def session(lab: Lab) -> Session:
    """f reads t, and counts its runs in the session."""
    session = lab.connect()
    execute(
        session,
        "create table t (n number, v varchar2(20))",
        "insert into t select level, 'v' || level from dual connect by level <= 9",
        "commit",
        "create package runs as made pls_integer := 0; end;",
        "create function f (k number) return varchar2 result_cache relies_on (t, scott.t) is"
        " found varchar2(20); begin runs.made := runs.made + 1;"
        " select v into found from t where n = k; return found; end;",
    )
    return session


def call(session: Session, text: str = CALL, **binds: object) -> Any:
    result = session.cursor.var(str)
    session.cursor.execute(text, r=result, **binds)
    return result.getvalue()


def runs(session: Session) -> int:
    count = session.cursor.var(int)
    session.cursor.execute("begin :c := runs.made; end;", c=count)
    return int(count.getvalue())


def call_gets(session: Session, text: str = CALL, **binds: object) -> int:
    before = latch_of(session).gets
    call(session, text, **binds)
    return latch_of(session).gets - before


def test_gets_of_a_fill_and_a_hit(session: Session) -> None:
    """A fill: its block, four more, and one for each of the table and the function."""
    assert call_gets(session, n=1) == 1 + 4 + 2
    assert call_gets(session, n=1) == 2
    assert call_gets(session, n=2) == 1 + 4
    assert call_gets(session, n=2) == 2
    assert runs(session) == 2
    assert (statistic(session, "Find Count"), statistic(session, "Create Count Success")) == (2, 2)


def test_a_function_without_tables(session: Session) -> None:
    execute(
        session,
        "create function twice (k number) return number result_cache is"
        " begin runs.made := runs.made + 1; return 2 * k; end;",
    )
    assert call_gets(session, "begin :r := twice(:n); end;", n=21) == 1 + 3 + 1
    assert call_gets(session, "begin :r := twice(:n); end;", n=21) == 2
    assert call(session, "begin :r := twice(:n); end;", n=21) == "42"
    assert runs(session) == 1


def test_what_the_views_show(session: Session) -> None:
    call(session, n=3)
    call(session, n=3)
    function, table, result = session.rows(OBJECTS)
    assert function == ("Dependency", "Published", "SCOTT.F", None, 0, 0, 0)
    assert table == ("Dependency", "Published", "SCOTT.T", None, 0, 0, 0)
    assert result[:2] + result[3:] == ("Result", "Published", "PLSQL", 1, 1, 1)
    assert result[2].startswith('"SCOTT"."F"::8."F"#')
    assert result[2].endswith(" #1")
    assert session.one("select count(*) from v$result_cache_dependency") == 2


def test_sessions_share_results_and_arguments_differ(lab: Lab, session: Session) -> None:
    other = lab.connect()
    assert [call(session, n=n) for n in (1, 2, 1)] == ["v1", "v2", "v1"]
    assert [call(other, n=n) for n in (1, 2, 1.0)] == ["v1", "v2", "v1"]
    assert call(other, "begin :r := f('2'); end;") == "v2"  # converted first
    assert (runs(session), runs(other)) == (2, 0)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("number", "12345678901234567890123.5"),
        ("number", "0.1"),
        ("number", "-7"),
        ("varchar2", "'é, and ''more'''"),
        ("varchar2", "null"),
        ("date", "date '2020-02-29' + 0.5"),
        ("timestamp", "timestamp '2020-02-29 12:00:00.123456'"),
        ("raw", "hextoraw('00FF10')"),
        ("binary_double", "1.5d"),
    ],
)
def test_values_of_each_type(session: Session, type_: str, value: str) -> None:
    execute(
        session,
        f"create function same (x {type_}) return {type_} result_cache is"
        " begin runs.made := runs.made + 1; return x; end;",
    )
    query = f"select same({value}) from dual"
    plain = session.rows(f"select {value} from dual")
    assert session.rows(query) == session.rows(query) == plain
    assert runs(session) == 1


def test_booleans_defaults_and_overloads(session: Session) -> None:
    execute(
        session,
        "create package p as"
        " function g (b boolean, k number default 5) return varchar2 result_cache;"
        " function g (v varchar2) return varchar2 result_cache; end;",
        "create package body p as"
        " function g (b boolean, k number default 5) return varchar2 result_cache is"
        " begin runs.made := runs.made + 1;"
        " return case when b then 'yes' when not b then 'no' else 'unknown' end || k; end;"
        " function g (v varchar2) return varchar2 result_cache is"
        " begin runs.made := runs.made + 1; return 'text ' || v; end; end;",
    )
    for _ in range(2):
        assert call(session, "begin :r := p.g(true, 5); end;") == "yes5"
        assert call(session, "begin :r := p.g(false, 5); end;") == "no5"
        assert call(session, "begin :r := p.g(null, 5); end;") == "unknown5"
        assert call(session, "begin :r := p.g(k => 6, b => true); end;") == "yes6"
    assert runs(session) == 4
    names = session.rows("select distinct name from v$result_cache_objects where type = 'Result'")
    assert all(name.startswith('"SCOTT"."P"::11."G"#') for (name,) in names)


def test_a_commit_ends_results_of_the_tables_that_were_read(lab: Lab, session: Session) -> None:
    reader = lab.connect()
    execute(session, "create table other (n number)")
    assert call(reader, n=1) == "v1"
    execute(session, "insert into other values (1)", "commit")
    assert call_gets(reader, n=1) == 2
    execute(session, "update t set v = 'new' where n = 1")
    assert call(reader, n=1) == "v1"
    assert call_gets(reader, n=1) == 2
    session.connection.commit()
    assert call(reader, n=1) == "new"
    assert runs(reader) == 2
    assert statistic(reader, "Invalidation Count") == 1


def test_a_session_sees_its_own_changes(lab: Lab, session: Session) -> None:
    reader = lab.connect()
    call(reader, n=1)
    execute(session, "update t set v = 'own' where n = 1")
    assert call(session, n=1) == call(session, n=1) == "own"
    assert call(session, n=2) == call(session, n=2) == "v2"
    assert runs(session) == 4
    assert call(reader, n=1) == "v1"
    assert call_gets(reader, n=2) == 1 + 4  # the other session's was not kept
    session.connection.rollback()
    assert call(session, n=1) == "v1"
    assert runs(session) == 4


def test_what_was_read_below_and_by_dynamic_sql_counts(lab: Lab, session: Session) -> None:
    """The outer function depends on what inner ones have read, whether these ran or were found."""
    reader = lab.connect()
    execute(
        session,
        "create table u (n number)",
        "insert into u values (1)",
        "commit",
        "create function plain return number is c number;"
        " begin execute immediate 'select count(*) from u' into c; return c; end;",
        "create function outer_one (k number) return varchar2 result_cache is"
        " begin return f(k) || plain; end;",
    )
    text = "begin :r := outer_one(:n); end;"
    call(reader, n=1)
    assert [call(reader, text, n=n) for n in (1, 2, 1, 2)] == ["v11", "v21", "v11", "v21"]
    execute(session, "insert into u values (2)", "commit")
    assert [call(reader, text, n=n) for n in (1, 2)] == ["v12", "v22"]
    execute(session, "update t set v = 'new' where n = 1", "commit")
    assert [call(reader, text, n=n) for n in (1, 2)] == ["new2", "v22"]


def test_called_in_sql(lab: Lab, session: Session) -> None:
    query = "select n, f(n) from t order by n"
    first = session.rows(query)
    assert first == [(n, f"v{n}") for n in range(1, 10)]
    assert session.rows(query) == first
    assert runs(session) == 9
    assert gets(session, query) == 2 * 9
    execute(lab.connect(), "update t set v = 'new' where n = 3", "commit")
    assert session.rows(query)[2] == (3, "new")


@pytest.fixture
def fetching(lab: Lab, session: Session) -> Session:
    """A session that fetches little at a time of `big`, of whose numbers t has a row each."""
    execute(
        session,
        "create table big (n number)",
        "insert into big select level from dual connect by level <= 500",
        "insert into t select level + 9, 'v' || (level + 9) from dual connect by level <= 491",
        "commit",
    )
    reader = lab.connect()
    reader.cursor.arraysize = reader.cursor.prefetchrows = 2
    return reader


def test_a_result_of_an_older_snapshot_is_not_kept(session: Session, fetching: Session) -> None:
    """A query that is being fetched reads what was committed when it began, and so do the functions
    in it: others would read that from the cache."""
    fetching.cursor.execute("select n, f(n) from big")
    assert fetching.cursor.fetchone() == (1, "v1")
    execute(session, "update t set v = 'new' where n in (400, 401)", "commit")
    assert call(session, n=400) == "new"
    rows = dict(fetching.cursor.fetchall())
    assert (rows[400], rows[401]) == ("new", "v401")  # found; read
    assert call(session, n=401) == "new"


def test_nor_of_a_snapshot_that_began_during_the_commit(
    lab: Lab, session: Session, fetching: Session
) -> None:
    """The session that commits has made known what it changes, and stands before it commits."""
    other, commit, pid = lab.connect(), RunningStatement(session), session.spid
    call(other, n=1)
    execute(session, "update t set v = 'new' where n = 401")
    with breakpoint_at(pid, "kslgetl") as reached:
        commit.start("commit")
        reached()
        fetching.cursor.execute("select n, f(n) from big")
        assert fetching.cursor.fetchone() == (1, "v1")
    assert commit.join()
    assert dict(fetching.cursor.fetchall())[401] == "v401"
    assert call(other, n=401) == "new"


@pytest.mark.parametrize(
    "body",
    [
        "select to_char(sysdate, 'J') into found from t where n = k",
        "select to_char(sid) into found from v$mystat where rownum = 1",
        "select name into found from sys.obj$ where rownum = 1",
        "found := to_char(sysdate, 'J')",
        "found := dbms_random.value",
        "found := user",
    ],
)
def test_what_is_not_kept(session: Session, body: str) -> None:
    execute(
        session,
        "create function loose (k number) return varchar2 result_cache is found varchar2(99);"
        f" begin runs.made := runs.made + 1; {body}; return found; end;",
    )
    for _ in range(2):
        call(session, "begin :r := loose(:n); end;", n=1)
    assert runs(session) == 2
    assert statistic(session, "Create Count Success") == 0


def test_an_exception_is_no_result(session: Session) -> None:
    for _ in range(2):
        with pytest.raises(oracledb.DatabaseError, match="ORA-01403"):
            call(session, n=99)
    assert session.one("select count(*) from v$result_cache_objects where type = 'Result'") == 0
    execute(session, "insert into t values (99, 'late')", "commit")
    assert call(session, n=99) == "late"


def test_another_definition_has_other_results(lab: Lab, session: Session) -> None:
    other = lab.connect()
    assert call(session, n=1) == call(other, n=1) == "v1"
    execute(
        session,
        "create or replace function f (k number) return varchar2 result_cache is"
        " begin return 'another'; end;",
    )
    assert call(other, n=1) == call(session, n=1) == "another"


def test_a_session_with_older_code_keeps_nothing_for_others(lab: Lab, session: Session) -> None:
    """It has loaded all that it calls, and stands before it looks for the result, while the inner
    function is replaced."""
    text = "begin :r := h; end;"
    execute(
        session,
        "create function g return varchar2 is begin return 'old'; end;",
        "create function h return varchar2 result_cache is begin return g; end;",
    )
    late = lab.connect()
    pid, found = late.spid, list[str]()
    thread = threading.Thread(target=lambda: found.append(call(late, text)))
    with breakpoint_at(pid, "function_result_run") as reached:
        thread.start()
        reached()
        execute(session, "create or replace function g return varchar2 is begin return 'new'; end;")
    thread.join()
    assert found == ["old"]
    assert call(session, text) == "new"


def test_recursion(session: Session) -> None:
    execute(
        session,
        "create function fib (k number) return number result_cache is begin"
        " runs.made := runs.made + 1;"
        " return case when k < 2 then k else fib(k - 1) + fib(k - 2) end; end;",
    )
    assert session.one("select fib(60) from dual") == 1548008755920
    assert runs(session) == 61


def test_the_package_and_the_settings(lab: Lab, session: Session) -> None:
    other = lab.connect()
    call(session, n=1)
    execute(other, "begin dbms_result_cache.invalidate('SCOTT', 'F'); end;")
    call(session, n=1)
    execute(other, "begin dbms_result_cache.bypass(true); end;")
    call(session, n=1)
    execute(other, "begin dbms_result_cache.bypass(false); end;")
    call(session, n=1)
    assert runs(session) == 3
    execute(session, "alter session set nls_date_format = 'YYYY'")
    call(session, n=1)
    assert runs(session) == 4


def test_without_a_cache(start_lab: Callable[..., Lab]) -> None:
    session = start_lab("--result-cache", "0").connect()
    execute(session, "create function f return varchar2 result_cache is begin return 'x'; end;")
    assert call_gets(session, "begin :r := f; end;") == 0


@pytest.mark.parametrize(
    ("function", "error"),
    [
        ("f1 (a out number) return number result_cache", "PLS-00999.*OUT or IN OUT"),
        ("f1 (a clob) return number result_cache", "PLS-00999.*LOB"),
        ("f1 (a sys_refcursor) return number result_cache", "PLS-00999.*REF CURSOR"),
        ("f1 (a t%rowtype) return number result_cache", "PLS-00999.*record"),
        ("f1 return clob result_cache", "PLS-00999.*LOB"),
        ("f1 return sys_refcursor result_cache", "PLS-00999.*REF CURSOR"),
        ("f1 return t%rowtype result_cache", "ORA-03001.*record"),
    ],
)
def test_what_is_refused(session: Session, function: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=f"(?s){error}"):
        execute(session, f"create function {function} is begin return null; end;")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "declare function g return number result_cache is begin return 1; end;"
            " begin null; end;",
            "PLS-00999.*anonymous blocks",
        ),
        ("create procedure g result_cache is begin null; end;", "PLS-00103"),
        (
            "create procedure g is function h return number result_cache is begin return 1; end;"
            " begin null; end;",
            "ORA-03001.*nested",
        ),
    ],
)
def test_where_it_is_refused(session: Session, text: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=f"(?s){error}"):
        execute(session, text)


def test_a_declaration_and_its_definition_agree(session: Session) -> None:
    execute(session, "create package p as function g return number result_cache; end;")
    with pytest.raises(oracledb.DatabaseError, match="ORA-03001"):
        execute(
            session,
            "create package body p as function g return number is begin return 1; end; end;",
        )


def test_no_result_is_stale(lab: Lab, session: Session) -> None:
    """Readers call while writers commit: nobody reads less than was committed before the call."""
    committed, wrong, over = [0] * 9, list[str](), threading.Event()
    execute(
        session,
        "create table counters (n number, value number)",
        "insert into counters select level, 0 from dual connect by level <= 4",
        "commit",
        "create function value_of (k number) return varchar2 result_cache is found number;"
        " begin select max(value) into found from counters where n = k; return found; end;",
    )

    def write(n: int) -> None:
        writer, value = lab.connect(), 0
        while not over.is_set():
            value += 1
            execute(writer, f"update counters set value = {value} where n = {n}", "commit")
            committed[n] = value

    def read(in_sql: bool) -> None:
        reader = lab.connect()
        for i in range(READS):
            n = 1 + i % 4
            least = committed[n]
            if in_sql:
                found = reader.one("select value_of(n) from counters where n = :n", n=n)
            else:
                found = call(reader, "begin :r := value_of(:n); end;", n=n)
            if int(found) < least:
                wrong.append(f"{n}: {found} < {least}")

    writers = [threading.Thread(target=write, args=(n,)) for n in (1, 2)]
    readers = [threading.Thread(target=read, args=(i % 2 == 0,)) for i in range(4)]
    for thread in writers + readers:
        thread.start()
    for thread in readers:
        thread.join()
    over.set()
    for thread in writers:
        thread.join()
    assert wrong == []
    assert min(committed[1:3]) > 10
    assert statistic(session, "Find Count") > 0
