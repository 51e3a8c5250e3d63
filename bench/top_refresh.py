# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of `polltrace top` on a host with thousands of servers. Needs root.

    python -m bench.top_refresh [IDLE [BUSY [SECONDS]]]

Idle servers are copies of sleep under Oracle's process title; busy ones poll a socket once in some
15 us of work, for 2 ms out of every 100, so that fifty of them fit on a small machine. Prints CPU
of polltrace, of its probe and of the calibration (half a second for each interval, once), memory,
and the time to the first screen and to the first server in it.
Targets, with 2,000 and 50: under 3 % of one CPU and 150 MB in all, first screen under 0.5 s.
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


_BUSY = """
import select, socket, time
ours, theirs = socket.socketpair()
poll = select.poll()
poll.register(ours, select.POLLIN)
while True:
    until = time.monotonic() + 0.002
    while time.monotonic() < until:
        poll.poll(0)
        sum(range(300))
    time.sleep(0.098)
"""


@contextlib.contextmanager
def servers(idle: int, busy: int) -> Iterator[None]:
    """Idle and busy processes with the titles of dedicated servers, while this lasts."""
    title = "oracleORCL (LOCAL=NO)"
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as ending:
        for program, argv, count in (
            ("/bin/sleep", [title, "infinity"], idle),
            (os.path.realpath(sys.executable), [title, "-ISc", _BUSY], busy),
        ):
            place = Path(folder) / Path(program).name
            place.mkdir()
            executable = shutil.copy(program, place / "oracle")
            environment = {**os.environ, "PYTHONHOME": sys.base_prefix}
            for _ in range(count):
                process = subprocess.Popen(argv, executable=executable, env=environment)
                ending.callback(process.wait)
                ending.callback(process.kill)
        yield


def family(pid: int) -> list[int]:
    """The process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def cpu_s(pid: int, *, children: bool = False) -> float:
    """CPU seconds of a process, or of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[13:15] if children else fields[11:13])) / _TICKS


def rss_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def read_until(terminal: int, text: bytes, deadline_s: float) -> float:
    """The monotonic time at which `text` was on the terminal. Raises TimeoutError."""
    output = b""
    until = time.monotonic() + deadline_s
    while time.monotonic() < until:
        if select.select([terminal], [], [], 0.1)[0]:
            output += os.read(terminal, 1 << 16)
            if text in output:
                return time.monotonic()
    raise TimeoutError(f"{text!r} was not on the screen in {deadline_s} s")


def drain(terminal: int, seconds: float) -> None:
    """Read the terminal for that time, and discard the output."""
    until = time.monotonic() + seconds
    while (remaining_s := until - time.monotonic()) > 0:
        if select.select([terminal], [], [], remaining_s)[0]:
            os.read(terminal, 1 << 16)


def measure(seconds: float) -> None:
    """Run polltrace at a terminal of 80x24 and print its CPU time, memory and times to the first
    screens.
    """
    started_at = time.monotonic()
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ |= {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
        polltrace = str(Path(sys.executable).with_name("polltrace"))
        os.execv(polltrace, [polltrace, "top"])
    try:
        print(f"first screen      {read_until(terminal, b'polltrace top', 30) - started_at:6.2f} s")
        print(f"first server      {read_until(terminal, b'ORCL', 60) - started_at:6.2f} s")
        drain(terminal, _SETTLE_S)
        cpu_before = {process: cpu_s(process) for process in family(pid)}
        calibrated = cpu_s(pid, children=True)
        start = time.monotonic()
        drain(terminal, seconds)
        cpu_after = {process: cpu_s(process) for process in family(pid) if process in cpu_before}
        span = time.monotonic() - start
        names = {
            process: Path(f"/proc/{process}/comm").read_text().strip() for process in cpu_after
        }
        shares = {
            process: 100 * (used - cpu_before[process]) / span
            for process, used in cpu_after.items()
        }
        memory = {process: rss_mb(process) for process in cpu_after}
        for process, share in shares.items():
            print(f"{names[process]:<17} {share:6.2f} % of a CPU, {memory[process]:6.1f} MB")
        total = sum(shares.values()), sum(memory.values())
        print(f"calibration       {cpu_s(pid, children=True) - calibrated:6.2f} s of CPU")
        print(f"{'together':<17} {total[0]:6.2f} % of a CPU, {total[1]:6.1f} MB")
    finally:
        os.kill(pid, signal.SIGTERM)
        with contextlib.suppress(OSError):  # the terminal ends with it
            drain(terminal, 5.0)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    arguments = [float(word) for word in sys.argv[1:]]
    settings = arguments + [2000.0, 50.0, 30.0][len(arguments) :]
    with servers(int(settings[0]), int(settings[1])):
        measure(settings[2])
