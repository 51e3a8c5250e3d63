# SPDX-License-Identifier: GPL-2.0-or-later
"""Executions of a trace as a script: bound values, and text that would be commands of a client."""

from __future__ import annotations

import random
import re

import pytest

from polltrace.scenarios.script.reader import Item, Script
from polltrace.scenarios.script.settings import Settings
from polltrace.sqltrace.bound_sql import bound_script
from polltrace.sqltrace.script_text import comment_lines

NUMBER, TEXT, DATE, REPEATED = 2, 1, 12, -1

HOSTILE = [
    *"'\"&;-/*@#!.:+()<>[]$ \n\r\t\0\x0b\x1b\x85\u2028\u202e\U0001f600é",
    "\n/\n", "\n.\n", "\n\n", ";\n", "\nhost id", "\nspool f", "\n@f", "\n!id", "\n#host id",
    "\n$id", "&&x", "-\n", "--", "--+", "/*", "/*+", "*/", "q'[", "]'", "n'", ":b", ":\n", "select",
    "begin", "end", "with function", "set x", "exit", "rem", "1", "x" * 3000,
]  # fmt: skip


def items(script: str) -> list[Item]:
    assert "&" not in script
    assert max(len(line.encode()) for line in script.split("\n")) < 2499
    return list(Script(script).items(Settings()))


def commands(script: str) -> list[Item]:
    return [item for item in items(script) if item.kind == "command" or not item.runs]


def test_a_bind_that_repeats_another_has_its_value() -> None:
    script = bound_script("select :a, :b, :a from dual", ["1", "x", None], [NUMBER, TEXT, REPEATED])
    assert script == "select 1, 'x', 1 from dual;"


def test_a_negative_number_after_a_minus_begins_no_comment() -> None:
    assert bound_script("select 1-:a from dual", ["-5"], [NUMBER]) == "select 1-(-5) from dual;"


def test_a_block_is_run_by_a_slash() -> None:
    script = bound_script("begin\n  p(:a);\nend;", ["1"], [NUMBER])
    assert script == "begin\np(1);\nend;\n/"


def test_comments_are_dropped_and_hints_kept() -> None:
    sql = "/* app */ select --+ full(t)\n :a -- it's\n\n from t /* ; \n host id */"
    assert bound_script(sql, ["1"], [NUMBER]) == "select /*+ full(t) */\n1\nfrom t;"


@pytest.mark.parametrize("kind", [NUMBER, TEXT, DATE])
@pytest.mark.parametrize(
    "value", ["a';\nspool f\n--", "\nhost id", "&x", "a\n/\n", "x\r\n@f", "\u2028host", "-1;\n!id"]
)
def test_a_bound_value_never_becomes_a_command(value: str, kind: int) -> None:
    script = bound_script("insert into t values (:a)", [value], [kind])
    assert [item.kind for item in items(script)] == ["sql"]
    assert "\n" not in script


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select 'a\nhost id' from t", "select ('a'||chr(10)||'host id') from t;"),
        ("select q'[it's\n&x]' from t", "select ('it''s'||chr(10)||chr(38)||'x') from t;"),
        ("select 1\n\n/\nhost id\n", "select 1 /\nhost id;"),
        ("select 1\n#host id", "select 1 #host id;"),
        ("select 3 -\n 2 from t", "select 3 - 2 from t;"),
        ("select n'\u202e' from t", "select (unistr('\\202E')) from t;"),
    ],
)
def test_text_that_can_be_written_in_another_way_is(sql: str, expected: str) -> None:
    script = bound_script(sql, [], [])
    assert script == expected.replace("(unistr('\\202E'))", "unistr('\\202E')")
    assert not commands(script)


@pytest.mark.parametrize(
    "sql",
    [
        "host id",
        "select 1;\nhost id",
        'select "a\nb" from t',
        "select &x from t",
        "select 'a\nhost id",
        "select 1 /* a\nhost id",
        "@f",
        "select " + "a" * 3000 + "\nhost id",
    ],
)
def test_text_that_cannot_be_a_statement_is_a_comment(sql: str) -> None:
    script = bound_script(sql, ["\nhost id"], [TEXT])
    assert not items(script)
    assert all(line.startswith("-- ") for line in script.split("\n"))


def test_no_line_of_a_comment_goes_on_in_the_next() -> None:
    lines = comment_lines("a -\nb;\n&x\n" + "-" * 900).split("\n")
    assert all(line.startswith("-- ") and not re.search(r"[-;]\s*$", line) for line in lines)


def test_hostile_texts_are_never_commands() -> None:
    chance = random.Random(40)
    runnable = 0
    for _ in range(3_000):
        start = chance.choice(
            ["select ", "begin ", "select :a, '", "insert into t values (:a ", ""]
        )
        sql = start + "".join(chance.choices(HOSTILE, k=chance.randrange(12)))
        value = "".join(chance.choices(HOSTILE, k=chance.randrange(8)))
        script = bound_script(sql, [value, None], [chance.choice([NUMBER, TEXT, DATE]), TEXT])
        assert not commands(script + "\nselect 1 from dual;"), (sql, value)
        assert items(script + "\nselect 1 from dual;")[-1].text == "select 1 from dual", sql
        runnable += bool(items(script))
    assert runnable > 300
