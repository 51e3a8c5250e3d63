# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether the functions of an engine's break check exist in a server process."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from polltrace import procfs
from polltrace.engines import Engine, engine_of
from polltrace.stacks import ProcessError

# Programs whose symbols are read: that takes a second for the largest.
_MOST_PROGRAMS = 8
_MOST_PROCESSES = 256


def unmatched_chains(pids: Iterable[int]) -> Iterator[str]:
    """A sentence for each server among these whose check chain has no function in any file that
    the process maps; one for the servers of one program."""
    programs: set[tuple[str, str]] = set()
    for pid in list(pids)[:_MOST_PROCESSES]:
        match = engine_of(procfs.executable(pid), procfs.title(pid))
        program = _program(pid)
        if match is None or program is None or not match[0].chains:
            continue
        key = match[0].name, program
        if key in programs or len(programs) >= _MOST_PROGRAMS:
            continue
        programs.add(key)
        if sentence := _unmatched(pid, match[0]):
            yield sentence


def _program(pid: int) -> str | None:
    try:
        # No file is touched: its file system may not answer.
        return "".join(os.readlink(f"/proc/{pid}/{link}") for link in ("exe", "ns/mnt"))
    except OSError:
        return None


def _unmatched(pid: int, engine: Engine) -> str:
    from polltrace.stacks.locating import has_function  # noqa: PLC0415 - numpy, and all symbols

    try:
        if has_function(pid, _names(engine)):
            return ""
    except ProcessError as error:
        return (
            f"whether process {pid} has the chain of engine {engine.name} cannot be told: {error}"
        )
    return (
        f"the chain of engine {engine.name} matches no function of the files that process {pid} "
        "maps: which of its stacks are checks cannot be told (counts do not depend on it)"
    )


def _names(engine: Engine) -> Sequence[str]:
    """The names of all chains' functions, without the system call's wrapper."""
    links = [link for chain in engine.chains for link in (chain[:-1] or chain)]
    return sorted({name for link in links for name in link})
