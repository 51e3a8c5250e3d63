# SPDX-License-Identifier: GPL-2.0-or-later
"""The frame format: typed JSON Lines, the one language of all backends and recordings.

`probes/frames.schema.json` is its specification. Counters are totals since the probe attached,
so that a reader that misses a frame loses nothing. Times are seconds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polltrace.errors import FrameError

FORMAT = 1

Identity = tuple[int, int]
"""(pid, start_ticks): PIDs are reused, a PID with its start time is not."""


@dataclass(frozen=True, slots=True)
class Header:
    """Printed once everything is attached: reading it means that counting has begun."""

    probe: str
    host: str
    kernel: str
    mode: str
    variant: str


@dataclass(frozen=True, slots=True)
class WatchedProcess:
    """A process by its identity: PIDs are reused, a PID with its start time is not."""

    pid: int
    start_ticks: int
    comm: str
    cmdline: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mapped:
    """[start, end) holds executable code of the file `path`, from byte `offset` on.

    `build_id` is in hex; empty where the probe could not read it.
    """

    start: int
    end: int
    offset: int
    path: str
    build_id: str


@dataclass(frozen=True, slots=True)
class Maps:
    """What code a process had mapped when it was announced, or ran another program."""

    pid: int
    start_ticks: int
    maps: tuple[Mapped, ...]


@dataclass(frozen=True, slots=True)
class SocketPolls:
    """Break polls of one file descriptor."""

    fd: int
    kind: str
    local: str
    peer: str
    polls: int


@dataclass(frozen=True, slots=True)
class Syscall:
    nr: int
    name: str
    calls: int
    errors: int


@dataclass(frozen=True, slots=True)
class Stack:
    """A user stack, innermost address first, seen `count` times.

    `kind` is "poll" for one taken at a break poll, "cpu" for an on-CPU sample; `truncated` says
    that the probe stopped before the stack ended. `hidden` says of the caller that libc hides
    from a walk along frame pointers whether it was "recovered", "not-needed" or "unknown".
    `polls` are the break polls that it stands for: `count` times the stride it was taken at.
    `kernel` is the part in the kernel, innermost first, where it was asked for.
    """

    kind: str
    count: int
    truncated: bool
    addresses: tuple[int, ...]
    hidden: str = "unknown"
    kernel: tuple[int, ...] = ()
    polls: int = 0


@dataclass(frozen=True, slots=True)
class PollRate:
    """Break polls a second as sampled in short windows, with its 95 % interval."""

    per_s: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Burst:
    """Calls of the functions looked at, and the break polls among them, in a short time.

    Both are counted from behind one break poll to another, so `calls / break_polls` has no end
    effects. With no `break_polls`, `calls` are all that were seen. `error` says why there are none.
    """

    calls: int
    break_polls: int
    seconds: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Bucket:
    """`count` spans of time from `from_ns` on and below `below_ns`."""

    from_ns: int
    below_ns: int
    count: int


@dataclass(frozen=True, slots=True)
class ProcessTotals:
    """What one process did. `rate` only where polls were sampled, `gaps` only where timed.

    `burst` comes once the calls of a function were asked for and have been counted.

    `probe_s_per_poll` is what counting a poll costs the process, as the probe measured it on
    itself; only where polls were sampled.
    """

    pid: int
    start_ticks: int
    cpu_s: float
    break_polls: int
    other_polls: int
    sockets: tuple[SocketPolls, ...]
    syscalls: tuple[Syscall, ...]
    stacks: tuple[Stack, ...]
    rate: PollRate | None = None
    gaps: tuple[Bucket, ...] = ()
    probe_s_per_poll: float = 0.0
    burst: Burst | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """`t_s` seconds after attaching; `lost` counts what could not be counted, per kind."""

    t_s: float
    processes: tuple[ProcessTotals, ...]
    lost: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Exit:
    pid: int
    start_ticks: int


@dataclass(frozen=True, slots=True)
class Trailer:
    reason: str
    self_cpu_s: float


Record = Header | WatchedProcess | Maps | Frame | Exit | Trailer


def parse(line: str) -> Record | None:
    """The record of one line; None for a type this release does not know.

    Raises FrameError for what is not a record at all, or lacks a field it must have.
    """
    try:
        return record_of(json.loads(line))
    except (ValueError, KeyError, TypeError) as error:
        raise _no_frame(line, error) from error


def data_of(line: str) -> dict[str, Any]:
    """The data of one line, to be kept as it is. Raises FrameError where there is no record, or a
    header of another format."""
    try:
        data: dict[str, Any] = json.loads(line)
        if data["type"] == "header":
            _header(data)
    except (ValueError, KeyError, TypeError) as error:
        raise _no_frame(line, error) from error
    return data


def _no_frame(line: str, error: Exception) -> FrameError:
    return FrameError(f"not a frame of format {FORMAT} ({error!r}): {line[:80]!r}")


def record_of(data: dict[str, Any]) -> Record | None:
    """As `parse`, of a line's data. Raises ValueError, KeyError or TypeError as well."""
    reader = _READERS.get(data["type"])
    record: Record | None = reader(data) if reader else None
    return record


