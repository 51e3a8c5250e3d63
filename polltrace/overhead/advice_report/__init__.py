# SPDX-License-Identifier: GPL-2.0-or-later
"""Advice as text and as JSON-ready data, by its kind, with the change to make (`changes.py`)."""

from __future__ import annotations

from typing import Any

from polltrace.overhead.advice_report.changes import changes
from polltrace.overhead.advice_report.client_check import (
    client_check_data,
    client_check_text,
    recommendation,
)
from polltrace.overhead.advice_report.data import advice_data
from polltrace.overhead.advice_report.text import advice_text, change_lines, limits_words
from polltrace.overhead.client_check import ClientCheckAdvice
from polltrace.overhead.forecast import CancelLimits, recommended
from polltrace.overhead.session_advice import SessionAdvice
from polltrace.servers.database_sessions import DatabaseSession

__all__ = [
    "advice_data",
    "advice_text",
    "changes",
    "cure_text",
    "limits_words",
    "session_advice_data",
    "session_advice_text",
]


def session_advice_text(
    advice: SessionAdvice, limits: CancelLimits, session: DatabaseSession | None = None
) -> str:
    """The text of `polltrace advise`."""
    if isinstance(advice, ClientCheckAdvice):
        return client_check_text(advice, limits.running_s)
    return advice_text(advice, limits, session)


def cure_text(advice: SessionAdvice, limits: CancelLimits) -> str:
    """The part of the advice that recommends a change; empty where no change is recommended or the
    better setting is not known yet.
    """
    if isinstance(advice, ClientCheckAdvice):
        return recommendation(advice, limits.running_s) if advice.forecast else ""
    return "\n".join(change_lines(advice, recommended(advice.forecast, limits))).strip("\n")


def session_advice_data(
    advice: SessionAdvice, limits: CancelLimits, session: DatabaseSession | None = None
) -> dict[str, Any]:
    """The advice as JSON-ready data."""
    if isinstance(advice, ClientCheckAdvice):
        return client_check_data(advice, limits.running_s)
    return advice_data(advice, limits, session)
