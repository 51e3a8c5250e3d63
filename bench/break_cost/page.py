# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a validation: every session, and their summary."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence

from bench.break_cost.record import SessionRecord
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


def page(
    records: Sequence[SessionRecord], planned: int, guests: Sequence[SessionRecord] = ()
) -> str:
    """The page in Markdown; `planned` is the number of sessions in the plan. `guests` were measured
    in an emulated machine.
    """
    used = [record for record in records if not record.disturbance]
    disturbed = [record for record in records if record.disturbance]
    statements = {record.statement for record in used}
    parts = [
        _HEAD,
        f"{len(used)} of the plan's {planned} sessions, over {len(statements)} statements; "
        f"{len(disturbed)} measurements were disturbed by the host and are not among them.\n",
        "".join(f"- {line}\n" for line in _summary(used)),
        _reached(used),
        _TABLE + "".join(map(_row, used)),
    ]
    if disturbed:
        lines = [f"- {_name(record)}: {record.disturbance}\n" for record in disturbed]
        parts.append("## Disturbed, and measured again\n\n" + "".join(lines))
    parts.append(_made_on(used))
    if guests:
        parts.append(_in_a_guest([record for record in guests if not record.disturbance]))
    return "\n".join(parts)


def _in_a_guest(used: Sequence[SessionRecord]) -> str:
    lines = "".join(f"- {line}\n" for line in _summary(used))
    kernels = ", ".join(sorted({record.kernel for record in used}))
    return (
        f"## On another kernel, emulated\n\nSessions on {kernels}: {len(used)}, by "
        "`make validate-guest`. An emulator takes other times for system calls and memory than a "
        "processor does, and knows no caches, so these ratios show how far the figure holds where "
        "nothing is like the host that the model was fitted on; no accuracy on a processor follows "
        f"from them.\n\n{lines}\n{_TABLE}{''.join(map(_row, used))}"
    )


def _summary(measured: Sequence[SessionRecord]) -> list[str]:
    used = [record for record in measured if _is_known(record)]
    if not used:
        return ["No session was measured undisturbed."]
    lost = [record for record in measured if not _is_known(record)]
    sharp = [record for record in used if record.saved.half_width / record.saved.value <= 0.05]
    return [
        *_of("Advised", used, _advised),
        *_of("Advised, only where the truth is known to 5 %", sharp, _advised),
        *_of("First", used, lambda record: Estimate(*record.first_pct)),
        *_too_little(lost),
        "The truth itself is known to "
        f"±{_typical([_width(record.saved) for record in used]):.1f} % "
        "(median), so that even a perfect figure would not be within 10 % of it in all.",
    ]


def _reached(measured: Sequence[SessionRecord]) -> str:
    """The aims of validate.toml, and which of them are reached."""
    used = [record for record in measured if _is_known(record)]
    if not used:
        return ""
    near = 100 * sum(_is_near(record, _advised(record)) for record in used) / len(used)
    low, _ = clopper_pearson(sum(_inside(record, _advised(record)) for record in used), len(used))
    width = _typical([_width(_advised(record)) for record in used])
    aims = [
        (near >= 90, f"within 10 % in 90 % of sessions ({near:.0f} %)"),
        (low > 0.9, f"a coverage whose lower bound is above 90 % ({100 * low:.0f} %)"),
        (width < 15, f"intervals narrower than ±15 % (±{width:.0f} %)"),
    ]
    reached, missed = ([aim for met, aim in aims if met is expected] for expected in (True, False))
    return (
        f"Reached, of what was aimed at: {'; '.join(reached) or 'nothing'}. "
        f"Not reached: {'; '.join(missed) or 'nothing'}.\n"
    )


def _is_near(record: SessionRecord, figure: Estimate) -> bool:
    return abs(figure.value / record.saved.value - 1) <= 0.1


def _is_known(record: SessionRecord) -> bool:
    """True if the truth excludes zero: otherwise no error can be relative to it."""
    return record.saved.low > 0


def _too_little(lost: Sequence[SessionRecord]) -> list[str]:
    if not lost:
        return []
    within = sum(overlap(record.saved, _advised(record)) for record in lost)
    return [
        f"In {len(lost)} more the truth cannot be told from nothing, so that there is no error: "
        f"advised and truth have a value in common in {within} of them."
    ]


def _advised(record: SessionRecord) -> Estimate:
    return Estimate(*record.advised_pct)


def _of(
    name: str, used: Sequence[SessionRecord], figure: Callable[[SessionRecord], Estimate]
) -> list[str]:
    if not used:
        return []
    errors = [100 * (figure(record).value / record.saved.value - 1) for record in used]
    near = sum(_is_near(record, figure(record)) for record in used)
    inside = sum(_inside(record, figure(record)) for record in used)
    low, high = clopper_pearson(inside, len(used))
    widths = [_width(figure(record)) for record in used]
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


def _inside(record: SessionRecord, figure: Estimate) -> bool:
    return figure.low <= record.saved.value <= figure.high


def clopper_pearson(hits: int, trials: int) -> tuple[float, float]:
    """The exact 95 % interval of a proportion, by bisection of the binomial's tails."""

    def at_most(count: int, share: float) -> float:
        return sum(
            math.comb(trials, successes) * share**successes * (1 - share) ** (trials - successes)
            for successes in range(count + 1)
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


def _row(record: SessionRecord) -> str:
    advised = Estimate(*record.advised_pct)
    error = 100 * (advised.value / record.saved.value - 1) if _is_known(record) else None
    cells = [
        record.driver,
        record.statement,
        record.kind,
        str(record.skip),
        f"{1e6 / record.polls_per_cpu_s:.1f}",
        _interval(record.saved),
        _interval(advised),
        "-" if error is None else f"{error:+.1f} %",
        "-" if error is None else "yes" if _inside(record, advised) else "no",
        _interval(Estimate(*record.first_pct)),
    ]
    return "| " + " | ".join(cells) + " |\n"


def _interval(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def _name(record: SessionRecord) -> str:
    return f"{record.driver}, {record.statement}, skip {record.skip}"


def _made_on(used: Sequence[SessionRecord]) -> str:
    hosts = sorted({f"{record.host}, kernel {record.kernel}" for record in used})
    models = sorted({record.model for record in used})
    times = [record.at for record in used]
    if not times:
        return ""
    return (
        f"Measured {min(times)} to {max(times)} on {'; '.join(hosts)}. Model fitted "
        f"{', '.join(models)}. On one host only: what another host's processor and kernel add to "
        "the error is not in these figures.\n"
    )
