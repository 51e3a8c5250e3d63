# SPDX-License-Identifier: GPL-2.0-or-later
"""A server of the lab that stands still where a test wants it to."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ptrace.binding import func

from polltrace.stop_at import ptrace
from tests.waiting import until

from .conftest import ORALAB

INT3 = 0xCC


def _address(pid: int, function: str) -> int:
    symbols = subprocess.run(["nm", ORALAB], capture_output=True, text=True, check=True).stdout
    (offset,) = [int(s.split()[0], 16) for s in symbols.splitlines() if s.endswith(f" {function}")]
    first = next(m for m in _maps(pid) if m.endswith(str(ORALAB)))
    return int(first.partition("-")[0], 16) + offset


def _maps(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/maps").read_text().splitlines()


def _next_stop(pid: int, what: str) -> int:
    """The signal that the traced process stopped with, once it stops."""

    def stopped() -> int | None:
        found, status = os.waitpid(pid, os.WNOHANG | ptrace.WALL)
        return os.WSTOPSIG(status) if found else None

    return until(stopped, what)


@contextmanager
def breakpoint_at(pid: int, function: str) -> Iterator[Callable[[], None]]:
    """Stops process `pid` at its next call of `function`: it stands there from the return of the
    function that this yields to the end of the block. Used by one thread."""
    at = _address(pid, function)
    ptrace.seize(pid)
    ptrace.interrupt(pid)
    _next_stop(pid, "a stopped server")
    word = func.ptrace_peektext(pid, at)
    func.ptrace_poketext(pid, at, word & ~0xFF | INT3)
    func.ptrace_cont(pid)
    standing = False

    def wait() -> None:
        nonlocal standing
        while not standing:
            number = _next_stop(pid, f"a call of {function}()")
            registers = func.ptrace_getregs(pid)
            if number == signal.SIGTRAP and registers.rip == at + 1:
                standing = True
            else:
                func.ptrace_cont(pid, 0 if number == signal.SIGTRAP else number)
        registers.rip = at
        func.ptrace_setregs(pid, registers)
        func.ptrace_poketext(pid, at, word)

    try:
        yield wait
    finally:
        if not standing:
            ptrace.interrupt(pid)
            _next_stop(pid, "a stopped server")
            func.ptrace_poketext(pid, at, word)
        ptrace.detach(pid)
