# SPDX-License-Identifier: GPL-2.0-or-later
"""A process of another tool: its output with the times of arrival, and its cost."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from polltrace.errors import HostError

# Seconds that a tool has to attach, and to end.
_PATIENCE_S = 60.0
_MOST_BYTES = 1 << 24
# Looks, 20 ms apart, at a tool's BPF links between which their number must not change.
_STEADY_LOOKS = 5


class OutputLine(NamedTuple):
    """A line of output, and when it arrived by CLOCK_MONOTONIC."""

    arrived_s: float
    text: str


class ToolCost(NamedTuple):
    """CPU seconds of a tool's process; runs of its BPF programs and their time in ns, None where it
    has none or the kernel does not count them."""

    cpu_s: float
    runs: int | None
    run_ns: int | None


class ToolProcess:
    """A tool on a terminal of its own, because a tool that writes to a pipe keeps its lines back.

    It gets SIGKILL should polltrace die: all of these tools hold their probes by descriptors alone.
    """

    def __init__(self, argv: Sequence[str], pass_fds: Sequence[int] = ()) -> None:
        self.name = argv[0]
        self.spawned_s = time.monotonic()
        self._master, slave = os.openpty()
        try:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *argv],
                stdin=subprocess.DEVNULL,
                stdout=slave,
                stderr=slave,
                start_new_session=True,
                pass_fds=pass_fds,
                env={**os.environ, "LC_ALL": "C"},
            )
        except OSError as error:
            os.close(self._master)
            raise HostError(f"cannot run setpriv: {error.strerror}") from None
        finally:
            os.close(slave)
        self.lines: list[OutputLine] = []
        self._changed = threading.Condition()
        self._has_ended = False
        self._bpf: tuple[int, int] | None = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def wait_for(self, is_wanted: Callable[[str], bool]) -> OutputLine:
        """The first line that is wanted. Raises HostError, with the tool's last line, without."""
        deadline_s = time.monotonic() + _PATIENCE_S
        with self._changed:
            while True:
                line = next((line for line in self.lines if is_wanted(line.text)), None)
                if line:
                    return line
                remaining_s = deadline_s - time.monotonic()
                if self._has_ended or remaining_s <= 0:
                    raise self.failure()
                self._changed.wait(remaining_s)

    def wait_for_links(self) -> float:
        """Wait until it holds BPF links, and no further one for a while. Returns when that was
        seen. Raises HostError without."""
        deadline_s = time.monotonic() + _PATIENCE_S
        looks = [0]
        while looks[-1] == 0 or looks[-_STEADY_LOOKS:] != [looks[-1]] * _STEADY_LOOKS:
            if self._has_ended or time.monotonic() > deadline_s:
                raise self.failure()
            time.sleep(0.02)
            looks.append(_links(self._process.pid))
        return time.monotonic()

    def interrupt(self) -> float:
        """Note the cost of its BPF programs, send SIGINT, and return the moment of sending it."""
        self._bpf = _bpf_cost(self._process.pid)
        sent_s = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)
        return sent_s

    def wait(self) -> tuple[float, ToolCost]:
        """Read to the end. Returns the moment when it had ended, and its cost. Raises HostError
        where it does not end."""
        self._reader.join(_PATIENCE_S)
        if self._reader.is_alive():
            raise HostError(f"{self.name} does not end")
        _, _, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = 0  # reaped here, for its usage
        runs, run_ns = self._bpf or (None, None)
        return time.monotonic(), ToolCost(usage.ru_utime + usage.ru_stime, runs, run_ns)

    def failure(self) -> HostError:
        said = [line.text for line in self.lines if line.text.strip()]
        return HostError(f"{self.name} did not attach: {said[-1] if said else 'no reason given'}")

    def _read(self) -> None:
        pending, total = b"", 0
        while total < _MOST_BYTES:
            try:
                block = os.read(self._master, 1 << 16)
            except OSError:  # EIO: the last writer has closed the terminal
                break
            if not block:
                break
            arrived_s = time.monotonic()
            total += len(block)
            *lines, pending = (pending + block).split(b"\n")
            with self._changed:
                self.lines += [
                    OutputLine(arrived_s, line.decode(errors="replace").rstrip("\r"))
                    for line in lines
                ]
                self._changed.notify_all()
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._process.returncode is None:
            self._process.kill()
            self._process.wait()
        self._reader.join(_PATIENCE_S)
        os.close(self._master)


def _links(pid: int) -> int:
    links = 0
    with contextlib.suppress(OSError):
        for path in Path(f"/proc/{pid}/fdinfo").iterdir():
            with contextlib.suppress(OSError):
                links += "link_id:" in path.read_text()
    return links


def _bpf_cost(pid: int) -> tuple[int, int] | None:
    """Runs and nanoseconds of the BPF programs that the process holds; None where it has none, or
    the kernel does not time them."""
    runs = run_ns = 0
    programs = set()
    try:
        for path in Path(f"/proc/{pid}/fdinfo").iterdir():
            with contextlib.suppress(OSError, ValueError):
                fields = dict(line.split(":", 1) for line in path.read_text().splitlines() if line)
                if "run_cnt" in fields and fields["prog_id"] not in programs:
                    programs.add(fields["prog_id"])
                    runs += int(fields["run_cnt"])
                    run_ns += int(fields["run_time_ns"])
    except OSError:
        return None
    return (runs, run_ns) if runs else None
