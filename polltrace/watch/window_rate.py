# SPDX-License-Identifier: GPL-2.0-or-later
"""Rates with intervals, from counts in short windows. Pure functions.

A process polls only while it is on a CPU. So its polls in the windows are set against its own CPU
time in them, and this ratio against all the CPU time that it had, which is known exactly: which
process the scheduler ran in the windows does not matter. The ratio's variance comes from how far
the single windows lie off it.
"""

from __future__ import annotations

import math

from polltrace.profiles.frames import PollRate, PollWindows, ProcessTotals, WindowProducts

# Fewer windows do not show how much they differ.
FEWEST_WINDOWS = 3
NO_POLLS = PollRate(0.0, 0.0, 0.0)
NO_PRODUCTS = WindowProducts()
# How far the time that counting takes may be off: it was measured on the probe itself.
_COST_ERROR = 0.4
# No system call takes less.
_SHORTEST_POLL_S = 100e-9
# When a process was switched in and out is known to some microseconds.
_SHORTEST_CPU_S = 100e-6
# A higher correlation of neighbouring windows cannot be shown by a few of them.
_HIGHEST_CORRELATION = 0.8


def rate_of(totals: ProcessTotals, seconds: float) -> PollRate | None:
    """Break polls a second of a process over its first `seconds` under a probe; None before the
    third window, and where the process was next to never on a CPU in one."""
    if totals.rate is not None:
        return totals.rate
    windows = totals.windows
    if windows is None or windows.count < FEWEST_WINDOWS or seconds <= 0:
        return None
    return window_rate(windows, totals.cpu_s, seconds)


def window_rate(windows: PollWindows, cpu_s: float, seconds: float) -> PollRate | None:
    """Break polls a second over `seconds` in which the process had `cpu_s` CPU seconds, by the
    `windows` in that time; None where it was next to never on a CPU in one.

    Where too few windows saw it to show how much they differ, the interval is as wide as a process
    can be fast.
    """
    if not cpu_s:
        return NO_POLLS
    if windows.cpu_s < _SHORTEST_CPU_S:
        return None
    all_s = max(windows.cpu_s, cpu_s / (1 - windows.stolen) - windows.displaced_s)
    highest = all_s / seconds / _SHORTEST_POLL_S
    if not windows.polls:  # the rule of three, in CPU time
        return PollRate(0.0, 0.0, min(highest, 3 / windows.cpu_s * all_s / seconds))
    ratio = windows.polls / windows.cpu_s
    error = _relative_error(windows, ratio)
    error += _COST_ERROR * windows.displaced_s * (1 / windows.cpu_s - 1 / all_s)
    per_s = min(highest, ratio * all_s / seconds)
    return PollRate(
        per_s, per_s * max(0.0, 1 - error), max(per_s, min(highest, per_s * (1 + error)))
    )


def _relative_error(windows: PollWindows, ratio: float) -> float:
    """Half of the 95 % interval, as a share. Windows with little CPU time count little: as many as
    there would be of equal ones."""
    if windows.squares is None:
        return math.inf
    if not windows.squares.cpu:
        return 0.0
    equal = windows.cpu_s**2 / windows.squares.cpu
    if equal <= 2:  # one does not show how much they differ
        return math.inf
    squares = max(0.0, _residuals(windows.squares, ratio))
    squares *= _inflation(squares, _residuals(windows.neighbours or NO_PRODUCTS, ratio))
    return _student(equal - 1.5) * math.sqrt(squares * equal / (equal - 1.5)) / windows.polls


def _residuals(products: WindowProducts, ratio: float) -> float:
    """The sum of products of residuals, a residual being polls less `ratio` times CPU seconds."""
    return products.polls - 2 * ratio * products.cross + ratio**2 * products.cpu


def _inflation(squares: float, neighbours: float) -> float:
    """Growth of the variance by the likeness of neighbouring windows.

    A rate that changes slowly makes them alike, so that they hold less information than as many
    windows far apart: (1 + c) / (1 - c), for a correlation c that falls off geometrically.
    """
    correlation = neighbours / squares if squares else 0.0
    correlation = min(max(correlation, 0.0), _HIGHEST_CORRELATION)
    return (1 + correlation) / (1 - correlation)


def _student(freedom: float) -> float:
    """Student's 97.5 % point: Cornish and Fisher's series, good to 1 % from three degrees of
    freedom on, and the exact values below."""
    if freedom < 1.5:
        return 12.71
    if freedom < 2.5:
        return 4.303
    z, f = 1.959964, freedom
    return (
        z
        + (z**3 + z) / (4 * f)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * f**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * f**3)
    )
