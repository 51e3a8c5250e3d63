# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a validation: every session, and what they come to."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence

from bench.break_cost.record import Record
from polltrace.intervals import Estimate
from polltrace.overhead.estimates import overlap

_HEAD = """\
# The figure against the truth

Made by `make validate`, which holds `polltrace advise` with its defaults against sessions that
took no part in fitting the cost model (`make fit`). The statements, drivers and skips were frozen
in `bench/break_cost/validate.toml` before any of them was measured. Each row is a server process
of its own on the lab. *Truth* is what being out-of-band saves of its server CPU time: executions
at the session's skip and with no checks at all, in random order, with nothing attached. *Advised*
is `out_of_band_saved_pct`, from one measurement between two halves of those executions. Both with
95 % intervals. *First* is the figure before any poll was timed in place, as the exporter has it.
"""

_TABLE = """\
| driver | statement | kind | skip | us between polls | truth | advised | error | inside | first |
|---|---|---|---:|---:|---|---|---:|---|---|
"""


def page(records: Sequence[Record], planned: int, guests: Sequence[Record] = ()) -> str:
    """Markdown; `planned` is the number of sessions that the plan has. `guests` were measured in
    an emulated machine."""
    used = [one for one in records if not one.disturbance]
    disturbed = [one for one in records if one.disturbance]
    statements = {one.statement for one in used}
    parts = [
        _HEAD,
        f"{len(used)} of the plan's {planned} sessions, over {len(statements)} statements; "
        f"{len(disturbed)} measurements were disturbed by the host and are not among them.\n",
        "".join(f"- {line}\n" for line in _summary(used)),
        _reached(used),
        _TABLE + "".join(map(_row, used)),
    ]
    if disturbed:
        lines = [f"- {_name(one)}: {one.disturbance}\n" for one in disturbed]
        parts.append("## Disturbed, and measured again\n\n" + "".join(lines))
    parts.append(_made_on(used))
    if guests:
        parts.append(_in_a_guest([one for one in guests if not one.disturbance]))
    return "\n".join(parts)


def _in_a_guest(used: Sequence[Record]) -> str:
    lines = "".join(f"- {line}\n" for line in _summary(used))
    kernels = ", ".join(sorted({one.kernel for one in used}))
    return (
        f"## On another kernel, emulated\n\nSessions on {kernels}: {len(used)}, by "
        "`make validate-guest`. An emulator takes other times for system calls and memory than a "
        "processor does, and knows no caches, so these ratios show how far the figure holds where "
        "nothing is like the host that the model was fitted on; no accuracy on a processor follows "
        f"from them.\n\n{lines}\n{_TABLE}{''.join(map(_row, used))}"
    )


def _summary(measured: Sequence[Record]) -> list[str]:
    used = [one for one in measured if _is_known(one)]
    if not used:
        return ["No session was measured undisturbed."]
    lost = [one for one in measured if not _is_known(one)]
    sharp = [one for one in used if one.saved.half_width / one.saved.value <= 0.05]
    return [
        *_of("Advised", used, _advised),
        *_of("Advised, only where the truth is known to 5 %", sharp, _advised),
        *_of("First", used, lambda one: Estimate(*one.first_pct)),
        *_too_little(lost),
        f"The truth itself is known to ±{_typical([_width(one.saved) for one in used]):.1f} % "
        "(median), so that even a perfect figure would not be within 10 % of it in all.",
    ]


def _reached(measured: Sequence[Record]) -> str:
    """What validate.toml aims at, and how much of it is so."""
    used = [one for one in measured if _is_known(one)]
    if not used:
        return ""
    near = 100 * sum(_is_near(one, _advised(one)) for one in used) / len(used)
    low, _ = clopper_pearson(sum(_inside(one, _advised(one)) for one in used), len(used))
    width = _typical([_width(_advised(one)) for one in used])
    aims = [
        (near >= 90, f"within 10 % in 90 % of sessions ({near:.0f} %)"),
        (low > 0.9, f"a coverage whose lower bound is above 90 % ({100 * low:.0f} %)"),
        (width < 15, f"intervals narrower than ±15 % (±{width:.0f} %)"),
    ]
    reached, missed = ([aim for met, aim in aims if met is wanted] for wanted in (True, False))
    return (
        f"Reached, of what was aimed at: {'; '.join(reached) or 'nothing'}. "
        f"Not reached: {'; '.join(missed) or 'nothing'}.\n"
    )


