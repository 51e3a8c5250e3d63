# SPDX-License-Identifier: GPL-2.0-or-later
"""polltrace-probe as it is read live: line by line, without ever waiting for it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import time
from collections.abc import Sequence
from typing import Self

from polltrace.backends.probe_child import ProbeChild
from polltrace.engines import check_options
from polltrace.errors import HostError, PolltraceError
from polltrace.servers.servers import Server, checks_by_timer
from polltrace.watch.probe_host import LOCAL_HOST, ProbeHost
from polltrace.watch.titles import title_pattern

# As many servers as a host has; any above are counted in the frames' losses.
_MOST_PROCESSES = 16384
# The third window, with which a rate is known, comes after about a second and a half.
_WINDOW_EVERY_S = 0.5
# Of checks that a timer starts few fall into the usual window, and counting them costs little.
_TIMER_WINDOW_S = 0.1
_CHUNK = 1 << 20
_CHUNKS_AT_ONCE = 16
# A frame of 16,384 processes takes about 8 MB.
_LONGEST_LINE = 1 << 24
# The messages of ssh and of the host that it reaches.
_MOST_STDERR = 1 << 20
_NAPS, _NAP_S = 4, 0.004


class LiveProbe(ProbeChild):
    """polltrace-probe from __enter__ to __exit__; fileno() is readable when there is output.

    __enter__ does not wait until counting has begun: a host with thousands of servers takes a
    second to attach to, and the screen is there before.
    """

    def __init__(self, options: Sequence[str], probe_host: ProbeHost = LOCAL_HOST) -> None:
        super().__init__(probe_host.argv([*options, *check_options()]))
        self._probe_host = probe_host
        self._parts: list[bytes] = []
        self._line_bytes = 0

    @classmethod
    def of_host(cls, interval_s: float, probe_host: ProbeHost = LOCAL_HOST) -> Self:
        """A probe of all dedicated servers, future ones included.

        It takes no stacks: those of thousands of processes would be most of every frame.
        """
        which = ["--watch", "-n", title_pattern(), "--max-processes", str(_MOST_PROCESSES)]
        reports = ["--no-stacks", "--changed", "--own-cost"]
        windows = _windows(by_timer=probe_host is LOCAL_HOST and checks_by_timer())
        return cls([*which, *reports, *windows, "-i", f"{interval_s:g}"], probe_host)

    @classmethod
    def of_process(cls, server: Server, sample_hz: float, probe_host: ProbeHost) -> Self:
        """A probe of one process, with on-CPU stacks."""
        windows = _windows(by_timer=not server.engine.polls_by_count)
        which = ["--watch", "-p", str(server.pid), "--hz", f"{sample_hz:g}"]
        return cls([*which, *windows, "-i", "1"], probe_host)

    @classmethod
    def of_gaps(cls, pids: Sequence[int], seconds: float, probe_host: ProbeHost) -> Self:
        """The times between each process's break polls, which costs as much as the polls do."""
        return cls(["--latency", "-p", ",".join(map(str, pids)), "-d", f"{seconds:g}"], probe_host)

    @classmethod
    def of_syscalls(cls, pid: int, seconds: float, probe_host: ProbeHost) -> Self:
        """Every system call of one process, which costs each of them something."""
        return cls(["-c", "-p", str(pid), "-d", f"{seconds:g}"], probe_host)

    def __enter__(self) -> Self:
        self.start()
        with contextlib.suppress(ProcessLookupError):
            _, hard = resource.prlimit(self.pid, resource.RLIMIT_FSIZE)
            limit = _MOST_STDERR if hard == resource.RLIM_INFINITY else min(hard, _MOST_STDERR)
            resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (limit, limit))
        os.set_blocking(self.fileno(), False)
        with contextlib.suppress(OSError):  # an ordinary user's pipes may be limited
            fcntl.fcntl(self.fileno(), fcntl.F_SETPIPE_SZ, _CHUNK)
        return self

    def fileno(self) -> int:
        return self.output.fileno()

    def lines(self) -> list[bytes] | None:
        """The whole lines that have come since; None when the probe has ended.

        The probe writes a page at a time, and a frame of thousands of processes is a hundred of
        them: rather than wake for each, this gives the frame a few milliseconds to be complete.
        """
        for _ in range(_NAPS):
            ended = self._read()
            if ended or not self._parts or self._parts[-1].endswith(b"\n"):
                break
            time.sleep(_NAP_S)
        if not any(b"\n" in part for part in self._parts):
            return None if ended else []
        *lines, incomplete = b"".join(self._parts).split(b"\n")
        self._parts = [incomplete] if incomplete else []
        return lines

    def _read(self) -> bool:
        """Take the output that is there, up to a limit; True at its end.

        Raises HostError for a line that no probe writes: the host of ssh is not trusted.
        """
        for _ in range(_CHUNKS_AT_ONCE):
            try:
                chunk = os.read(self.fileno(), _CHUNK)
            except BlockingIOError:
                return False
            if not chunk:
                return True
            self._parts.append(chunk)
            if b"\n" in chunk:
                self._line_bytes = 0
            self._line_bytes += len(chunk)
            if self._line_bytes > _LONGEST_LINE:
                raise HostError(
                    "the program that runs as polltrace-probe there writes a line without end"
                )
        return False

    def succeeded(self) -> bool:
        """Wait for the probe's end; True if it ended without a failure."""
        return self.wait() == 0

    def failure(self) -> PolltraceError:
        """The reason that the probe ended unasked."""
        code = self.wait()
        if code == 0:
            return HostError("polltrace-probe ended by itself")
        if code == -signal.SIGXFSZ:
            return HostError("polltrace-probe, or ssh, was ended: it writes messages without end")
        message = self.messages()
        return self._probe_host.failure(code, message) or self.exit_error()


def _windows(*, by_timer: bool) -> list[str]:
    """The probe's options for counting in windows."""
    window = ["--window", f"{_TIMER_WINDOW_S:g}"] if by_timer else []
    return [*window, "--gap", f"{_WINDOW_EVERY_S:g}"]
