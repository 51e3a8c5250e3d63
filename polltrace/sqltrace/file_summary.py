# SPDX-License-Identifier: GPL-2.0-or-later
from collections.abc import Mapping
from typing import NamedTuple


class FileSummary(NamedTuple):
    """Totals of a file; times in microseconds.

    elapsed: from a session's first start to its last end, summed over sessions;
    least_depth: of its calls, -1 where it has none; first_wall, last_wall: its first and last
    timestamp since 1970, 0: none; clock: nanoseconds a unit of its tim as they were taken;
    clock_measured: the same between its first and last timestamp, 0: too close;
    out_of_range, negative: numbers that were left out, or taken for 0;
    limited: written up to its size limit; continued_from, continues_in: another file has more;
    untimed_waits, untimed_errors: those whose time is not known;
    orphan_…: recursive calls that no call contains; not_understood: lines by kind;
    change: "grew" or "shrank" while it was read, else empty;
    segments: files that the trace is cut into; segments_missing: how many more were deleted.
    """

    file: str
    bytes: int
    lines: int
    calls: int
    waits: int
    statements: int
    least_depth: int
    first_wall: int
    last_wall: int
    clock: int
    clock_measured: int
    out_of_range: int
    negative: int
    limited: bool
    continued_from: bool
    continues_in: bool
    untimed_waits: int
    untimed_errors: int
    version: str
    node: str
    instance: str
    elapsed: int
    clock_steps: int
    cursors_forgotten: int
    orphan_calls: int
    orphan_c: int
    orphan_e: int
    not_understood: Mapping[str, int]
    change: str = ""
    segments: int = 1
    segments_missing: int = 0
