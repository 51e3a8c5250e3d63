# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands on another host, by ssh without a dialogue."""

from __future__ import annotations

import secrets
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from polltrace.errors import HostError

_SSH = [
    *("ssh", "-T", "-x"),
    # It has no terminal for a question, and must not wait for an answer.
    *("-o", "BatchMode=yes"),
    # A host that is gone is noticed within a minute.
    *("-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"),
    # A second command goes through the connection that is there.
    *("-o", "ControlMaster=auto", "-o", "ControlPersist=no"),
]
_LONGEST_MESSAGE = 300
_SSH_FAILED, _NO_COMMAND, _NOT_EXECUTABLE = 255, 127, 126


class Ssh:
    """`destination` as ssh takes it, from __enter__ to __exit__."""

    def __init__(self, destination: str) -> None:
        self.destination = destination

    def __enter__(self) -> Self:
        # A name that nobody can guess, in no folder of ours: ssh takes its socket away as it ends,
        # and it ends when its reader is gone, so that nothing stays even if we are killed.
        self._socket = Path(tempfile.gettempdir()) / f"polltrace-{secrets.token_hex(16)}"
        return self

    def argv(self, command: Sequence[str], *, sudo: bool = False) -> list[str]:
        """The local command line that runs `command` on the host; with `sudo`, by `sudo -n`."""
        words = [*(["sudo", "-n"] if sudo else []), *command]
        control = ["-o", f"ControlPath={self._socket}"]
        return [*_SSH, *control, "--", self.destination, shlex.join(words)]

    def failure(self, code: int, message: str, fix: str) -> HostError | None:
        """The error of ssh, sudo or the shell there that an exit code means; `fix` is the remedy
        where the command is missing. None where the code is the command's own."""
        last = message.splitlines()[-1] if message else f"ssh ended with code {code}"
        if len(last) > _LONGEST_MESSAGE:
            last = f"{last[:_LONGEST_MESSAGE]}…"
        if code == _SSH_FAILED:
            return HostError(
                f"ssh to {self.destination}: {last} (it must work without a question: "
                f"try 'ssh -o BatchMode=yes {self.destination} true')"
            )
        if code in (_NO_COMMAND, _NOT_EXECUTABLE) or message.startswith("sudo: "):
            return HostError(f"on {self.destination}: {last} ({fix})")
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._socket.unlink(missing_ok=True)
