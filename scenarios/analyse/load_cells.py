# SPDX-License-Identifier: GPL-2.0-or-later
"""The loads of a run's cells."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polltrace.intervals import Estimate
from polltrace.scenarios.analyse import bootstrap
from polltrace.scenarios.analyse.run_file import Line


@dataclass(frozen=True, slots=True)
class CellLoad:
    """A cell's loads, one a block.

    - `lines`: its `load` lines, a block after the other
    - `transactions`: of each block; `later_per_s`: its rate in the later half of each block's load
    - `queries_per_s`: the same of the queries in them, which a block of PL/SQL has many of
    - `p50_ms`, `p99_ms`: latency, the median of the blocks; None where nothing succeeded
    - `server_us`: CPU time of the servers for a transaction, of all; None where not known
    - `client_cpu`: the share of their processors that the clients used, of all
    - `failed`: executions that failed, and sessions that were lost
    - `cache`: statistics of the client result caches, added up
    - `latch`: gets, misses and sleeps of the latch of the server's result cache, added up
    (LatchWatch)
    - `warnings`: of the loads, each once
    """

    lines: Sequence[Line]
    transactions: Sequence[int]
    queries_per_s: Estimate
    later_per_s: Sequence[float]
    p50_ms: float | None
    p99_ms: float | None
    server_us: float | None
    client_cpu: float
    failed: int
    cache: Mapping[str, int]
    latch: Mapping[str, int]
    warnings: Sequence[str]

    @property
    def per_s(self) -> Estimate:
        return bootstrap.median(self.later_per_s)

    def times(self, base: CellLoad) -> Estimate | None:
        """The rate as a multiple of `base`'s, block by block; None if that did nothing."""
        pairs = list(zip(self.later_per_s, base.later_per_s, strict=True))
        return bootstrap.median([a / b for a, b in pairs]) if all(b for _, b in pairs) else None

    @property
    def found(self) -> float | None:
        """The share of transactions that a client result cache answered; None without one."""
        transactions = sum(self.transactions)
        return (
            self.cache.get("Find Count", 0) / transactions if self.cache and transactions else None
        )


def cell_load(lines: Sequence[Line]) -> CellLoad | None:
    """The loads of a cell from its `load` lines; None without such lines."""
    if not lines:
        return None
    lines = sorted(lines, key=lambda line: line["block"])
    cache: Counter[str] = Counter()
    latch: Counter[str] = Counter()
    for line in lines:
        latch.update(line.get("latch") or {})
        cache.update({name: int(value) for name, value in line["cache"].items()})
    transactions = [line["transactions"] for line in lines]
    spent_s = [line["server_cpu_s"] for line in lines if line["server_cpu_s"] is not None]
    cpu_known = len(spent_s) == len(lines) and sum(transactions)
    return CellLoad(
        lines=lines,
        transactions=transactions,
        queries_per_s=bootstrap.median([_queries_per_s(line) for line in lines]),
        later_per_s=[line["later_per_s"] for line in lines],
        p50_ms=_median(lines, "p50"),
        p99_ms=_median(lines, "p99"),
        server_us=1e6 * sum(spent_s) / sum(transactions) if cpu_known else None,
        client_cpu=statistics.mean(line["client_cpu"] for line in lines),
        failed=sum(line["errors"] + line["lost"] for line in lines),
        cache=dict(cache),
        latch=dict(latch),
        warnings=list(dict.fromkeys(warning for line in lines for warning in line["warnings"])),
    )


def _queries_per_s(line: Line) -> float:
    """Loads of earlier releases have no queries."""
    transactions = line["transactions"]
    per_transaction = line.get("queries", transactions) / transactions if transactions else 0.0
    return float(line["later_per_s"] * per_transaction)


def _median(lines: Sequence[Line], name: str) -> float | None:
    values = [line["latency_ms"][name] for line in lines if line["latency_ms"]]
    return statistics.median(values) if values else None
