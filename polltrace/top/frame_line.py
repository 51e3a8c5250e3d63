# SPDX-License-Identifier: GPL-2.0-or-later
"""The probe's lines, read at a cost that thousands of idle processes allow."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polltrace.errors import FrameError
from polltrace.frames import Record, parse
from polltrace.top.history import SPAN_S, Counts

# (pid, start_ticks): PIDs are reused, a PID with its start time is not.
Identity = tuple[int, int]

_PROCESSES, _LOST = b'"processes":[', b'],"lost":'
_BETWEEN = b'},{"pid":'
# Behind this a process's text changes with every window; before it, only when the process ran.
_WINDOWS = b',"cpu_samples":'


@dataclass(frozen=True, slots=True)
class HostFrame:
    """A frame of the watch mode: losses by kind, the probe's cost so far, and `counts` of all
    processes but those that are settled.

    `before` has earlier counts, a few seconds old, of those that were settled until now.
    """

    t_s: float
    counts: Mapping[Identity, Counts]
    before: Mapping[Identity, Counts]
    lost: Mapping[str, int]
    probe_cpu_s: float
    bpf_s: float | None


class LineReader:
    """Reads lines in their order. A process that `settle` was told of is left out of the frames
    for as long as it does nothing: its text is compared, not parsed.
    """

    def __init__(self) -> None:
        self._last: dict[Identity, bytes] = {}
        self._settled: dict[bytes, Identity] = {}
        self._recent: deque[tuple[float, dict[bytes, bytes]]] = deque()

    def settle(self, identity: Identity) -> None:
        """This process does nothing; leave it out until it does."""
        self._settled[self._last[identity]] = identity

    def forget(self, identity: Identity) -> None:
        self._settled.pop(self._last.pop(identity, b""), None)

    def read(self, line: bytes) -> HostFrame | Record | None:
        """The record of one line; None for those that are of no use here (mappings).

        Raises FrameError for what is no record.
        """
        if line.startswith(b'{"type":"maps"'):
            return None
        if not line.startswith(b'{"type":"frame"'):
            return parse(line.decode(errors="replace"))
        try:
            return self._frame(line)
        except (ValueError, KeyError, TypeError) as error:
            raise FrameError(f"not a frame of the watch mode ({error!r}): {line[:80]!r}") from error

    def _frame(self, line: bytes) -> HostFrame:
        head, _, rest = line.partition(_PROCESSES)
        processes, _, tail = rest.rpartition(_LOST)
        data = json.loads(head + _PROCESSES + _LOST + tail)
        t_s = data["t_s"]
        counts: dict[Identity, Counts] = {}
        before: dict[Identity, Counts] = {}
        still: dict[bytes, bytes] = {}
        settled = self._settled
        for text in processes[len(b'{"pid":') : -1].split(_BETWEEN) if processes else ():
            key, _, windows = text.partition(_WINDOWS)
            if key in settled:
                still[key] = windows
                continue
            identity, counted = _counts(text, t_s)
            if (known := self._last.get(identity)) in settled:
                if then := self._then(known):
                    before[identity] = then
                del settled[known]
            self._last[identity] = key
            counts[identity] = counted
        self._recent.append((t_s, still))
        while self._recent[0][0] < t_s - SPAN_S:
            self._recent.popleft()
        cost = data.get("own_cost", {})
        return HostFrame(
            t_s, counts, before, data["lost"], cost.get("cpu_s", 0.0), cost.get("bpf_s")
        )

    def _then(self, key: bytes) -> Counts | None:
        """The oldest counts kept of a process while it was settled; None if it ran at once."""
        for t_s, still in self._recent:
            if key in still:
                return _counts(key + _WINDOWS + still[key], t_s)[1]
        return None


def _counts(text: bytes, t_s: float) -> tuple[Identity, Counts]:
    """One process of a frame, from behind `{"pid":` to before its last brace."""
    data: dict[str, Any] = json.loads(b'{"pid":%b}' % text)
    windows = data["windows"]
    polled: dict[str, Any] = max(
        data["sockets"], key=lambda socket: int(socket["polls"]), default={}
    )
    counts = Counts(
        t_s,
        data["cpu_s"],
        windows["polls"],
        windows["seconds"],
        windows["count"],
        polled.get("peer", ""),
    )
    return (data["pid"], data["start_ticks"]), counts
