# SPDX-License-Identifier: GPL-2.0-or-later
"""The records of the frame format, the one language of all backends and recordings.

`probes/frames.schema.json` specifies it, `decoder.py` reads it. Counters are totals since the
probe attached, so a reader that misses a frame loses nothing. Times are in seconds unless a name
ends in another unit; a process is known by its pid and `start_ticks`, its start in clock ticks
since the host booted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from polltrace.stacks.walked import StackStop

FORMAT = 1

Identity = tuple[int, int]
"""(pid, start_ticks): PIDs are reused, a PID with its start time is not."""


@dataclass(frozen=True, slots=True)
class Header:
    """Printed once everything is attached: reading it means that counting has begun.

    `probe` is the probe's version, `host` the host's name, `kernel` the release of the running one,
    `mode` the kind of measurement ("count", "watch", "time", "syscalls", "off-cpu"), `variant` how
    the probe is attached. `attached_s` is when it was attached, in seconds since the host booted;
    None where that is not known.
    """

    probe: str
    host: str
    kernel: str
    mode: str
    variant: str
    attached_s: float | None = None


@dataclass(frozen=True, slots=True)
class WatchedProcess:
    """A process as it was announced.

    `pid` and `start_ticks`, its start in clock ticks since boot (`starttime` of proc(5)), identify
    it in every record. `comm` is its command name, `cmdline` its arguments, `exe` the path of its
    executable, empty where that could not be read.
    """

    pid: int
    start_ticks: int
    comm: str
    cmdline: tuple[str, ...]
    exe: str = ""


@dataclass(frozen=True, slots=True)
class Mapped:
    """Addresses [start, end) hold executable code of the file `path`, from byte `offset` on.

    `build_id` is in hex; empty where the probe could not read it.
    """

    start: int
    end: int
    offset: int
    path: str
    build_id: str


@dataclass(frozen=True, slots=True)
class Maps:
    """The executable mappings, `maps`, of the process `pid`, `start_ticks` when it was announced
    or ran another program."""

    pid: int
    start_ticks: int
    maps: tuple[Mapped, ...]


@dataclass(frozen=True, slots=True)
class SocketPolls:
    """Break polls of the file descriptor `fd`.

    `kind` is "tcp", "tcp6" or "unix"; `local` and `peer` are its two addresses, "host:port".
    """

    fd: int
    kind: str
    local: str
    peer: str
    polls: int


@dataclass(frozen=True, slots=True)
class Syscall:
    """Counts of one system call: `calls`, of which `errors` failed. `nr` is its number on this
    architecture, `name` its name."""

    nr: int
    name: str
    calls: int
    errors: int


@dataclass(frozen=True, slots=True)
class OffTime:
    """Nanoseconds off CPU with one stack: `blocked_ns` from the switch out to the wake-up,
    `queued_ns` from then, or at once, to the switch in.

    `state` is the thread's as it left its CPU, a letter of ps(1); R: it could have gone on. Time
    that had not ended is in the sums: `open` threads were still out at the end, `before` threads
    had left before the probe attached.
    """

    state: str
    blocked_ns: int
    queued_ns: int
    open: int = 0
    before: int = 0


@dataclass(frozen=True, slots=True)
class OffCpuTotals:
    """Times of all threads of a process since the probe attached, ended threads included.

    `thread_ns` is the sum of their lives: `on_cpu_ns`, `blocked_ns` and `queued_ns`. `cpu_ns` is
    their CPU time by the scheduler's clock. `open` of the `switches` out had not ended.
    """

    threads: int
    thread_ns: int
    cpu_ns: int
    on_cpu_ns: int
    blocked_ns: int
    queued_ns: int
    switches: int
    open: int


@dataclass(frozen=True, slots=True)
class Stack:
    """A user stack, its `addresses` innermost first, seen `count` times.

    `kind` is "poll" for one taken at a break poll, "cpu" for an on-CPU sample, "offcpu" for one
    with which a thread left its CPU; the last has its times, `off`. `truncated`: the
    probe stopped before the stack ended. libc hides the caller of poll from a walk along frame
    pointers: `hidden` is "recovered", "not-needed" or "unknown". `kernel` is the part in the
    kernel, innermost first, where it was asked for. `polls` are the break polls that it stands
    for: `count` times the stride it was taken at. `found` has a letter for each address (Found in
    stacks/walked.py), empty in recordings of earlier releases; `stop` is why there are no more.
    """

    kind: str
    count: int
    truncated: bool
    addresses: tuple[int, ...]
    hidden: str = "unknown"
    kernel: tuple[int, ...] = ()
    polls: int = 0
    off: OffTime | None = None
    found: str = ""
    stop: StackStop = StackStop.UNKNOWN


@dataclass(frozen=True, slots=True)
class PollRate:
    """Break polls a second of elapsed time, `per_s`, as sampled in short windows; `low` and `high`
    bound its 95 % interval."""

    per_s: float
    low: float
    high: float


class WindowProducts(NamedTuple):
    """Sums over pairs of windows: polls times polls, polls times CPU seconds, CPU seconds times
    CPU seconds."""

    polls: float = 0.0
    cross: float = 0.0
    cpu: float = 0.0

    def since(self, base: WindowProducts) -> WindowProducts:
        """The sums over the pairs that came after those of `base`."""
        return WindowProducts(self.polls - base.polls, self.cross - base.cross, self.cpu - base.cpu)


@dataclass(frozen=True, slots=True)
class PollWindows:
    """`polls` break polls seen in `count` short windows that are `seconds` long together, in which
    the process had `cpu_s` CPU seconds and counting took `displaced_s` more of them. `squares`
    pairs each window with itself, `neighbours` with the one before; all 0 where every poll was
    counted, None where an older probe did not send them. `stolen` is the share (0 to 1) of `cpu_s`
    that the hypervisor took, which the process's total does not include."""

    count: int
    polls: float
    seconds: float
    cpu_s: float
    displaced_s: float = 0.0
    squares: WindowProducts | None = None
    neighbours: WindowProducts | None = None
    stolen: float = 0.0

    def since(self, base: PollWindows) -> PollWindows:
        """The windows that came after those of `base`."""
        squares, neighbours = self.squares, self.neighbours
        return PollWindows(
            self.count - base.count,
            self.polls - base.polls,
            self.seconds - base.seconds,
            self.cpu_s - base.cpu_s,
            self.displaced_s - base.displaced_s,
            squares.since(base.squares) if squares and base.squares else None,
            neighbours.since(base.neighbours) if neighbours and base.neighbours else None,
            self.stolen,
        )


