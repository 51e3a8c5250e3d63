# SPDX-License-Identifier: GPL-2.0-or-later
"""Events in a tracer's text: the values that the readers hand to the counter."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class CallEvent:
    """One call of the system call `name`. `task` is the thread as the text names it, 0 where it
    names none; `failed`: the call returned an error.

    `arguments` is the text between the brackets, as far as it was printed; `details` are the lines
    that truss prints below a call, `stack` the lines that strace -k prints there; `result` is empty
    where the call never came back.
    """

    task: int
    name: str
    arguments: str
    result: str
    failed: bool
    details: tuple[str, ...] = ()
    stack: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Born:
    """A thread (`is_thread`) or process that appeared, by its ID `task`; `parent` is the ID of the
    task that made it, 0 where the text does not give it."""

    task: int
    parent: int
    is_thread: bool


@dataclass(frozen=True, slots=True)
class TimeStamp:
    """A time stamp in seconds, from an origin that depends on the tracer's options."""

    at_s: float


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that was not understood; `torn` for a last line that ends in its middle."""

    line: int
    torn: bool


TraceEvent = CallEvent | Born | TimeStamp | Unread


class Poll(Enum):
    """The kind of poll that a call is, as far as its text shows."""

    BREAK = "one descriptor, timeout 0"
    OTHER = "another poll"
    UNDECIDED = "not known from the text"
