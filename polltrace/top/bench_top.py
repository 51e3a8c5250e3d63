# SPDX-License-Identifier: GPL-2.0-or-later
"""What `polltrace top` costs on a host with thousands of idle servers. Needs root.

    python -m polltrace.top.bench_top [IDLE [SECONDS]]

Idle servers are copies of sleep under Oracle's process title; busy ones are whoever else is there
(a lab with sessions, say). Prints CPU of polltrace and of its probe, memory, and the time to the
first screen and to the first server in it.
"""

from __future__ import annotations

import contextlib
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_SETTLE_S = 10.0


@contextlib.contextmanager
def idle_servers(count: int) -> Iterator[None]:
    """`count` processes that look like dedicated servers and do nothing, within."""
    with tempfile.TemporaryDirectory() as folder:
        executable = shutil.copy("/bin/sleep", Path(folder) / "oracle")
        title = ["oracleORCL (LOCAL=NO)", "infinity"]
        started = [subprocess.Popen(title, executable=executable) for _ in range(count)]
        try:
            yield
        finally:
            for process in started:
                process.kill()
            for process in started:
                process.wait()


def family(pid: int) -> list[int]:
    """The process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def rss_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def read_until(terminal: int, wanted: bytes, deadline_s: float) -> float:
    """When `wanted` was on the terminal, by the monotonic clock. Raises TimeoutError."""
    seen = b""
    until = time.monotonic() + deadline_s
    while time.monotonic() < until:
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 1 << 16)
            if wanted in seen:
                return time.monotonic()
    raise TimeoutError(f"{wanted!r} was not on the screen in {deadline_s} s")


def drain(terminal: int, seconds: float) -> None:
    """Read on, as a terminal does, for so long."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            os.read(terminal, 1 << 16)


def measure(seconds: float) -> None:
    """Run polltrace at a terminal of 80x24 and print what it took."""
    begun = time.monotonic()
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ |= {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
        polltrace = str(Path(sys.executable).with_name("polltrace"))
        os.execv(polltrace, [polltrace, "top"])
    try:
        print(f"first screen      {read_until(terminal, b'polltrace top', 30) - begun:6.2f} s")
        print(f"first server      {read_until(terminal, b'ORCL', 60) - begun:6.2f} s")
        drain(terminal, _SETTLE_S)
        before = {each: cpu_s(each) for each in family(pid)}
        start = time.monotonic()
        drain(terminal, seconds)
        after = {each: cpu_s(each) for each in family(pid) if each in before}
        span = time.monotonic() - start
        names = {each: Path(f"/proc/{each}/comm").read_text().strip() for each in after}
        for each, used in after.items():
            share = 100 * (used - before[each]) / span
            print(f"{names[each]:<17} {share:6.2f} % of a CPU, {rss_mb(each):6.1f} MB")
    finally:
        os.kill(pid, signal.SIGTERM)
        with contextlib.suppress(OSError):  # the terminal ends with it
            drain(terminal, 5.0)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    idle = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with idle_servers(idle):
        measure(float(sys.argv[2]) if len(sys.argv) > 2 else 20.0)
