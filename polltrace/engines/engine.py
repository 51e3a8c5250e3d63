# SPDX-License-Identifier: GPL-2.0-or-later
"""A database engine as its file describes it: server processes, the check of the client's socket,
the trigger of the check, and the events that it reveals."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Trigger(Enum):
    """The cause of a check's system call: every n-th check, the time since the last one, or none
    where the engine never looks at its client's socket while it works."""

    COUNT = "count"
    INTERVAL = "interval"
    NONE = "none"


class Reveals(Enum):
    """An event that a check reveals: the client wants its call cancelled, or the client is gone."""

    CANCEL = "cancel"
    LOST_CLIENT = "lost client"


# The system calls that polltrace-probe tells apart (`polltrace-probe --help`, --check).
CALLS = ("poll", "select", "epoll_wait", "recv")
# Seconds in each unit that a setting may have.
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
# The databases whose views `--connect` can read (polltrace/servers/database_sessions.py).
VIEWS = ("oracle", "postgresql")
# The engines whose cost of a check was judged by A/B tests (polltrace/overhead/cost_model.py).
COST_MODELS = ("oracle", "postgresql")
# The system calls that polltrace-calibrate can make as a check (`-c`).
TIMED_CALLS = (
    *("poll", "select", "recv", "epoll_create1", "epoll_ctl", "epoll_wait", "close"),
    *("clock_gettime", "setitimer"),
)


@dataclass(frozen=True, slots=True)
class LatchFunctions:
    """The functions that `gets` a latch, in which a get spins (`spins`), and sleeps (`sleeps`);
    none where the engine names none."""

    gets: frozenset[str] = frozenset()
    spins: frozenset[str] = frozenset()
    sleeps: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.gets)


class CheckKind(NamedTuple):
    """Everything that the cost of a check depends on: its `trigger`, whether a signal starts it
    (`by_signal`), the system `calls` of one check in order, and the `model` that corrects its
    calibrated cost, one of COST_MODELS (empty: none)."""

    trigger: Trigger
    by_signal: bool
    calls: tuple[str, ...]
    model: str = ""

    @property
    def is_break_poll(self) -> bool:
        """True for the break poll of Oracle, for which the complete cost model was made."""
        return self.model == "oracle"


