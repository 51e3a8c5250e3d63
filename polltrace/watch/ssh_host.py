# SPDX-License-Identifier: GPL-2.0-or-later
"""Another host, by ssh: polltrace-probe runs there, and nothing else is needed there.

Facts that only its /proc has (the socket's owner, the handler) and a configuration file are not
known here, and this host's /proc is never asked about that host's processes.
"""

from __future__ import annotations

import secrets
import shlex
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import TYPE_CHECKING, Self

from polltrace.breaks.sqlnet import default_settings
from polltrace.errors import HostError, PolltraceError
from polltrace.overhead.calibration import CheckCost, cost_per_check
from polltrace.overhead.poll_cost import Knot
from polltrace.profiles.frames import WatchedProcess
from polltrace.profiles.recognition import engine_of_process, title_of
from polltrace.servers.servers import Server
from polltrace.watch.unnamed import Unnamed

if TYPE_CHECKING:
    from polltrace.profiles.sampled import SymbolSource

_SSH = [
    *("ssh", "-T", "-x"),
    # It has no terminal to ask on, and must not wait for an answer.
    *("-o", "BatchMode=yes"),
    # A host that is gone is noticed within a minute.
    *("-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"),
    # The probe of an open session goes through the connection that is there.
    *("-o", "ControlMaster=auto", "-o", "ControlPersist=no"),
]
_SSH_FAILED, _NO_COMMAND, _NOT_EXECUTABLE = 255, 127, 126


class SshHost:
    """`destination` as ssh takes it, from __enter__ to __exit__; `probe` is the path there.

    `sudo`: run it by `sudo -n`, for a user that is not root.
    """

    def __init__(self, destination: str, probe: str, *, sudo: bool) -> None:
        self._destination, self._probe, self._sudo = destination, probe, sudo
        self._servers: dict[int, Server] = {}

    def __enter__(self) -> Self:
        # A name that nobody can guess, in no folder of ours: ssh takes its socket away as it ends,
        # and it ends when its reader is gone, so that nothing stays even if we are killed.
        self._socket = Path(tempfile.gettempdir()) / f"polltrace-{secrets.token_hex(16)}"
        return self

    def argv(self, options: Sequence[str]) -> list[str]:
        return self._run([*(["sudo", "-n"] if self._sudo else []), self._probe, *options])

    def failure(self, code: int, message: str, /) -> PolltraceError | None:
        last = message.splitlines()[-1] if message else f"ssh ended with code {code}"
        if code == _SSH_FAILED:
            return HostError(
                f"ssh to {self._destination}: {last} (it must work without a question: "
                f"try 'ssh -o BatchMode=yes {self._destination} true')"
            )
        if code in (_NO_COMMAND, _NOT_EXECUTABLE) or message.startswith("sudo: "):
            return HostError(
                f"on {self._destination}: {last} (copy polltrace-probe there and give its path "
                "with --probe PATH; --sudo where it is not root that logs in)"
            )
        return None

    def note(self, process: WatchedProcess) -> None:
        if server := _server(process):
            self._servers[process.pid] = server
        else:
            self._servers.pop(process.pid, None)

    def servers(self, pids: Iterable[int]) -> list[Server]:
        return [self._servers[pid] for pid in pids if pid in self._servers]

    def check_cost(self, knot: Knot) -> CheckCost:
        """By the polltrace-calibrate next to the probe, if there is one: the cost per check of
        another host is another."""
        calibrate = str(PurePosixPath(self._probe).with_name("polltrace-calibrate"))
        try:
            return cost_per_check(knot, self._run([calibrate]))
        except HostError:
            raise HostError(
                f"there is no polltrace-calibrate next to polltrace-probe on {self._destination}"
            ) from None

    def names(self) -> SymbolSource:
        return Unnamed()

    def _run(self, command: Sequence[str]) -> list[str]:
        control = ["-o", f"ControlPath={self._socket}"]
        return [*_SSH, *control, "--", self._destination, shlex.join(command)]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._socket.unlink(missing_ok=True)


def _server(process: WatchedProcess) -> Server | None:
    engine = engine_of_process(process)
    match = engine.titled(title_of(process)) if engine else None
    if engine is None or match is None:
        return None
    return Server(
        pid=process.pid,
        start_ticks=process.start_ticks,
        engine=engine,
        instance=engine.instance_of(match),
        local=engine.is_local(match),
        socket=None,
        catches_sigurg=None,
        settings=default_settings(engine),
        looked_at=False,
    )
