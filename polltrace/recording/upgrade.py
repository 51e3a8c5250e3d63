# SPDX-License-Identifier: GPL-2.0-or-later
"""Conversion of records of older versions of the format."""

from __future__ import annotations

from typing import Any

# Names that version 2 replaced.
_KEYS = {"look": "stream", "pace_us": "interval_us", "price_s": "cost_s"}
_TYPES = {"price": "poll_cost"}


def upgraded(record: dict[str, Any], version: int) -> dict[str, Any]:
    """A record after the header, of any shape, from a file of that version."""
    if version > 1:
        return record
    named = {_KEYS.get(key, key): value for key, value in record.items()}
    return named | {"type": _TYPES.get(str(record.get("type")), record.get("type"))}
