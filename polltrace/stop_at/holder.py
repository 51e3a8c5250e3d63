# SPDX-License-Identifier: GPL-2.0-or-later
"""The process that traces: it seizes, waits for the call, copies the stack, lets go and ends.

It computes and prints nothing. Whatever ends it, the kernel lets the traced process run on.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from polltrace.stop_at import ptrace
from polltrace.stop_at.capture import (
    BECAME_ANOTHER,
    GONE,
    Capture,
    Outcome,
    Polled,
    Refused,
    Wanted,
)
from polltrace.stop_at.polled_socket import polled_socket
from polltrace.stop_at.syscalls import NUMBERS
from polltrace.stop_at.threads import may_interrupt, threads

STACK_BYTES = 256 << 10
_LOOK_EVERY_S = 0.0005


class Holder:
    """Traces all threads of `pid` until the wanted call; `beat` is called at every stop."""

    def __init__(self, pid: int, wanted: Wanted, beat: Callable[[], None]) -> None:
        self._pid, self._wanted, self._beat = pid, wanted, beat
        self._waiting: set[int] = set()
        self._inside: set[int] = set()
        self._stops = self._stopped_ns = 0
        self._look_again_s = 0.0

    def outcome(self) -> Outcome:
        """What came of it. Other threads are let go when this process ends: end it at once."""
        try:
            # Before SIGCHLD is waited for it must be blocked.
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
            self._memory = os.open(f"/proc/{self._pid}/mem", os.O_RDONLY)
            self._pidfd = os.pidfd_open(self._pid)
            self._seize_all()
            while True:
                if found := self._next():
                    return found
        except (ChildProcessError, FileNotFoundError, ProcessLookupError):
            return Refused(0, GONE)
        except OSError as error:
            return Refused(error.errno or errno.EIO, "seize")

    def _seize_all(self) -> None:
        seized: set[int] = set()
        # Threads born after they were seized are traced from birth; those before, by looking again.
        while new := set(threads(self._pid)) - seized:
            for tid in new:
                with suppress(ProcessLookupError):
                    ptrace.seize(tid)
                    self._waiting.add(tid)
            seized |= new
        if not self._waiting:
            raise ProcessLookupError

    def _next(self) -> Outcome | None:
        self._interrupt()
        flags = ptrace.WALL | (os.WNOHANG if self._waiting else 0)
        tid, status = os.waitpid(-1, flags)
        if not tid:
            signal.sigtimedwait([signal.SIGCHLD], _LOOK_EVERY_S)
            return None
        told_ns = time.monotonic_ns()
        self._beat()
        if not os.WIFSTOPPED(status):
            self._waiting.discard(tid)
            return None
        self._stops += 1
        found = self._stopped(tid, status, told_ns)
        self._stopped_ns += time.monotonic_ns() - told_ns
        self._beat()
        return found

    def _interrupt(self) -> None:
        """Those that run, so that their calls are seen from now on; sleepers are let sleep."""
        if not self._waiting or time.monotonic() < self._look_again_s:
            return
        for tid in [tid for tid in self._waiting if may_interrupt(self._pid, tid)]:
            self._waiting.discard(tid)
            _unless_gone(ptrace.interrupt, tid)
        self._look_again_s = time.monotonic() + _LOOK_EVERY_S

    def _stopped(self, tid: int, status: int, told_ns: int) -> Outcome | None:
        number, event = os.WSTOPSIG(status), status >> 16
        if number == ptrace.SYSCALL_STOP:
            return self._at_call(tid, told_ns)
        if event == ptrace.EVENT_EXEC:
            _unless_gone(ptrace.detach, tid)
            return Refused(0, BECAME_ANOTHER)
        if event == ptrace.EVENT_STOP:
            if number in ptrace.STOPPING:
                _unless_gone(ptrace.listen, tid)
            elif tid in threads(self._pid):
                _unless_gone(ptrace.resume, tid)
            else:  # a process made by a clone without an exit signal: not ours
                _unless_gone(ptrace.detach, tid)
        elif event:
            _unless_gone(ptrace.resume, tid)
        else:
            _unless_gone(lambda tid: ptrace.resume(tid, number), tid)
        return None

    def _at_call(self, tid: int, told_ns: int) -> Capture | None:
        try:
            at = ptrace.registers(tid)
            entering = at.entering and tid not in self._inside
            (self._inside.add if entering else self._inside.discard)(tid)
            if entering and at.is_64 and at.number in self._wanted.numbers:
                polled = self._polled(at.number, at.arguments)
                if polled or not self._wanted.break_poll:
                    memory = self._read(at.stack, STACK_BYTES)
                    ptrace.detach(tid)
                    return Capture(
                        tid=tid,
                        number=at.number,
                        arguments=at.arguments,
                        instruction=at.instruction,
                        stack=at.stack,
                        kept=at.kept,
                        memory=memory,
                        polled=polled,
                        stopped_ns=time.monotonic_ns() - told_ns,
                        other_stops=self._stops - 1,
                        other_stopped_ns=self._stopped_ns,
                    )
            ptrace.resume(tid)
        except ProcessLookupError:
            pass  # killed where it stood
        return None

    def _polled(self, number: int, arguments: tuple[int, ...]) -> Polled | None:
        """The socket of a break poll, None where the call is none."""
        if number not in (NUMBERS["poll"], NUMBERS["ppoll"]) or arguments[1] != 1:
            return None
        if number == NUMBERS["poll"]:
            zero = arguments[2] & 0xFFFFFFFF == 0
        else:
            zero = self._read(arguments[2], 16) == bytes(16)
        fd = self._read(arguments[0], 4) if zero else b""
        if len(fd) != 4:
            return None
        return polled_socket(self._pidfd, self._pid, int.from_bytes(fd, "little", signed=True))

    def _read(self, address: int, length: int) -> bytes:
        try:
            return os.pread(self._memory, length, address)
        except (OSError, OverflowError):
            return b""


def _unless_gone(request: Callable[[int], None], tid: int) -> None:
    with suppress(ProcessLookupError):  # killed meanwhile; waitpid says so
        request(tid)
