# SPDX-License-Identifier: GPL-2.0-or-later
"""The condition that stop-at waits for and its capture: the values between its parts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StopCondition:
    """`numbers` of system calls; `break_poll`: only those that are break polls."""

    numbers: frozenset[int]
    break_poll: bool


@dataclass(frozen=True, slots=True)
class Polled:
    """The descriptor `fd` polled, a connected stream socket: its `kind` (tcp, tcp6, unix) and the
    addresses of both ends, `local` and `peer`."""

    fd: int
    kind: str
    local: str
    peer: str


@dataclass(frozen=True, slots=True)
class StackCopy:
    """A thread's stack as it stood: `memory` from address `stack` on, the `instruction` it stood
    at, and the registers that calls preserve, `kept`, by DWARF number."""

    instruction: int
    stack: int
    kept: dict[int, int]
    memory: bytes


@dataclass(frozen=True, slots=True)
class Capture:
    """Thread `tid` at system call `number` of x86-64 with the `arguments` in its six registers, and
    a `copy` of its stack; `polled` where it is a break poll.

    `stopped_ns` is from when the stop was reported to its release; `other_stops` are those
    at calls that were not wanted, `other_stopped_ns` how long they took in all.
    """

    tid: int
    number: int
    arguments: tuple[int, ...]
    copy: StackCopy
    polled: Polled | None
    stopped_ns: int
    other_stops: int
    other_stopped_ns: int


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was captured: `errno` of the step that failed (0: see `what`), and its name."""

    errno: int
    what: str


CaptureOutcome = Capture | Refused
GONE, BECAME_ANOTHER, LATE, HELD_UP, SUSPENDED = "gone", "exec", "late", "held up", "suspended"
