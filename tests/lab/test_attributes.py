# SPDX-License-Identifier: GPL-2.0-or-later
"""The attributes that a session sets, by piggyback and by PL/SQL, and which sessions see them."""

from __future__ import annotations

import oracledb
import pytest

from .conftest import Lab, Session

SHOWN = "select module, action, client_info, client_identifier from v$session where sid = :sid"


def test_attributes_come_with_the_next_call(lab: Lab) -> None:
    watcher, session = lab.connect(), lab.connect()
    sid = session.sid
    [(module, *_)] = watcher.rows(SHOWN, sid=sid)
    assert module  # the program, until the session sets another
    session.connection.module = "payroll"
    session.connection.action = "März"
    session.connection.clientinfo = "night"
    session.connection.client_identifier = "u1"
    session.connection.ping()
    assert watcher.rows(SHOWN, sid=sid) == [("payroll", "März", "night", "u1")]
    session.connection.action = None
    assert session.one("select sys_context('userenv', 'module') from dual") == "payroll"
    assert watcher.rows(SHOWN, sid=sid) == [("payroll", None, "night", "u1")]


def test_plsql_that_names_the_work(lab: Lab) -> None:
    watcher, session = lab.connect(), lab.connect()
    sid = session.sid
    session.cursor.execute(
        "begin dbms_application_info.set_module(:m, action_name => 'load');"
        " dbms_application_info.set_client_info('x'); null;"
        " dbms_session.set_identifier(client_id => :c); dbms_output.enable; end;",
        m="etl",
        c="u2",
    )
    assert watcher.rows(SHOWN, sid=sid) == [("etl", "load", "x", "u2")]
    session.cursor.execute("begin dbms_session.clear_identifier; end;")
    assert watcher.rows(SHOWN, sid=sid) == [("etl", "load", "x", None)]
    session.cursor.execute("begin null; end;")
    session.cursor.execute("alter session set nls_date_format = 'YYYY'")


@pytest.mark.parametrize(
    "block",
    [
        "begin nothing_of_the_kind(1); end;",
        "begin dbms_application_info.set_everything(1); end;",
        "begin dbms_application_info.set_module(module => 1); end;",
    ],
)
def test_other_packages_are_refused(session: Session, block: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=r"ORA-06550|ORA-03001"):
        session.cursor.execute(block)
    assert session.one("select 1 from dual") == 1
