# SPDX-License-Identifier: GPL-2.0-or-later
"""Where commands and statements begin and end."""

from __future__ import annotations

import pytest

from polltrace.scenarios.script.reader import Script
from polltrace.scenarios.script.settings import Settings


def items(text: str, settings: Settings | None = None) -> list[tuple[str, str, bool]]:
    found = Script(text).items(settings or Settings())
    return [(item.kind, item.text, item.runs) for item in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select 1\nfrom dual;\n", [("sql", "select 1\nfrom dual", True)]),
        ("select 1 from dual;  \r\n", [("sql", "select 1 from dual", True)]),
        ("select 1\n/\n", [("sql", "select 1", True)]),
        ("select 1\n.\n/\n", [("sql", "select 1", False), ("run", "", True)]),
        ("select 1\n\nprompt x\n", [("sql", "select 1", False), ("command", "prompt x", True)]),
        ("select ';' || 'a;b' from dual;", [("sql", "select ';' || 'a;b' from dual", True)]),
        ("select 1 from dual", [("sql", "select 1 from dual", False)]),
        ("begin\n  null;\n\nend;\n/\n", [("plsql", "begin\n  null;\n\nend;", True)]),
        (
            "declare\n x int;\nbegin null; end;\n/",
            [("plsql", "declare\n x int;\nbegin null; end;", True)],
        ),
        ("<<a>>\nbegin null; end;\n/", [("plsql", "<<a>>\nbegin null; end;", True)]),
        (
            "create or replace\nfunction f return number is begin end;\n/",
            [
                (
                    "plsql",
                    "create or replace\nfunction f return number is begin end;",
                    True,
                )
            ],
        ),
        ("create table t (a number);", [("sql", "create table t (a number)", True)]),
        (
            "with a as (select 1 from dual)\nselect * from a;",
            [("sql", "with a as (select 1 from dual)\nselect * from a", True)],
        ),
        ("set transaction read only;", [("sql", "set transaction read only", True)]),
        ("set echo on;", [("command", "set echo on;", True)]),
        ("rem select 1;\n-- x;\nremark\n\nprompt -- x", [("command", "prompt -- x", True)]),
        ("/* a\nselect 1;\n*/\nprompt x", [("command", "prompt x", True)]),
        ("/* a */\n/", [("run", "", True)]),
        ("exec a( -\n  1)", [("command", "exec a(   1)", True)]),
        ("prompt a-\nprompt b", [("command", "prompt a-", True), ("command", "prompt b", True)]),
        ("(select 1 from dual);", [("sql", "(select 1 from dual)", True)]),
        ("", []),
    ],
)
def test_items(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert items(text) == expected


def test_blank_lines_may_be_part_of_a_statement() -> None:
    assert items("select 1\n\nfrom dual;", Settings(sqlblanklines=True)) == [
        ("sql", "select 1\n\nfrom dual", True)
    ]


def test_settings_are_looked_at_when_a_line_is_read() -> None:
    settings = Settings()
    found = Script("prompt x\nselect 1\n\nfrom dual;").items(settings)
    assert next(found).kind == "command"
    settings.sqlblanklines = True
    assert next(found).text == "select 1\n\nfrom dual"


def test_a_line_that_is_taken_is_no_item() -> None:
    script = Script("accept x\nits value\nprompt y")
    found = script.items(Settings())
    next(found)
    assert script.line() == "its value"
    assert next(found).text == "prompt y"
