# SPDX-License-Identifier: GPL-2.0-or-later
"""Substitution variables."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from polltrace.scenarios.script.settings import Settings
from polltrace.scenarios.script.substitution import Variables
from polltrace.scenarios.script.variable_commands import run_define
from polltrace.scenarios.script.words import CommandError

if TYPE_CHECKING:
    from polltrace.scenarios.script.state import ScriptState


def variables(settings: Settings | None = None, *answers: str) -> Variables:
    given = iter(answers)
    found = Variables(settings or Settings(), lambda _: next(given, None))
    found.define("a", "1")
    found.define("b_2", "&a")
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("&a &A &&a", "1 1 1"),
        ("&a..&a.x", "1.1x"),
        ("x&b_2", "x&a"),
        ("& a && &", "& a && &"),
        ("'&a'\n&a", "'1'\n1"),
    ],
)
def test_values(text: str, expected: str) -> None:
    assert variables().substitute(text) == expected


def test_one_ampersand_asks_each_time_and_two_once() -> None:
    found = variables(None, "x", "y", "z")
    assert found.substitute("&n &n &&n &&n &n") == "x y z z z"


def test_without_an_answer_nothing_is_executed() -> None:
    with pytest.raises(CommandError, match="SP2-0546"):
        variables().substitute("&n")


def test_a_variable_whose_name_begins_with_a_digit() -> None:
    """DEFINE and a reference as in a script of SQL*Plus (define-digit.sql)."""
    define, query = (Path(__file__).parent / "define-digit.sql").read_text().splitlines()
    settings = Settings()
    state = SimpleNamespace(variables=Variables(settings, lambda _: None))
    run_define(cast("ScriptState", state), define.removeprefix("define "))
    expected = "select 1 x from dual where sysdate between sysdate-5/1440 and sysdate;"
    assert state.variables.substitute(query) == expected
    run_define(cast("ScriptState", state), "9=x")
    assert state.variables.substitute("&9") == "x"
    with pytest.raises(CommandError, match="SP2-0136"):
        run_define(cast("ScriptState", state), "a-b=x")


def test_settings() -> None:
    assert variables(Settings(define="")).substitute("&a") == "&a"
    assert variables(Settings(define="^")).substitute("^a &a") == "1 &a"
    assert variables(Settings(concat="")).substitute("&a.x") == "1.x"
    assert variables(Settings(escape="\\")).substitute(r"\&a &a") == "&a 1"


def test_values_and_lines_do_not_grow_without_bound() -> None:
    found = variables()
    with pytest.raises(CommandError, match="SP2-0137"):
        found.define("long", "x" * 241)
    found.define("long", "x" * 240)
    assert len(found.substitute("&long" * 12)) == 2880
    with pytest.raises(CommandError, match=r"SP2-0341.*line 2"):
        found.substitute("\n" + "&long" * 13)
