# SPDX-License-Identifier: GPL-2.0-or-later
"""Recording of processes to a file, until stopped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from polltrace.backends.ebpf import AUTO
from polltrace.interrupts import detaching
from polltrace.overhead.host_store import this_host
from polltrace.recording.header import RecordingQuality
from polltrace.recording.intrusive import IntrusiveMeasurements
from polltrace.recording.journal import Journal
from polltrace.recording.parts import Parts, make_room
from polltrace.recording.pollers import Pollers
from polltrace.recording.probes import Probes, StreamRecord
from polltrace.recording.stream import CHECKS, COUNT, CPU, GAPS, SWITCHES, identity_of
from polltrace.watch.calibration import Calibration
from polltrace.watch.inspection import Inspector

# Capacity for the processes of a large host: more are lost, and counted as lost. Most of thousands
# do nothing, so frames of polls and samples have only those that changed.
_ROOM = ["--max-processes", "16384", "--max-stacks", "16384"]
# Processes inspected between two reads of the probes.
_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class RecordingOptions:
    """Options of a recording.

    The file is `path`; `targets` are polltrace-probe's options for the processes; `command` is our
    own command line. `duration_s` None: until stopped; a frame every `interval_s` seconds. A file
    of `max_bytes` is rotated, `keep` previous ones are retained. `stack_every`: a stack at one in
    that many break polls, or AUTO; `sample_hz`: on-CPU samples per second and processor, 0 for
    none; `gaps`: take the intrusive measurements (see intrusive.py). `switches`: the probe's
    options for the processes whose context switches are followed; empty for no process.
    """

    path: Path
    targets: tuple[str, ...]
    command: tuple[str, ...]
    duration_s: float | None = None
    interval_s: float = 1.0
    max_bytes: int = 1 << 28
    keep: int = 4
    stack_every: int | Literal["auto"] = AUTO
    sample_hz: float = 49.0
    gaps: bool = True
    switches: tuple[str, ...] = ()

    def counting(self) -> list[str]:
        """Options of the probe that counts every break poll."""
        duration = [] if self.duration_s is None else ["-d", f"{self.duration_s:g}"]
        stacks = ["--stacks", str(self.stack_every), "--own-cost"]
        return [
            *self.targets,
            *_ROOM,
            "--changed",
            *stacks,
            "-i",
            f"{self.interval_s:g}",
            *duration,
        ]

    def sampling(self) -> list[str]:
        """Options of the probe that samples stacks on CPU.

        The other one counts polls: this one counts for ten milliseconds a minute, its minimum.
        """
        samples = ["--watch", "--hz", f"{self.sample_hz:g}", "--gap", "60", "--own-cost"]
        return [*self.targets, *_ROOM, "--changed", *samples, "-i", f"{self.interval_s:g}"]

    def following(self) -> list[str]:
        """Options of the probe that follows context switches.

        The off-CPU time of a sleeping thread grows in each frame, so a new part of the file begins
        with the totals of the last frame.
        """
        return [*self.switches, *_ROOM, "--off-cpu", "--own-cost", "-i", f"{self.interval_s:g}"]


class Recorder:
    """The process of one recording: its probes, inspections and calibration."""

    def __init__(self, options: RecordingOptions) -> None:
        self._options = options
        self._inspector = Inspector()
        self._calibration = Calibration(host=this_host())
        self._pollers = Pollers(options.duration_s, self._inspector.servers)
        self._intrusive = IntrusiveMeasurements(self._pollers, self._inspector.servers)

    def run(self, attached: Callable[[], None]) -> RecordingQuality:
        """Record; `attached` is called once every break poll is counted.

        Ends when the duration is over, every process has ended, or by Ctrl-C. Raises the probe's
        failure, UsageError where another file is in the way, and FileError when the file can no
        longer be written.
        """
        options = self._options
        with Probes() as self._probes:
            journal = Journal(options.command, options.interval_s, self._probes.now_s)
            self._journal = journal
            early = self._attached()
            make_room(options.path)  # only once a new recording is certain
            parts = Parts(
                options.path,
                max_bytes=options.max_bytes,
                keep=options.keep,
                opening=journal.opening,
                closing=lambda reason: journal.quality(reason).data(),
            )
            with closing(parts), detaching(self._probes.detach):
                parts.write(early)
                attached()
                self._probes.also(self._calibration)
                self._record(parts)
                parts.finish(journal.reason)
                return journal.quality(journal.reason)

    @property
    def began_s(self) -> float | None:
        """The start of the recording, in seconds of CLOCK_MONOTONIC; None: it has not started."""
        return self._probes.began_s

    def _attached(self) -> list[dict[str, object]]:
        """Start the probes, the counting one last, which starts the recording; return the entries
        so far.
        """
        # The probe whose processes were chosen by PID comes first: a process that has ended since
        # is an error.
        streams = [(SWITCHES, self._options.following())] if self._options.switches else []
        streams += [(CPU, self._options.sampling())] if self._options.sample_hz else []
        entries: list[dict[str, object]] = []
        for stream, options in [*streams, (COUNT, self._options.counting())]:
            self._probes.start(stream, options)
            for read in self._probes.until_attached():
                entries += self._entries(read)
        return entries

    @property
    def calibration_failure(self) -> str:
        """The reason why the cost of a poll could not be measured; empty if it was, or nothing
        polled.
        """
        return self._calibration.poll_costs.failed

    def _record(self, parts: Parts) -> None:
        while self._probes.streams:
            for read in self._probes.wait(0 if self._inspector.due() else 0.5):
                if not read.stream:
                    self._calibration.seen()
                elif read.record is None:
                    self._ended(read.stream, parts)
                elif entries := list(self._entries(read)):
                    parts.write(entries)
            self._between_reads(parts)
        if not self._calibration.poll_costs.by_knot:  # a single knot serves neighbouring intervals
            self._calibration.wait()
        parts.write(self._journal.check_costs(self._calibration.poll_costs.by_knot))

    def _entries(self, read: StreamRecord) -> list[dict[str, object]]:
        """The entries for a record of a probe; also notes the processes in it."""
        record = read.record
        assert record is not None
        if read.stream == COUNT:
            match record["type"]:
                case "process":
                    is_new = bool(record.get("parent"))
                    self._inspector.announced(identity_of(record), is_new=is_new)
                case "exit":
                    self._inspector.gone(identity_of(record))
                    self._pollers.gone(identity_of(record))
                case "frame":
                    self._calibration.want(self._pollers.frame(record))
                    for identity in self._pollers.ran:
                        self._inspector.ran(identity)
        elif read.stream == CHECKS and record["type"] == "frame":
            self._intrusive.seen(record)
        return list(self._journal.record(read))

    def _between_reads(self, parts: Parts) -> None:
        """Inspect processes, write changes, and start the intrusive measurement that is due."""
        if self._inspector.due():
            inspected = self._inspector.inspect(_AT_ONCE)
            servers = [self._inspector.servers.get(identity) for identity in inspected]
            if news := [
                entry for server in servers if server for entry in self._journal.server(server)
            ]:
                parts.write(news)
        if news := list(self._journal.check_costs(self._calibration.poll_costs.by_knot)):
            parts.write(news)
        free = self._options.gaps and not {GAPS, CHECKS} & set(self._probes.streams)
        if free and COUNT in self._probes:
            due = self._intrusive.due(self._probes.now_s())
            if due is not None:
                self._probes.start(*due)

    def _ended(self, stream: str, parts: Parts) -> None:
        """Handle the end of a probe; the end of the counting one is the end of the recording."""
        if stream == COUNT and self._probes.failed(stream):
            parts.finish("probe failed")
            raise self._probes.failure(stream)
        self._probes.close(stream)
        if entries := list(self._intrusive.ended(stream, self._probes.now_s())):
            parts.write(entries)
        if stream == COUNT:
            self._probes.detach()