@dataclass(frozen=True, slots=True)
class Burst:
    """Calls of the watched functions, and the break polls among them, in a short time.

    Both are counted from behind one break poll to another, so `calls / break_polls` has no end
    effects. With no `break_polls`, `calls` are all that were seen. `seconds` is how long the
    breakpoint was in place; `error` is why nothing could be counted.
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
    """Totals of the process `pid`, `start_ticks` since the probe attached.

    `cpu_s` is its CPU time; `break_polls` and `other_polls` are counts, `sockets` the break polls
    by socket. `syscalls` and `stacks` are empty where they were not requested; `calls_32bit` are
    system calls by the 32-bit ABI, which are not among the `syscalls`.
    `windows` is there only where polls were sampled, `rate` only where they were not and the rate
    is known exactly; `gaps`, the times between break polls, and `durations`, those of the polls
    themselves from entry to exit, only where timed; `burst` once the calls of a function were
    requested and have been counted. `probe_s_per_poll` is the time that counting a poll costs
    the process, as the probe measured it on itself; only where polls were sampled. `off_cpu` only
    where the threads' switches were followed.
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
    durations: tuple[Bucket, ...] = ()
    probe_s_per_poll: float = 0.0
    burst: Burst | None = None
    windows: PollWindows | None = None
    off_cpu: OffCpuTotals | None = None
    calls_32bit: int = 0

    @property
    def identity(self) -> Identity:
        return self.pid, self.start_ticks


@dataclass(frozen=True, slots=True)
class ProbeFrame:
    """Totals of `processes` at `t_s` seconds after attaching.

    `lost` counts the events that could not be counted, by kind. `probe_cpu_s` is the CPU time of
    the probe's process, `bpf_s` that of its programs in the kernel; None where it may not ask.
    """

    t_s: float
    processes: tuple[ProcessTotals, ...]
    lost: Mapping[str, int]
    probe_cpu_s: float = 0.0
    bpf_s: float | None = None


@dataclass(frozen=True, slots=True)
class Exit:
    """The process `pid`, `start_ticks` ended `t_s` seconds after attaching (None in recordings of
    releases that did not note it); its last totals are in the frame before."""

    pid: int
    start_ticks: int
    t_s: float | None = None


@dataclass(frozen=True, slots=True)
class Trailer:
    """The last record: the `reason` why the probe ended, and its own CPU time."""

    reason: str
    self_cpu_s: float


ProbeRecord = Header | WatchedProcess | Maps | ProbeFrame | Exit | Trailer
