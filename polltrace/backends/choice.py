# SPDX-License-Identifier: GPL-2.0-or-later
"""Choice of the best backend that the host allows without harm to the process."""

from __future__ import annotations

from dataclasses import dataclass

from polltrace.backends.bcc_backend import SCRIPT
from polltrace.doctor.host import ExaminedHost, ThisHost
from polltrace.doctor.kernel import variants, works
from polltrace.doctor.prerequisite import State
from polltrace.doctor.tools import probe_path
from polltrace.errors import HostError
from polltrace.executables import SYSTEM_PYTHON

BACKENDS = ("ebpf", "bcc", "ptrace")
PTRACE_WARNING = (
    "warning: this stops the process at every system call: each takes it some 100 us longer"
)
_LAST_RESORT = "--backend ptrace is left, which slows the process down ('polltrace doctor')"


@dataclass(frozen=True, slots=True)
class Choice:
    """`backend` is one of BACKENDS; `why` is the reason, a sentence for the user."""

    backend: str
    why: str

    def __str__(self) -> str:
        return f"backend {self.backend}: {self.why}"


def choose(requested: str, host: ExaminedHost | None = None, stacks: bool = False) -> Choice:
    """`requested` is one of BACKENDS or "auto", which tries eBPF and bcc in this order, for real.

    "auto" never takes ptrace, which stops the process at each system call. Raises HostError where
    there is nothing else; bcc takes no `stacks`.
    """
    if requested != "auto":
        return Choice(requested, "asked for")
    host = host or ThisHost()
    probes = variants(host, probe_path())
    if works(probes):
        return Choice("ebpf", "it works here")
    reasons = {probe.detail for probe in probes if probe.state is not State.OK}
    why = f"no eBPF here ({'; '.join(sorted(reasons))})"
    if stacks:
        raise HostError(f"{why}; {_LAST_RESORT}")
    code, text = host.output(SYSTEM_PYTHON, "-I", str(SCRIPT), "--check")
    if code == 0:
        return Choice("bcc", f"{why}, but the kernel's headers")
    lines = text.strip().splitlines() or [f"exit code {code}"]
    bcc = lines[-1].removeprefix("bcc_probe: ")
    raise HostError(f"{why}, nor bcc ({bcc}); {_LAST_RESORT}")
