# SPDX-License-Identifier: GPL-2.0-or-later
"""The events in a tracer's text: the values between the readers and the tally."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class TracedCall:
    """One call of the system call `name`. `task` is the thread as the text names it, 0 where it
    names none; `failed`: it returned an error.

    `arguments` is the text between the brackets (what was printed of it); `details` are the lines
    that truss prints below a call, `stack` those that strace -k does; `result` is empty where the
    call never came back.
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
    """A time stamp: seconds since whatever the text counts from."""

    at_s: float


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that is nothing known; `torn` for a last line that ends in its middle."""

    line: int
    torn: bool


Event = TracedCall | Born | TimeStamp | Unread


class Poll(Enum):
    """The kind of poll that a call is, as far as its text shows."""

    BREAK = "one descriptor, timeout 0"
    OTHER = "another poll"
    UNDECIDED = "not known from the text"


POLLS = frozenset({"poll", "ppoll", "ppoll_time64", "pollsys"})
