# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples of the waits of sessions while their gaps are timed: the evidence of lock waits, which
limits the skip that advice on a recording recommends.
"""

from __future__ import annotations

import contextlib
import random
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from polltrace.errors import PolltraceError
from polltrace.latency.lock_wait_evidence import RATE_HZ
from polltrace.latency.wait_sampler import Waits, WaitSampler
from polltrace.profiles.frames import Identity

WAITS = "waits"
"""The type of the record with a session's samples."""
# A session waits in few system calls; a file from elsewhere may have any number of them.
_MOST_CALLS = 64


class WaitSamples:
    """Samples the waits of processes from begin() to end(), in a thread of its own."""

    def __init__(self) -> None:
        self._samplers: dict[Identity, WaitSampler] = {}
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, identities: Iterable[Identity]) -> None:
        self.end()
        for identity in identities:
            with contextlib.suppress(PolltraceError, OSError):
                self._samplers[identity] = WaitSampler(identity[0])
        if self._samplers:
            self._over.clear()
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def end(self) -> dict[Identity, Waits]:
        """The samples since begin()."""
        if self._thread is not None:
            self._over.set()
            self._thread.join()
            self._thread = None
        samplers, self._samplers = self._samplers, {}
        for sampler in samplers.values():
            sampler.close()
        return {identity: sampler.waits for identity, sampler in samplers.items()}

    def _run(self) -> None:
        while not self._over.wait(random.expovariate(RATE_HZ)):
            for sampler in self._samplers.values():
                with contextlib.suppress(OSError):  # it has ended
                    sampler.sample()


def waits_data(waits: Mapping[Identity, Waits], at_s: float) -> Iterator[dict[str, Any]]:
    """A record for each process with samples: `calls` by the system call that it was blocked in."""
    for (pid, start_ticks), sampled in waits.items():
        calls: Counter[str] = Counter()
        for (name, _), count in sampled.calls.items():
            calls[name] += count
        if sampled.samples:
            yield {
                "type": WAITS,
                "at_s": at_s,
                "pid": pid,
                "start_ticks": start_ticks,
                "samples": sampled.samples,
                "running": sampled.running,
                "calls": dict(calls.most_common(_MOST_CALLS)),
            }


def add_waits(waits: Waits, data: Mapping[str, Any]) -> None:
    """Add a record to a session's samples. Raises KeyError, TypeError or ValueError."""
    calls = {str(name)[:40]: int(count) for name, count in data["calls"].items()}
    samples, running = int(data["samples"]), int(data["running"])
    if len(calls) > _MOST_CALLS or min(running, *calls.values(), 0) < 0:
        raise ValueError("not samples of waits")
    if running + sum(calls.values()) > samples:
        raise ValueError("more waits than samples")
    waits.samples += samples
    waits.running += running
    for name, count in calls.items():
        waits.calls[name, 0] += count
