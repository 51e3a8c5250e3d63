# SPDX-License-Identifier: GPL-2.0-or-later
"""Signals as something to wait for, like keys and frames."""

from __future__ import annotations

import contextlib
import os
import signal
from types import FrameType, TracebackType
from typing import Self

ENDING = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})
_NOTED = (*ENDING, signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH)


class Signals:
    """Collects a terminal's signals from __enter__ to __exit__; one makes fileno() readable."""

    def __enter__(self) -> Self:
        self._noted: set[int] = set()
        self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._before = {number: signal.signal(number, self._note) for number in _NOTED}
        return self

    def fileno(self) -> int:
        return self._read

    def taken(self) -> set[int]:
        """The signals since the last call."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._read, 4096)
        noted, self._noted = self._noted, set()
        return noted

    def stop_here(self) -> None:
        """Be stopped as Ctrl-Z stops any program; returns when continued."""
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._note)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._noted.add(number)
        with contextlib.suppress(BlockingIOError):
            os.write(self._write, b".")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self._read)
        os.close(self._write)
