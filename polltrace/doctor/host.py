# SPDX-License-Identifier: GPL-2.0-or-later
"""The host that the checks examine, behind a Protocol so that tests can take things away."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Protocol

_PATIENCE_S = 300  # bcc compiles: seconds, on an emulated processor minutes


class ExaminedHost(Protocol):
    """The part of a host that a check may read. No method changes anything."""

    def read(self, path: str) -> str | None:
        """The text of a file; None where there is none, or it may not be read."""

    def exists(self, path: str) -> bool: ...

    def link(self, path: str) -> str:
        """The target of a symbolic link; empty where there is none."""

    def which(self, name: str) -> str | None:
        """The path of a command."""

    def variable(self, name: str) -> str:
        """An environment variable of ours; empty where it is not set."""

    def output(self, *argv: str) -> tuple[int, str]:
        """Exit code and output of a command, both streams; -1 where it cannot be run."""


class ThisHost:
    """The host that polltrace runs on."""

    def read(self, path: str) -> str | None:
        try:
            return Path(path).read_text(encoding="utf-8", errors="replace")
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

    def variable(self, name: str) -> str:
        return os.environ.get(name, "")

    def output(self, *argv: str) -> tuple[int, str]:
        try:
            process = subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                timeout=_PATIENCE_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return -1, str(error)
        return process.returncode, process.stdout
