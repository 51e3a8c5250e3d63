# SPDX-License-Identifier: GPL-2.0-or-later
"""The outcome of real cancels, by break mode: `polltrace oob-check --cancel`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Cancel `tries` statements by the means of `driver` (empty: the usual one of the database),
    each within `patience_s` of its end, as `user` of the database at `dsn` (host:port/service).
    `statement` replaces the usual one, which takes seconds."""

    dsn: str
    user: str
    password: str = field(repr=False)
    is_postgresql: bool
    driver: str
    tries: int
    patience_s: float
    statement: str


@dataclass(frozen=True, slots=True)
class ModeCancels:
    """The cancels of one break `mode`: milliseconds from the driver's cancel until its call
    returned, `delays_ms`, and the number of statements that ran to their end although they were
    cancelled, `lost`. `problem` is the reason why fewer were tried than requested."""

    mode: str
    delays_ms: tuple[float, ...]
    lost: int = 0
    problem: str = ""

    def quantile_ms(self, share: float) -> float | None:
        """The smallest delay that this share (0 to 1) of the cancels did not exceed."""
        ordered = sorted(self.delays_ms)
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None

    def verdict(self, limit_s: float) -> str:
        """`lost`, `late` (one took longer than the limit), `fine`, or `cannot tell`."""
        if self.lost:
            return "lost"
        if not self.delays_ms:
            return "cannot tell"
        return "late" if max(self.delays_ms) > 1e3 * limit_s else "fine"


CancelCheck = Callable[[CancelRequest], Iterator[ModeCancels]]


def cancels_data(driver: str, outcomes: Sequence[ModeCancels], limit_s: float) -> dict[str, Any]:
    """Times in milliseconds; null where no cancel returned."""
    return {
        "driver": driver,
        "max_cancel_s": limit_s,
        "modes": [
            {
                "break_mode": outcome.mode,
                "verdict": outcome.verdict(limit_s),
                "cancels": len(outcome.delays_ms) + outcome.lost,
                "lost": outcome.lost,
                "p50_ms": outcome.quantile_ms(0.5),
                "p99_ms": outcome.quantile_ms(0.99),
                "worst_ms": outcome.quantile_ms(1.0),
                "problem": outcome.problem or None,
            }
            for outcome in outcomes
        ],
    }


def cancels_text(driver: str, outcomes: Sequence[ModeCancels], limit_s: float) -> str:
    """A line for each break mode."""
    lines = [f"Real cancels by {driver}, a call of each was under way:", ""]
    lines.append(
        f"{'BREAK MODE':<20} {'CANCELS':>7} {'LOST':>5} {'p50 ms':>9} {'p99 ms':>9}"
        f" {'WORST ms':>9}  VERDICT"
    )
    for outcome in outcomes:
        count = len(outcome.delays_ms) + outcome.lost
        delays = " ".join(f"{_ms(outcome.quantile_ms(share)):>9}" for share in (0.5, 0.99, 1.0))
        problem = f" ({outcome.problem})" if outcome.problem else ""
        lines.append(
            f"{outcome.mode:<20} {count:>7} {outcome.lost:>5} {delays}"
            f"  {outcome.verdict(limit_s)}{problem}"
        )
    lines += ["", f"lost: the statement ran to its end; late: later than {limit_s:g} s."]
    return "\n".join(lines)


def _ms(milliseconds: float | None) -> str:
    return "-" if milliseconds is None else f"{milliseconds:,.3g}"
