# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile by name of calls that are held in memory, for questions that take no SQL: it is what
SQL would answer. tests/sqltrace/test_plain_profile.py compares the two.

`accepted_by` says which questions these are: no group, and conditions that compare a duration with
numbers, or a name or kind with texts.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from polltrace.sqltrace.counted_calls import CountedCalls
from polltrace.sqltrace.profile_question import Order, ProfileQuestion
from polltrace.sqltrace.spread import PERCENTILES, Profile, Spread

_PARTS = 1000  # PERCENTILES are whole ones of these

# Of a call's kind, its name and its duration in microseconds.
Accepts = Callable[[str, str, int], bool]

# Where Python's regular expressions and DuckDB's mean the same, for names in ASCII; with few
# repetitions, for Python's take a time that grows with their power.
_PATTERN = r"[A-Za-z0-9 _:&/.^$|()+*?-]*"
_REPETITION = r"[*+?]"
_DIFFERS = r"\(\?|[)*+?][*+?]"
_KINDS = {"": None, ":dbcall": "call", ":syscall": "wait"}
_TOKEN = (
    r"\s*(?:(?P<number>\d{1,9}(?:\.\d{1,6})?(?:e-?\d\d?)?)(?:::double)?(?![\w.])"
    r"|(?P<text>'[^']*')|(?P<word>[A-Za-z_]+)|(?P<sign><=|>=|<>|!=|==|[<>=()]))"
)
_SAME: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "==": operator.eq, "<>": operator.ne, "!=": operator.ne
}  # fmt: skip
_COMPARE = {**_SAME, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def accepted_by(question: ProfileQuestion, where: str, order: Order) -> Accepts | None:
    """Which calls a question means, whose condition is `where` in SQL; None where it takes SQL."""
    if question.group or (order.column == "grouped" and order.numeric):
        return None
    condition = _Condition(where).read() if where else _everything
    by_name = _by_name(question.name)
    if not condition or not by_name:
        return None
    return lambda kind, name, us: by_name(kind, name, us) and condition(kind, name, us)


def _everything(_kind: str, _name: str, _us: int) -> bool:
    return True


def _by_name(asked: str) -> Accepts | None:
    if asked in _KINDS:
        wanted = _KINDS[asked]
        return lambda kind, _name, _us: wanted in (None, kind)
    if asked.startswith(":") or not re.fullmatch(_PATTERN, asked) or re.search(_DIFFERS, asked):
        return None
    if len(re.findall(_REPETITION, asked)) > 2:
        return None
    try:
        pattern = re.compile(asked, re.IGNORECASE)
    except re.error:
        return None
    return lambda _kind, name, _us: pattern.search(name) is not None


class _Condition:
    """Comparisons joined by and, or, not and brackets."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        at = 0
        while text[at:].strip():
            found = re.compile(_TOKEN).match(text, at)
            if not found or not found.lastgroup:
                self._tokens = []
                return
            self._tokens.append((found.lastgroup, found[found.lastgroup]))
            at = found.end()

    def read(self) -> Accepts | None:
        found = self._or()
        return found if not self._tokens else None

    def _next_is(self, *tokens: str) -> bool:
        if self._tokens and self._tokens[0][1].lower() in tokens:
            del self._tokens[0]
            return True
        return False

    def _or(self) -> Accepts | None:
        left = self._and()
        while left and self._next_is("or"):
            left = _either(left, self._and())
        return left

    def _and(self) -> Accepts | None:
        left = self._not()
        while left and self._next_is("and"):
            left = _both(left, self._not())
        return left

    def _not(self) -> Accepts | None:
        if self._next_is("not"):
            return _negated(self._not())
        if self._next_is("("):
            inner = self._or()
            return inner if self._next_is(")") else None
        return self._comparison()

    def _comparison(self) -> Accepts | None:
        if len(self._tokens) < 3:
            return None
        (_, column), (_, sign), (kind, value) = self._tokens[:3]
        del self._tokens[:3]
        read = _READ.get((column.lower(), "whole" if value.isdecimal() else kind))
        compare = _COMPARE.get(sign) if kind == "number" else _SAME.get(sign)
        if not read or not compare:
            return None
        of_call, of_text = read
        given = of_text(value)
        return lambda kind, name, us: compare(of_call(kind, name, us), given)


# By column and what it is compared with: its value of a call, and that of the text.
_READ: Mapping[
    tuple[str, str], tuple[Callable[[str, str, int], object], Callable[[str], object]]
] = {
    **{
        (column, kind): (lambda _kind, _name, us: us * 1e-6, float)
        for column in ("dur", "af")
        for kind in ("number", "whole")
    },
    ("dur_us", "whole"): (lambda _kind, _name, us: us, int),
    **{
        (column, "text"): (lambda _kind, name, _us: name, lambda text: text[1:-1])
        for column in ("name", "nam")
    },
    ("kind", "text"): (lambda kind, _name, _us: kind, lambda text: text[1:-1]),
}


def _negated(inner: Accepts | None) -> Accepts | None:
    if not inner:
        return None
    return lambda kind, name, us: not inner(kind, name, us)


def _either(left: Accepts, right: Accepts | None) -> Accepts | None:
    if not right:
        return None
    return lambda kind, name, us: left(kind, name, us) or right(kind, name, us)


def _both(left: Accepts, right: Accepts | None) -> Accepts | None:
    if not right:
        return None
    return lambda kind, name, us: left(kind, name, us) and right(kind, name, us)


def plain_profile(
    counted: CountedCalls, accepts: Accepts, order: Order, top: int
) -> Profile | None:
    """The profile of the calls that are meant. None where they are not all held, or where a name
    is not in ASCII, so that a pattern may mean something else in SQL."""
    if counted.spilled or not all(name.isascii() for _, name in counted.times):
        return None
    groups: dict[str, Counter[int]] = {}
    for (kind, name), of_name in counted.times.items():
        meant = {us: times for us, times in of_name.items() if accepts(kind, name, us)}
        if meant:
            groups.setdefault(name, Counter()).update(meant)
    spreads = _in_order([_spread(name, times) for name, times in sorted(groups.items())], order)
    listed, hidden = spreads[: top or None], spreads[top:] if top else []
    everything: Counter[int] = Counter()
    for times in groups.values():
        everything.update(times)
    return Profile(
        listed,
        _together(hidden) if hidden else None,
        len(hidden),
        _spread(None, everything),
        len(spreads),
        numeric=False,
    )


def _spread(name: str | None, times: Mapping[int, int]) -> Spread:
    if not times:
        return Spread(name, 0, None, None, None, (None,) * len(PERCENTILES))
    calls, reached = sum(times.values()), 0
    wanted = [_rank(part, calls) for part in PERCENTILES]
    found: list[int] = []
    for us in sorted(times):
        reached += times[us]
        while len(found) < len(wanted) and reached >= wanted[len(found)]:
            found.append(us)
    duration = sum(us * count for us, count in times.items())
    return Spread(name, calls, duration, min(times), max(times), tuple(found))


def _rank(part: float, calls: int) -> int:
    """The nearest one, from 1."""
    return -(-round(_PARTS * part) * calls // _PARTS)


def _in_order(spreads: list[Spread], order: Order) -> Sequence[Spread]:
    """Equal ones by name."""
    if order.column == "grouped":
        return spreads[::-1] if order.descending else spreads
    return sorted(spreads, key=_VALUES[order.column], reverse=order.descending)


def _percentile(number: int) -> Callable[[Spread], float]:
    return lambda each: each.percentiles[number] or 0


_VALUES: Mapping[str, Callable[[Spread], float]] = {
    "duration": lambda each: each.duration or 0,
    "calls": lambda each: each.calls,
    "mean": lambda each: (each.duration or 0) / each.calls,
    "least": lambda each: each.least or 0,
    "most": lambda each: each.most or 0,
    **{f"p{round(100 * part)}": _percentile(i) for i, part in enumerate(PERCENTILES)},
}


def _together(spreads: Sequence[Spread]) -> Spread:
    return Spread(
        None,
        sum(each.calls for each in spreads),
        sum(each.duration or 0 for each in spreads),
        min(each.least or 0 for each in spreads),
        max(each.most or 0 for each in spreads),
        (None,) * len(PERCENTILES),
    )
