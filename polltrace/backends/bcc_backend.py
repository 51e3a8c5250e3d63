# SPDX-License-Identifier: GPL-2.0-or-later
"""The bcc backend: the same frames where the kernel has no type information, but its headers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from polltrace.backends.ebpf import ProbeOptions
from polltrace.backends.frame_probe import FrameProbe
from polltrace.errors import HostError, UsageError
from polltrace.executables import SYSTEM_PYTHON

SCRIPT = Path(__file__).with_name("bcc_probe.py")


class BccProbe(FrameProbe):
    """bcc_probe.py on `pids`: exact counts of polls, their sockets and system calls.

    It takes no stacks and times nothing; its CPU times are in clock ticks. Raises
    UsageError for options that ask for more, HostError where the system's Python is missing.
    """

    def __init__(self, pids: Sequence[int], options: ProbeOptions = ProbeOptions()) -> None:
        counting = ProbeOptions(
            duration_s=options.duration_s, syscalls=options.syscalls, follow=options.follow
        )
        if replace(options, skip_ended=False) != counting:
            raise UsageError("the bcc backend counts polls and system calls, and nothing else")
        if not Path(SYSTEM_PYTHON).exists() or not SCRIPT.exists():
            missing = SYSTEM_PYTHON if SCRIPT.exists() else str(SCRIPT)
            raise HostError(f"the bcc backend needs {missing}: see 'polltrace doctor'")
        command = [SYSTEM_PYTHON, "-I", str(SCRIPT), "-p", ",".join(map(str, pids))]
        super().__init__([*command, *counting.options()], "bcc_probe")
