# SPDX-License-Identifier: GPL-2.0-or-later
"""The probes that a recording reads side by side."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from selectors import EVENT_READ, DefaultSelector
from types import TracebackType
from typing import Any, Protocol, Self

from polltrace import procfs
from polltrace.errors import PolltraceError
from polltrace.profiles.frames import data_of
from polltrace.recording.stream import COUNT
from polltrace.watch.probe import LiveProbe


@dataclass(frozen=True, slots=True)
class Said:
    """A record of a probe, `at_s` seconds since the recording began; None: it has ended.

    With an empty `look` it is the bell that rang; see Probes.also.
    """

    look: str
    at_s: float
    record: dict[str, Any] | None


class Bell(Protocol):
    """Something else to wait for."""

    def fileno(self) -> int: ...


class Probes:
    """Probes by what they look for, from start() until they have ended; see `stream`.

    None of them sees us: not this process, those that started it, nor another probe.
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
        """Seconds since the recording began, which is when polls began to be counted."""
        return 0.0 if self._began is None else time.monotonic() - self._began

    @property
    def looks(self) -> list[str]:
        """Those of the probes that run."""
        return list(self._probes)

    def __contains__(self, look: str) -> bool:
        return look in self._probes

    def start(self, look: str, options: Sequence[str]) -> None:
        probe = LiveProbe(options).__enter__()
        self._probes[look] = probe
        self._own.add(probe.pid)
        self._waiting.register(probe, EVENT_READ, look)

    def also(self, bell: Bell) -> None:
        """Let wait() say so when this is readable."""
        self._waiting.register(bell.fileno(), EVENT_READ, "")

    def until_attached(self) -> Iterator[Said]:
        """What is said until all have attached. Raises the failure of one that could not."""
        while self._offsets.keys() != self._probes.keys():
            for said in self.wait(None):
                if said.record is None:
                    raise self.failure(said.look)
                yield said

    def wait(self, seconds: float | None) -> Iterator[Said]:
        """What the probes say, as soon as they say anything; waits no longer than `seconds`.

        Raises FrameError for what is no record of a probe of this release.
        """
        ready = [str(key.data) for key, _ in self._waiting.select(seconds)]
        for look in ready:
            if not look:
                yield Said("", self.now_s(), None)
                continue
            lines = self._probes[look].lines()
            if lines is None:
                self._waiting.unregister(self._probes[look])
                yield Said(look, self.now_s(), None)
            for line in lines or ():
                if said := self._said(look, data_of(line.decode(errors="replace"))):
                    yield said

    def failure(self, look: str) -> PolltraceError:
        """Why a probe ended that was not asked to."""
        return self._probes[look].failure()

    def failed(self, look: str) -> bool:
        """Whether a probe that has ended did not mean to."""
        return not self._probes[look].succeeded()

    def close(self, look: str) -> None:
        """Let go of a probe that has ended."""
        self._offsets.pop(look, None)
        self._probes.pop(look).__exit__(None, None, None)

    def detach(self) -> None:
        """Ask all to end; what they saw until now is still to be read."""
        for probe in list(self._probes.values()):
            probe.detach()

    def _said(self, look: str, record: dict[str, Any]) -> Said | None:
        """With its time; None for what is about ourselves."""
        if record["type"] == "header":
            self._offsets[look] = time.monotonic()
            if look == COUNT:
                self._began = self._offsets[look]
        elif record["type"] == "frame":
            others = [each for each in record["processes"] if each["pid"] not in self._own]
            began = self._began or self._offsets[look]
            at_s = max(self._offsets[look] - began + record["t_s"], 0.0)
            return Said(look, round(at_s, 6), {**record, "processes": others})
        elif record.get("pid") in self._own:
            return None
        return Said(look, round(self.now_s(), 6), record)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for probe in self._probes.values():
            probe.__exit__(kind, error, traceback)
        self._waiting.close()
