# SPDX-License-Identifier: GPL-2.0-or-later
"""The probe's lines as the table needs them: of a frame, the counts alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polltrace.errors import FrameError
from polltrace.profiles.frames import Identity, Record, parse
from polltrace.watch.history import Counts


@dataclass(frozen=True, slots=True)
class HostFrame:
    """A frame: losses by kind, the probe's cost so far (`bpf_s` None: it may not ask), and the
    counts of all processes but those that did nothing since the frame before."""

    t_s: float
    counts: Mapping[Identity, Counts]
    lost: Mapping[str, int]
    probe_cpu_s: float
    bpf_s: float | None


def read_line(line: bytes) -> HostFrame | Record | None:
    """The record of one line of the watch mode; None for those that are of no use here (mappings).

    Raises FrameError for what is no record.
    """
    if line.startswith(b'{"type":"maps"'):
        return None
    if not line.startswith(b'{"type":"frame"'):
        return parse(line.decode(errors="replace"))
    try:
        return _frame(json.loads(line))
    except (ValueError, KeyError, TypeError) as error:
        raise FrameError(f"not a frame of the watch mode ({error!r}): {line[:80]!r}") from error


def _frame(data: dict[str, Any]) -> HostFrame:
    t_s, cost = data["t_s"], data.get("own_cost", {})
    counts = {(each["pid"], each["start_ticks"]): _counts(each, t_s) for each in data["processes"]}
    return HostFrame(t_s, counts, data["lost"], cost.get("cpu_s", 0.0), cost.get("bpf_s"))


def _counts(data: dict[str, Any], t_s: float) -> Counts:
    windows = data["windows"]
    sockets: list[dict[str, Any]] = data["sockets"]
    polled = max(sockets, key=lambda socket: int(socket["polls"]), default={})
    return Counts(
        t_s,
        data["cpu_s"],
        windows["polls"],
        windows["seconds"],
        windows["count"],
        polled.get("peer", ""),
    )
