# SPDX-License-Identifier: GPL-2.0-or-later
"""Which backend, and why: the best that the host allows."""

from __future__ import annotations

from dataclasses import dataclass

from polltrace.backends.bcc_backend import SCRIPT
from polltrace.doctor.finding import State
from polltrace.doctor.host import Host, ThisHost
from polltrace.doctor.kernel import variants, works
from polltrace.doctor.tools import probe_path
from polltrace.executables import SYSTEM_PYTHON

BACKENDS = ("ebpf", "bcc", "strace")


@dataclass(frozen=True, slots=True)
class Choice:
    """`backend` is one of BACKENDS; `why` what to tell the user."""

    backend: str
    why: str

    def __str__(self) -> str:
        return f"backend {self.backend}: {self.why}"


def choose(asked: str, host: Host | None = None, stacks: bool = False) -> Choice:
    """`asked` is one of BACKENDS or "auto", which tries them in this order, for real; for stacks
    without bcc, which takes none."""
    if asked != "auto":
        return Choice(asked, "asked for")
    host = host or ThisHost()
    probes = variants(host, probe_path())
    if works(probes):
        return Choice("ebpf", "it works here")
    said = {each.found for each in probes if each.state is not State.OK}
    why = f"no eBPF here ({'; '.join(sorted(said))})"
    if stacks:
        return Choice("strace", why)
    code, text = host.output(SYSTEM_PYTHON, "-I", str(SCRIPT), "--check")
    if code == 0:
        return Choice("bcc", f"{why}, but the kernel's headers")
    lines = text.strip().splitlines() or [f"exit code {code}"]
    return Choice("strace", f"{why}, nor bcc ({lines[-1].removeprefix('bcc_probe: ')})")