def _is_near(one: Record, figure: Estimate) -> bool:
    return abs(figure.value / one.saved.value - 1) <= 0.1


def _is_known(one: Record) -> bool:
    """Whether the truth can be told from nothing: no error can be relative to it otherwise."""
    return one.saved.low > 0


def _too_little(lost: Sequence[Record]) -> list[str]:
    if not lost:
        return []
    within = sum(overlap(one.saved, _advised(one)) for one in lost)
    return [
        f"In {len(lost)} more the truth cannot be told from nothing, so that there is no error: "
        f"advised and truth have a value in common in {within} of them."
    ]


def _advised(one: Record) -> Estimate:
    return Estimate(*one.advised_pct)


def _of(name: str, used: Sequence[Record], figure: Callable[[Record], Estimate]) -> list[str]:
    if not used:
        return []
    errors = [100 * (figure(one).value / one.saved.value - 1) for one in used]
    near = sum(_is_near(one, figure(one)) for one in used)
    inside = sum(_inside(one, figure(one)) for one in used)
    low, high = clopper_pearson(inside, len(used))
    widths = [_width(figure(one)) for one in used]
    return [
        f"{name}: bias {100 * math.expm1(statistics.fmean(map(_log, errors))):+.1f} %, within 10 % "
        f"in {near} of {len(used)} ({100 * near / len(used):.0f} %), worst "
        f"{max(errors, key=abs):+.0f} %; truth inside the interval in {inside} of {len(used)} "
        f"({100 * inside / len(used):.0f} %, 95 % Clopper-Pearson {100 * low:.0f} to "
        f"{100 * high:.0f} %); interval ±{_typical(widths):.0f} % (median)."
    ]


def _log(error_pct: float) -> float:
    return math.log1p(error_pct / 100)


def _width(estimate: Estimate) -> float:
    return 100 * estimate.half_width / estimate.value


def _typical(values: Sequence[float]) -> float:
    return statistics.median(values)


def _inside(one: Record, figure: Estimate) -> bool:
    return figure.low <= one.saved.value <= figure.high


def clopper_pearson(hits: int, trials: int) -> tuple[float, float]:
    """The exact 95 % interval of a proportion, by bisection of the binomial's tails."""

    def at_most(count: int, share: float) -> float:
        return sum(
            math.comb(trials, each) * share**each * (1 - share) ** (trials - each)
            for each in range(count + 1)
        )

    low = 0.0 if hits == 0 else _root(lambda p: 1 - at_most(hits - 1, p) - 0.025)
    high = 1.0 if hits == trials else _root(lambda p: 0.025 - at_most(hits, p))
    return low, high


def _root(rising: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2


def _row(one: Record) -> str:
    advised = Estimate(*one.advised_pct)
    error = 100 * (advised.value / one.saved.value - 1) if _is_known(one) else None
    cells = [
        one.driver,
        one.statement,
        one.kind,
        str(one.skip),
        f"{1e6 / one.polls_per_cpu_s:.1f}",
        _interval(one.saved),
        _interval(advised),
        "-" if error is None else f"{error:+.1f} %",
        "-" if error is None else "yes" if _inside(one, advised) else "no",
        _interval(Estimate(*one.first_pct)),
    ]
    return "| " + " | ".join(cells) + " |\n"


def _interval(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def _name(one: Record) -> str:
    return f"{one.driver}, {one.statement}, skip {one.skip}"


def _made_on(used: Sequence[Record]) -> str:
    hosts = sorted({f"{one.host}, kernel {one.kernel}" for one in used})
    models = sorted({one.model for one in used})
    times = [one.at for one in used]
    if not times:
        return ""
    return (
        f"Measured {min(times)} to {max(times)} on {'; '.join(hosts)}. Model fitted "
        f"{', '.join(models)}. On one host only: what another host's processor and kernel add to "
        "the error is not in these figures.\n"
    )
