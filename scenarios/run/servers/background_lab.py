# SPDX-License-Identifier: GPL-2.0-or-later
"""The one lab that a user keeps running in the background, noted in a file of the user's."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
from pathlib import Path

from polltrace import procfs
from polltrace.errors import LabError
from polltrace.scenarios.run.servers.oralab import Oralab, start_oralab
from polltrace.scenarios.run.servers.sqlnet import write_sqlnet
from polltrace.scenarios.run.servers.state_directory import state_directory

_STOP_SECONDS = 5.0


def start(port: int, *, break_poll_skip: int, disable_oob: bool) -> Oralab:
    """Start it. Raises LabError where one runs already, it cannot listen, or the note cannot be
    written."""
    if running := status():
        raise LabError(
            f"a lab runs already (PID {running.pid}, port {running.port}); "
            "'polltrace lab status' shows it, 'polltrace lab stop' ends it"
        )
    path = _note()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # It holds a password: only its owner may read it, from the first byte on.
        note = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise LabError(
            f"cannot note the lab in {path}: {error.strerror}; set XDG_STATE_HOME to another folder"
        ) from None
    with open(note, "w", encoding="utf-8") as file:
        _, lab = start_oralab(["--port", str(port)], stdin=subprocess.DEVNULL)
        write_sqlnet(lab.tns_admin, break_poll_skip=break_poll_skip, disable_oob=disable_oob)
        file.write(lab.to_json())
    return lab


def status() -> Oralab | None:
    """The lab that runs in the background, or None."""
    try:
        lab = Oralab.from_json(_note().read_text("utf-8"))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # The PID may be another process's by now: its executable tells.
    return lab if procfs.executable(lab.pid) == "oralab" else None


def stop() -> Oralab | None:
    """End it, with its servers, and wait until it has ended; the lab that ran, or None.

    Raises LabError where it does not end in a few seconds.
    """
    lab = status()
    if lab is not None:
        with contextlib.suppress(ProcessLookupError):
            pidfd = os.pidfd_open(lab.pid)
            signal.pidfd_send_signal(pidfd, signal.SIGTERM)
            ended, _, _ = select.select([pidfd], [], [], _STOP_SECONDS)
            os.close(pidfd)
            if not ended:
                raise LabError(f"the lab (PID {lab.pid}) did not end in {_STOP_SECONDS:g} s")
    _note().unlink(missing_ok=True)
    return lab


def _note() -> Path:
    return state_directory() / "lab.json"
