# SPDX-License-Identifier: GPL-2.0-or-later
"""The concurrent probes of a recording."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from selectors import EVENT_READ, DefaultSelector
from types import TracebackType
from typing import Any, Protocol, Self

from polltrace import procfs
from polltrace.errors import PolltraceError
from polltrace.profiles.decoder import data_of
from polltrace.recording.stream import COUNT
from polltrace.watch.probe import LiveProbe


@dataclass(frozen=True, slots=True)
class StreamRecord:
    """A `record` of the probe of a `stream` (see stream.py), at `at_s` seconds since the recording
    began; None: that probe has ended. An empty `stream` means that the Waitable of Probes.also is
    ready.
    """

    stream: str
    at_s: float
    record: dict[str, Any] | None


class Waitable(Protocol):
    """Another event source: readable when there is news."""

    def fileno(self) -> int: ...


class Probes:
    """Probes by their stream, from start() until they have ended; see `stream`.

    Their records omit polltrace itself: this process, its ancestors, and the probes.
    """

    def __init__(self) -> None:
        self._probes: dict[str, LiveProbe] = {}
        self._offsets: dict[str, float] = {}
        self._own = procfs.ancestors()
        self._waiting = DefaultSelector()
        self._began: float | None = None

    def __enter__(self) -> Self:
        return self

    def now_s(self) -> float:
        """Seconds since the recording began, which is when counting began."""
        return 0.0 if self._began is None else time.monotonic() - self._began

    @property
    def began_s(self) -> float | None:
        """The start of the recording, in seconds of CLOCK_MONOTONIC; None: it has not started."""
        return self._began

    @property
    def streams(self) -> list[str]:
        """The streams with a running probe."""
        return list(self._probes)

    def __contains__(self, stream: str) -> bool:
        return stream in self._probes

    def start(self, stream: str, options: Sequence[str]) -> None:
        probe = LiveProbe(options).__enter__()
        self._probes[stream] = probe
        self._own.add(probe.pid)
        self._waiting.register(probe, EVENT_READ, stream)

    def also(self, waitable: Waitable) -> None:
        """Make wait() return when `waitable` is readable."""
        self._waiting.register(waitable.fileno(), EVENT_READ, "")

    def until_attached(self) -> Iterator[StreamRecord]:
        """The records until all probes have attached. Raises the failure of a probe that could
        not.
        """
        while self._offsets.keys() != self._probes.keys():
            for read in self.wait(None):
                if read.record is None:
                    raise self.failure(read.stream)
                yield read

    def wait(self, seconds: float | None) -> Iterator[StreamRecord]:
        """The next records of the probes; blocks for `seconds` at most.

        Raises FrameError for a line that is no record of a probe of this release.
        """
        ready = [str(key.data) for key, _ in self._waiting.select(seconds)]
        for stream in ready:
            if not stream:
                yield StreamRecord("", self.now_s(), None)
                continue
            lines = self._probes[stream].lines()
            if lines is None:
                self._waiting.unregister(self._probes[stream])
                yield StreamRecord(stream, self.now_s(), None)
            for line in lines or ():
                if read := self._stamped(stream, data_of(line)):
                    yield read

    def failure(self, stream: str) -> PolltraceError:
        """The error of a probe that ended on its own."""
        return self._probes[stream].failure()

    def failed(self, stream: str) -> bool:
        """True for a probe that has ended with an error."""
        return not self._probes[stream].succeeded()

    def close(self, stream: str) -> None:
        """Release a probe that has ended."""
        self._offsets.pop(stream, None)
        self._probes.pop(stream).__exit__(None, None, None)

    def detach(self) -> None:
        """Make all probes end; their records up to now are still to be read."""
        for probe in list(self._probes.values()):
            probe.detach()

    def _stamped(self, stream: str, record: dict[str, Any]) -> StreamRecord | None:
        """The record with its time; None for one about polltrace itself."""
        if record["type"] == "header":
            # On a busy host this process reads the header late, so the probe's own time is taken.
            self._offsets[stream] = float(record.get("attached_s", time.monotonic()))
            if stream == COUNT:
                self._began = self._offsets[stream]
        elif record["type"] == "frame":
            processes = [
                process for process in record["processes"] if process["pid"] not in self._own
            ]
            began = self._began or self._offsets[stream]
            at_s = max(self._offsets[stream] - began + record["t_s"], 0.0)
            return StreamRecord(stream, round(at_s, 6), {**record, "processes": processes})
        elif record.get("pid") in self._own:
            return None
        return StreamRecord(stream, round(self.now_s(), 6), record)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for probe in self._probes.values():
            probe.__exit__(kind, error, traceback)
        self._waiting.close()
