# SPDX-License-Identifier: GPL-2.0-or-later
"""All checks, in the order in which one would mend what they find."""

from __future__ import annotations

from polltrace.doctor.finding import Finding
from polltrace.doctor.host import Host
from polltrace.doctor.kernel import sampling, type_information, uprobes, variants, works
from polltrace.doctor.permissions import capabilities, lockdown, pid_namespace, ptrace_scope
from polltrace.doctor.tools import bcc, ours, probe_path, strace


def examine(host: Host) -> tuple[list[Finding], bool]:
    """The findings, and whether the default backend works."""
    probes = variants(host, probe_path())
    findings = [
        *ours(),
        strace(host),
        bcc(host),
        capabilities(host),
        type_information(host),
        *probes,
        sampling(host),
        uprobes(host),
        ptrace_scope(host),
        lockdown(host),
        pid_namespace(host),
    ]
    return findings, works(probes)
