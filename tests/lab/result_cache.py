# SPDX-License-Identifier: GPL-2.0-or-later
"""What the lab says of its result cache and of the latch that protects it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .conftest import Session

LATCH = """
    select gets, misses, spin_gets, sleep1 + sleep2 + sleep3 + sleep4 slept, sleeps, wait_time
    from   v$latch
    where  name = 'Result Cache: RC Latch'"""


@dataclass(frozen=True)
class Latch:
    gets: int
    misses: int
    spin_gets: int
    slept: int
    sleeps: int
    wait_us: int


def latch_of(session: Session) -> Latch:
    [figures] = session.rows(LATCH)
    return Latch(*figures)


def gets(session: Session, sql: str, **binds: object) -> int:
    before = latch_of(session).gets
    session.rows(sql, **binds)
    return latch_of(session).gets - before


def statistic(session: Session, name: str) -> int:
    query = "select value from v$result_cache_statistics where name = :name"
    return int(session.one(query, name=name))


def results(session: Session) -> list[tuple[Any, ...]]:
    """Status, rows and blocks of each result."""
    return session.rows(
        "select status, row_count, block_count from v$result_cache_objects"
        " where type = 'Result' order by id"
    )


def execute(session: Session, *statements: str) -> None:
    for statement in statements:
        session.cursor.execute(statement)
