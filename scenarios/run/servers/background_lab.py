# SPDX-License-Identifier: GPL-2.0-or-later
"""The labs that a user keeps running in the background, each noted in a file of the user's."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

from polltrace import procfs
from polltrace.errors import LabError
from polltrace.scenarios.run.servers.oralab import Oralab, start_oralab
from polltrace.scenarios.run.servers.sqlnet_file import write_sqlnet
from polltrace.scenarios.run.servers.state_directory import state_directory

DEFAULT_NAME = "lab"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,15}")
"""A lab's name, which in upper case is its instance's. The longest fits the columns of ps."""

_STOP_SECONDS = 5.0


def start(
    port: int, *, break_poll_skip: int, disable_oob: bool, name: str = DEFAULT_NAME
) -> Oralab:
    """Start it. Raises LabError where one of this name runs already, it cannot listen, or the note
    cannot be written."""
    if running := status(name):
        option = _option(name)
        raise LabError(
            f"a lab runs already (PID {running.pid}, port {running.port}); 'polltrace lab status"
            f"{option}' shows it, 'polltrace lab stop{option}' ends it, --name starts another"
        )
    path = _note(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # It holds a password: only its owner may read it, from the first byte on.
        note = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise LabError(
            f"cannot note the lab in {path}: {error.strerror}; set XDG_STATE_HOME to another folder"
        ) from None
    with open(note, "w", encoding="utf-8") as file:
        options = ["--port", str(port), "--service", name.upper()]
        _, lab = start_oralab(options, stdin=subprocess.DEVNULL)
        lab = replace(lab, name=name)
        write_sqlnet(lab.tns_admin, break_poll_skip=break_poll_skip, disable_oob=disable_oob)
        file.write(lab.to_json())
    return lab


def status(name: str = DEFAULT_NAME) -> Oralab | None:
    """The lab of this name that runs in the background, or None."""
    return _noted(_note(name))


def running() -> list[Oralab]:
    """Every lab that runs in the background, by name."""
    notes = sorted(state_directory().glob("lab*.json"))
    return [lab for note in notes if (lab := _noted(note))]


def _noted(note: Path) -> Oralab | None:
    try:
        lab = Oralab.from_json(note.read_text("utf-8"))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # The PID may be another process's by now: its executable identifies it.
    return lab if procfs.executable(lab.pid) == "oralab" else None


def stop(name: str = DEFAULT_NAME) -> Oralab | None:
    """End it, with its servers, and wait until it has ended; the lab that ran, or None.

    Raises LabError where it does not end in a few seconds.
    """
    lab = status(name)
    if lab is not None:
        with contextlib.suppress(ProcessLookupError):
            pidfd = os.pidfd_open(lab.pid)
            signal.pidfd_send_signal(pidfd, signal.SIGTERM)
            ended, _, _ = select.select([pidfd], [], [], _STOP_SECONDS)
            os.close(pidfd)
            if not ended:
                raise LabError(f"the lab (PID {lab.pid}) did not end in {_STOP_SECONDS:g} s")
    _note(name).unlink(missing_ok=True)
    return lab


def _option(name: str) -> str:
    """The option that names the lab, as it is typed."""
    return "" if name.lower() == DEFAULT_NAME else f" --name {name}"


def _note(name: str) -> Path:
    # Names that differ in case alone are one instance.
    named = name.lower()
    return state_directory() / ("lab.json" if named == DEFAULT_NAME else f"lab-{named}.json")
