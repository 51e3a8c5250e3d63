# SPDX-License-Identifier: GPL-2.0-or-later
"""PL/SQL blocks that fetch the rows of a query, and keep them in the server."""

from __future__ import annotations

from polltrace.scenarios.plan.cell import BULK_COLLECT, FOR_LOOP, Cell

_FOR_LOOP = """\
begin
  for fetched in (
{query}
  ) loop
    null;
  end loop;
end;"""

_BULK_COLLECT = """\
declare
  cursor fetching is
{query}
  ;
  type fetched_rows is table of fetching%rowtype index by binary_integer;
  fetched fetched_rows;
begin
  open fetching;
  loop
    fetch fetching bulk collect into fetched limit {limit};
    exit when fetching%notfound;
  end loop;
  close fetching;
end;"""


def as_fetched(statement: str, cell: Cell) -> str:
    """The statement that the cell's client executes: the query itself, or the block around it.

    The blocks are those of J. Lewis's measurement ("DB links", July 2019).
    """
    if cell.fetched_by == FOR_LOOP:
        return _FOR_LOOP.format(query=statement)
    if cell.fetched_by == BULK_COLLECT:
        return _BULK_COLLECT.format(query=statement, limit=cell.fetch_size)
    return statement
