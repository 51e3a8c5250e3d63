# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of all checks, in the order in which to fix problems."""

from __future__ import annotations

from dataclasses import replace

from polltrace.doctor.host import ExaminedHost
from polltrace.doctor.kernel import sampling, type_information, uprobes, variants, works
from polltrace.doctor.permissions import (
    after_sudo,
    capabilities,
    lockdown,
    pid_namespace,
    ptrace_scope,
)
from polltrace.doctor.prerequisite import Prerequisite, State
from polltrace.doctor.tools import bcc, ours, probe_path

# The other variants of a probe that works by one, the backend for kernels without it, and the
# lockdown, which would keep it from working.
_FOR_THE_PROBE = ("probe ", "bcc", "lockdown")


def examine(host: ExaminedHost) -> tuple[list[Prerequisite], bool]:
    """The prerequisites, and whether the default backend works."""
    probes = variants(host, probe_path())
    is_working = works(probes)
    prerequisites = [
        *ours(),
        bcc(host),
        capabilities(host),
        after_sudo(host),
        type_information(host),
        *probes,
        sampling(host),
        uprobes(host),
        ptrace_scope(host),
        lockdown(host),
        pid_namespace(host),
    ]
    if is_working:
        prerequisites = list(map(_where_the_probe_works, prerequisites))
    return prerequisites, is_working


def _where_the_probe_works(unmet: Prerequisite) -> Prerequisite:
    """The prerequisite as one that is not needed where it serves only to replace the probe, or to
    explain why the probe fails.
    """
    if unmet.state is State.OK or not unmet.name.startswith(_FOR_THE_PROBE):
        return unmet
    return replace(unmet, state=State.UNNEEDED, fix="")
