# SPDX-License-Identifier: GPL-2.0-or-later
"""What stop-at looks for and what it brings back: the values between its parts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """`numbers` of system calls; `break_poll`: only those that are break polls."""

    numbers: frozenset[int]
    break_poll: bool


@dataclass(frozen=True, slots=True)
class Polled:
    """The descriptor polled and what is behind it, a connected stream socket."""

    fd: int
    kind: str
    local: str
    peer: str


@dataclass(frozen=True, slots=True)
class Capture:
    """A thread as it stood at the call. `memory` is its stack from `stack` on.

    `stopped_ns` is from when we were told of the stop to its release; `other_stops` are those
    at calls that were not wanted, `other_stopped_ns` how long they took in all.
    """

    tid: int
    number: int
    arguments: tuple[int, ...]
    instruction: int
    stack: int
    kept: dict[int, int]
    memory: bytes
    polled: Polled | None
    stopped_ns: int
    other_stops: int
    other_stopped_ns: int


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was captured: `errno` of what failed (0: see `what`), and what."""

    errno: int
    what: str


Outcome = Capture | Refused
GONE, BECAME_ANOTHER = "gone", "exec"
