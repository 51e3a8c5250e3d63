# SPDX-License-Identifier: GPL-2.0-or-later
"""Traces processes so that nothing of theirs is lost, wherever and however the tracer ends.

A stop that waitpid(2) has consumed is forgotten by the kernel: should the tracer die then, the
signal that the process was to get is gone. So the stop of a signal is only peeked at (WNOWAIT) and
answered with that signal; a tracer that dies in between leaves it to be delivered.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from polltrace.stop_at import ptrace
from polltrace.stop_at.deadline import Deadline
from polltrace.stop_at.interruptible import may_interrupt
from polltrace.stop_at.threads import state, status, threads
from polltrace.stop_at.tracing import End, Limits, Visitor

_PEEK = os.WEXITED | os.WSTOPPED | os.WNOWAIT | os.WNOHANG | ptrace.WALL
_SLEEPER_S = 0.0005
_PARENT_S = 0.1


class Tracer:
    """Traces all threads of `pids`, with `follow` also of their children, until its end.

    The threads are let go when this process ends: end it at once.
    """

    def __init__(
        self, pids: Sequence[int], visitor: Visitor, limits: Limits, follow: bool = False
    ) -> None:
        self._visitor, self._limits, self._follow = visitor, limits, follow
        self._pids = frozenset(pids)
        self._owners: dict[int, int] = {}
        self._waiting: set[int] = set()
        self._interrupted: set[int] = set()
        self._parent = os.getppid()
        self._asked = False
        self._look_again_s = self._parent_again_s = 0.0
        self.stops = self.stopped_ns = self.told_ns = 0
        self.late_sleepers = 0
        # SIGCHLD must be blocked before it is waited for.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        signal.signal(signal.SIGTERM, self._ask)
        self._limit = Deadline(limits.stop_s)
        for pid in pids:
            self._seize_all(pid)

    def _ask(self, *_: object) -> None:
        self._asked = True

    def _seize_all(self, pid: int) -> None:
        seized: set[int] = set()
        # Threads born after they were seized are traced from birth; those before, by looking again.
        while new := set(threads(pid)) - seized:
            for tid in new:
                self._limit.put_off()
                with suppress(ProcessLookupError):
                    ptrace.seize(tid, self._follow)
                    self._waiting.add(tid)
                    self._owners[tid] = pid
            seized |= new
        if not any(owner == pid for owner in self._owners.values()):
            raise ProcessLookupError

    def run(self, ready: Callable[[], None]) -> End:
        """Trace to the end; `ready` is called once every thread that may be interrupted is seen.
        OSError as ptrace(2) for anything but a target that is gone."""
        wait_s = self._limits.wait_s
        until = None if wait_s is None else time.monotonic() + wait_s
        is_ready = False
        while not self._asked:
            self._limit.put_off()
            time_s = time.monotonic()
            if until is not None and time_s > until:
                return End.LATE
            if self._parent_is_stopped(time_s):
                return End.SUSPENDED
            self._interrupt(time_s, first=not is_ready)
            try:
                stops = self._stops()
            except ChildProcessError:
                return End.GONE
            for tid, code in stops:
                if self._stopped(tid, code):
                    return End.FOUND
            if stops:
                self.stopped_ns += time.monotonic_ns() - self.told_ns
            if not is_ready and not self._interrupted:
                ready()
                is_ready = True
            # The only thread there is was just let go: nothing to see before it wakes us.
            if not stops or len(self._owners) == 1:
                pause = min(_SLEEPER_S if self._waiting else 0.05, self._limits.stop_s / 4)
                signal.sigtimedwait([signal.SIGCHLD], pause)
        return End.ASKED

    def _parent_is_stopped(self, time_s: float) -> bool:
        if time_s < self._parent_again_s:
            return False
        self._parent_again_s = time_s + _PARENT_S
        return state(self._parent, self._parent) == "T"

    def _interrupt(self, time_s: float, first: bool) -> None:
        """Interrupt the running threads, so that the next calls are seen; sleepers stay asleep."""
        if not self._waiting or time_s < self._look_again_s:
            return
        for tid in [tid for tid in self._waiting if may_interrupt(self._owners[tid], tid)]:
            self._waiting.discard(tid)
            self._interrupted.add(tid)
            self.late_sleepers += not first
            self._unless_gone(ptrace.interrupt, tid)
        self._look_again_s = time.monotonic() + _SLEEPER_S

    def _stops(self) -> list[tuple[int, int]]:
        """Threads that have stopped, with the stop's code; each gets its turn. A signal's stop is
        not consumed, and the last of these."""
        stops: list[tuple[int, int]] = []
        alone = len(self._owners) == 1
        while peeked := os.waitid(os.P_ALL, 0, _PEEK):
            if not stops:
                self.told_ns = time.monotonic_ns()
            tid, code = peeked.si_pid, peeked.si_status
            if peeked.si_code != os.CLD_TRAPPED:
                os.waitpid(tid, os.WNOHANG | ptrace.WALL)
                self._forget(tid)
            elif not alone and (code >> 8 or code == ptrace.SYSCALL_STOP):
                # Seen once, it is no longer in the way of the others'.
                os.waitpid(tid, os.WNOHANG | ptrace.WALL)
                stops.append((tid, code))
            else:
                return [*stops, (tid, code)]
        return stops

    def _stopped(self, tid: int, code: int) -> bool:
        self.stops += 1
        self._waiting.discard(tid)
        number, event = code & 0xFF, code >> 8
        if number == ptrace.SYSCALL_STOP:
            ended = False
            with suppress(ProcessLookupError):  # killed where it stood
                ended = self._visitor.at_call(self._owner(tid), tid)
            if not ended:
                self._unless_gone(ptrace.resume, tid)
            return ended
        if event == ptrace.EVENT_EXEC:
            return self._at_exec(tid)
        if event == ptrace.EVENT_STOP:
            self._interrupted.discard(tid)
            if number in ptrace.STOPPING:
                self._unless_gone(ptrace.listen, tid)
            elif self._is_ours(tid):
                self._unless_gone(ptrace.resume, tid)
            else:  # a process made by a clone without an exit signal
                self._unless_gone(ptrace.detach, tid)
        else:
            self._unless_gone(lambda tid: ptrace.resume(tid, 0 if event else number), tid)
        return False

    def _at_exec(self, tid: int) -> bool:
        pid = self._owner(tid)
        for thread in [thread for thread, owner in self._owners.items() if owner == pid != thread]:
            self._forget(thread)  # the kernel has ended the other threads, or renamed one to `tid`
        if self._visitor.at_exec(pid):
            return True
        self._unless_gone(ptrace.resume, tid)
        return False

    def _owner(self, tid: int) -> int:
        if tid not in self._owners:
            self._owners[tid] = status(tid, "Tgid") or tid
        return self._owners[tid]

    def _is_ours(self, tid: int) -> bool:
        return self._follow or self._owner(tid) in self._pids

    def _forget(self, tid: int) -> None:
        self._owners.pop(tid, None)
        self._waiting.discard(tid)
        self._interrupted.discard(tid)

    def _unless_gone(self, request: Callable[[int], None], tid: int) -> None:
        with suppress(ProcessLookupError):  # killed meanwhile; waitid reports it
            request(tid)
