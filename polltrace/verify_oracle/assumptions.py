# SPDX-License-Identifier: GPL-2.0-or-later
"""Polltrace's assumptions about Oracle, each judged by the observations."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from polltrace.verify_oracle.observations import Beginning, Observations

# Checks per logical read that count as "about one".
_CHECKS_PER_GET = (0.5, 2.0)


class AssumptionVerdict(Enum):
    """The result for an assumption."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNCHECKED = "could not check"


class Judgement(NamedTuple):
    """An assumption with its verdict and the reason."""

    name: str
    assumption: str
    verdict: AssumptionVerdict
    reason: str


class _Unobserved(Exception):
    """The name of the observation that is missing."""


def judge(seen: Observations) -> list[Judgement]:
    """The judgement of every assumption, in the order of the report."""
    judgements = []
    for name, (assumption, judged) in _ASSUMPTIONS.items():
        try:
            holds, reason = judged(seen)
            verdict = AssumptionVerdict.CONFIRMED if holds else AssumptionVerdict.REFUTED
        except _Unobserved as missing:
            verdict = AssumptionVerdict.UNCHECKED
            reason = seen.failures.get(str(missing), "it was not observed")
        judgements.append(Judgement(name, assumption, verdict, reason))
    return judgements


def _functions(seen: Observations) -> tuple[bool, str]:
    if seen.functions is None:
        raise _Unobserved("functions")
    missing = [step for step, facts in seen.functions.items() if facts is None]
    if missing:
        return False, f"the program has no function {', '.join(missing)}"
    return True, f"the program has {', '.join(seen.functions)}"


def _frames(seen: Observations) -> tuple[bool, str]:
    present = {name: facts for name, facts in (seen.functions or {}).items() if facts}
    if not present:
        raise _Unobserved("functions")
    bare = [name for name, facts in present.items() if not facts.has_frame]
    if bare:
        return False, f"no frame pointer in {', '.join(bare)}"
    return True, f"a frame pointer in {', '.join(present)}"


def _beginnings(seen: Observations) -> tuple[bool, str]:
    present = {name: facts for name, facts in (seen.functions or {}).items() if facts}
    if not present:
        raise _Unobserved("functions")
    stated = "; ".join(f"{name}: {facts.beginning.value}" for name, facts in present.items())
    return all(facts.beginning is not Beginning.NO_OP for facts in present.values()), stated


def _polls(seen: Observations) -> tuple[bool, str]:
    if seen.work is None:
        raise _Unobserved("work")
    work = seen.work
    return work.break_polls > 0, f"{work.break_polls:,} break polls in {work.gets:,} logical reads"


def _skip(seen: Observations) -> tuple[bool, str]:
    if seen.burst is None:
        raise _Unobserved("burst")
    calls, polls = seen.burst
    if not polls:
        return False, f"no break poll in {calls:,} calls of the check function"
    ratio = calls / polls
    reason = f"{calls:,} calls of the check function for {polls:,} break polls: {ratio:.3f}"
    if seen.skip is None:
        return abs(ratio - round(ratio)) < 0.01, f"{reason}; the configured skip is not readable"
    return abs(ratio - seen.skip) < 0.01 * seen.skip, f"{reason}; configured is {seen.skip}"


def _checks_per_get(seen: Observations) -> tuple[bool, str]:
    if seen.work is None or not seen.work.gets:
        raise _Unobserved("work")
    if seen.burst is None or not seen.burst[1]:
        raise _Unobserved("burst")
    work, (calls, polls) = seen.work, seen.burst
    checks = work.break_polls * calls / polls / work.gets
    gets = f"{work.gets / work.break_polls:.2f}" if work.break_polls else "no"
    least, most = _CHECKS_PER_GET
    return least <= checks <= most, f"{checks:.2f} checks a logical read, {gets} reads a poll"


def _urgent(seen: Observations) -> tuple[bool, str]:
    if seen.out_of_band is None:
        raise _Unobserved("out_of_band")
    if seen.out_of_band.catches_sigurg is None:
        raise _Unobserved("sigurg")
    caught = seen.out_of_band.catches_sigurg
    return caught, f"its server {'has a' if caught else 'has no'} handler of SIGURG"


def _owner(seen: Observations) -> tuple[bool, str]:
    if seen.out_of_band is None:
        raise _Unobserved("out_of_band")
    if seen.out_of_band.owns_socket is None:
        raise _Unobserved("owner")
    owns = seen.out_of_band.owns_socket
    return owns, f"its server is {'' if owns else 'not '}the owner of its socket (F_GETOWN)"


def _quiet(seen: Observations) -> tuple[bool, str]:
    if seen.out_of_band is None:
        raise _Unobserved("out_of_band")
    polls = seen.out_of_band.break_polls
    return polls == 0, f"{polls:,} break polls while it worked"


def _trace(seen: Observations) -> tuple[bool, str]:
    if seen.traced_calls is None:
        raise _Unobserved("traced_calls")
    reason = f"{seen.traced_calls:,} calls read, {seen.unread_lines:,} lines not understood"
    return seen.traced_calls > 0 and not seen.unread_lines, reason


_ASSUMPTIONS: dict[str, tuple[str, Callable[[Observations], tuple[bool, str]]]] = {
    "functions": ("the program has every function of the break check by a known name", _functions),
    "frame pointers": ("each of them sets up a frame pointer", _frames),
    "beginnings": ("none of them begins with a two-byte no-op", _beginnings),
    "in-band polls": ("a session without out-of-band breaks polls while it reads", _polls),
    "skip": ("it polls at every BREAK_POLL_SKIP-th call of the check function", _skip),
    "checks": ("it makes about one check a logical read", _checks_per_get),
    "SIGURG": ("a server with out-of-band breaks catches SIGURG", _urgent),
    "socket owner": ("it has asked for its socket's SIGURG by F_SETOWN", _owner),
    "no polls": ("it does not poll while it reads", _quiet),
    "trace": ("every line of its SQL trace is understood", _trace),
}
