# SPDX-License-Identifier: GPL-2.0-or-later
"""The proof's table, as a page of the documentation."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polltrace.intervals import Estimate
from polltrace.overhead.advice import Advice

_GOAL = 0.10

_HEAD = """\
# The forecast against the truth

Made by `make proof`. For each driver one in-band session at `BREAK_POLL_SKIP=3` is measured as
`polltrace advise` measures it. Its forecast for every other skip is compared with the CPU time that
the same session then takes for the same statement at each skip, interleaved, with nothing attached.
All figures are per cent of the CPU time at skip 3; the row of skip 3 itself is the saving of being
out-of-band.

| driver | skip | forecast [95 %] | measured [95 %] | error of the forecast | truth inside |
|---|---:|---:|---:|---:|---|
"""


@dataclass(frozen=True, slots=True)
class ForecastCell:
    """One forecast of `driver` at `skip`: the saving `predicted` and `measured`, in per cent of the
    CPU time at skip 3. At the profiled skip itself it is the saving of being out-of-band.
    """

    driver: str
    skip: int
    predicted: Estimate
    measured: Estimate

    @property
    def relative_error(self) -> float:
        return abs(self.predicted.value - self.measured.value) / abs(self.measured.value)

    @property
    def settled(self) -> bool:
        """Whether the truth itself was measured to 10 %; otherwise neither proves anything."""
        return self.measured.half_width <= 0.1 * abs(self.measured.value)

    @property
    def inside(self) -> bool:
        """Whether the measured value lies in the forecast's interval."""
        return self.predicted.low <= self.measured.value <= self.predicted.high


def proof_table(cells: Sequence[ForecastCell], notes: Mapping[str, Advice]) -> str:
    """A Markdown page: every cell, the number that held, and the inputs of the forecasts."""
    rows = [
        f"| {cell.driver} | {_skip(cell.skip)} | {_pct(cell.predicted)} | {_pct(cell.measured)}"
        f" | {100 * cell.relative_error:.1f} % | {'yes' if cell.inside else 'NO'} |"
        for cell in cells
    ]
    close = sum(cell.relative_error <= _GOAL for cell in cells)
    inside = sum(cell.inside for cell in cells)
    settled = sum(cell.settled for cell in cells)
    worst = max((cell.relative_error for cell in cells), default=0.0)
    lines = [
        "",
        f"The forecast is within {100 * _GOAL:.0f} % of the truth in {close} of {len(cells)} cells "
        f"(worst: {100 * worst:.1f} %), and the truth lies in the stated interval in {inside} of "
        f"{len(cells)}. In {settled} cells the truth itself was measured "
        f"to 10 %; the others need more blocks or a quieter machine. Kernel {platform.release()}.",
        "",
        *[_note(driver, given) for driver, given in notes.items()],
    ]
    return _HEAD + "\n".join([*rows, *lines]) + "\n"


def _skip(skip: int) -> str:
    return "3 (out-of-band)" if skip == 3 else str(skip)


def _note(driver: str, given: Advice) -> str:
    sampled = "-" if given.sampled is None else _pct(given.sampled)
    return (
        f"- {driver}: {given.load.polls_per_cpu_s:,.0f} polls per CPU second at "
        f"{1e9 * given.poll_cost_s.value:.0f} ns [{1e9 * given.poll_cost_s.low:.0f}, "
        f"{1e9 * given.poll_cost_s.high:.0f}]; counted {_pct(given.counted)}, sampled {sampled}"
    )


def _pct(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"
