# SPDX-License-Identifier: GPL-2.0-or-later
"""Starts a command that waits until a probe is attached, so that its first call is counted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from polltrace.errors import UsageError

# Waits for a byte and becomes the command; without the byte (we died) there is no command.
_HELD = "import os, sys; os.read(int(sys.argv[1]), 1) and os.execv(sys.argv[2], sys.argv[3:])"


class HeldCommand:
    """A process that becomes `argv` at go(). Once it runs, it is never ended from here."""

    def __init__(self, argv: Sequence[str]) -> None:
        path = shutil.which(argv[0])
        if path is None:
            hint = f"; for a running process: -p {argv[0]}" if argv[0].isdecimal() else ""
            raise UsageError(f"{argv[0]}: no such command{hint}")
        self._argv = [path, *argv]

    def __enter__(self) -> Self:
        gate, self._go = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _HELD, str(gate), *self._argv], pass_fds=[gate]
        )
        os.close(gate)
        self.pid = self._process.pid
        return self

    def go(self) -> None:
        os.write(self._go, b".")

    def wait(self) -> int:
        """The command's exit code, 128 + N if signal N ended it, as a shell has it."""
        code = self._process.wait()
        return code if code >= 0 else 128 - code

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        os.close(self._go)
        self._process.wait()
