# SPDX-License-Identifier: GPL-2.0-or-later
"""The measurements that slow their targets, and so are short, rare and never concurrent.

For the sessions that poll most, the gaps between polls are timed, then the calls of the check
function are counted.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polltrace import procfs
from polltrace.backends.ebpf import ProbeOptions
from polltrace.overhead.measurements import BURST_SECONDS
from polltrace.profiles.frames import Identity
from polltrace.recording.pollers import Pollers
from polltrace.recording.stream import CHECKS, GAPS
from polltrace.recording.wait_samples import WaitSamples, waits_data
from polltrace.servers.servers import Server
from polltrace.stacks import ProcessError
from polltrace.stacks.locating import FunctionPlace, locate_function

# Limits of polltrace-probe: processes whose checks it counts at one time, functions in one command.
_AT_ONCE = _MOST_FUNCTIONS = 8
# A busy host may suspend the probe while it counts, or no session polls at that moment.
_MOST_TRIES = 3

# Keys are a program's path with its mount namespace, and the name of its check function.
Places = dict[tuple[str, str], FunctionPlace | None]


class IntrusiveMeasurements:
    """The schedule of intrusive measurements: due() gives the next, seen() takes its frames,
    ended() its end.
    """

    def __init__(self, pollers: Pollers, servers: Mapping[Identity, Server]) -> None:
        self._pollers, self._servers = pollers, servers
        self._targets: list[Identity] = []
        self._cpu_before_s: dict[Identity, float] = {}
        self._waits = WaitSamples()
        # The number of counts of checks that remain to be tried, until one has seen polls.
        self._tries = 0
        self._try_now = False

    def due(self, now_s: float) -> tuple[str, list[str]] | None:
        """The stream of the measurement that is due, and the probe's options for it; None while
        none is due.
        """
        if self._try_now:
            self._try_now = False
            self._tries -= 1
            return self._checks()
        self._targets = self._pollers.due(now_s)
        if not self._targets:
            return None
        cpu_times = (
            (target, procfs.on_cpu_or_waiting_for_one_s(target[0])) for target in self._targets
        )
        self._cpu_before_s = {
            identity: seconds for identity, seconds in cpu_times if seconds is not None
        }
        self._waits.begin(identity for identity in self._targets if identity in self._servers)
        options = ProbeOptions(duration_s=self._pollers.timed_s, latency=True)
        return GAPS, [*_pids(self._targets), *options.options()]

    def seen(self, frame: Mapping[str, Any]) -> None:
        """Take in a frame of a count of checks."""
        if any(process.get("burst", {}).get("break_polls") for process in frame["processes"]):
            self._tries = 0

    def ended(self, stream: str, at_s: float) -> Iterator[dict[str, Any]]:
        """The entries that follow the end of a measurement."""
        if stream == GAPS:
            self._tries = _MOST_TRIES
        self._try_now = self._tries > 0
        if stream != GAPS:
            return
        yield from waits_data(self._waits.end(), at_s)
        for identity, before_s in self._cpu_before_s.items():
            now_s = procfs.on_cpu_or_waiting_for_one_s(identity[0])
            if now_s is not None and procfs.start_ticks(identity[0]) == identity[1]:
                yield {
                    "type": "timed",
                    "at_s": at_s,
                    "pid": identity[0],
                    "start_ticks": identity[1],
                    "on_cpu_s": round(now_s - before_s, 6),
                }

    def _checks(self) -> tuple[str, list[str]] | None:
        """The count of checks for the servers whose check function has a name.

        A function that several share is passed once, or each of its calls would count several
        times.
        """
        functions: dict[tuple[tuple[str, int], int], tuple[str, int]] = {}
        targets = []
        places: Places = {}
        for identity in self._targets:
            server = self._servers.get(identity)
            if server is None or not server.engine.check_function:
                continue
            if procfs.start_ticks(identity[0]) != identity[1]:
                continue
            with contextlib.suppress(ProcessError, OSError):
                place = _check_function(identity[0], server.engine.check_function, places)
                if place is not None:
                    functions.setdefault((place.file, place.offset), (place.path, place.offset))
                    targets.append(identity)
        if not targets:
            return None
        # Processes that do not poll when a round begins are counted in the next.
        rounds = math.ceil(2 * len(targets) / _AT_ONCE)
        chosen = tuple(functions.values())[:_MOST_FUNCTIONS]
        options = ProbeOptions(duration_s=BURST_SECONDS * rounds, functions=chosen)
        return CHECKS, [*_pids(targets), *options.options()]


def _check_function(pid: int, name: str, places: Places) -> FunctionPlace | None:
    """The place of the check function, searched once for each program because reading symbols is
    slow.
    """
    # No file is touched: one in a file system that does not answer would never be told apart.
    links = (os.readlink(f"/proc/{pid}/{link}") for link in ("exe", "ns/mnt"))
    key = "".join(links), name
    if key not in places:
        places[key] = locate_function(pid, name)
    return places[key]


def _pids(targets: Sequence[Identity]) -> list[str]:
    return ["-p", ",".join(str(pid) for pid, _ in targets)]
