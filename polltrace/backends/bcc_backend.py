# SPDX-License-Identifier: GPL-2.0-or-later
"""The bcc backend: the same frames where the kernel has no type information, but its headers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from polltrace.backends.ebpf import EbpfProbe, Look
from polltrace.errors import HostError, UsageError
from polltrace.executables import SYSTEM_PYTHON

SCRIPT = Path(__file__).with_name("bcc_probe.py")


class BccProbe(EbpfProbe):
    """bcc_probe.py on `pids`: exact counts of polls, their sockets and system calls.

    It takes no stacks, times nothing and prices nothing; its CPU times are in clock ticks. Raises
    UsageError for a look that asks for more, HostError where the system's Python is missing.
    """

    name = "bcc_probe"

    def __init__(self, pids: Sequence[int], look: Look = Look()) -> None:
        counting = Look(duration_s=look.duration_s, syscalls=look.syscalls, follow=look.follow)
        if look != counting:
            raise UsageError("the bcc backend counts polls and system calls, and nothing else")
        if not Path(SYSTEM_PYTHON).exists() or not SCRIPT.exists():
            missing = SYSTEM_PYTHON if SCRIPT.exists() else str(SCRIPT)
            raise HostError(f"the bcc backend needs {missing}: 'polltrace doctor' says more")
        self._argv = [
            SYSTEM_PYTHON,
            "-I",
            str(SCRIPT),
            "-p",
            ",".join(map(str, pids)),
            *look.options(),
        ]
        self._seen = []
