# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile by name of calls that are held in memory, for questions that take no SQL: the
same as the answer of SQL. tests/sqltrace/test_plain_profile.py compares the two.

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
from polltrace.sqltrace.spread import PERCENTILES, Spread, TraceProfile

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
    """A predicate for the calls that a question selects; None if it needs SQL.

    `where` is the condition of the question in SQL.
    """
    if question.group or (order.column == "grouped" and order.numeric):
        return None
    condition = _Condition(where).read() if where else _everything
    by_name = _by_name(question.name)
    if not condition or not by_name:
        return None
    return lambda kind, name, us: by_name(kind, name, us) and condition(kind, name, us)


def _everything(_kind: str, _name: str, _us: int) -> bool:
    return True


def _by_name(pattern_text: str) -> Accepts | None:
    if pattern_text in _KINDS:
        kind_wanted = _KINDS[pattern_text]
        return lambda kind, _name, _us: kind_wanted in (None, kind)
    if (
        pattern_text.startswith(":")
        or not re.fullmatch(_PATTERN, pattern_text)
        or re.search(_DIFFERS, pattern_text)
    ):
        return None
    if len(re.findall(_REPETITION, pattern_text)) > 2:
        return None
    try:
        pattern = re.compile(pattern_text, re.IGNORECASE)
    except re.error:
        return None
    return lambda _kind, name, _us: pattern.search(name) is not None


class _Condition:
    """Comparisons joined by and, or, not and brackets."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        position = 0
        while text[position:].strip():
            token = re.compile(_TOKEN).match(text, position)
            if not token or not token.lastgroup:
                self._tokens = []
                return
            self._tokens.append((token.lastgroup, token[token.lastgroup]))
            position = token.end()

    def read(self) -> Accepts | None:
        accepts = self._or()
        return accepts if not self._tokens else None

    def _next_is(self, *tokens: str) -> bool:
        if self._tokens and self._tokens[0][1].lower() in tokens:
            del self._tokens[0]
            return True
        return False

    def _or(self) -> Accepts | None:
        accepts = self._and()
        while accepts and self._next_is("or"):
            accepts = _either(accepts, self._and())
        return accepts

    def _and(self) -> Accepts | None:
        accepts = self._not()
        while accepts and self._next_is("and"):
            accepts = _both(accepts, self._not())
        return accepts

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
        constant = of_text(value)
        return lambda kind, name, us: compare(of_call(kind, name, us), constant)


# By column and kind of comparison: its value of a call, and that of the text.
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


def _either(first: Accepts, right: Accepts | None) -> Accepts | None:
    if not right:
        return None
    return lambda kind, name, us: first(kind, name, us) or right(kind, name, us)


def _both(first: Accepts, right: Accepts | None) -> Accepts | None:
    if not right:
        return None
    return lambda kind, name, us: first(kind, name, us) and right(kind, name, us)


def plain_profile(
    counted: CountedCalls, accepts: Accepts, order: Order, top: int
) -> TraceProfile | None:
    """The profile of the calls that are meant. None where they are not all held, or where a name
    is not in ASCII, so that a pattern may mean something else in SQL."""
    if counted.spilled or not all(name.isascii() for _, name in counted.times):
        return None
    groups: dict[str, Counter[int]] = {}
    for (kind, name), of_name in counted.times.items():
        accepted = {us: times for us, times in of_name.items() if accepts(kind, name, us)}
        if accepted:
            groups.setdefault(name, Counter()).update(accepted)
    spreads = _in_order([_spread(name, times) for name, times in sorted(groups.items())], order)
    listed, hidden = spreads[: top or None], spreads[top:] if top else []
    everything: Counter[int] = Counter()
    for times in groups.values():
        everything.update(times)
    return TraceProfile(
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
    ranks = [_rank(part, calls) for part in PERCENTILES]
    durations: list[int] = []
    for us in sorted(times):
        reached += times[us]
        while len(durations) < len(ranks) and reached >= ranks[len(durations)]:
            durations.append(us)
    duration = sum(us * count for us, count in times.items())
    return Spread(name, calls, duration, min(times), max(times), tuple(durations))


def _rank(part: float, calls: int) -> int:
    """The nearest one, from 1."""
    return -(-round(_PARTS * part) * calls // _PARTS)


def _in_order(spreads: list[Spread], order: Order) -> Sequence[Spread]:
    """Equal ones by name."""
    if order.column == "grouped":
        return spreads[::-1] if order.descending else spreads
    return sorted(spreads, key=_VALUES[order.column], reverse=order.descending)


def _percentile(number: int) -> Callable[[Spread], float]:
    return lambda spread: spread.percentiles[number] or 0


_VALUES: Mapping[str, Callable[[Spread], float]] = {
    "duration": lambda spread: spread.duration or 0,
    "calls": lambda spread: spread.calls,
    "mean": lambda spread: (spread.duration or 0) / spread.calls,
    "least": lambda spread: spread.least or 0,
    "most": lambda spread: spread.most or 0,
    **{f"p{round(100 * part)}": _percentile(i) for i, part in enumerate(PERCENTILES)},
}


def _together(spreads: Sequence[Spread]) -> Spread:
    return Spread(
        None,
        sum(spread.calls for spread in spreads),
        sum(spread.duration or 0 for spread in spreads),
        min(spread.least or 0 for spread in spreads),
        max(spread.most or 0 for spread in spreads),
        (None,) * len(PERCENTILES),
    )
