# SPDX-License-Identifier: GPL-2.0-or-later
"""The options of a profile."""

from __future__ import annotations

import re
from typing import NamedTuple

from polltrace.errors import UsageError

CLASSES = {":all": "true", ":dbcall": "kind = 'call'", ":syscall": "kind = 'wait'"}
_COLUMNS = (
    "grouped",
    "duration",
    "duration",
    "calls",
    "mean",
    "least",
    "most",
    "p50",
    "p90",
    "p99",
)


class ProfileQuestion(NamedTuple):
    """name: a class or a pattern; where, group: SQL or mrskew's Perl; sort: mrskew's; top: groups
    that are listed, 0: all; all_depths: recursive calls too."""

    name: str = ""
    where: str = ""
    group: str = ""
    sort: str = "2nd"
    top: int = 10
    all_depths: bool = False


class Order(NamedTuple):
    """Sort order by a column of the table of groups; `numeric`: a group's text as a number."""

    column: str
    numeric: bool = False
    descending: bool = False


def order_of(sort: str) -> Order:
    """Parse `7nd` (column, numeric, descending), `1a` or `no`. Raises UsageError."""
    if sort == "no":
        return Order("grouped")
    key = re.fullmatch(r"(\d+)(n?)([ad]?)", sort)
    if not key or not 1 <= int(key[1]) <= len(_COLUMNS):
        raise UsageError(
            f"--sort {sort}: a column from 1 to {len(_COLUMNS)}, then n for numeric, then a or d"
        )
    return Order(_COLUMNS[int(key[1]) - 1], key[2] == "n", key[3] == "d")
