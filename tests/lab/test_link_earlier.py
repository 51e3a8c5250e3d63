# SPDX-License-Identifier: GPL-2.0-or-later
"""A remote lab of an earlier release, which cannot describe a query without executing it: its
first description has the columns' names, and 0 for each of their types."""

from __future__ import annotations

import re

import pytest

from .links import LinkedLabs, between

# Of OBJECT_ID, a NUMBER: type, flags, precision and scale, size; its name is counted twice.
OBJECT_ID = re.compile(rb"\x02(\x00..\x01\x16.{0,16}\x09\x09OBJECT_ID)", re.S)
QUERY = "select object_id from all_objects@early where object_id = "
WITHOUT_BIND: tuple[str, dict[str, int]] = (f"{QUERY}5", {})
WITH_BIND = (f"{QUERY}:id", {"id": 5})
JOINED = (
    "select a.object_id from all_objects@early a, all_objects b"
    " where a.object_id = b.object_id and b.object_id = :id",
    {"id": 5},
)


class Early:
    """Takes the types out of the first `descriptions`."""

    def __init__(self, descriptions: int) -> None:
        self.left = descriptions

    def __call__(self, data: bytes, _before: int) -> bytes:
        if self.left > 0 and OBJECT_ID.search(data):
            self.left -= 1
            return OBJECT_ID.sub(rb"\0\1", data)
        return data


@pytest.mark.parametrize(("sql", "binds"), [WITHOUT_BIND, WITH_BIND])
def test_a_query_is_described_by_an_execution(
    labs: LinkedLabs, sql: str, binds: dict[str, int]
) -> None:
    early = Early(1)
    with between(labs.remote.port, early) as port:
        session = labs.local.connect()
        labs.link(session, "early", port)
        assert session.rows(sql, **binds) == [(5,)]
        assert early.left == 0
        assert session.cursor.description[0][1].name == "DB_TYPE_NUMBER"
        assert session.rows(sql, **binds) == [(5,)]


def test_so_is_a_table_that_is_joined(labs: LinkedLabs) -> None:
    early = Early(1)
    with between(labs.remote.port, early) as port:
        session = labs.local.connect()
        labs.link(session, "early", port)
        sql, binds = JOINED
        assert session.rows(sql, **binds) == [(5,)]
        assert early.left == 0


def test_types_that_are_never_told_are_refused(labs: LinkedLabs) -> None:
    with between(labs.remote.port, Early(1000)) as port:
        session = labs.local.connect()
        labs.link(session, "early", port)
        with pytest.raises(Exception, match=r"ORA-03001.*a remote column of type 0"):
            session.rows(WITHOUT_BIND[0])
        assert session.one("select 1 from dual@far") == 1
