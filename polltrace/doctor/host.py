# SPDX-License-Identifier: GPL-2.0-or-later
"""This host, as the checks ask it: a seam, so that each absence can be shown."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Protocol

_PATIENCE_S = 300  # bcc compiles: seconds, on an emulated processor minutes


class Host(Protocol):
    """What a check may ask. Nothing is ever changed."""

    def read(self, path: str) -> str | None:
        """The text of a file; None where there is none, or it may not be read."""

    def exists(self, path: str) -> bool: ...

    def link(self, path: str) -> str:
        """Where a symbolic link points; empty where there is none."""

    def which(self, name: str) -> str | None:
        """The path of a command."""

    def output(self, *argv: str) -> tuple[int, str]:
        """Exit code and all that a command prints; -1 where it cannot be run."""


class ThisHost:
    """The real one."""

    def read(self, path: str) -> str | None:
        try:
            return Path(path).read_text(errors="replace")
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        return Path(path).exists()

    def link(self, path: str) -> str:
        try:
            return os.readlink(path)
        except OSError:
            return ""

    def which(self, name: str) -> str | None:
        return shutil.which(name)

    def output(self, *argv: str) -> tuple[int, str]:
        try:
            done = subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=_PATIENCE_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return -1, str(error)
        return done.returncode, done.stdout
