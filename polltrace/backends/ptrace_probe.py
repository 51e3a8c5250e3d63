# SPDX-License-Identifier: GPL-2.0-or-later
"""The ptrace backend: exact counts and stacks without eBPF, at some 100 us a call."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from polltrace import procfs
from polltrace.backends.trace_evidence import TraceEvidence
from polltrace.engines import Engine, engine_of
from polltrace.errors import HostError, NoSuchProcessError, NotPermittedError, PolltraceError
from polltrace.interrupts import detaching
from polltrace.profiles.frames import Header, ProcessTotals, SocketPolls, Stack, Syscall
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import AT_POLL, NamedStack, judged_stack
from polltrace.stacks import ProcessError, Symbolizer
from polltrace.stop_at.capture import Refused
from polltrace.stop_at.counter import ProcessCounts, PtraceCallCounter, PtraceCounts
from polltrace.stop_at.guard import TracingProcess
from polltrace.stop_at.refusals import check_before
from polltrace.stop_at.syscalls import POLLS
from polltrace.stop_at.tracing import End, Limits

# A system call takes the tracer some 50 us; a host that is busy may keep it waiting longer.
LONGEST_STOP_S = 1.0


class PtraceProbe:
    """A tracer of ours on `pids` with their threads; with `follow` also on their children.

    With `stacks` it also takes the stack of each break poll. It ends with us however we end, no
    signal of a process is lost, and the processes run on.
    """

    def __init__(
        self,
        pids: Sequence[int],
        duration_s: float | None = None,
        follow: bool = False,
        stacks: bool = False,
    ) -> None:
        self._pids, self._follow, self._duration_s = list(pids), follow, duration_s
        limits = Limits(duration_s, LONGEST_STOP_S)
        self._counter = PtraceCallCounter(self._pids, limits, follow, stacks)
        self._names = Symbolizer() if stacks else None
        self._engines: dict[int, Engine] = {}

    def __enter__(self) -> Self:
        for pid in self._pids:
            check_before(pid)
            if self._names:  # while it lives
                self._names.user(pid, [])
                if recognised := engine_of(procfs.executable(pid), procfs.title(pid)):
                    self._engines[pid] = recognised[0]
        self._process = TracingProcess(self._counter.outcome, self._duration_s)
        try:
            if not self._process.await_begun():
                self._process.wait()
                raise self._failed(self._process.result())
        except BaseException:
            self._process.close()
            raise
        self._began_s = time.monotonic()
        return self

    def detach(self) -> None:
        """Ask it to end; its counts until then are still to be read."""
        self._process.ask_to_end()

    def until_interrupted(self) -> AbstractContextManager[None]:
        """Within, Ctrl-C and SIGTERM detach: the usual end, not an accident."""
        return detaching(self.detach)

    def evidence(self) -> TraceEvidence:
        """Watch to the end; report the calls that were seen, and the kinds that may be missing.

        Raises HostError where the tracer had to be ended before it could report."""
        self._process.wait()
        seconds = time.monotonic() - self._began_s
        counted = self._process.result()
        if not isinstance(counted, PtraceCounts):
            raise self._failed(counted)
        watched = {
            pid: counts for pid, counts in counted.processes.items() if self._is_watched(pid)
        }
        ended_pids = (pid for pid in self._pids if procfs.start_ticks(pid) is None)
        gaps = _gaps(counted)
        return TraceEvidence(
            profile=Profile(
                header=Header("ptrace", os.uname().nodename, os.uname().release, "", "ptrace"),
                seconds=seconds,
                processes={},
                totals=tuple(_totals(pid, counts) for pid, counts in sorted(watched.items())),
                ended=frozenset((pid, 0) for pid in ended_pids),
                lost={},
                complete=not gaps,
            ),
            undecided={},
            timed=True,
            cpu_s=None,
            doubts=(),
            gaps=gaps,
            stacks={
                (pid, 0): self._stacks(pid, counts)
                for pid, counts in watched.items()
                if counts.stacks
            },
        )

    def profile(self) -> Profile:
        """The profile of `evidence`; its CPU time is 0 and means nothing."""
        return self.evidence().profile

    def stop(self) -> Profile:
        """Detach now and report the counts until now."""
        self.detach()
        return self.profile()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.close()

    def _is_watched(self, pid: int) -> bool:
        return self._follow or pid in self._pids

    def _stacks(self, pid: int, counts: ProcessCounts) -> tuple[NamedStack, ...]:
        stacks = []
        for (addresses, is_complete), count in counts.stacks.most_common():
            stack = Stack(AT_POLL, count, not is_complete, addresses, "not-needed", polls=count)
            try:
                assert self._names is not None
                frames = self._names.user(pid, addresses)
                stacks.append(judged_stack(frames, stack, engine=self._engines.get(pid)))
            except ProcessError:  # a child that is gone: nobody knows its functions
                continue
        return tuple(stacks)

    def _failed(self, outcome: object) -> PolltraceError:
        for pid in self._pids:  # most obstacles to tracing can be seen from outside
            try:
                check_before(pid)
            except PolltraceError as error:
                return error
        if not isinstance(outcome, Refused):
            return HostError(
                "let the processes go: the tracer was not run for "
                f"{LONGEST_STOP_S:g} s, this host is busy; try again"
            )
        if outcome.errno == errno.ESRCH:
            return NoSuchProcessError("a process ended before it was traced")
        if outcome.errno in (errno.EPERM, errno.EACCES):
            return NotPermittedError("not permitted to trace: run as root ('polltrace doctor')")
        if outcome.errno == errno.EIO:
            return HostError("the ptrace backend needs Linux 5.3")
        return HostError(f"cannot trace: {os.strerror(outcome.errno)}")


def _gaps(counted: PtraceCounts) -> tuple[str, ...]:
    gaps = []
    if counted.end is End.SUSPENDED:
        gaps.append("polltrace was suspended, so it let the processes go then.")
    if counted.late_sleepers:
        gaps.append(
            f"{counted.late_sleepers} sleeping threads could not be interrupted unnoticed: their "
            "first calls after they woke, for about a millisecond, may be missing."
        )
    return tuple(gaps)


def _totals(pid: int, counts: ProcessCounts) -> ProcessTotals:
    polls = sum(counts.calls[name] for name in POLLS)
    return ProcessTotals(
        pid=pid,
        start_ticks=0,
        cpu_s=0.0,
        break_polls=counts.break_polls,
        other_polls=polls - counts.break_polls,
        sockets=tuple(
            SocketPolls(socket.fd, socket.kind, socket.local, socket.peer, count)
            for socket, count in counts.sockets.most_common()
        ),
        syscalls=tuple(
            Syscall(-1, name, calls, counts.errors[name])
            for name, calls in sorted(counts.calls.items())
        ),
        stacks=(),
    )
