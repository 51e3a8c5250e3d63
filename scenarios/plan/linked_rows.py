# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows that cross a database link: as many, and as long, as those of a published measurement.

J. Lewis counted packets for 20,000 rows of ALL_OBJECTS ("DB links", July 2019). 2,000 of his rows
filled ten packets of 8 KB and a bit, at most five of 16 KB: about 43 bytes each, because Oracle
leaves out a column that repeats the value above it. The lab sends every column, so these rows are
that long by themselves: shorter in the first fetches of 2,000 than in the last, so that the packets
add up to his.
"""

from __future__ import annotations

ROWS = 20_000
_SHORT, _LONG, _LONG_FROM = 38, 41, 10_000
_MIDDLE = range(8_000, 9_790)
"""Rows that are one byte longer than the short ones: with them the fifth fetch fills ten packets of
8 KB and a bit, but no more than five of 16 KB."""
_LENGTH_AND_TYPE = 2
"""Bytes of a row with one short value, beyond the value's own."""

CREATE = "create table objects (v varchar2(100))"
FILL = f"""
insert into objects
select rpad('x', case when level > {_LONG_FROM} then {_LONG}
                      when level > {_MIDDLE.start} and level <= {_MIDDLE.stop} then {_SHORT + 1}
                      else {_SHORT} end, 'x')
from dual connect by level <= {ROWS}
"""


def row_bytes(number: int) -> int:
    """The size of row `number`, from 0, on the wire."""
    if number >= _LONG_FROM:
        return _LONG + _LENGTH_AND_TYPE
    return _SHORT + (number in _MIDDLE) + _LENGTH_AND_TYPE
