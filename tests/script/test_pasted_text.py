# SPDX-License-Identifier: GPL-2.0-or-later
"""Text copied from a web page: prompts, line numbers, spaces and quotes."""

from __future__ import annotations

import pytest

from polltrace.scenarios.script.pasted_text import commands_of, curly_quote, with_plain_spaces
from polltrace.scenarios.script.reader import Script
from polltrace.scenarios.script.settings import Settings

SESSION = """\
SQL*Plus: Release 19.0

SQL> drop user test_netlat cascade;

User TEST_NETLAT dropped.

SQL>
SQL> create or replace function f return number as
  2  n number;
  3  begin
  4    select 2
  5    into n from dual;
  6
  7    return n;
  8  end;
  9  /

Function F compiled

SQL> select id from t;

        ID
----------
         2
         3

SQL>\u00a0set echo off
SQL> commit;

Commit complete.
"""
FUNCTION = """\
create or replace function f return number as
n number;
begin
  select 2
  into n from dual;

  return n;
end;"""


def test_a_session_is_reduced_to_its_commands() -> None:
    items = Script(SESSION).items(Settings())
    assert [(item.kind, item.text) for item in items] == [
        ("sql", "drop user test_netlat cascade"),
        ("plsql", FUNCTION),
        ("sql", "select id from t"),
        ("command", "set echo off"),
        ("sql", "commit"),
    ]


def test_a_session_of_more_than_nine_lines() -> None:
    typed = [f"line {n}" for n in range(1, 121)]
    session = ["SQL> " + typed[0], *(f"{n:3}  {line}" for n, line in enumerate(typed[1:], 2))]
    assert list(commands_of(session)) == typed


def test_a_script_without_prompts_stays_as_it_is() -> None:
    lines = ["select 1", "  2  from dual;", "prompt SQL> select", "", "  3  x"]
    assert list(commands_of(lines)) == lines


def test_spaces_in_literals_stay() -> None:
    text = "select\u00a0'a\u00a0b''\u00a0c',\u202f1 -- x\u00a0y\nfrom\u00a0dual"
    assert with_plain_spaces(text) == "select 'a\u00a0b''\u00a0c', 1 -- x\u00a0y\nfrom dual"


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("select 1,\n\u2018a\u2019 from dual", "Line 2 has the typographic quote \u2018 (U+2018)"),
        ("select \u201cA\u201d from dual", 'type " in its place.'),
        ("select '\u2018' || q from dual -- \u2019", None),
    ],
)
def test_curly_quotes_are_named(sql: str, named: str | None) -> None:
    line = curly_quote(sql)
    assert (named in line) if named and line else line is named
