# SPDX-License-Identifier: GPL-2.0-or-later
"""Observations of a database's servers, without names and without data."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Beginning(Enum):
    """The first bytes of a function."""

    NO_OP = "two-byte no-op"
    ENDBR64 = "endbr64"
    PUSH = "push %rbp"
    OTHER = "another instruction"


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """A function of the break check: how it begins, and whether it sets up a frame pointer."""

    beginning: Beginning
    has_frame: bool


@dataclass(frozen=True, slots=True)
class CountedWork:
    """A session's reads: gets by its own statistics, break polls by the probe, both meanwhile."""

    gets: int
    break_polls: int


@dataclass(frozen=True, slots=True)
class OutOfBand:
    """A session whose client offers urgent data: whether its server catches SIGURG, whether it
    owns its socket's signals (None: unreadable), and its break polls while it worked."""

    catches_sigurg: bool | None
    owns_socket: bool | None
    break_polls: int


@dataclass
class Observations:
    """All observations; None where one could not be made, with the reason in `failures` by the
    name of the field.

    `functions` has each step of the break check by the name that the program has, None for a step
    of which it has no name. `calls` and `polls` are those of the check function in a burst;
    `skip` is the configured one. `unread_lines` are of a trace with `traced_calls` calls.
    """

    release: str = ""
    functions: dict[str, FunctionFacts | None] | None = None
    work: CountedWork | None = None
    burst: tuple[int, int] | None = None
    skip: int | None = None
    out_of_band: OutOfBand | None = None
    traced_calls: int | None = None
    unread_lines: int = 0
    failures: dict[str, str] = field(default_factory=dict)
