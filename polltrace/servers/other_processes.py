# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes of a database that serve clients, or work for them, without being dedicated servers:
shared servers, dispatchers, pooled servers, parallel servers, job slaves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from polltrace import procfs
from polltrace.engines import engines

_MOST_NAMES = 2


@dataclass(frozen=True, slots=True)
class OtherProcesses:
    """Processes of one `kind` of an engine that are not watched; `names` are those in their titles,
    in the order of `pids`."""

    engine: str
    kind: str
    pids: tuple[int, ...]
    names: tuple[str, ...]


def other_processes(pids: Iterable[int] | None = None) -> list[OtherProcesses]:
    """The processes among `pids` (default: all of this host) that an engine's file lists under
    `others`, by kind in the order of the file."""
    listing = [engine for engine in engines() if engine.others]
    executables = {name for engine in listing for name in engine.executables}
    candidates = sorted(procfs.pids() if pids is None else pids)
    programs = {
        pid: executable
        for pid in candidates
        if (executable := procfs.executable(pid)) in executables
    }
    matches: dict[tuple[str, str], list[tuple[int, str]]] = {
        (engine.name, kind): [] for engine in listing for kind, _ in engine.others
    }
    for pid, title in procfs.titles(programs):
        for engine in listing:
            if programs[pid] not in engine.executables:
                continue
            for kind, pattern in engine.others:
                if match := pattern.match(title):
                    name = match.groupdict().get("name") or ""
                    matches[engine.name, kind].append((pid, name.upper()))
    return [
        OtherProcesses(engine, kind, *map(tuple, zip(*sorted(found), strict=True)))
        for (engine, kind), found in matches.items()
        if found
    ]


def others_text(others: Sequence[OtherProcesses]) -> str:
    """`Not watched: 12 shared servers (S000, S001, …), 2 dispatchers (D000, D001).`"""
    parts = []
    for group in others:
        names = [name for name in group.names if name]
        few = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
        parts.append(f"{len(group.pids):,} {group.kind}{f' ({few})' if few else ''}")
    return f"Not watched: {', '.join(parts)}." if parts else ""


def others_data(others: Sequence[OtherProcesses]) -> list[dict[str, Any]]:
    return [asdict(group) for group in others]
