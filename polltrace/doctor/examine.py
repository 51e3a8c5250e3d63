# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of all checks, in the order in which to fix problems."""

from __future__ import annotations

from polltrace.doctor.host import ExaminedHost
from polltrace.doctor.kernel import sampling, type_information, uprobes, variants, works
from polltrace.doctor.permissions import (
    after_sudo,
    capabilities,
    lockdown,
    pid_namespace,
    ptrace_scope,
)
from polltrace.doctor.prerequisite import Prerequisite
from polltrace.doctor.tools import bcc, ours, probe_path


def examine(host: ExaminedHost) -> tuple[list[Prerequisite], bool]:
    """The prerequisites, and whether the default backend works."""
    probes = variants(host, probe_path())
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
    return prerequisites, works(probes)
