# SPDX-License-Identifier: GPL-2.0-or-later
"""The lower part of an open session's screen: forecast, flame, gaps, system calls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.text import Text

from polltrace.engines import Engine
from polltrace.profiles.frames import Bucket
from polltrace.profiles.sampled import NamedStack
from polltrace.top.columns import duration
from polltrace.top.session_view import SessionView

_COLOURS = ("on blue", "on cyan", "on magenta", "on green")
_CHECK = "bold white on red"


def flame(session: SessionView, width: int, height: int) -> list[Text]:
    """A flame graph of the on-CPU stacks, outermost function first, in at most `height` lines.

    A function is as wide as its share of the samples. The common start of all stacks takes one
    line.
    """
    if not session.samples:
        return [Text("Nothing on CPU yet.", style="dim")]
    stacks = [(stack, [frame.name for frame in reversed(stack.frames)]) for stack in session.stacks]
    stacks.sort(key=lambda stack: stack[1])
    common = _common([names for _, names in stacks])
    path = " > ".join(stacks[0][1][:common]) or "(all)"
    lines = [Text(f"{session.samples:,} samples on CPU, outermost first", style="reverse")]
    lines.append(Text(path if len(path) <= width else "…" + path[1 - width :]))
    for depth in range(common, common + height - len(lines)):
        line = _level(stacks, depth, session.samples, width)
        if not line.plain.strip():
            break
        lines.append(line)
    return lines[:height]


def _common(stacks: Sequence[Sequence[str]]) -> int:
    """The number of outermost functions that all stacks share."""
    depth = 0
    while all(len(names) > depth and names[depth] == stacks[0][depth] for names in stacks):
        depth += 1
    return depth


def _level(
    stacks: Sequence[tuple[NamedStack, list[str]]], depth: int, samples: int, width: int
) -> Text:
    """The line of the functions at this depth, each below its caller."""
    line, drawn_samples = Text(), 0
    for number, (path, group) in enumerate(groupby(stacks, lambda stack: stack[1][: depth + 1])):
        members = [stack for stack, _ in group]
        end_samples = drawn_samples + sum(stack.count for stack in members)
        columns = round(width * end_samples / samples) - round(width * drawn_samples / samples)
        drawn_samples = end_samples
        if len(path) <= depth:
            line.append(" " * columns)
            continue
        checks = all(stack.is_break_check for stack in members)
        style = _CHECK if checks else _COLOURS[number % len(_COLOURS)]
        line.append(path[depth][:columns].ljust(columns), style)
    return line


def gaps(buckets: Sequence[Bucket], width: int, engine: Engine | None = None) -> list[Text]:
    """A histogram of the times between two break polls, in steps of a factor of about three.

    `engine` knows which events wait for a poll; None: a cancel does.
    """
    if not buckets:
        return [
            Text("Not timed yet: t times the gaps between its polls for a second.", style="dim")
        ]
    counted: dict[int, int] = {}
    for bucket in buckets:
        counted[_step(bucket.from_ns)] = counted.get(_step(bucket.from_ns), 0) + bucket.count
    largest, total = max(counted.values()), sum(counted.values())
    lines = [Text(f"{'GAP FROM':>9} {'COUNT':>12} {'%':>7}", style="reverse")]
    for step in range(min(counted), max(counted) + 1):
        count = counted.get(step, 0)
        bar = "█" * max(1 if count else 0, round((width - 33) * count / largest))
        share = f"{100 * count / total:.3f}"
        lines.append(Text(f"{duration(1e-9 * _from_ns(step)):>9} {count:>12,} {share:>7} {bar}"))
    worst = duration(1e-9 * buckets[-1].below_ns)
    if engine is not None and not engine.has_out_of_band:
        lines.append(Text(f"It notices that {engine.revealed} after {worst} at most."))
        return lines
    lines.append(Text(f"A cancel on CPU waits at most one gap: the worst was {worst}."))
    return lines


def _step(ns: int) -> int:
    """1, 3, 10, 30 … nanoseconds, by number."""
    step = 0
    while _from_ns(step + 1) <= ns:
        step += 1
    return step


def _from_ns(step: int) -> int:
    decade: int = 10 ** (step // 2)
    return decade * 3 if step % 2 else decade


def syscalls(session: SessionView) -> list[Text]:
    """The session's system calls, most frequent first."""
    counted = session.counted
    if counted is None:
        return [Text("Counting its system calls …", style="dim")]
    totals, seconds = counted
    lines = [
        Text(f"{'SYSCALL':<20} {'CALLS':>12} {'PER SECOND':>12} {'ERRORS':>9}", style="reverse")
    ]
    for call in sorted(totals.syscalls, key=lambda call: -call.calls):
        rate = call.calls / seconds
        errors = f"{call.errors:,}" if call.errors else ""
        lines.append(Text(f"{call.name:<20} {call.calls:>12,} {rate:>12,.1f} {errors:>9}"))
    lines.append(Text(f"Counted for {seconds:g} s; s counts again.", style="dim"))
    return lines
