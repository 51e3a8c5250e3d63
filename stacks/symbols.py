# SPDX-License-Identifier: GPL-2.0-or-later
"""Symbol tables as sorted arrays: an address to the name of the function that holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polltrace.stacks.naming import plain, preferred
from polltrace.stacks.stringtable import Names

MOST_ALIASES = 64
DEEPEST_NESTING = 32
MANY = 2048
MOST_CANDIDATES = 4096


@dataclass(frozen=True)
class RawSymbols:
    """Functions of one table, in any order; all arrays of one length n.

    start, end: u8 virtual addresses, end == start where the size is unknown; limit: u8, how far a
    symbol of unknown size may reach (end of its section or segment); name: u4 index into `names`;
    rank: u1, lower is preferred among aliases.
    """

    names: Names
    start: NDArray[np.uint64]
    end: NDArray[np.uint64]
    limit: NDArray[np.uint64]
    name: NDArray[np.uint32]
    rank: NDArray[np.uint8]


class SymbolTable:
    """Look-ups by virtual address. Aliases share one row; names are decoded once, on first use."""

    def __init__(self, parts: Sequence[RawSymbols]) -> None:
        self._names = [p.names for p in parts]
        start = _joined([p.start for p in parts], np.uint64)
        order = np.argsort(start, kind="stable")
        start = start[order]
        end = _joined([p.end for p in parts], np.uint64)[order]
        limit = _joined([p.limit for p in parts], np.uint64)[order]
        self._name = _joined([p.name for p in parts], np.uint32)[order]
        self._rank = _joined([p.rank for p in parts], np.uint8)[order]
        owner = np.repeat(np.arange(len(parts), dtype=np.uint8), [len(p.start) for p in parts])
        self._owner = owner[order]

        self._first = np.flatnonzero(np.r_[True, start[1:] != start[:-1]][: len(start)])
        self._last = np.append(self._first[1:], len(start))
        self.start: NDArray[np.uint64] = start[self._first]
        self._end = self._ends(end, limit)
        self._reach = np.maximum.accumulate(self._end)
        # One more than there are rows: the last stands for row -1, which has no name.
        self._known = np.full(len(self._first) + 1, "", object)
        self._decoded = np.zeros(len(self._first) + 1, bool)
        self._decoded[-1] = True
        self._blank = np.ones(len(self._first) + 1, bool)

    def __len__(self) -> int:
        """Number of distinct function addresses."""
        return len(self.start)

    @property
    def nbytes(self) -> int:
        """Memory it takes, in bytes, decoded names left out."""
        by_symbol = self._name.nbytes + self._rank.nbytes + self._owner.nbytes
        by_row = self.start.nbytes * 5 + self._known.nbytes + 2 * self._decoded.nbytes
        return by_symbol + by_row + sum(names.nbytes for names in self._names)

    def _ends(self, end: NDArray[np.uint64], limit: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Where each row ends: its largest alias, or for unknown sizes the next row."""
        if not len(self._first):
            return self.start
        longest = np.maximum.reduceat(end, self._first)
        furthest = np.maximum.reduceat(limit, self._first)
        following = np.r_[self.start[1:], np.uint64(2**64 - 1)]
        return np.where(longest > self.start, longest, np.minimum(following, furthest))

    def rows(self, addresses: NDArray[np.uint64]) -> NDArray[np.int64]:
        """For each address the row whose function holds it, -1 where none does."""
        if not len(self.start):
            return np.full(len(addresses), -1, np.int64)
        row = np.searchsorted(self.start, addresses, "right").astype(np.int64) - 1
        inside = (row >= 0) & (addresses < self._end[row])
        outside = (row >= 0) & ~inside & (addresses < self._reach[row])
        row[~inside & ~outside] = -1
        if outside.any():  # rare: behind a function nested in a longer one
            row[outside] = self._enclosing(addresses[outside], row[outside])
        return row

    def _enclosing(
        self, addresses: NDArray[np.uint64], row: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        result = np.full(len(row), -1, np.int64)
        for back in range(1, DEEPEST_NESTING + 1):
            candidate = row - back
            hit = (result < 0) & (candidate >= 0)
            hit[hit] = addresses[hit] < self._end[candidate[hit]]
            result[hit] = candidate[hit]
        return result

    def name(self, row: int) -> str:
        """The preferred name of a row, "" when it has none fit to print."""
        return str(self.names(np.array([row]))[0])

    def names(self, rows: NDArray[np.int64]) -> NDArray[np.object_]:
        """The names (str) of many rows, "" for row -1: each distinct one is decoded once."""
        requested = np.zeros(len(self._decoded), bool)
        requested[rows] = True
        new = np.flatnonzero(requested & ~self._decoded)
        remaining = self._decode_ordinary(new) if len(new) > MANY else new
        for row in remaining.tolist():
            self._known[row] = self._decode(row)
        self._blank[new] = self._known[new] == ""
        self._decoded[new] = True
        result: NDArray[np.object_] = self._known[rows]
        return result

    def row_named(self, name: str) -> int | None:
        """The first row that is shown by this name, else the first of a compiler's clone of it
        (`name.isra.0`); None where there is neither. Decodes only rows whose name begins so."""
        rows = self._rows_beginning(name.encode())
        names = [self.name(row) for row in rows]
        matches = [row for row, row_name in zip(rows, names, strict=True) if row_name == name]
        clones = [
            row
            for row, row_name in zip(rows, names, strict=True)
            if row_name.startswith(f"{name}.")
        ]
        return next(iter(matches or clones), None)

    def has_name_beginning(self, prefix: str) -> bool:
        """True if the name of a symbol begins with `prefix`."""
        return any(names.has_beginning(prefix.encode()) for names in self._names)

    def _rows_beginning(self, prefix: bytes) -> list[int]:
        """The first MOST_CANDIDATES rows with a symbol whose name begins with `prefix`."""
        matches = np.zeros(len(self._name), bool)
        for owner, names in enumerate(self._names):
            matches |= (self._owner == owner) & np.isin(self._name, names.places(prefix))
        symbols = np.flatnonzero(matches)
        rows = np.searchsorted(self._first, symbols, "right") - 1
        return [int(row) for row in np.unique(rows)[:MOST_CANDIDATES]]

    def nameless(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each row has no printable name; `names` must have decoded the rows."""
        return self._blank[rows]

    def _decode_ordinary(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Decode ordinary names in bulk; return the rows that need `_decode`."""
        single = rows[self._last[rows] - self._first[rows] == 1]
        first_symbols = self._first[single]
        for owner, names in enumerate(self._names):
            mine = self._owner[first_symbols] == owner
            if mine.any():
                self._known[single[mine]] = names.ordinary(self._name[first_symbols[mine]])
        remaining: NDArray[np.int64] = rows[self._known[rows] == ""]
        return remaining

    def _decode(self, row: int) -> str:
        first, last = int(self._first[row]), int(self._last[row])
        return preferred(
            [
                (int(self._rank[i]), plain(self._names[self._owner[i]].at(int(self._name[i]))))
                for i in range(first, min(last, first + MOST_ALIASES))
            ]
        )


def _joined(parts: list[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0, kind)
