# SPDX-License-Identifier: GPL-2.0-or-later
"""The probe's lines, read at a cost that thousands of idle processes allow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from polltrace.errors import FrameError
from polltrace.frames import Record, parse
from polltrace.top.history import Counts

# (pid, start_ticks): PIDs are reused, a PID with its start time is not.
Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class HostFrame:
    """A frame of the watch mode: `counts` by process, losses by kind, the probe's cost so far."""

    t_s: float
    counts: Mapping[Identity, Counts]
    lost: Mapping[str, int]
    probe_cpu_s: float
    bpf_s: float


def read_line(line: bytes) -> HostFrame | Record | None:
    """The record of one line; None for those that are of no use here (mappings).

    Raises FrameError for what is no record. Frames are not parsed into `frames.Frame`: of two
    thousand idle processes that is most of what a second costs.
    """
    if line.startswith(b'{"type":"maps"'):
        return None
    if not line.startswith(b'{"type":"frame"'):
        return parse(line.decode(errors="replace"))
    try:
        data = json.loads(line)
        t_s = data["t_s"]
        cost = data.get("own_cost", {})
        counts = {}
        for each in data["processes"]:
            windows = each["windows"]
            counts[each["pid"], each["start_ticks"]] = Counts(
                t_s, each["cpu_s"], windows["polls"], windows["seconds"], windows["count"]
            )
        return HostFrame(t_s, counts, data["lost"], cost.get("cpu_s", 0.0), cost.get("bpf_s", 0.0))
    except (ValueError, KeyError, TypeError) as error:
        raise FrameError(f"not a frame of the watch mode ({error!r}): {line[:80]!r}") from error
