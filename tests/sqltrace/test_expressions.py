# SPDX-License-Identifier: GPL-2.0-or-later
"""mrskew's expressions in SQL, and those that are refused."""

from __future__ import annotations

import duckdb
import pytest

from polltrace.errors import UsageError
from polltrace.sqltrace.perl_expression import is_perl, to_sql
from polltrace.sqltrace.relation import needed, scanned

ROW = (
    "with calls as (select 'SQL*Net message from client' as name, 0.5::double as dur, "
    "0.5::double as af, 'abc' as sqlid, 'select 1' as sql, 7 as line, 'WAIT #1' as text, "
    "'/tmp/a.trc' as file, 'a.trc' as basename, null::bigint as r, 0 as dep, 0 as depmin, "
    "null::bigint as p1) select "
)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("$af < 0.7", True),
        ("$af >= 1 and $dur < 65", False),
        ("$line >= 5 and $line <= 5+2", True),
        ("qq{$basename:$line}", "a.trc:7"),
        ("qq{$line:$text}", "7:WAIT #1"),
        ('$sqlid . ":" . substr($sql,0,60)', "abc:select 1"),
        ("substr($sql, 7)", "1"),
        ("$name =~ /MESSAGE from/i", True),
        ("$name =~ /MESSAGE/", False),
        ("$name !~ q{from client}", False),
        ("($name =~ q{message from client} and $af < 1) or !($dep == $depmin)", True),
        ("$r", 0),
        ("$r + 2 * 3", 6),
        ("2 ** 3 ** 2 + $r", 512),
        ("$sqlid eq 'abc' ? 'yes' : 'no'", "yes"),
        ("$name ne 'x' && $line > 6", True),
        ("not $line == 7 or $line == 7", True),
        ("int($af * 10)", 5),
        ("lc('ABC') . $line", "abc7"),
        ("sprintf('FETCH:%04d', $line)", "FETCH:0007"),
        ('"it\'s $line\\n"', "it's 7\n"),
        ("-$line", -7),
    ],
)
def test_translated_expressions_give_perl_s_result(expression: str, value: object) -> None:
    assert is_perl(expression) or "$" not in expression
    row = duckdb.execute(f"{ROW} {to_sql(expression)} from calls").fetchone()
    assert row == (value,)


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ("$sqlid =~ s/a/b/", "s/a/b/"),
        ("join(',', $line)", "join"),
        ("$durr < 1", "did you mean dur?"),
        ("$name =~ /x/g", "/g"),
        ("qq{$line", "does not end"),
        ("$line <=> 3", "<=>"),
        ("@{[1]}", "@{[1]}"),
        ("$line 7", "7"),
        ("$line >", "the end"),
        ("substr($sql)", "2 to 3 arguments"),
    ],
)
def test_untranslatable_expressions_are_refused_by_name(expression: str, named: str) -> None:
    with pytest.raises(UsageError, match=None) as refused:
        to_sql(expression)
    assert named in str(refused.value)


@pytest.mark.parametrize(
    ("expression", "perl"),
    [
        ("dur < 1", False),
        ("sql like '%v$session%'", False),
        ("name = '$x'", False),
        ("$dur < 1", True),
        ("q{a$line}", True),
        ("sql like 'v$session' and $dur < 1", True),
    ],
)
def test_a_variable_makes_it_perl(expression: str, perl: bool) -> None:
    assert is_perl(expression) == perl


def test_only_columns_that_are_named_are_scanned() -> None:
    assert scanned(needed(["dur < 1 and basename = 'x'"])) == ("file", "dur_us")
    assert "binds" in needed(["select * from calls"])
    assert needed(["count(*)"]) == ()
