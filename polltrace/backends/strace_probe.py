# SPDX-License-Identifier: GPL-2.0-or-later
"""The strace backend: exact counts and stacks without eBPF, at fifty times a poll's cost."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from polltrace import procfs
from polltrace.backends.evidence import Evidence
from polltrace.backends.live_sockets import LiveSockets
from polltrace.backends.strace_text import StraceText
from polltrace.backends.tally import Tally, add_all
from polltrace.errors import HostError, NoSuchProcessError, NotPermittedError, PolltraceError
from polltrace.interrupts import detaching
from polltrace.profiles.frames import Header
from polltrace.profiles.profile import Profile
from polltrace.stop_at.threads import status, threads

_PR_SET_PDEATHSIG = 1
_ATTACHED = re.compile(r"Process (\d+) attached")
_PATIENCE_S = 30.0
_CHUNK, _NAP_S = 1 << 16, 0.001
_libc = ctypes.CDLL(None)


class StraceProbe:
    """strace on `pids` with their threads; with `follow` also on what they fork meanwhile.

    With `stacks` it sees polls only, takes the stack of each (1 to 20 ms, in which the process
    stands still), and needs a strace that was built with -k.

    It ends with us however we end, and lets the processes run on.
    """

    def __init__(
        self,
        pids: Sequence[int],
        duration_s: float | None = None,
        follow: bool = False,
        stacks: bool = False,
    ) -> None:
        path = shutil.which("strace")
        if path is None:
            raise HostError("strace is not installed: 'polltrace doctor' says how to get it")
        self._path, self._pids, self._follow = path, list(pids), follow
        self._duration_s = duration_s
        self._stacks = ["-k", "-e", "trace=poll,ppoll"] if stacks else []

    def __enter__(self) -> Self:
        self._text, writable = os.pipe()
        options = ["-f", "-y", "-s", "8", "-e", "signal=none", "-o", f"/proc/self/fd/{writable}"]
        options += self._stacks
        self._process = subprocess.Popen(
            [self._path, *options, *(f"-p{pid}" for pid in self._pids)],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[writable],
            preexec_fn=_end_with_us,  # noqa: PLW1509 - one call into the kernel, no lock
            start_new_session=True,
        )
        os.close(writable)
        # Its pipe must be emptied from the start: strace waits for it, and the process for strace.
        self._owners: dict[int, int] = {}
        self._tally = Tally(LiveSockets(self._pids).judge)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self._await_attached()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        self._began_s = time.monotonic()
        return self

    def _read(self) -> None:
        add_all(self._tally, StraceText().events(self._lines()))

    def _lines(self) -> Iterator[str]:
        """Its text as it comes. strace writes each line by itself: were we to wait for every one,
        it would wake us as often, which costs it more than the line."""
        rest = b""
        while chunk := os.read(self._text, _CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line.decode(errors="replace") + "\n"
            time.sleep(_NAP_S)
        if rest:
            yield rest.decode(errors="replace")

    def _await_attached(self) -> None:
        assert self._process.stderr is not None
        missing, said = set(self._pids), ""
        while missing:
            last, said = said, self._process.stderr.readline()
            if not said:
                code = self._process.wait()
                raise HostError(f"strace ended with code {code}: {last.strip() or 'no word'}")
            if attached := _ATTACHED.search(said):
                missing.discard(int(attached[1]))
            elif "attach" in said:
                raise _refusal(said, sorted(missing))
        for pid in self._pids:
            self._owners |= dict.fromkeys(threads(pid), pid)
        self._errors = threading.Thread(target=self._process.stderr.read, daemon=True)
        self._errors.start()

    def detach(self) -> None:
        """Ask strace to let go."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    def until_interrupted(self) -> AbstractContextManager[None]:
        """Within, Ctrl-C and SIGTERM detach: the usual end, not an accident."""
        return detaching(self.detach)

    def evidence(self) -> Evidence:
        """Watch to the end and say what was seen, and what of it could not be told."""
        try:
            self._process.wait(self._duration_s)
        except subprocess.TimeoutExpired:
            self.detach()
            self._process.wait(_PATIENCE_S)
        seconds = time.monotonic() - self._began_s
        self._reader.join(_PATIENCE_S)
        self._tally.know(self._owners)
        processes = [
            (totals, undecided)
            for totals, undecided in self._tally.processes()
            if self._follow or totals.pid in self._pids
        ]
        watched = {(totals.pid, totals.start_ticks) for totals, _ in processes}
        gone = (pid for pid in self._pids if procfs.start_ticks(pid) is None)
        strange = len(self._tally.unread)
        return Evidence(
            profile=Profile(
                header=Header("strace", os.uname().nodename, os.uname().release, "", "strace"),
                seconds=seconds,
                processes={},
                totals=tuple(totals for totals, _ in processes),
                ended=frozenset((pid, 0) for pid in gone),
                lost={"lines": strange} if strange else {},
                complete=not strange,
            ),
            undecided={(each.pid, each.start_ticks): count for each, count in processes},
            timed=True,
            cpu_s=None,
            doubts=(f"{strange:,} lines of strace could not be read.",) if strange else (),
            stacks={key: each for key, each in self._tally.stacks().items() if key in watched},
        )

    def profile(self) -> Profile:
        """As `evidence`, the profile alone; its CPU time is 0 and means nothing."""
        return self.evidence().profile

    def stop(self) -> Profile:
        """Detach now and say what was seen until now."""
        self.detach()
        return self.profile()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()  # it seized: the kernel lets go for it
        self._process.wait()
        self._reader.join(_PATIENCE_S)
        os.close(self._text)


def _end_with_us() -> None:
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _refusal(said: str, pids: Sequence[int]) -> PolltraceError:
    words = said.strip().rpartition("attach: ")[2]
    if "No such process" in words:
        return NoSuchProcessError(f"no such process: strace says {words!r}")
    for pid in pids:
        if tracer := status(pid, "TracerPid"):
            return NotPermittedError(f"process {pid} is traced already, by {tracer}")
    if "not permitted" in words:
        return NotPermittedError(f"not permitted: strace says {words!r}; run as root")
    return HostError(f"strace cannot attach: {words}")
