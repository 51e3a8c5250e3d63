# SPDX-License-Identifier: GPL-2.0-or-later
"""The process that traces, in a session of its own, and the results that it hands back.

Its end is a release, so it is made to end: with us, when its time is over, and when it gives no
sign of life, be it because someone stopped it. The kernel's timer sees to that (deadline.py).
Nothing that happens to us, Ctrl-Z included, stops it.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import select
import signal
import time
from collections.abc import Callable

from polltrace.stop_at.capture import HELD_UP, LATE, CaptureOutcome, Refused, StopCondition
from polltrace.stop_at.deadline import Deadline
from polltrace.stop_at.tracing import Limits

_PR_SET_PDEATHSIG = 1
# For the hand-over of the results after the time is over.
_GRACE_S = 5.0
_libc = ctypes.CDLL(None)

GuardedWork = Callable[[Callable[[], None]], object]
"""The work done in the process; it calls its argument once it has begun, and returns the result."""


class TracingProcess:
    """Runs `work` in a process of its own, for `limit_s` at the very most (None: no limit)."""

    def __init__(self, work: GuardedWork, limit_s: float | None) -> None:
        self._result = os.memfd_create("polltrace-traced")
        self._begun, begun_fd = os.pipe()
        us = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            _work(us, work, limit_s, self._result, begun_fd)
        os.close(begun_fd)
        self._pidfd = os.pidfd_open(self.pid)
        self._ended = False

    def await_begun(self) -> bool:
        """Wait until the work has begun, or ended before that: then false."""
        return os.read(self._begun, 1) != b""

    def ask_to_end(self) -> None:
        self._send(signal.SIGTERM)

    def wait(self, wait_s: float | None = None) -> bool:
        """True if the process has ended, after at most `wait_s`."""
        if not self._ended:
            ended = select.poll()
            ended.register(self._pidfd, select.POLLIN)
            if ended.poll(None if wait_s is None else 1e3 * wait_s):
                os.waitpid(self.pid, 0)
                self._ended = True
        return self._ended

    def result(self) -> object:
        """The result of the work; None where it was killed before that."""
        written = os.pread(self._result, os.fstat(self._result).st_size, 0)
        return pickle.loads(written) if written else None

    def close(self) -> None:
        """End it at once, and with it the tracing; a read that never returns may delay its end."""
        self._send(signal.SIGKILL)
        self.wait(_GRACE_S)
        for fd in (self._result, self._begun, self._pidfd):
            os.close(fd)

    def _send(self, number: signal.Signals) -> None:
        if not self._ended:
            signal.pidfd_send_signal(self._pidfd, number)


def stop_at(pid: int, conditions: StopCondition, limits: Limits) -> CaptureOutcome:
    """Trace `pid` until the wanted call. The process runs on when this returns, however it does."""
    # Loaded before there is a process whose stops are to be short.
    from polltrace.stop_at.holder import Holder  # noqa: PLC0415 - as said

    holder = Holder(pid, conditions, limits)
    began = time.monotonic()
    process = TracingProcess(holder.outcome, limits.wait_s)
    try:
        process.wait()
        outcome = process.result()
    finally:
        process.close()
    if isinstance(outcome, CaptureOutcome):
        return outcome
    late = limits.wait_s is not None and time.monotonic() - began > limits.wait_s
    return Refused(0, LATE if late else HELD_UP)


def _work(us: int, work: GuardedWork, limit_s: float | None, result: int, begun_fd: int) -> None:
    """The process's life. It never returns, and leaves by _exit: there is nothing to clean up."""
    try:
        os.setsid()  # Ctrl-Z and Ctrl-C are for our parent
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        for number in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
            signal.signal(number, signal.SIG_IGN)
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if limit_s is not None:
            Deadline(limit_s + _GRACE_S)
        if os.getppid() == us:
            message = pickle.dumps(work(lambda: _say(begun_fd)))
            # One write: it is there whole, or not at all.
            os.write(result, message)
    finally:
        os._exit(0)


def _say(begun_fd: int) -> None:
    os.write(begun_fd, b".")
