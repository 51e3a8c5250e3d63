# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's result as data, and as text: the article's table and two sentences."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from polltrace.intervals import Estimate
from polltrace.scenarios.demo.result import DemoResult
from polltrace.scenarios.plan.cell import WAIT_SLICE_S, Cell

WIDTH = 128


def demo_data(result: DemoResult) -> dict[str, Any]:
    """JSON-ready. Counts are totals over the cell's counted executions."""
    return {
        "driver": result.driver,
        "rownum": result.rows,
        "timed_per_run": result.timed,
        "counted_per_run": result.counted,
        "probe_variant": result.probe,
        "counts_agree": result.counts_agree,
        "cells": [
            {
                "client": cell.client,
                "break_mode": cell.break_mode,
                "break_poll_skip": cell.skip,
                "elapsed_s": [seconds for session in sessions for seconds in session.elapsed_s],
                "counted_s": [session.counted_s for session in sessions],
                "consistent_gets": totals.gets,
                "break_polls": totals.polls,
                "break_polls_lab": totals.polls_lab,
                "lost": totals.lost,
                "cancel_ms": [session.cancel_ms for session in sessions],
                "cancel_errors": sorted({session.cancel_error for session in sessions}),
                "overhead_pct": totals.overhead_pct.value,
                "overhead_pct_ci95": [totals.overhead_pct.low, totals.overhead_pct.high],
            }
            for cell, sessions in result.sessions.items()
            for totals in [result.totals(cell)]
        ],
        "checking_share": [
            {
                "break_poll_skip": share.skip,
                "measured_pct": _ends(share.measured_pct),
                "advised_pct": _ends(share.advised_pct) if share.advised_pct else None,
            }
            for share in result.shares()
        ],
        "stack": result.stack,
    }


def _ends(estimate: Estimate) -> list[float]:
    return [estimate.value, estimate.low, estimate.high]


def demo_text(result: DemoResult) -> str:
    """Table, stack and verdict, without the last newline."""
    # No markup: a frame without a name, [libc.so.6+0x2724a], is not a style.
    console = Console(width=WIDTH, markup=False, highlight=False, no_color=True)
    with console.capture() as captured:
        console.print(_table(result), *_below(result), sep="\n")
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _table(result: DemoResult) -> Table:
    blocks = len(result.sessions[result.fastest])
    table = Table(
        title=f"lotslios {result.rows} by {result.driver}: {blocks} sessions of each, "
        f"{result.timed} executions timed and {result.counted} counted, interleaved",
        title_justify="left",
        box=None,
        pad_edge=False,
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
    for cell in result.sessions:
        table.add_row(*_row(result, cell))
    return table


def _row(result: DemoResult, cell: Cell) -> Iterator[str]:
    totals, sessions = result.totals(cell), result.sessions[cell]
    elapsed, overhead = totals.elapsed_s, totals.overhead_pct
    executions = result.counted * len(sessions)
    yield cell.client
    yield cell.break_mode
    yield "-" if cell.skip is None else str(cell.skip)
    yield f"{elapsed.value:.4f} [{elapsed.low:.4f}, {elapsed.high:.4f}]"
    yield f"{totals.gets / executions:,.0f}"
    yield f"{totals.polls / executions:,.0f}"
    yield f"{totals.gets / totals.polls:,.2f}" if totals.polls else "-"
    if cell == result.fastest:
        yield "-"
    else:
        yield f"{overhead.value:+z.1f} [{overhead.low:+z.1f}, {overhead.high:+z.1f}]"
    yield f"{totals.cancel_ms:.1f} ({max(session.cancel_ms for session in sessions):.1f})"


def _below(result: DemoResult) -> Iterator[str]:
    totals = [result.totals(cell) for cell in result.sessions]
    polls, sessions = sum(total.polls for total in totals), sum(map(len, result.sessions.values()))
    yield ""
    if result.counts_agree:
        yield (
            f"The probe counted exactly what the lab did in all {sessions} sessions "
            f"({polls:,} polls)."
        )
    else:
        yield (
            f"THE PROBE'S COUNT IS WRONG: {polls:,} polls, where the lab made "
            f"{sum(total.polls_lab for total in totals):,} "
            f"(lost: {sum(total.lost for total in totals):,})."
        )
    polling = f"{result.polling.break_mode}, skip {result.polling.skip}"
    yield (
        "The elapsed times above are of executions with no probe attached. The counted executions"
        f" of {polling},\nwhich ran under the probe and one after the other, "
        f"{slowed(result.slowed_pct)}."
    )
    yield "\nBreak checking's share of the time, per cent [95 %]:"
    yield f"  {'skip':>4} {'measured above':>20} {'by advise':>20}"
    for share in result.shares():
        advised = _pct(share.advised_pct) if share.advised_pct else "-"
        yield f"  {share.skip:>4} {_pct(share.measured_pct):>20} {advised:>20}"
    yield (
        "Measured: the difference to out-of-band as a share of the longer time. By advise: the "
        f"share of CPU time that\n'polltrace advise' finds in one session of {polling}, and "
        "forecasts for the other skips."
    )
    yield f"\nOne user stack at a break poll ({polling}), outermost first:"
    yield _wrapped(result.stack) if result.stack else "  none was captured"
    yield f"\n{_verdict(result)}"


def _wrapped(stack: Sequence[str]) -> str:
    return textwrap.fill(
        " > ".join(stack),
        width=100,
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _verdict(result: DemoResult) -> str:
    """The cost of polling, and the cost of polling less often."""
    polling, rarest = result.polling, [*result.sessions][-1]
    current, then = (result.totals(cell).overhead_pct for cell in (polling, rarest))
    if current.low > 0:
        cost = (
            f"In-band at BREAK_POLL_SKIP={polling.skip} this statement takes {_pct(current)} "
            "longer than out-of-band, because every third\nlogical I/O asks the client's socket "
            f"whether the user has pressed Ctrl-C; at {rarest.skip} {_difference(then)}."
        )
    else:
        cost = (
            f"In-band at BREAK_POLL_SKIP={polling.skip} {_difference(current)} in these runs; "
            "try a quieter machine or more --runs."
        )
    return (
        f"{cost}\nA cancel at {rarest.skip} took {result.totals(rarest).cancel_ms:.1f} ms here, on "
        f"CPU. A session that waits for a row lock checks only once in {WAIT_SLICE_S} s times\nthe "
        f"skip, so there it could take up to {result.longest_wait_s / 60:.0f} minutes: first fix "
        "what keeps the session in-band, and raise the skip with care."
    )


def slowed(estimate: Estimate) -> str:
    """The cost of counting, to end a sentence. It may come to less than nothing: an execution that
    follows its own session's last finds its data in the caches."""
    if estimate.low > 0:
        return f"took {_pct(estimate)} more time"
    if estimate.high < 0:
        return f"took {_pct(estimate.negated)} less time"
    return f"took as long, as far as can be told ({_pct(estimate)})"


def _difference(overhead: Estimate) -> str:
    if overhead.excludes_zero:
        return f"the difference is {_pct(overhead)}"
    return f"the difference ({_pct(overhead)}) cannot be told from noise"


def _pct(estimate: Estimate) -> str:
    return f"{estimate.value:z.1f} % [{estimate.low:z.1f}, {estimate.high:z.1f}]"
