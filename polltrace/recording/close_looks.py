# SPDX-License-Identifier: GPL-2.0-or-later
"""The looks that disturb, so that they are short, seldom, and one after the other: the gaps
between polls are timed, then calls of the check function counted, of those that poll most."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polltrace import procfs
from polltrace.backends.ebpf import Look
from polltrace.overhead.looks import BURST_SECONDS
from polltrace.profiles.frames import Identity
from polltrace.recording.pollers import Pollers
from polltrace.recording.stream import CHECKS, GAPS
from polltrace.servers.servers import Server
from stacks import ProcessError
from stacks.locating import locate_function


class CloseLooks:
    """Says which look is next; told when it has ended."""

    def __init__(self, pollers: Pollers, servers: Mapping[Identity, Server]) -> None:
        self._pollers, self._servers = pollers, servers
        self._whom: list[Identity] = []
        self._then: dict[Identity, float] = {}
        self._timed = False

    def next(self, now_s: float) -> tuple[str, list[str]] | None:
        """The look that is due, and the probe's options for it."""
        if self._timed:
            self._timed = False
            return self._checks()
        self._whom = self._pollers.due(now_s)
        if not self._whom:
            return None
        found = ((each, procfs.on_cpu_or_waiting_for_one_s(each[0])) for each in self._whom)
        self._then = {each: seconds for each, seconds in found if seconds is not None}
        look = Look(duration_s=self._pollers.timed_s, latency=True)
        return GAPS, [*_pids(self._whom), *look.options()]

    def ended(self, look: str, at_s: float) -> Iterator[dict[str, Any]]:
        """Entries that go with a look that has ended."""
        if look != GAPS:
            return
        self._timed = True
        for identity, then in self._then.items():
            now = procfs.on_cpu_or_waiting_for_one_s(identity[0])
            if now is not None and procfs.start_ticks(identity[0]) == identity[1]:
                yield {
                    "type": "timed",
                    "at_s": at_s,
                    "pid": identity[0],
                    "start_ticks": identity[1],
                    "on_cpu_s": round(now - then, 6),
                }

    def _checks(self) -> tuple[str, list[str]] | None:
        """Of those servers whose check function has a name; files that they share, once."""
        places: dict[tuple[str, int], None] = {}
        whom = []
        for identity in self._whom:
            server = self._servers.get(identity)
            if server is None or procfs.start_ticks(identity[0]) != identity[1]:
                continue
            with contextlib.suppress(ProcessError):
                place = locate_function(identity[0], server.engine.check_function)
                if place is not None:
                    places[place.path, place.offset] = None
                    whom.append(identity)
        if not whom:
            return None
        look = Look(duration_s=BURST_SECONDS, functions=tuple(places))
        return CHECKS, [*_pids(whom), *look.options()]


def _pids(whom: Sequence[Identity]) -> list[str]:
    return ["-p", ",".join(str(pid) for pid, _ in whom)]
