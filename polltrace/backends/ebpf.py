# SPDX-License-Identifier: GPL-2.0-or-later
"""The eBPF backend: run polltrace-probe, the one part that needs root, and read its frames."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from polltrace.engines import check_options
from polltrace.errors import (
    FrameError,
    HostError,
    NoSuchProcessError,
    NotPermittedError,
    PolltraceError,
    UsageError,
)
from polltrace.executables import find_executable
from polltrace.interrupts import detaching
from polltrace.privileges import handed_on
from polltrace.profiles.decoder import parse
from polltrace.profiles.frames import Header, ProbeRecord
from polltrace.profiles.profile import Profile, profile_of

# The exit codes of polltrace-probe (`polltrace-probe --help`) in our own terms.
_FAILURES: dict[int, type[PolltraceError]] = {
    2: UsageError,
    3: NotPermittedError,
    5: NoSuchProcessError,
}


# Bytes of messages on stderr that are read.
_MOST_MESSAGES = 1 << 16

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
    are counted against the break polls, once and briefly (`ProcessTotals.burst`).
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
        for path, offset in self.functions:
            words += ["--function", f"{path}:0x{offset:x}"]
        return words


class EbpfProbe:
    """polltrace-probe on `pids`, attached from __enter__ until stop().

    It runs in a session of its own: Ctrl-C reaches us alone, and we end it with a last frame.
    Should we be killed, it finds its reader gone and detaches by itself.
    """

    name = "polltrace-probe"

    def __init__(self, pids: Sequence[int], options: ProbeOptions = ProbeOptions()) -> None:
        self._argv = [
            find_executable("polltrace-probe"),
            "-p",
            ",".join(map(str, pids)),
            *options.options(),
        ]
        self._seen: list[ProbeRecord | None] = []

    def _start(self) -> None:
        try:
            self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - until __exit__
        except OSError as error:
            raise HostError(f"cannot write a temporary file: {error.strerror}") from None
        try:
            with handed_on():
                self._process = subprocess.Popen(
                    [*self._argv, *check_options()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=self._stderr,
                    encoding="utf-8",
                    start_new_session=True,
                )
        except OSError as error:  # no ssh here; a probe for another processor
            raise HostError(f"cannot run {self._argv[0]}: {error.strerror}") from None

    def __enter__(self) -> Self:
        self._start()
        try:
            first = next(self.records(), None)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        if not isinstance(first, Header):
            error = self._failure()
            self.__exit__(None, None, None)
            raise error
        return self

    def records(self) -> Iterator[ProbeRecord | None]:
        """Every record as it comes, until the probe ends."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            record = parse(line)
            self._seen.append(record)
            yield record

    def read_all(self) -> None:
        """Read on until the probe ends; profile() has the result."""
        for _ in self.records():
            pass

    def detach(self) -> None:
        """Ask the probe to end; its last frame is still to be read."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    def until_interrupted(self) -> AbstractContextManager[None]:
        """Within, Ctrl-C and SIGTERM detach: the usual end, not an accident."""
        return detaching(self.detach)

    def profile(self) -> Profile:
        """Read to the end; the result. Raises the probe's own failure, if it failed."""
        self.read_all()
        if self._process.wait() != 0:
            raise self._failure()
        return profile_of(self._seen)

    def stop(self) -> Profile:
        """Detach now; the result until now."""
        self.detach()
        return self.profile()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._stderr.close()

    def _messages(self) -> str:
        """The end of the stderr of the probe, or of ssh and the host that it reached."""
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - _MOST_MESSAGES))
        return self._stderr.read().decode(errors="replace").strip()

    def _failure(self) -> PolltraceError:
        code = self._process.wait()
        message = self._messages().removeprefix(f"{self.name}: ")
        if code < 0:
            return FrameError(f"{self.name} was killed by signal {-code}; its counts are lost")
        return _FAILURES.get(code, HostError)(message or f"{self.name} ended with code {code}")
