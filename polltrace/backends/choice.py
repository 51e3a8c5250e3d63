# SPDX-License-Identifier: GPL-2.0-or-later
"""Which backend, and why."""

from __future__ import annotations

from polltrace.doctor.finding import State
from polltrace.doctor.host import Host, ThisHost
from polltrace.doctor.kernel import variants, works
from polltrace.doctor.tools import probe_path
from polltrace.errors import UsageError


def why_strace(asked: str, has_command: bool, host: Host | None = None) -> str:
    """Why strace is taken, empty where eBPF is; `asked` is "strace" or "auto".

    Raises UsageError for a command to be started, which strace is not given here.
    """
    why = "asked for"
    if asked == "auto":
        probes = variants(host or ThisHost(), probe_path())
        if works(probes):
            return ""
        said = {each.found for each in probes if each.state is not State.OK}
        why = f"no eBPF here ({'; '.join(sorted(said))})"
    if has_command:
        raise UsageError("the strace backend watches running processes only: use -p PID")
    return why
