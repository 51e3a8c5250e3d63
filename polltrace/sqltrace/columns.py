# SPDX-License-Identifier: GPL-2.0-or-later
"""The columns of a scanned trace: the Arrow schema, with the meaning of each.

One row is one call: a database call, a wait, the end of a transaction, an error. Where every line
is asked for, other lines are rows without a name and a duration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pyarrow


class TraceColumn(NamedTuple):
    """A column that the scanner makes.

    kind: "whole" (int64), "text" (dictionary of strings), "instant" (timestamp in microseconds) or
    "texts" (list of strings) or "shorts" (list of int16); note: meaning, unit, and when it is null;
    part: the scanner's column that it is made from, where that has another name.
    """

    name: str
    kind: str
    note: str
    part: str = ""

    @property
    def source(self) -> str:
        """The scanner's own name."""
        return self.part or self.name


_UNITS = "microseconds"
# Of the call's line unless the note says otherwise; null where the line does not have it.
COLUMNS = (
    TraceColumn("file", "text", "the file, as it was named on the command line"),
    TraceColumn("line", "whole", "number of its line, from 1"),
    TraceColumn("byte_offset", "whole", "where its line begins in the file, uncompressed"),
    TraceColumn("kind", "text", "call, wait, line (any other) or plan (a STAT line)"),
    TraceColumn("name", "text", "PARSE, EXEC, FETCH, …, or the event waited for; empty for a line"),
    TraceColumn("dur_us", "whole", f"{_UNITS}: c of a call, ela of a wait; 0 where it has none"),
    TraceColumn("c_us", "whole", f"{_UNITS} of CPU, with the recursive calls inside"),
    TraceColumn("e_us", "whole", f"{_UNITS} elapsed, with the calls and waits inside"),
    TraceColumn("ela_us", "whole", f"{_UNITS} that a wait lasted"),
    TraceColumn("tim_us", "whole", f"{_UNITS} on the session's clock, at the end of the call"),
    TraceColumn(
        "time", "instant", "the same as time of day, by the timestamp before it (UTC if known)"
    ),
    TraceColumn("p", "whole", "blocks read from disk"),
    TraceColumn("cr", "whole", "consistent gets"),
    TraceColumn("cu", "whole", "current gets"),
    TraceColumn("mis", "whole", "library cache misses: hard parses"),
    TraceColumn("r", "whole", "rows returned or processed"),
    TraceColumn("dep", "whole", "depth of recursion; of a wait: its statement's"),
    TraceColumn("og", "whole", "optimizer goal: 1 all rows, 2 first rows, 3 rule, 4 choose"),
    TraceColumn("plh", "whole", "hash value of the plan"),
    TraceColumn("close_type", "whole", "how CLOSE closed: 0 hard, 1 to 3 kept in the cache"),
    TraceColumn("err", "whole", "number of the ORA- error"),
    TraceColumn("p1", "whole", "first parameter of a wait"),
    TraceColumn("p2", "whole", "second parameter"),
    TraceColumn("p3", "whole", "third parameter"),
    TraceColumn("obj", "whole", "object that the wait was for; -1: none"),
    TraceColumn("cursor", "whole", "number after #; 0 where there is none"),
    TraceColumn(
        "sqlid",
        "text",
        "of the statement; #n: not known for cursor n; hv=n: before 11.1",
        "statement",
    ),
    TraceColumn("sql", "text", "the statement's text, up to 1 MiB", "statement"),
    TraceColumn("hv", "whole", "hash value of the statement"),
    TraceColumn("oct", "whole", "Oracle's command type of the statement: 3 select, 47 PL/SQL, …"),
    TraceColumn("uid", "whole", "number of the user whose schema it ran in"),
    TraceColumn("lid", "whole", "number of the user whose privileges it ran with"),
    TraceColumn("parse_id", "whole", "line of the last parse of the cursor"),
    TraceColumn("exec_id", "whole", "line of the last execution of the cursor that has ended"),
    TraceColumn("experience_id", "whole", "line where the session's last think time had ended"),
    TraceColumn("sid", "whole", "of the session"),
    TraceColumn("serial", "whole", "of the session"),
    TraceColumn("pid", "whole", "of the server process"),
    TraceColumn("client_id", "text", "client identifier of the session", "identity"),
    TraceColumn("service", "text", "service name", "identity"),
    TraceColumn("module", "text", "module", "identity"),
    TraceColumn("action", "text", "action", "identity"),
    TraceColumn("driver", "text", "client driver", "identity"),
    TraceColumn("container", "text", "number of the container", "identity"),
    TraceColumn("xc_us", "whole", f"{_UNITS} of CPU without the calls inside; null for a wait"),
    TraceColumn("xe_us", "whole", f"{_UNITS} elapsed without the calls inside; null for a wait"),
    TraceColumn("wait_us", "whole", f"{_UNITS} of all waits inside a call"),
    TraceColumn(
        "uaf_us", "whole", f"{_UNITS} unaccounted for in a call: e - c - waits, or negative"
    ),
    TraceColumn("first_line", "whole", "line of the first call inside; its own where none is"),
    TraceColumn("binds", "texts", "of EXEC: the values bound, in order; null: NULL or repeated"),
    TraceColumn("bind_types", "shorts", "their types by Oracle's numbers; -1: repeated", "binds"),
    TraceColumn("text", "text", "the line itself"),
)

BY_NAME = {each.name: each for each in COLUMNS}

# The column of a row where calls are counted: the number of its kind, name and duration.
TIMES = TraceColumn("times", "whole", "number of calls")
COUNTED = ("kind", "name", "dur_us")


def arrow_type(column: TraceColumn) -> pyarrow.DataType:
    """Arrow's type of the column."""
    import pyarrow as arrow

    match column.kind:
        case "whole":
            return arrow.int64()
        case "instant":
            return arrow.timestamp("us")
        case "texts":
            return arrow.list_(arrow.string())
        case "shorts":
            return arrow.list_(arrow.int16())
    return arrow.dictionary(arrow.int32(), arrow.string())


def arrow_schema(names: tuple[str, ...]) -> pyarrow.Schema:
    """The schema of the named columns, in the order of COLUMNS, notes as metadata."""
    import pyarrow as arrow

    return arrow.schema(
        [
            arrow.field(each.name, arrow_type(each), metadata={"note": each.note})
            for each in (*COLUMNS, TIMES)
            if each.name in names
        ]
    )
