# SPDX-License-Identifier: GPL-2.0-or-later
"""The eBPF backend: polltrace-probe, the one part that needs root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from polltrace.backends.frame_probe import FrameProbe
from polltrace.engines import check_options
from polltrace.executables import find_executable

AUTO: Literal["auto"] = "auto"


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """Options of a measurement of `duration_s` (None: until stop()).

    `syscalls` counts system calls by number.
    `latency` times polls and the gaps between them, which costs as much as they do: no
    cost is ever taken from such a measurement. `stack_every` takes a user stack at about every
    n-th break poll; AUTO a bounded number a second, however fast a process polls. `sample_hz`
    takes that many on-CPU samples a second, and counts break polls in short windows only. `kernel`
    takes the kernel's part of every stack as well. `off_cpu` follows the threads' context switches
    instead, and counts no polls. `skip_ended` leaves out processes that have ended before they are
    attached to, where the caller chose them and not the user. `follow` goes on to the processes
    that are forked during it.
    `functions` are files and the offsets in them of first instructions of functions whose calls
    are counted against the break polls, once and briefly (`ProcessTotals.burst`). `interval_s` is
    the time between frames; `own_cost` times the probe's BPF programs.
    """

    duration_s: float | None = None
    syscalls: bool = False
    latency: bool = False
    stack_every: int | Literal["auto"] = 0
    sample_hz: float = 0
    follow: bool = False
    kernel: bool = False
    functions: tuple[tuple[str, int], ...] = ()
    off_cpu: bool = False
    skip_ended: bool = False
    interval_s: float | None = None
    own_cost: bool = False

    def options(self) -> list[str]:
        """The options of polltrace-probe."""
        words: list[str] = []
        if self.duration_s is not None:
            words += ["-d", f"{self.duration_s:g}"]
        if self.syscalls:
            words += ["-c"]
        if self.latency:
            words += ["--latency"]
        if self.stack_every:
            words += ["--stacks", str(self.stack_every)]
        if self.sample_hz:
            words += ["--watch", "--hz", f"{self.sample_hz:g}"]
        if self.off_cpu:
            words += ["--off-cpu"]
        if self.follow:
            words += ["-f"]
        if self.kernel:
            words += ["--kernel"]
        if self.skip_ended:
            words += ["--skip-ended"]
        if self.interval_s is not None:
            words += ["-i", f"{self.interval_s:g}"]
        if self.own_cost:
            words += ["--own-cost"]
        for path, offset in self.functions:
            words += ["--function", f"{path}:0x{offset:x}"]
        return words


class EbpfProbe(FrameProbe):
    """polltrace-probe on `pids`, attached from __enter__ until stop()."""

    def __init__(self, pids: Sequence[int], options: ProbeOptions = ProbeOptions()) -> None:
        super().__init__(
            [
                find_executable("polltrace-probe"),
                *("-p", ",".join(map(str, pids))),
                *options.options(),
                *check_options(),
            ]
        )
