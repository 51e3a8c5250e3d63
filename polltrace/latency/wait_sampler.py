# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples of a process's waits, read from /proc/PID/syscall at random moments; the process is
neither stopped nor slowed.
"""

from __future__ import annotations

import collections
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from polltrace.errors import HostError, NoSuchProcessError, NotPermittedError

RATE_HZ = 1000.0
_RUNNING = "running"
_STOPPED = "-1"


@dataclass(slots=True)
class Waits:
    """Samples of a process's state.

    - `samples`: their number
    - `running`: on a processor, or ready to run
    - `calls`: blocked in a system call, by its name and its first argument (usually a descriptor)
    """

    samples: int = 0
    running: int = 0
    calls: collections.Counter[tuple[str, int]] = field(default_factory=collections.Counter)

    def add(self, text: str) -> None:
        """Add one reading of /proc/PID/syscall."""
        self.samples += 1
        if call := blocked_call(text):
            self.calls[call] += 1
        else:
            self.running += 1


def blocked_call(text: str) -> tuple[str, int] | None:
    """The system call that the process is blocked in and its first argument, from the text of
    /proc/PID/syscall (proc(5)); None where it runs, or is ready to.
    """
    words = text.split()
    if not words or words[0] == _RUNNING:
        return None
    # "-1": blocked outside a system call, by a page fault for instance.
    if words[0] == _STOPPED:
        return "no system call", -1
    # The names are python-ptrace's, which runs ldconfig when it is imported.
    from polltrace.stop_at.syscalls import name_of  # noqa: PLC0415

    return name_of(int(words[0])), int(words[1], 16)


class WaitSampler:
    """Reads the state of process `pid`.

    Raises NoSuchProcessError, NotPermittedError, or HostError where the kernel does not report it.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        try:
            self._fd = os.open(f"/proc/{pid}/syscall", os.O_RDONLY | os.O_CLOEXEC)
            self.waits = Waits()
            self.sample()
        except FileNotFoundError:
            if Path(f"/proc/{pid}").exists():
                raise HostError("this kernel has no /proc/PID/syscall") from None
            raise NoSuchProcessError(f"no process {pid}") from None
        except PermissionError:
            raise NotPermittedError(
                f"not permitted to read the waits of process {pid}: run as root"
            ) from None
        self.waits = Waits()

    def run(
        self,
        seconds: float,
        stopped: Callable[[], bool] = lambda: False,
        rate_hz: float = RATE_HZ,
    ) -> None:
        """Sample for `seconds`, at random moments, so that no rhythm of the process can coincide
        with the sampling.

        Raises NoSuchProcessError where it ends before that.
        """
        until = time.monotonic() + seconds
        try:
            while time.monotonic() < until and not stopped():
                self.sample()
                time.sleep(random.expovariate(rate_hz))
        except ProcessLookupError:
            raise NoSuchProcessError(f"process {self._pid} ended while it was observed") from None
        finally:
            self.close()

    def close(self) -> None:
        os.close(self._fd)

    def sample(self) -> None:
        """Take one sample. Raises ProcessLookupError where the process has ended."""
        self.waits.add(os.pread(self._fd, 256, 0).decode("ascii", "replace"))
