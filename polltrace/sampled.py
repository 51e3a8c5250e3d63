# SPDX-License-Identifier: GPL-2.0-or-later
"""The stacks of a profile by name, and how many of them are the break check."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from polltrace.engines import break_chains
from polltrace.frames import Record, WatchedProcess
from polltrace.profile import Profile
from stacks import Frame, ProcessError, Symbolizer, classify

AT_POLL, ON_CPU = "poll", "cpu"


@dataclass(frozen=True, slots=True)
class NamedStack:
    """Frames innermost first, seen `count` times; `is_break_check` by any known engine's chain."""

    frames: Sequence[Frame]
    count: int
    truncated: bool
    is_break_check: bool


def introduced(records: Iterable[Record | None], names: Symbolizer) -> Iterator[Record | None]:
    """Pass records on; each process is shown to `names` while it lives, so that it has names
    after its end as well."""
    for record in records:
        if isinstance(record, WatchedProcess):
            with contextlib.suppress(ProcessError):
                names.user(record.pid, [])
        yield record


def named_stacks(profile: Profile, names: Symbolizer, kind: str) -> list[NamedStack]:
    """The stacks of one kind, commonest first, of all processes that `names` knows."""
    found = []
    for totals in profile.totals:
        for stack in totals.stacks:
            if stack.kind != kind:
                continue
            with contextlib.suppress(ProcessError):
                frames = names.user(totals.pid, stack.addresses)
                called = [frame.name for frame in frames]
                found.append(
                    NamedStack(
                        frames,
                        stack.count,
                        stack.truncated,
                        any(
                            classify(called, chain, at_call=kind == AT_POLL)
                            for chain in break_chains()
                        ),
                    )
                )
    return sorted(found, key=lambda stack: -stack.count)
