# SPDX-License-Identifier: GPL-2.0-or-later
"""What the demo found: as data, as the article's table, and in two sentences."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table

from polltrace.intervals import Estimate, median, paired_overhead
from scenarios.demo import FASTEST, SLOWEST, TIMED, Experiment, Run
from scenarios.scenario import WAIT_SLICE_S, Cell


def demo_data(experiment: Experiment) -> dict[str, Any]:
    """The experiment as JSON-ready data. Counts are totals over the cell's counted runs."""
    return {
        "driver": experiment.driver,
        "rownum": experiment.rows,
        "timed_per_run": TIMED,
        "counted_per_run": experiment.counted,
        "probe_variant": experiment.probe,
        "counts_agree": experiment.counts_agree,
        "cells": [
            {
                "client": cell.client,
                "break_mode": cell.break_mode,
                "break_poll_skip": cell.skip,
                "elapsed_s": [seconds for run in runs for seconds in run.elapsed_s],
                "counted_s": [run.counted_s for run in runs],
                "consistent_gets": sum(run.consistent_gets for run in runs),
                "break_polls": sum(run.break_polls for run in runs),
                "break_polls_lab": sum(run.break_polls_lab for run in runs),
                "lost": sum(run.lost for run in runs),
                "cancel_ms": [run.cancel_ms for run in runs],
                "cancel_errors": sorted({run.cancel_error for run in runs}),
                "overhead_pct": overhead.value,
                "overhead_pct_ci95": [overhead.low, overhead.high],
            }
            for cell, runs in experiment.runs.items()
            for overhead in [_overhead(experiment, cell)]
        ],
        "stack": experiment.stack,
    }


def print_demo(experiment: Experiment, console: Console) -> None:
    """Table, stack, verdict."""
    console.print(Group(_table(experiment), *_below(experiment)))


def _table(experiment: Experiment) -> Table:
    blocks = len(experiment.runs[FASTEST])
    table = Table(
        title=f"lotslios {experiment.rows} by {experiment.driver}: {blocks} sessions of each, "
        f"{TIMED} executions timed and {experiment.counted} counted, interleaved",
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    table.add_column("client\n", no_wrap=True)
    table.add_column("break mode\n", no_wrap=True)
    for heading in (
        "\nskip",
        "elapsed s\nmedian [95 %]",
        "consistent\ngets",
        "break\npolls",
        "gets per\npoll",
        "against out-of-band\n% [95 %]",
        "cancel ms\nmedian (max)",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    for cell, cell_runs in experiment.runs.items():
        table.add_row(*_row(experiment, cell, cell_runs))
    return table


def _row(experiment: Experiment, cell: Cell, runs: Sequence[Run]) -> list[str]:
    elapsed = median([statistics.median(run.elapsed_s) for run in runs])
    executions = experiment.counted * len(runs)
    cancels = [run.cancel_ms for run in runs]
    gets = sum(run.consistent_gets for run in runs)
    polls = sum(run.break_polls for run in runs)
    overhead = _overhead(experiment, cell)
    return [
        cell.client,
        cell.break_mode,
        "-" if cell.skip is None else str(cell.skip),
        f"{elapsed.value:.4f} [{elapsed.low:.4f}, {elapsed.high:.4f}]",
        f"{gets / executions:,.0f}",
        f"{polls / executions:,.0f}",
        f"{gets / polls:,.2f}" if polls else "-",
        "-"
        if cell is FASTEST
        else f"{overhead.value:+.1f} [{overhead.low:+.1f}, {overhead.high:+.1f}]",
        f"{statistics.median(cancels):.1f} ({max(cancels):.1f})",
    ]


def _below(experiment: Experiment) -> list[RenderableType]:
    runs = [run for runs in experiment.runs.values() for run in runs]
    polls = sum(run.break_polls for run in runs)
    slowed = median(
        [
            100 * (run.counted_s / experiment.counted / statistics.median(run.elapsed_s) - 1)
            for run in experiment.runs[SLOWEST]
        ]
    )
    if experiment.counts_agree:
        agree = (
            f"The probe counted exactly what the lab did in all {len(runs)} sessions "
            f"({polls:,} polls)."
        )
    else:
        agree = (
            f"THE PROBE'S COUNT IS WRONG: {polls:,} polls, where the lab made "
            f"{sum(run.break_polls_lab for run in runs):,} "
            f"(lost: {sum(run.lost for run in runs):,})."
        )
    return [
        "",
        agree,
        "Elapsed times are of executions with nothing attached. Under the probe those of "
        f"{_words(SLOWEST)}\ntook {_pct(slowed)} longer.",
        "",
        f"One user stack at a break poll ({_words(SLOWEST)}), outermost first:",
        _wrapped(experiment.stack) if experiment.stack else "  none was captured",
        "",
        verdict(experiment),
    ]


def _wrapped(stack: Sequence[str]) -> str:
    return textwrap.fill(
        " > ".join(stack),
        width=100,
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def verdict(experiment: Experiment) -> str:
    """Two sentences: what the polling costs, and what making it rarer would cost."""
    cells = list(experiment.runs)
    dearest, rarest = SLOWEST, cells[-1]
    now, then = _overhead(experiment, dearest), _overhead(experiment, rarest)
    if now.low > 0:
        cost = (
            f"In-band at BREAK_POLL_SKIP={dearest.skip} this statement takes {_pct(now)} longer "
            "than out-of-band, for asking the client's socket at every third logical I/O whether "
            f"the user has pressed Ctrl-C; at {rarest.skip} {_told(then)}."
        )
    else:
        cost = (
            f"In-band at BREAK_POLL_SKIP={dearest.skip} {_told(now)} in these runs; a quieter "
            "machine or more runs would tell."
        )
    cancel = statistics.median(run.cancel_ms for run in experiment.runs[rarest])
    wait = WAIT_SLICE_S * (rarest.skip or 1) / 60
    return (
        f"{cost}\nA cancel at {rarest.skip} still took {cancel:.1f} ms here, on CPU, but a "
        f"session waiting for a row lock looks once in {WAIT_SLICE_S} s, so there it could take "
        f"up to {wait:.0f} minutes: mend what keeps the session in-band first, and raise the "
        "skip with care."
    )


def _told(overhead: Estimate) -> str:
    if overhead.excludes_zero:
        return f"the difference is {_pct(overhead)}"
    return f"the difference ({_pct(overhead)}) cannot be told from noise"


def _pct(estimate: Estimate) -> str:
    return f"{estimate.value:.1f} % [{estimate.low:.1f}, {estimate.high:.1f}]"


def _words(cell: Cell) -> str:
    return f"{cell.break_mode}, skip {cell.skip}"


def _overhead(experiment: Experiment, cell: Cell) -> Estimate:
    return paired_overhead(
        [run.elapsed_s for run in experiment.runs[FASTEST]],
        [run.elapsed_s for run in experiment.runs[cell]],
    )
