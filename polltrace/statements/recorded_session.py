# SPDX-License-Identifier: GPL-2.0-or-later
"""A session while it is recorded: its SQL trace and its scheduler times; then the join of both with
the recording."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from polltrace.alongside import alongside
from polltrace.errors import FileError, UsageError
from polltrace.procfs import start_ticks
from polltrace.profiles.frames import Identity
from polltrace.recording.fold import read
from polltrace.recording.summary import summary
from polltrace.servers.login import Login
from polltrace.servers.session_trace import SessionTrace, TracedSession
from polltrace.sqltrace.file_summary import FileSummary
from polltrace.statements.clock_alignment import ClockAlignment, align
from polltrace.statements.process_samples import break_polls, on_cpu_samples
from polltrace.statements.scheduler import SchedulerWatch
from polltrace.statements.statement_costs import JoinedTrace, MeasuredProcess, TracedCall, join
from polltrace.statements.trace_calls import trace_calls
from polltrace.statements.trace_file import TraceFile


class RecordedSession:
    """A server process with SQL trace on; `requested_us` is the time of the request for the trace
    (CLOCK_MONOTONIC, microseconds)."""

    def __init__(self, pid: int, trace: SessionTrace, file: TraceFile) -> None:
        self.identity: Identity = pid, start_ticks(pid) or 0
        self.session: TracedSession = trace.sessions[0]
        self.requested_us = round(1e6 * trace.on_s)
        # Before the watch begins to read the file: a file that is no trace is refused here.
        self._from_byte = file.size()
        self._watch = SchedulerWatch(pid, file)
        self._file = file

    def watched(self) -> contextlib.AbstractContextManager[None]:
        """A context that watches the trace and the scheduler during the recording."""
        return alongside(self._watch.run)

    def joined(self, recording: Path, began_s: float) -> JoinedTrace:
        """The join with a recording that began at `began_s` of CLOCK_MONOTONIC.

        Raises FileError where the trace has no call of the time, or cannot be read.
        """
        with self._file:
            name = self._file.name()
            trace = trace_calls(name, self._first_byte()) if name else None
            missing = self._missing(trace.summary) if trace else ()
        calls, waits = (trace.calls, trace.waits) if trace else ((), ())
        alignment = self._alignment(calls, missing)
        return join(calls, waits, self._measured(recording, began_s), alignment, missing)

    def _first_byte(self) -> int:
        """First byte of the trace of this session, earlier if the file was cut."""
        cut_to = self._watch.cut_to
        return self._from_byte if cut_to is None else min(self._from_byte, cut_to)

    def _alignment(self, calls: Sequence[TracedCall], missing: Sequence[str]) -> ClockAlignment:
        if not calls or self._watch.lag_us is None:
            why = missing or ("it made no call in this time, or the trace cannot be read here",)
            raise FileError(
                f"no call of the session is in its trace {self._file.path}: {'; '.join(why)}"
            )
        try:
            return align(self.requested_us, calls[0].tim_us, self._watch.lag_us)
        except ValueError as error:
            raise FileError(f"{self._file.path}: {error}") from None

    def _missing(self, summary: FileSummary) -> tuple[str, ...]:
        """Reasons why calls of the session may be missing from the file."""
        reasons = {
            "the trace goes on in another file (TRACEFILE_IDENTIFIER)": summary.continues_in,
            "the trace reached MAX_DUMP_FILE_SIZE": summary.limited,
            "another file has taken its name (a segment was full, or it was moved)": (
                self._file.replaced()
            ),
            "the file was cut": self._watch.cut_to is not None or summary.change == "shrank",
        }
        return tuple(reason for reason, holds in reasons.items() if holds)

    def _measured(self, path: Path, began_s: float) -> MeasuredProcess:
        recording = read(path)
        sessions = [s for s in summary(recording).sessions if s.identity == self.identity]
        if not sessions:
            raise FileError(f"{path} has no process {self.identity[0]}")
        names = recording.names.of(self.identity)
        return MeasuredProcess(
            polls=break_polls(path, self.identity, began_s),
            scheduler=self._watch.samples,
            on_cpu=on_cpu_samples(path, self.identity, began_s, names),
            poll_cost_s=sessions[0].poll_cost_s,
        )


@contextlib.contextmanager
def recorded_session(login: Login | None, pids: list[int]) -> Iterator[RecordedSession]:
    """Trace the one session of `pids`, from here to the end of the block, however it ends."""
    if login is None:
        raise UsageError("--sqltrace needs the database: --connect [USER@]DSN")
    with SessionTrace(login, pids) as trace:
        session = RecordedSession(pids[0], trace, TraceFile(Path(trace.sessions[0].file)))
        with session.watched():
            yield session
