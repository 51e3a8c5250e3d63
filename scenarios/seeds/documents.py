# SPDX-License-Identifier: GPL-2.0-or-later
"""The published experiments that polltrace grew from: their authors' figures, and our scenarios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polltrace.scenarios.analyse.expectations.links import PUBLISHED
from polltrace.scenarios.plan.cell import CLIENT


@dataclass(frozen=True, slots=True)
class AuthorFigure:
    """A figure of a document.

    - `quantity`: its name, with the unit
    - `author`: the author's value
    - `figure`: the key of `FIGURES` (figures.py) that gives ours, and its arguments
    - `cell`: values of the cell's keys
    - `reason`: the reason for a difference
    """

    quantity: str
    author: str
    figure: tuple[str, ...]
    cell: Mapping[str, Any]
    reason: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document and the run that repeats its experiment.

    - `only`: the cells of the scenario, as `run --only` takes them
    - `quick_only`: fewer of them, for --quick
    - `not_repeated`: parts of the document that the run leaves out
    """

    title: str
    scenario: str
    only: str
    figures: Sequence[AuthorFigure]
    quick_only: str = ""
    not_repeated: str = ""


_CACHE = (
    "the author's cache is Oracle's; this one is polltrace's own, in a client that shares one "
    "processor among all sessions (--quick: caches are only partly filled)"
)
_LATCH = "Oracle 11.1 on two cores of 2007; misses depend on how many readers run at once here"
_PACKETS = (
    "messages without rows differ (parse, describe, open); the lab sends columns that repeat the "
    "row above, and its rows are as long as the author's on the wire by themselves"
)


def _links() -> list[AuthorFigure]:
    figures = []
    for row in PUBLISHED:
        cell = {"fetch_size": row.fetch_size, "fetched_by": row.fetched_by, "sdu": row.sdu}
        cell |= {"link_sdu": row.link_sdu}
        by = f"{row.fetch_size} rows a fetch, link SDU {row.link_sdu}"
        by += f", client SDU {row.sdu}" if row.fetched_by == CLIENT else f", {row.fetched_by}"
        for quantity, author, event in (
            ("messages over the link", row.messages, "SQL*Net message from dblink"),
            ("more data over the link", row.more_from_dblink, "SQL*Net more data from dblink"),
        ):
            reason = "" if "more" in quantity else _PACKETS
            name = f"{quantity}, {by}"
            figures.append(AuthorFigure(name, f"{author:,}", ("waits", event), cell, reason))
    return figures


def _latch(statement: str, misses: str, sleeps: str) -> list[AuthorFigure]:
    cell = {"statement": statement, "result_cache": "exclusive", "sessions": 4}
    return [
        AuthorFigure(f"{statement}: latch gets a find", "2", ("gets per find",), cell, ""),
        AuthorFigure(f"{statement}: misses of 10,000 gets", misses, ("misses",), cell, _LATCH),
        AuthorFigure(f"{statement}: sleeps of 1,000 misses", sleeps, ("sleeps",), cell, _LATCH),
    ]


_OUT, _IN = {"break_mode": "out-of-band"}, {"break_mode": "in-band", "skip": 3}

DOCUMENTS = {
    "000": Document(
        title="A client result cache in front of a remote database",
        scenario="result-cache",
        only="client=python-oracledb",
        figures=(
            AuthorFigure(
                "transactions with the cache / without, near the server",
                "7.2",
                ("times",),
                {"path": "direct", "cache": True},
                _CACHE,
            ),
            AuthorFigure(
                "transactions with the cache / without, behind 6 ms",
                "49",
                ("times",),
                {"path": "6 ms", "cache": True},
                _CACHE,
            ),
        ),
        not_repeated="profiles of the twenty trace files ('polltrace trace FOLDER' on your copy)",
    ),
    "001": Document(
        title="A. Fatkulin: the latch of the server result cache (Pythian, 2007)",
        scenario="result-cache-latch",
        only="client=python-oracledb,result_cache=exclusive,result_cache=off",
        quick_only="client=python-oracledb,result_cache=exclusive,sessions=4",
        figures=(*_latch("full scan", "7.9", "31"), *_latch("look-up", "97", "61")),
        not_repeated="the DBMS_JOB scripts ('polltrace lab sql result_cache')",
    ),
    "002": Document(
        title="T. Poder: break polling of a session without out-of-band breaks",
        scenario="break-poll",
        only="client=python-oracledb,skip=3,break_mode=out-of-band,break_mode=in-band",
        figures=(
            AuthorFigure(
                "logical I/Os a poll, in-band",
                "3.02 (4,089,670 / 1,355,248)",
                ("gets per poll",),
                _IN,
                "the author counted gets and polls in different executions",
            ),
            AuthorFigure("polls of an execution, out-of-band", "0", ("polls",), _OUT, ""),
            AuthorFigure(
                "in-band takes longer, %",
                "7.5 (29.28 s / 27.24 s)",
                ("slower",),
                _IN,
                "Oracle 10.2 on Solaris x64 against the lab on Linux: a poll costs something else "
                "there, and so does a logical I/O",
            ),
            AuthorFigure(
                "round trips of an execution",
                "2",
                ("round trips",),
                _IN,
                "SQL*Plus fetches the row and the end of rows separately; the driver prefetches",
            ),
        ),
    ),
    "003": Document(
        title="C. Bleile: (elapsed - DB time) / round trips is the network latency (2021)",
        scenario="network-latency",
        only="client=python-oracledb",
        figures=(
            AuthorFigure(
                "round trips for each row, one row a fetch",
                "0.99 (4,953 for 5,000 rows)",
                ("trips per row", "100"),
                {"path": "direct"},
                "sqlcl fetches more rows with its first call; the driver has a call for the end",
            ),
            AuthorFigure(
                "ms a round trip, path as it is",
                "3.633",
                ("trip ms",),
                {"path": "direct"},
                "the author's was a network between two hosts; here it is loopback",
            ),
            AuthorFigure(
                "ms that a delayed path adds to a round trip, less its delay",
                "0.312 (8.945 - 3.633 - 5)",
                ("excess ms", "6"),
                {"path": "far"},
                "the author delayed by 5 ms, the scenario by 6 ms, which this value leaves out",
            ),
        ),
    ),
    "004": Document(
        title="J. Lewis: rows over a database link (2019)",
        scenario="database-link",
        only="link_path=relayed",
        quick_only="link_path=relayed,fetch_size=2000,fetch_size=100",
        figures=_links(),
    ),
}
