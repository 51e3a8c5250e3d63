# SPDX-License-Identifier: GPL-2.0-or-later
"""Feedback of SQL*Plus after a statement."""

from __future__ import annotations

import re

from polltrace.scenarios.plan.statement import begun

_COMPLETED = {
    "COMMIT": "Commit complete.",
    "ROLLBACK": "Rollback complete.",
    "SAVEPOINT": "Savepoint created.",
    "GRANT": "Grant succeeded.",
    "REVOKE": "Revoke succeeded.",
    "CALL": "Call completed.",
    "COMMENT": "Comment created.",
    "LOCK": "Table(s) Locked.",
    "ANALYZE": "Table analyzed.",
    "EXPLAIN": "Explained.",
    "RENAME": "Table renamed.",
    "SET": "Transaction set.",
    "TRUNCATE": "Table truncated.",
}
_CHANGED = {"INSERT": "created", "UPDATE": "updated", "DELETE": "deleted", "MERGE": "merged"}
_DEFINED = {"CREATE": "created", "DROP": "dropped", "ALTER": "altered"}
_SKIPPED = frozenset(
    [
        "OR",
        "REPLACE",
        "EDITIONABLE",
        "NONEDITIONABLE",
        "GLOBAL",
        "PRIVATE",
        "TEMPORARY",
        "UNIQUE",
        "BITMAP",
        "PUBLIC",
        "SHARED",
        "FORCE",
        "NO",
    ]
)
_TWO_WORDS = frozenset(["DATABASE LINK", "PACKAGE BODY", "TYPE BODY", "MATERIALIZED VIEW"])


def feedback(sql: str, changed: int, *, block: bool) -> str:
    """The sentence for a statement that changed `changed` rows.

    It is empty for a query, whose rows have a line of their own.
    """
    words = re.findall(r"[A-Z_$#]+", begun(sql)[:200].upper())
    first = words[0] if words else ""
    if first in _CHANGED:
        return f"{changed} row{'' if changed == 1 else 's'} {_CHANGED[first]}."
    if first in _DEFINED:
        return f"{_kind(words[1:])} {_DEFINED[first]}."
    if block:
        return "PL/SQL procedure successfully completed."
    return _COMPLETED.get(first, "")


def rows_selected(count: int) -> str:
    if count == 0:
        return "no rows selected"
    return f"{count} row{'' if count == 1 else 's'} selected."


def _kind(words: list[str]) -> str:
    """Kind of object, such as `Package body`, in the words after CREATE, DROP or ALTER."""
    kinds = [word for word in words if word not in _SKIPPED][:2]
    kind = " ".join(kinds) if " ".join(kinds) in _TWO_WORDS else "".join(kinds[:1])
    return kind.capitalize()
