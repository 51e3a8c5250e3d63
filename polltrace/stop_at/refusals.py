# SPDX-License-Identifier: GPL-2.0-or-later
"""Why nothing was captured: one line and one exit code each."""

from __future__ import annotations

import errno
import os

from polltrace import procfs
from polltrace.errors import (
    HostError,
    NoSuchProcessError,
    NotPermittedError,
    PolltraceError,
    UsageError,
)
from polltrace.stacks.errors import UnansweredError
from polltrace.stacks.reading_process import read_within
from polltrace.stop_at.capture import BECAME_ANOTHER, GONE, LATE, SUSPENDED, Refused
from polltrace.stop_at.threads import state, status

# Seconds to read the first bytes of a program.
_PATIENCE_S = 5.0


class NotSeenError(PolltraceError):
    """The process lives, and made no such call meanwhile."""

    exit_code = 1


def check_before(pid: int) -> None:
    """Raise for a process that cannot be traced: gone, traced already, a thread, of 32 bits."""
    letter = state(pid, pid)
    if letter in ("", "Z", "X"):
        raise NoSuchProcessError(f"no process {pid}" if not letter else f"{pid} has ended")
    if (leader := status(pid, "Tgid")) != pid:
        raise UsageError(f"{pid} is a thread of process {leader}: use -p {leader}")
    if pid == os.getpid():
        raise UsageError("this is polltrace itself")
    _raise_if_traced(pid)
    if letter == "T":
        raise NotSeenError(f"process {pid} makes no call{_doing(pid)}")
    if os.uname().machine != "x86_64":
        raise HostError("stop-at knows x86-64 only")
    try:
        if read_within(lambda: _elf_class(pid), _PATIENCE_S) == b"\x01":
            raise HostError(f"process {pid} is a 32-bit program: not supported")
    except UnansweredError as error:
        raise HostError(f"cannot read the program of process {pid}: {error}") from None
    except FileNotFoundError:
        raise NotPermittedError(f"process {pid} is the kernel's own: it cannot be traced") from None
    except PermissionError:
        raise NotPermittedError(f"not permitted to trace process {pid}: run as root") from None


def _elf_class(pid: int) -> bytes:
    with open(f"/proc/{pid}/exe", "rb", buffering=0) as file:
        return file.read(5)[4:]


def _raise_if_traced(pid: int) -> None:
    if tracer := status(pid, "TracerPid"):
        name = procfs.title(tracer) or "?"
        raise NotPermittedError(
            f"process {pid} is traced already, by {tracer} ({name}); there can be one tracer only"
        )


def error_of(pid: int, refused: Refused, wait_s: float, call: str) -> PolltraceError:
    """The error to raise for an outcome without a capture."""
    if refused.errno:
        return _failed(pid, refused.errno)
    if refused.what == BECAME_ANOTHER:
        return NoSuchProcessError(
            f"process {pid} executed another program ({procfs.executable(pid) or '?'}) before it "
            f"made {call}"
        )
    if refused.what == GONE or state(pid, pid) in ("", "Z", "X"):
        return NoSuchProcessError(f"process {pid} ended before it made {call}")
    if refused.what == LATE:
        return NotSeenError(f"process {pid} did not make {call} in {wait_s:g} s{_doing(pid)}")
    if refused.what == SUSPENDED:
        return NotSeenError(f"let process {pid} go when polltrace was suspended, before {call}")
    return NotSeenError(
        f"let process {pid} go: a stop took too long, this host is busy; try again, or allow more "
        "with --longest-stop"
    )


def _failed(pid: int, number: int) -> PolltraceError:
    if number not in (errno.EPERM, errno.EACCES):
        return HostError(f"cannot trace process {pid}: {os.strerror(number)}")
    try:
        _raise_if_traced(pid)
    except NotPermittedError as error:
        return error
    return NotPermittedError(
        f"not permitted to trace process {pid}: run as root (see 'polltrace doctor')"
    )


def _doing(pid: int) -> str:
    return {
        "S": ": it sleeps, so it runs no call; try while it works",
        "D": ": it is in uninterruptible sleep, waiting for a device",
        "T": f": it is stopped by a signal ('kill -CONT {pid}' lets it go)",
    }.get(state(pid, pid), "")
