# SPDX-License-Identifier: GPL-2.0-or-later
"""polltrace-probe as it is read live: line by line, without ever waiting for it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Sequence
from typing import Self

from polltrace.backends.ebpf import EbpfProbe
from polltrace.errors import HostError, PolltraceError
from polltrace.watch.place import HERE, Place
from polltrace.watch.titles import title_pattern

# As many servers as a host has; what is more is in the frames' losses.
_MOST_PROCESSES = 8192
# A third window, the first that a rate can be told from, comes after about a second and a half.
_WINDOW_EVERY_S = 0.5
_CHUNK = 1 << 20
_NAPS, _NAP_S = 4, 0.004


class LiveProbe(EbpfProbe):
    """polltrace-probe from __enter__ to __exit__; fileno() is readable when it has said something.

    Unlike its parent it does not wait until counting has begun: a host with thousands of servers
    takes a second to attach to, and the screen is there before.
    """

    def __init__(self, options: Sequence[str], place: Place = HERE) -> None:
        self._argv = place.argv(options)
        self._place = place
        self._parts: list[bytes] = []

    @classmethod
    def of_host(cls, interval_s: float, place: Place = HERE) -> Self:
        """All dedicated servers, those to come included.

        Stacks are for the probe of one process: of thousands they would be most of every frame.
        """
        which = ["--watch", "-n", title_pattern(), "--max-processes", str(_MOST_PROCESSES)]
        what = ["--no-stacks", "--changed", "--own-cost"]
        pace = ["--gap", f"{_WINDOW_EVERY_S:g}", "-i", f"{interval_s:g}"]
        return cls([*which, *what, *pace], place)

    @classmethod
    def of_process(cls, pid: int, sample_hz: float, place: Place) -> Self:
        """One process, with on-CPU stacks."""
        pace = ["--hz", f"{sample_hz:g}", "--gap", f"{_WINDOW_EVERY_S:g}"]
        return cls(["--watch", "-p", str(pid), *pace, "-i", "1"], place)

    @classmethod
    def of_gaps(cls, pids: Sequence[int], seconds: float, place: Place) -> Self:
        """The times between each process's break polls, which costs as much as the polls do."""
        return cls(["--latency", "-p", ",".join(map(str, pids)), "-d", f"{seconds:g}"], place)

    @classmethod
    def of_syscalls(cls, pid: int, seconds: float, place: Place) -> Self:
        """Every system call of one process, which costs each of them something."""
        return cls(["-c", "-p", str(pid), "-d", f"{seconds:g}"], place)

    def __enter__(self) -> Self:
        self._start()
        os.set_blocking(self.fileno(), False)
        with contextlib.suppress(OSError):  # an ordinary user's pipes may be limited
            fcntl.fcntl(self.fileno(), fcntl.F_SETPIPE_SZ, _CHUNK)
        return self

    def fileno(self) -> int:
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    @property
    def pid(self) -> int:
        return self._process.pid

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
        *whole, rest = b"".join(self._parts).split(b"\n")
        self._parts = [rest] if rest else []
        return whole

    def _read(self) -> bool:
        """Take what is there; whether it was the end."""
        while True:
            try:
                chunk = os.read(self.fileno(), _CHUNK)
            except BlockingIOError:
                return False
            if not chunk:
                return True
            self._parts.append(chunk)

    def succeeded(self) -> bool:
        """Whether it ended as it was told to; waits until it has."""
        return self._process.wait() == 0

    def failure(self) -> PolltraceError:
        """Why the probe ended, though nobody asked it to."""
        code = self._process.wait()
        if code == 0:
            return HostError("polltrace-probe ended by itself")
        self._stderr.seek(0)
        said = self._stderr.read().strip()
        return self._place.failure(code, said) or self._failure()