BREAK_POLL = CheckKind(Trigger.COUNT, False, ("poll",), "oracle")
TIMER_CHECK = CheckKind(Trigger.INTERVAL, True, ("epoll_wait",), "postgresql")


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine, by what its file states; docs/reference/engines.md describes every key.

    `short` is its name in the width of a column. A dedicated server runs one of `executables` under
    a process title that `title` matches (groups `instance`, `local` and `port`, the client's, where
    the title has them) and `not_title` does not. `local` is what group `local` matches of a session
    without a listener; empty: whatever it matches. With `sessions_are_threads` one process serves
    every session, each in a thread of its own. `others` are kinds of processes that are no
    dedicated servers, each with its titles (group `name`).

    The check is one of the system calls `calls`, without waiting, on the client's socket. `chains`
    are its functions, outermost first, each with the names it has had; `check_function` the one
    called at every check, polled or not (empty: none, every check polls).

    `reveals` are the events that a check reveals. `parameter` sets the `trigger`: checks per poll,
    or the time between two in `unit`; `default` is its value where nothing sets it (0: no checks).
    `check_kind` is what the cost of a check depends on. An engine without a check has `no_check`, a
    clause with the consequence, and none of these. `configuration_file` lies in the first of
    `configuration_directories` that has it; empty: the engine's parameter is not read from a file.
    `home` is the variable that names an installation's folder, which else is the one above the
    program's bin (empty: none); `home_table` the file in it with a line for a home whose files lie
    elsewhere.
    `disable_oob_parameter` turns out-of-band breaks off. A session that waits checks every
    `wait_slice_s` seconds; 0: as often as one that runs. `ask` and `set` are the engine's own
    commands that show and change the parameter; `set` has {value} in the place of a number in
    `unit`, one of UNITS. `scope` is where the setting may come from, and `cancel_note` the way a
    cancel reaches the server, where it does not depend on the check: a clause each, for reports.

    `clients_ask` are lines that make each kind of client request out-of-band breaks, `clients_tell`
    where to see whether one does; `clients_test_path` are the clients that test at connect whether
    their path carries urgent data. `views` is one of VIEWS, by whose rules its own views are read
    (empty: they are not); `waits_view` is where these have a session's waits, `sql_trace`: they
    switch an extended SQL trace on. Flame graphs colour functions by the table of `layers` (empty:
    none) and open with a search for the function `find` (empty: none). `latches` are the functions
    by which waiting for a latch is known. `declaration` is the file as JSON, with
    the values that it inherits.
    """

    name: str
    short: str
    executables: frozenset[str]
    title: re.Pattern[str]
    not_title: re.Pattern[str] | None
    local: str
    calls: tuple[str, ...]
    chains: tuple[tuple[frozenset[str], ...], ...]
    check_function: str
    check_kind: CheckKind
    reveals: frozenset[Reveals]
    parameter: str
    default: int
    no_check: str = ""
    sessions_are_threads: bool = False
    others: tuple[tuple[str, re.Pattern[str]], ...] = ()
    configuration_file: str = ""
    configuration_directories: tuple[str, ...] = ()
    home: str = ""
    home_table: str = ""
    disable_oob_parameter: str = ""
    wait_slice_s: float = 0.0
    ask: str = ""
    set: str = ""
    unit: str = "s"
    scope: str = ""
    cancel_note: str = ""
    clients_ask: tuple[str, ...] = ()
    clients_tell: str = ""
    clients_test_path: tuple[str, ...] = ()
    views: str = ""
    waits_view: str = ""
    sql_trace: bool = False
    layers: str = ""
    find: str = ""
    latches: LatchFunctions = LatchFunctions()
    declaration: str = field(default="", compare=False, repr=False)

    def titled(self, title: str) -> re.Match[str] | None:
        """The match of a dedicated server's process title; None for any other."""
        if self.not_title is not None and self.not_title.match(title):
            return None
        return self.title.match(title)

    def instance_of(self, title: re.Match[str]) -> str:
        return _group(title, "instance")

    def is_local(self, title: re.Match[str]) -> bool:
        """Whether the session came without a listener, or by a unix socket."""
        matched = _group(title, "local")
        return matched == self.local if self.local else bool(matched)

    def client_port(self, title: re.Match[str]) -> str:
        """The port of the client's end; empty where the title does not have it."""
        return _group(title, "port")

    def set_command(self, seconds: float | None = None) -> str:
        """The command that sets the interval, with dots in the place of an unknown value; empty
        where the engine's file has none."""
        value = "..." if seconds is None else f"{seconds / UNITS[self.unit]:.10g}"
        return self.set.replace("{value}", value)

    def in_unit(self, seconds: float) -> str:
        """A value of the interval as the engine's parameter takes it: `100 ms`."""
        return f"{seconds / UNITS[self.unit]:.10g} {self.unit}"

    @property
    def trigger(self) -> Trigger:
        return self.check_kind.trigger

    @property
    def polls_by_count(self) -> bool:
        return self.trigger is Trigger.COUNT

    @property
    def never_checks(self) -> bool:
        return self.trigger is Trigger.NONE

    @property
    def has_out_of_band(self) -> bool:
        """True if a client may ask for urgent data instead of checks."""
        return bool(self.disable_oob_parameter)

    @property
    def revealed(self) -> str:
        """The events that a check reveals, as a clause: `its client cancels or is gone`."""
        verbs = {Reveals.CANCEL: "cancels", Reveals.LOST_CLIENT: "is gone"}
        return "its client " + " or ".join(
            verbs[event] for event in Reveals if event in self.reveals
        )


def _group(match: re.Match[str], name: str) -> str:
    return (match.groupdict().get(name) or "") if match.re.groupindex else ""
