# SPDX-License-Identifier: GPL-2.0-or-later
"""The schedule of a session: a sequence that its seed determines, made piece by piece.

It is made here for all drivers, so a seed gives the same sequence in each, and a client program
only carries it out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polltrace.scenarios.load.workload import ThinkTime, Workload

ENTRY = np.dtype([("statement", "<u4"), ("row", "<u4"), ("due_ns", "<f8")])
"""One transaction: the statement's number, its bind row, and `due_ns`. In an open loop that is the
intended start after the session's own start; in a closed loop the think time before it."""

Numbers = NDArray[np.int64]
Times = NDArray[np.float64]


class _Deck:
    """Cards dealt over and over: in their order, or shuffled again for each pass."""

    def __init__(self, cards: Numbers, shuffled_by: np.random.Generator | None, first: int) -> None:
        self._cards, self._rng = cards, shuffled_by
        self._left = cards[first:] if shuffled_by is None else shuffled_by.permutation(cards)

    def deal(self, count: int) -> Numbers:
        dealt = [self._left[:count]]
        missing = count - len(dealt[0])
        self._left = self._left[count:]
        while missing:
            cards = self._cards if self._rng is None else self._rng.permutation(self._cards)
            dealt.append(cards[:missing])
            missing -= len(dealt[-1])
            self._left = cards[len(dealt[-1]) :]
        return np.concatenate(dealt)


class SessionPlan:
    """The transactions of session number `session`, which begins at its own time 0."""

    def __init__(self, workload: Workload, session: int, seed: int) -> None:
        self._workload = workload
        # A stream each for statements, times and the rows of every statement: so the sequence does
        # not depend on how it is cut, nor the arrivals on the statements.
        streams = np.random.SeedSequence([seed, session]).spawn(2 + len(workload.statements))
        self._choice, self._times, *self._shuffles = map(np.random.default_rng, streams)
        weights = np.array([statement.weight for statement in workload.statements])
        self._weights = weights / weights.sum()
        numbers = np.arange(len(weights))
        self._deck: _Deck | None = None
        if workload.order != "random":
            cards = np.repeat(numbers, weights.astype(np.int64))
            self._deck = _Deck(cards, self._choice if workload.order == "semi-random" else None, 0)
        self._rows = [
            self._row_deck(len(statement.rows), session, shuffle)
            for statement, shuffle in zip(workload.statements, self._shuffles, strict=True)
        ]
        self._gap_s = workload.sessions / workload.rate if workload.rate else 0.0
        self._last_s, self._started = 0.0, 0
        # Constant arrivals of all sessions together are then as far apart as 1 / rate.
        self._phase = session / workload.sessions

    def _row_deck(self, rows: int, session: int, shuffle: np.random.Generator) -> _Deck:
        shuffled = self._workload.bind_order == "shuffled"
        # Sessions begin at different rows, so that a short run uses all of them.
        first = session * rows // self._workload.sessions % rows
        return _Deck(np.arange(rows), shuffle if shuffled else None, first)

    def entries(self, count: int) -> NDArray[np.void]:
        """The next `count` transactions, of type ENTRY."""
        entries = np.zeros(count, ENTRY)
        entries["statement"] = statements = self._statements(count)
        for number, deck in enumerate(self._rows):
            chosen = statements == number
            row_count = int(chosen.sum())
            if self._workload.bind_order == "random":
                rows = len(self._workload.statements[number].rows)
                entries["row"][chosen] = self._shuffles[number].integers(rows, size=row_count)
            else:
                entries["row"][chosen] = deck.deal(row_count)
        entries["due_ns"] = 1e9 * (self._starts_s(count) if self._gap_s else self._thinks_s(count))
        return entries

    def _statements(self, count: int) -> Numbers:
        if self._deck is not None:
            return self._deck.deal(count)
        return self._choice.choice(len(self._weights), size=count, p=self._weights)

    def _starts_s(self, count: int) -> Times:
        if self._workload.arrivals == "constant":
            # Not a sum of gaps, whose rounding errors add up.
            numbers = np.arange(self._started, self._started + count)
            self._started += count
            return np.asarray(self._gap_s * (self._phase + numbers))
        starts = self._last_s + np.cumsum(self._times.exponential(self._gap_s, count))
        self._last_s = float(starts[-1])
        return np.asarray(starts)

    def _thinks_s(self, count: int) -> Times:
        return think_times(self._workload.think, self._times, count)


def think_times(think: ThinkTime, rng: np.random.Generator, count: int) -> Times:
    """Samples in seconds."""
    values = think.values
    match think.distribution:
        case "exponential":
            return rng.exponential(values["mean"], count)
        case "uniform":
            return rng.uniform(values["low"], values["high"], count)
        case "normal":
            return np.maximum(rng.normal(values["mean"], values["sd"], count), 0.0)
        case "lognormal":
            # Mean and standard deviation of the times themselves, not of their logarithms.
            spread = np.log1p((values["sd"] / values["mean"]) ** 2)
            return rng.lognormal(np.log(values["mean"]) - spread / 2, np.sqrt(spread), count)
    return np.full(count, values["mean"])
