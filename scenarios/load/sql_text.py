# SPDX-License-Identifier: GPL-2.0-or-later
"""Facts about a statement's text for the load generator: its placeholders and its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from polltrace.scenarios.plan import statement
from polltrace.scenarios.plan.statement import TOKEN, begun, is_query

_OF_THE_MOMENT = re.compile(
    r"""\bfor\s+update\b|\b(?:nextval|currval|sysdate|systimestamp|current_date
      |current_timestamp|localtimestamp|sys_guid|sys_context|userenv|as\s+of|versions\s+between)\b
      |\bv\$|\bdbms_random\b""",
    re.IGNORECASE | re.VERBOSE,
)


def placeholders(sql: str) -> list[str]:
    """The names of the bind placeholders in upper case, one for each occurrence, in order."""
    return [name.upper() for name in statement.placeholders(sql)]


def with_names(sql: str) -> str:
    """The text with `:p1`, `:p2` … in the place of each `?` that is a placeholder."""
    return "".join(_named(sql))


def _named(sql: str) -> Iterator[str]:
    position, number = 0, 0
    for token in TOKEN.finditer(sql):
        if token["mark"]:
            number += 1
            yield f"{sql[position : token.start()]}:p{number}"
            position = token.end()
    yield sql[position:]


def kind(sql: str) -> str:
    """ "query", "block" (PL/SQL) or "change", by the first word after comments."""
    if is_query(sql):
        return "query"
    return "block" if re.match(r"(begin|declare|call)\b", begun(sql), re.I) else "change"


def cacheable(sql: str) -> bool:
    """True if a client result cache may keep its rows: a query that locks none, and whose answer
    depends on the tables, the binds and the session's settings alone (Database Performance Tuning
    Guide, "Requirements for the Result Cache")."""
    return kind(sql) == "query" and not _OF_THE_MOMENT.search(TOKEN.sub(" ", sql))


def sets_session(sql: str) -> bool:
    """True if it may change a session's settings, on which query results may depend."""
    return kind(sql) == "block" or re.match(r"alter\s+session\b", begun(sql), re.I) is not None


def executable(text: str) -> str:
    """The text of one statement as a driver takes it: without a closing `/`, and without the
    semicolon that only PL/SQL keeps."""
    text = re.sub(r"\n\s*/\s*$", "", text.strip()).strip()
    return text if kind(text) == "block" else text.rstrip("; \t\n")
