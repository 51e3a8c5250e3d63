# SPDX-License-Identifier: GPL-2.0-or-later
"""The extended SQL traces of a load's sessions: who writes them, and where they are kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from polltrace.errors import FileError, UsageError
from polltrace.scenarios.load.workload import Workload
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.server import DatabaseServer

LEVEL = 12


def traced(workload: Workload) -> Workload:
    """The workload as it is, or with a trace of its first session where it has none."""
    if workload.trace_level:
        return workload
    return replace(workload, trace_level=LEVEL, trace_sessions=1)


def new_folder(folder: Path, server: DatabaseServer) -> None:
    """Make the folder that traces are kept in. Raises UsageError where the server is another
    host's, or where the folder has files that would be taken for this load's."""
    if not isinstance(server, LabServer):
        raise UsageError("--traces is of the lab: the database's host has its trace files")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty: name another folder with --traces")
    except OSError as error:
        raise FileError(f"cannot write {folder}: {error.strerror}") from None


def keep_traces(server: DatabaseServer, identifier: str, folder: Path) -> int:
    """Move the traces of sessions with this identifier to a folder; how many there were."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return sum(1 for trace in _traces(server, identifier) if shutil.move(trace, folder))
    except OSError as error:
        raise FileError(f"cannot write {folder}: {error.strerror}") from None


def _traces(server: DatabaseServer, identifier: str) -> Iterator[Path]:
    assert isinstance(server, LabServer)
    # Listed before one is moved.
    yield from sorted(server.oralab.tns_admin.rglob(f"*_{identifier}.trc"))
