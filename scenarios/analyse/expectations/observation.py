# SPDX-License-Identifier: GPL-2.0-or-later
"""The result of a check for one cell or one client."""

from __future__ import annotations

from dataclasses import dataclass

WITHIN = 0.01
"""The share by which counts may differ: counting begins and ends between two polls."""


@dataclass(frozen=True, slots=True)
class Observation:
    """`confirmed`: whether the expectation holds here, None if this run cannot show it; `words`:
    the evidence, with its units."""

    confirmed: bool | None
    words: str