def _header(data: dict[str, Any]) -> Header:
    if data["format"] != FORMAT:
        raise FrameError(
            f"frames of format {data['format']}, but this release reads format {FORMAT}: "
            "use polltrace and polltrace-probe of the same release"
        )
    return Header(data["probe"], data["host"], data["kernel"], data["mode"], data["variant"])


def _process(data: dict[str, Any]) -> WatchedProcess:
    return WatchedProcess(data["pid"], data["start_ticks"], data["comm"], tuple(data["cmdline"]))


def _maps(data: dict[str, Any]) -> Maps:
    maps = (
        Mapped(m["start"], m["end"], m["offset"], m["path"], m.get("build_id", ""))
        for m in data["maps"]
    )
    return Maps(data["pid"], data["start_ticks"], tuple(maps))


def _frame(data: dict[str, Any]) -> Frame:
    return Frame(data["t_s"], tuple(map(_totals, data["processes"])), data["lost"])


def _totals(data: dict[str, Any]) -> ProcessTotals:
    return ProcessTotals(
        pid=data["pid"],
        start_ticks=data["start_ticks"],
        cpu_s=data["cpu_s"],
        break_polls=data["break_polls"],
        other_polls=data["other_polls"],
        sockets=tuple(
            SocketPolls(s["fd"], s["kind"], s.get("local", ""), s.get("peer", ""), s["polls"])
            for s in data.get("sockets", ())
        ),
        syscalls=tuple(
            Syscall(s["nr"], s["name"], s["calls"], s["errors"]) for s in data.get("syscalls", ())
        ),
        stacks=tuple(
            Stack(
                s["kind"],
                s["count"],
                s.get("truncated", False),
                tuple(s["addresses"]),
                s.get("hidden", "unknown"),
                tuple(s.get("kernel", ())),
                s.get("polls", 0),
            )
            for s in data.get("stacks", ())
        ),
        rate=_rate(data.get("windows", {})),
        gaps=tuple(Bucket(*row) for row in data.get("times_ns", {}).get("gap", ())),
        probe_s_per_poll=1e-9 * data.get("windows", {}).get("cost_ns", 0.0),
        burst=_burst(data["burst"]) if "burst" in data else None,
    )


def _burst(burst: dict[str, Any]) -> Burst:
    return Burst(burst["calls"], burst["break_polls"], burst["seconds"], burst.get("error", ""))


def _rate(windows: dict[str, Any]) -> PollRate | None:
    """None for fewer windows than an interval can be told from."""
    if "per_s" not in windows:
        return None
    return PollRate(windows["per_s"], windows["low"], windows["high"])


_READERS: dict[str, Any] = {
    "header": _header,
    "process": _process,
    "maps": _maps,
    "frame": _frame,
    "exit": lambda data: Exit(data["pid"], data["start_ticks"]),
    "trailer": lambda data: Trailer(data["reason"], data.get("self_cpu_s", 0.0)),
}
