# SPDX-License-Identifier: GPL-2.0-or-later
"""Bound values in the text of their statement."""

from __future__ import annotations

from polltrace.sqltrace.bound_sql import with_values

NUMBER, TEXT, REPEATED = 2, 1, -1


def test_a_bind_that_repeats_another_has_its_value() -> None:
    sql = "select :a, :b, :a from dual"
    shown = with_values(sql, ["1", "x", None], [NUMBER, TEXT, REPEATED])
    assert shown == "select 1, 'x', 1 from dual"
