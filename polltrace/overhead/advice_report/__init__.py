# SPDX-License-Identifier: GPL-2.0-or-later
"""Advice as text (`text.py`) and as JSON-ready data (`data.py`), with what to change
(`changes.py`)."""

from polltrace.overhead.advice_report.changes import Change, changes
from polltrace.overhead.advice_report.data import advice_data
from polltrace.overhead.advice_report.text import advice_text

__all__ = ["Change", "advice_data", "advice_text", "changes"]
