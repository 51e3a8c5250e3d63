# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives the probe executable and the polling target for the tests."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema

from polltrace.profiles.decoder import parse
from polltrace.profiles.frames import PollRate, ProbeFrame
from polltrace.watch.window_rate import rate_of
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
PROBE = ROOT / "probes" / "build" / "polltrace-probe"
SCHEMA = json.loads((ROOT / "probes" / "frames.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
LINUX = tuple(map(int, os.uname().release.split(".")[:2]))

Record = dict[str, Any]


def read_part(stream: Any, deadline: float, most: int = 1 << 16) -> bytes:
    """What an unbuffered pipe has next, b"" at its end; waits for it until `deadline`."""
    waiter = select.poll()  # select() ends at descriptor 1023
    waiter.register(stream, select.POLLIN)
    ready = waiter.poll(max(deadline - time.monotonic(), 0) * 1000)
    assert ready, "nothing came in time"
    return os.read(stream.fileno(), most)


def read_line(stream: Any, patience_s: float = PATIENCE_S, ahead: bytearray | None = None) -> str:
    """One line from an unbuffered pipe; an AssertionError instead of a test that hangs.

    With `ahead`, which keeps what came after it for the next time, the pipe is emptied at once.
    """
    line = ahead if ahead is not None else bytearray()
    deadline = time.monotonic() + patience_s
    while (end := line.find(b"\n") + 1) == 0:
        part = read_part(stream, deadline, 1 if ahead is None else 1 << 16)
        if not part:
            end = len(line)
            break
        line += part
    text = line[:end].decode()
    del line[:end]
    return text


@dataclass
class Target:
    """A process that polls as often as commanded (targets/poller.c)."""

    process: subprocess.Popen[bytes]
    pid: int = 0

    @classmethod
    def start(cls, executable: Path, *wrapper: str) -> Target:
        target = cls(
            subprocess.Popen(
                [*wrapper, str(executable)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
            )
        )
        target.pid = int(read_line(target.process.stdout).split()[1])
        return target

    def do(self, command: str) -> int:
        """Runs one command to its end."""
        self.begin(command)
        return self.finish()

    def begin(self, command: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(command.encode() + b"\n")

    def finish(self, patience_s: float = PATIENCE_S) -> int:
        words = read_line(self.process.stdout, patience_s).split()
        assert words, "the target ended"
        return int(words[1])

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


@dataclass
class Probe:
    """A running probe; every record it prints is validated."""

    process: subprocess.Popen[bytes]
    records: list[Record] = field(default_factory=list)
    # It gives a reader up that is a second behind when it is to end, and byte by byte an emulated
    # processor needs more than that for a page.
    _ahead: bytearray = field(default_factory=bytearray)

    @classmethod
    def start(cls, *options: str, wrapper: tuple[str, ...] = ()) -> Probe:
        process = subprocess.Popen(
            [*wrapper, str(PROBE), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        probe = cls(process)
        header = probe.read()
        assert header["type"] == "header", header
        return probe

    def read(self) -> Record:
        line = read_line(self.process.stdout, ahead=self._ahead)
        if not line:
            assert self.process.stderr is not None
            raise AssertionError(self.process.stderr.read().decode())
        record: Record = json.loads(line)
        VALIDATOR.validate(record)
        self.records.append(record)
        return record

    def read_until(self, kind: str) -> Record:
        deadline = time.monotonic() + PATIENCE_S
        while (record := self.read())["type"] != kind:
            assert time.monotonic() < deadline, f"no {kind} within {PATIENCE_S} s"
        return record

    def wait_for(self, kind: str, wanted: Callable[[Record], bool]) -> Record:
        """Reads on until such a record comes; an AssertionError when it does not come."""
        deadline = time.monotonic() + PATIENCE_S
        while not wanted(record := self.read_until(kind)):
            assert time.monotonic() < deadline, f"no such {kind} within {PATIENCE_S} s"
        return record

    def stop(self) -> Record:
        """Ends it by SIGTERM; returns the final frame."""
        self.process.send_signal(signal.SIGTERM)
        return self.drain()

    def drain(self) -> Record:
        """Reads to the trailer; returns the final frame."""
        self._read_ahead()
        trailer = self.read_until("trailer")
        assert self._ahead == b""
        assert self.process.wait(PATIENCE_S) == 0
        frame = next(r for r in reversed(self.records) if r["type"] == "frame")
        assert frame["final"]
        assert trailer["frames"] == frame["seq"] + 1
        self.close()
        return frame

    def _read_ahead(self) -> None:
        """All that is still to come, before any of it is examined, which takes long."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + PATIENCE_S
        while part := read_part(self.process.stdout, deadline):
            self._ahead += part

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def of(self, kind: str) -> list[Record]:
        return [r for r in self.records if r["type"] == kind]


def counts(frame: Record, pid: int) -> Record:
    (found,) = [p for p in frame["processes"] if p["pid"] == pid]
    return dict(found)


def poll_rate(frame: Record, pid: int) -> PollRate:
    """The rate of a process from its windows, as `polltrace top` computes it."""
    decoded = parse(json.dumps(frame))
    assert isinstance(decoded, ProbeFrame)
    (totals,) = [process for process in decoded.processes if process.pid == pid]
    rate = rate_of(totals, decoded.t_s)
    assert rate is not None
    return rate


def polls_until(target: Target, probe: Probe, enough: Callable[[Record], bool]) -> int:
    """Polls on until the target in a frame is `enough`; returns how many polls were made."""
    fd, made = target.do("open tcp"), 0
    deadline = time.monotonic() + PATIENCE_S
    while not made or not enough(counts(probe.read_until("frame"), target.pid)):
        assert time.monotonic() < deadline, probe.records[-1]
        target.do(f"poll {fd} 500009 0")
        made += 500009
    return made


def total(probe: Probe, key: str = "break_polls") -> int:
    """The sum over all processes ever seen, each at its last value."""
    last: dict[tuple[int, int], int] = {}
    for record in probe.records:
        for process in record["processes"] if record["type"] == "frame" else []:
            last[process["pid"], process["start_ticks"]] = process[key]
    return sum(last.values())
