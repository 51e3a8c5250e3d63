# SPDX-License-Identifier: GPL-2.0-or-later
"""The calls of 32-bit programs have numbers of their own: none is taken for another."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from polltrace.backends.ptrace_probe import PtraceProbe

SOURCE = Path(__file__).parent / "targets" / "calls32.c"


@pytest.mark.usefixtures("root")
def test_each_32_bit_call_is_counted_by_its_name(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("the target is C: gcc is missing")
    program = tmp_path / "calls32"
    subprocess.run(["gcc", "-std=gnu11", "-O1", "-Wall", str(SOURCE), "-o", program], check=True)
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            line = process.stdout.readline()
            if int(line or -1) != process.pid:
                pytest.skip("this kernel runs no 32-bit programs")
            with PtraceProbe([process.pid]) as probe:
                process.stdin.write(b"\n")
                process.stdout.readline()
                totals = probe.stop().only()
        finally:
            process.kill()
    calls = {each.name: each.calls for each in totals.syscalls}
    assert (calls["poll"], calls["ppoll"], calls["ppoll_time64"]) == (1009, 211, 211)
    assert (totals.break_polls, totals.other_polls) == (1431, 0)
