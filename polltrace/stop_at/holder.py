# SPDX-License-Identifier: GPL-2.0-or-later
"""The work of the tracing process for stop-at: wait for the call, copy the stack, let go and end.

It computes and prints nothing. Whatever ends it, the kernel lets the traced process run on.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable

from polltrace.stop_at import ptrace
from polltrace.stop_at.capture import (
    BECAME_ANOTHER,
    GONE,
    LATE,
    SUSPENDED,
    Capture,
    CaptureOutcome,
    Refused,
    StopCondition,
)
from polltrace.stop_at.standing import Standing
from polltrace.stop_at.tracer import Tracer
from polltrace.stop_at.tracing import End, Limits

_WHY = {End.LATE: LATE, End.ASKED: LATE, End.SUSPENDED: SUSPENDED, End.GONE: GONE}


class Holder:
    """Traces all threads of `pid` until the wanted call."""

    def __init__(self, pid: int, conditions: StopCondition, limits: Limits) -> None:
        self._pid, self._wanted, self._limits = pid, conditions, limits
        self._found: CaptureOutcome | None = None

    def outcome(self, ready: Callable[[], None]) -> CaptureOutcome:
        """The outcome. Other threads are let go when this process ends: end it at once."""
        try:
            self._standing = Standing(self._pid)
            self._tracer = Tracer([self._pid], self, self._limits)
            end = self._tracer.run(ready)
        except (FileNotFoundError, ProcessLookupError):
            return Refused(0, GONE)
        except OSError as error:
            return Refused(error.errno or errno.EIO, "seize")
        return self._found or Refused(0, _WHY.get(end, GONE))

    def at_exec(self, _pid: int) -> bool:
        """The program in which the call was to be is gone."""
        self._found = Refused(0, BECAME_ANOTHER)
        return True

    def at_call(self, _pid: int, tid: int) -> bool:
        """True if the call is the wanted one; the thread then runs on."""
        call = ptrace.system_call(tid)
        if not isinstance(call, ptrace.CallEntry) or not call.is_64:
            return False
        if call.number not in self._wanted.numbers:
            return False
        polled = self._standing.polled(call)
        if not polled and self._wanted.break_poll:
            return False
        copy = self._standing.copy(tid, call)
        ptrace.detach(tid)
        self._found = Capture(
            tid=tid,
            number=call.number,
            arguments=call.arguments,
            copy=copy,
            polled=polled,
            stopped_ns=time.monotonic_ns() - self._tracer.told_ns,
            other_stops=self._tracer.stops - 1,
            other_stopped_ns=self._tracer.stopped_ns,
        )
        return True
